"""ask.py PORT SUBJECT [BODY]: sends a request to a server without TLS, and prints the answer.
ask.py PORT -: publishes the lines of standard input, a record each: subject, space, payload; \\e is
ESC."""
import socket, sys, time

def connect():
    sock = socket.create_connection(('127.0.0.1', int(sys.argv[1])), 10)
    lines = sock.makefile('rb')
    lines.readline()
    sock.sendall(b'CONNECT {"verbose":false}\r\nPING\r\n')
    while not lines.readline().startswith(b'PONG'):
        pass
    return sock, lines

def ask(subject, body):
    sock, lines = connect()
    sock.sendall(b'SUB inbox 1\r\nPUB %s inbox %d\r\n%s\r\n' % (subject, len(body), body))
    while True:
        line = lines.readline()
        if line.startswith(b'PING'):
            sock.sendall(b'PONG\r\n')
        elif line.startswith(b'MSG'):
            return lines.read(int(line.split()[-1])).decode()
        elif not line or line.startswith(b'HMSG'):
            raise OSError('no answer')

if sys.argv[2] == '-':
    sock, lines = connect()
    for record in sys.stdin.buffer:
        subject, body = record.rstrip(b'\n').replace(b'\\e', b'\x1b').split(b' ', 1)
        sock.sendall(b'PUB %s %d\r\n%s\r\n' % (subject, len(body), body))
    sock.sendall(b'PING\r\n')
    while not lines.readline().startswith(b'PONG'):
        pass
else:
    until = time.monotonic() + 60
    while True:
        try: # a server that has just started may not know yet
            print(ask(sys.argv[2].encode(), ' '.join(sys.argv[3:]).encode()))
            break
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
