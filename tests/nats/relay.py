"""relay.py LISTEN SERVER RULE ...: relays between a client of NATS and a real server, and injects faults
into what the server delivers from a stream. A rule is about the record with that number in the stream:
    drop-once N     does not pass it on the first time
    drop-always N   never passes it on
    hold N NAME     makes a file NAME.held before it passes it on for the first time, and waits for NAME.go
Each drop is a line of the output."""
import os, re, socket, sys, threading, time

listen, server, rules = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
drop_once, drop_always, holds = set(), set(), {}
while rules:
    what, number = rules.pop(0), int(rules.pop(0))
    if what == 'hold':
        holds[number] = rules.pop(0)
    else:
        {'drop-once': drop_once, 'drop-always': drop_always}[what].add(number)

def hold(name):
    open(name + '.held', 'w').close()
    while not os.path.exists(name + '.go'):
        time.sleep(0.05)

def is_passed(line):
    found = re.search(rb'\$JS\.ACK\.[^. ]+\.[^. ]+\.\d+\.(\d+)\.', line)
    number = int(found[1]) if found else 0
    if number in holds:
        hold(holds.pop(number))
    if number in drop_always or number in drop_once:
        drop_once.discard(number)
        print('dropped', number, flush=True)
        return False
    return True

def close(*socks):
    for sock in socks:
        try:
            sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

def deliver(source, sink):
    try:
        lines = source.makefile('rb')
        while line := lines.readline():
            body = b''
            if line.startswith((b'MSG ', b'HMSG ')):
                body = lines.read(int(line.split()[-1]) + 2)
            if is_passed(line):
                sink.sendall(line + body)
    except OSError:
        pass
    close(source, sink)

def copy(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    close(source, sink)

listener = socket.create_server(('127.0.0.1', listen))
print('listens', flush=True)
while True:
    client = listener.accept()[0]
    try:
        other = socket.create_connection(('127.0.0.1', server))
    except OSError:
        client.close()
        continue
    threading.Thread(target=deliver, args=(other, client), daemon=True).start()
    threading.Thread(target=copy, args=(client, other), daemon=True).start()
