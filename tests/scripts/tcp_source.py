#!/usr/bin/env python3
"""tcp_source.py PROGRAM PCAPS: -r tcp://HOST:PORT reads what servers send: pcap and pcapng, connection
after connection, several at once, an idle one, one that sends nonsense, and one that sends a byte
at a time."""
import json, os, random, socket, struct, subprocess, sys, tempfile, threading, time

program, pcaps = sys.argv[1:]
work = tempfile.TemporaryDirectory()
os.environ['ASAN_OPTIONS'] = 'detect_leaks=0'
failed = False


def check(what, holds, more=''):
    global failed
    if not holds:
        failed = True
        print(f'{what}: {more}')


class Server:
    """Serves connections in turn: each is a list of bytes, sent one by one, followed by an end, or
    with stays by none."""

    def __init__(self, *connections, stays=False):
        self.socket = socket.create_server(('127.0.0.1', 0))
        self.url = 'tcp://127.0.0.1:%d' % self.socket.getsockname()[1]
        self.connections, self.stays, self.kept = connections, stays, []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        for i, pieces in enumerate(self.connections):
            conn, _ = self.socket.accept()
            self.kept.append(conn)
            try:
                for piece in pieces:
                    conn.sendall(piece)
            except OSError:
                pass
            if not self.stays or i + 1 < len(self.connections):
                conn.close()


def convert(name, form, swapped=False):
    out = os.path.join(work.name, 'converted')
    subprocess.run(['editcap', '-F', form, name, out], check=True)
    return open(out, 'rb').read()


def records(data):
    """The header, and each packet with its own."""
    at, found = 24, [data[:24]]
    while at < len(data):
        end = at + 16 + struct.unpack('<I', data[at + 8:at + 12])[0]
        found.append(data[at:end])
        at = end
    return found


def swap(data):
    head = b''.join(struct.pack('>' + c, *struct.unpack('<' + c, data[a:b]))
                    for c, a, b in (('I', 0, 4), ('H', 4, 6), ('H', 6, 8), ('I', 8, 12), ('I', 12, 16),
                                    ('I', 16, 20), ('I', 20, 24)))
    return head + b''.join(struct.pack('>4I', *struct.unpack('<4I', r[:16])) + r[16:] for r in records(data)[1:])


def run(*options):
    done = subprocess.run([program, '-T', 'json', *options], capture_output=True, text=True, timeout=120)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, said, done.stderr


def messages(said):
    return [(r['op'], r.get('to'), r.get('term')) for r in said if r['type'] == 'message']


capture = pcaps + '/two-point-a.pcap'
other = pcaps + '/two-point-b.pcap'
micros = convert(capture, 'pcap')
num = len(records(micros)) - 1
whole = run('-r', capture)[1]
check('the capture has messages', len(messages(whole)) > 50)

# In every form it is equal to the file; the sandbox is on.
nanos, blocks = convert(capture, 'nsecpcap'), convert(capture, 'pcapng')
for name, data in (('pcap', micros), ('nanoseconds', nanos), ('the other order', swap(micros)), ('pcapng', blocks)):
    status, said, err = run('-r', Server([data]).url, '--packets', str(num), '--sandbox=require')
    check(name, status == 0 and 'is not allowed' not in err, err)
    check(name, messages(said) == messages(whole), 'other messages')
    check(name, [r['frame'] for r in said if 'frame' in r] == [r['frame'] for r in whole if 'frame' in r])

# A byte at a time; what has arrived is shown before more comes.
status, said, err = run('-r', Server([bytes([b]) for b in micros], stays=True).url, '--packets', str(num))
check('byte by byte', messages(said) == messages(whole))
server = Server(records(micros)[:120], stays=True)
process = subprocess.Popen([program, '-T', 'json', '-r', server.url], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
check('while it goes on', json.loads(process.stdout.readline()))
process.terminate()
process.communicate(timeout=60)
check('its end is an order', process.returncode in (0, 1), process.returncode)


def sockets(pid):
    links = [os.path.realpath(f'/proc/{pid}/fd/{fd}') for fd in os.listdir(f'/proc/{pid}/fd')]
    return {os.path.basename(link) for link in links if 'socket:' in link}


# A process that reads from servers has no other socket: none to the process that opens files.
server = Server(records(micros)[:120], stays=True)
out = os.path.join(work.name, 'out')
process = subprocess.Popen([program, '-T', 'json=' + out, '-l', '-r', server.url], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
for _ in range(1200):
    if os.path.exists(out) and os.path.getsize(out) != 0:
        break
    time.sleep(0.05)
children = open(f'/proc/{process.pid}/task/{process.pid}/children').read().split()
try:
    own = sockets(process.pid)
    shared = [own & sockets(pid) for pid in children]
    held = [sockets(pid) for pid in children]
    check('the helper is there', len(own) >= 1 and len(children) >= 2, children)
    check('no socket is shared with the process that reads', not any(shared), shared)
    check('one of them is connected to the server', any(len(h) == 1 for h in held), held)
except PermissionError:
    print('skipped: whose sockets these are, only root may see')
process.terminate()
process.wait(60)

# Connections end anywhere, also within a packet: the others continue after their last packet.
head, *packets = records(micros)
parts = [[head, *packets[:50], packets[50][:30]], [head[:10]], [swap(head + b''.join(packets[50:90]))],
         [head, *packets[90:]]]
status, said, err = run('-r', Server(*parts).url, '--packets', str(num))
check('it connects again', messages(said) == messages(whole), err)
check('it is said', 'the server has ended the connection: connecting again' in err and 'packets come again' in err, err)
check('and no more often', err.count('connecting again') <= 3, err)
status, said, err = run('-r', Server([blocks[:len(blocks) // 2]], [blocks]).url, '--packets', str(num + 20))
check('pcapng, section after section', status == 0 and len(messages(said)) > 40, err)

# Two servers with the same packets, each packet once, although their clocks differ; and files among
# them.
for options in ([], ['-r', capture]):
    b = convert(other, 'pcap')
    status, said, err = run('-r', Server([micros], stays=True).url, '-r', Server([b], stays=True).url, *options,
                            '-c', str(len(messages(whole)) - 2), '--no-clock-correction')
    got = messages(said)
    check('two servers', status == 0 and len(got) == len(messages(whole)) - 2, err)
    check('no message twice', options or len(set(map(str, got))) >= len(set(map(str, messages(whole)))) - 2)
status, said, err = run('-r', Server([micros], stays=True).url, '-r', Server([head], stays=True).url,
                        '--packets', str(num))
check('one that is quiet holds up no other', status == 0 and messages(said) == messages(whole), err)

# Hostile servers: this is reported, and the next connection counts.
random.seed(7)
nonsense = [b'HTTP/1.1 200 OK\r\n\r\n' * 9, b'', bytes(64), random.randbytes(5000), head + b'\xff' * 40,
            blocks[:4] + b'\x00\x00\x30\x00' + blocks[8:], blocks[:28] + b'\x06\0\0\0\x04\0\0\0' * 4]
for bad in nonsense:
    good = blocks if bad[:28] == blocks[:28] else micros # it began as pcapng
    status, said, err = run('-r', Server([bad], [good]).url, '--packets', str(num))
    check('nonsense', 'connecting again' in err, err)
    check('nonsense', messages(said) == messages(whole), f'{bad[:40]} {err}')
big = head + struct.pack('<4I', 1, 2, 262145, 262145) + bytes(400000)
status, said, err = run('-r', Server([big], [micros]).url, '--packets', str(num))
check('a packet too long', 'more than 262144 bytes' in err and messages(said) == messages(whole), err)
cooked = head[:20] + struct.pack('<I', 113)
status, said, err = run('-r', Server([micros[:5000]], [cooked], [micros]).url, '--packets', str(num))
check('another link layer', status == 0 and len(messages(said)) > 50, err)

# Impossible requests.
closed = socket.create_server(('127.0.0.1', 0))
url = 'tcp://127.0.0.1:%d' % closed.getsockname()[1]
closed.close()
status, said, err = run('-r', url)
check('nobody there', status == 1 and 'Connection refused' in err and err.count('\n') == 1, err)
for bad, code in (('tcp://x', 2), ('tcp://x:0', 2), ('tcp://nobody.invalid:5000', 1)):
    status, said, err = run('-r', bad)
    check(bad, status == code and err.count('\n') == 1, err)
status, said, err = run(*['-r', url] * 17)
check('too many', status == 2 and 'at most 16' in err, err)
sys.exit(failed)
