#!/usr/bin/env python3
"""ports_again.py PROGRAM [RUNS [SEED]]: a client comes again from the port that it had, as Linux lets it: while one end
is in TIME_WAIT, after an end was killed, or vanished without a word. Two sockets in network namespaces say what two
nodes say, three connections one after the other on the same ports; numbers of the next one begin anywhere, or just
behind those of the one before. Packets that begin and end a connection may be missing in the capture. All messages
that each socket read are shown, and no other; where neither the SYN nor the SYN-ACK was captured it may also be said
that some are missing. The same SEED makes the same connections; what fails is kept as
ports-SEED.pcap in DISTSNIFF_KEEP. Exits with 77 where the right to make network namespaces is missing."""
import json
import os
import random
import select
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', 'support'))
from talk import ACK, FIN, RST, SYN, handshake, reg_send
from wire import Wire, write_packets

program = os.path.realpath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 8
first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
keep = os.environ.get('DISTSNIFF_KEEP')
work = tempfile.mkdtemp()
TCP_REPAIR, TCP_REPAIR_QUEUE, TCP_QUEUE_SEQ, SEND_QUEUE = 19, 20, 21, 2


def repair(sock, value):
    sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, value)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # repair has changed it


def next_number(sock):
    """The number of the next byte that a socket sends. After this, closing it sends nothing."""
    repair(sock, 1)
    sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR_QUEUE, SEND_QUEUE)
    return sock.getsockopt(socket.IPPROTO_TCP, TCP_QUEUE_SEQ) & 0xffffffff


class Link:
    """A connection between two sockets, and what each end has read."""

    def __init__(self, wire, version, listener, port, number):
        wire.enter(0)
        family = socket.AF_INET if version == 4 else socket.AF_INET6
        hosts = ['10.7.0.1', '10.7.0.2'] if version == 4 else ['2001:db8::1', '2001:db8::2']
        one = socket.socket(family, socket.SOCK_STREAM)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind((hosts[0], port))
        if number is not None:
            repair(one, 1)
            one.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR_QUEUE, SEND_QUEUE)
            one.setsockopt(socket.IPPROTO_TCP, TCP_QUEUE_SEQ, struct.pack('I', number & 0xffffffff))
            repair(one, 0)
        one.settimeout(5)
        one.connect((hosts[1], 25672))
        two, _ = listener.accept()
        self.ends, self.read, self.sent, self.told = [one, two], [b'', b''], [0, 0], [False, False]
        for end in self.ends:
            end.setblocking(False)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def pump(self, patience=2):
        over = time.monotonic() + patience
        while len(self.read[1]) < self.sent[0] or len(self.read[0]) < self.sent[1]:
            select.select(self.ends, [], [], 0.05)
            for end in (0, 1):
                try:
                    self.read[end] += self.ends[end].recv(1 << 16)
                except BlockingIOError:
                    pass
            if time.monotonic() > over:
                raise TimeoutError

    def say(self, end, data):
        self.ends[end].send(data)
        self.sent[end] += len(data)
        self.pump()

    def message(self, end, number, size):
        is_first = not self.told[end]
        self.told[end] = True
        self.say(end, reg_send(end, is_first, b'l\0\0\0\2b' + struct.pack('>I', number) + b'm' +
                               struct.pack('>I', size) + bytes(size) + b'j'))


# Ways in which a connection ends.
def client_closes(link):
    link.ends[0].close()
    time.sleep(0.01)
    link.ends[1].close()


def server_closes(link):
    link.ends[1].close()
    time.sleep(0.01)
    link.ends[0].close()


def both_close(link):
    for end in link.ends:
        end.close()


def kill(link, end):
    link.ends[end].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    link.ends[end].close()


def client_killed(link):
    kill(link, 0)
    link.ends[1].close()


def server_killed(link):
    kill(link, 1)
    link.ends[0].close()


def half_then_killed(link):
    link.ends[0].shutdown(socket.SHUT_WR)
    time.sleep(0.01)
    kill(link, 0)
    link.ends[1].close()


def client_vanishes(link):  # its new SYN is answered by an ACK for the old connection, and that by a RST
    repair(link.ends[0], 1)
    link.ends[0].close()
    return [link.ends[1]]


def server_vanishes(link):
    repair(link.ends[1], 1)
    link.ends[1].close()
    link.ends[0].send(b'\0\0\0\0')  # a tick, answered by a RST
    time.sleep(0.01)
    link.ends[0].close()


def both_vanish(link):
    for end in link.ends:
        repair(end, 1)
        end.close()


def client_vanishes_first(link):  # the server has sent a FIN
    repair(link.ends[0], 1)
    link.ends[0].close()
    link.ends[1].close()


ENDS = [client_closes, server_closes, both_close, client_killed, server_killed, half_then_killed, client_vanishes,
        server_vanishes, both_vanish, client_vanishes_first]
NEAR = [None, None, 0, 1, 7, 1000, 65537, 10**6, 1 << 21, 1 << 25, -3 & 0xffffffff]
LOST = {'nothing': lambda flags, size: False,
        'SYN': lambda flags, size: flags & (SYN | ACK) == SYN,
        'SYN-ACK': lambda flags, size: flags & (SYN | ACK) == SYN | ACK,
        'SYN and SYN-ACK': lambda flags, size: flags & SYN,
        'FIN': lambda flags, size: flags & FIN,
        'RST': lambda flags, size: flags & RST,
        'FIN and RST': lambda flags, size: flags & (FIN | RST),
        'FIN, RST and SYN': lambda flags, size: flags & (FIN | RST) or flags & (SYN | ACK) == SYN,
        'SYN and ACK': lambda flags, size: flags & (SYN | ACK) == SYN or (size == 0 and flags == ACK),
        'all but data': lambda flags, size: size == 0}
UNSURE = ['SYN and SYN-ACK', 'all but data']


def header(packet):
    at = 34 if packet[12:14] == b'\x08\0' else 54
    size = (struct.unpack('>H', packet[16:18])[0] - 20 if at == 34 else struct.unpack('>H', packet[18:20])[0])
    if packet[23 if at == 34 else 20] != 6:
        return 0, 1
    return packet[at + 13], size - (packet[at + 12] >> 4) * 4


def play(wire, seed):
    rng = random.Random(seed)
    version, lost = rng.choice([4, 4, 6]), rng.choice(sorted(LOST))
    wire.drain()
    wire.enter(1)
    family = socket.AF_INET if version == 4 else socket.AF_INET6
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(('10.7.0.2' if version == 4 else '2001:db8::2', 25672))
    listener.listen()
    listener.settimeout(5)
    port, ids, truth, what = 20000 + seed % 20000, 0, [[], []], [f'IPv{version}, {lost} lost']
    number, left = None, []
    for _ in range(3):
        link = Link(wire, version, listener, port, number)
        for end, step in handshake():
            link.say(end, step)
        for _ in range(rng.randrange(1, 12)):
            for end in rng.choice([(0, 1), (1, 0), (0,), (1,)]):
                ids += 1
                link.message(end, ids, rng.choice([0, 0, 900]))
                truth[end].append(ids)
        near, how = rng.choice(NEAR), rng.choice(ENDS)
        number = None
        if near is not None:
            number = next_number(link.ends[0]) + near
            repair(link.ends[0], 0)
        what.append(f'{how.__name__} next {near}')
        left += how(link) or []
        time.sleep(0.02)
    for end in left:
        end.close()
    listener.close()
    time.sleep(0.02)
    return truth, [p for p in wire.drain() if not LOST[lost](*header(p[1]))], lost, '; '.join(what)


def look(truth, packets, path, may_lack):
    write_packets(path, packets)
    run = subprocess.run([program, '-r', path, '-T', 'json'], capture_output=True, text=True)
    shown, wrong = [[], []], [] if run.returncode in (0, 3) else [f'exit {run.returncode} {run.stderr[-300:]}']
    for r in map(json.loads, run.stdout.splitlines()):
        if r['type'] == 'message' and r.get('term', '').startswith('['):
            end = int(r['src']['port'] == 25672)
            shown[end].append(int(r['term'][1:].split(',')[0]))
            if (r.get('to') != 'gardener' or r.get('unknown_atoms')) and not may_lack:
                wrong.append(f'message {shown[end][-1]} to {r.get("to")}')
    said = '"type":"gap"' in run.stdout or '"fault"' in run.stdout
    for end in (0, 1):
        if shown[end] != truth[end] and not (may_lack and said and set(shown[end]) <= set(truth[end])):
            wrong.append(f'{"ab"[end]}: {len(shown[end])} of {len(truth[end])}, lacking '
                         f'{[n for n in truth[end] if n not in shown[end]]}')
    return wrong


wire = Wire('port')
for end in (0, 1):
    wire.enter(end)
    for name, value in ('tcp_tw_reuse', 1), ('tcp_tw_reuse_delay', 1):
        try:
            with open(f'/proc/sys/net/ipv4/{name}', 'w') as file:
                file.write(str(value))
        except OSError:
            pass  # a kernel that waits for a second
failures = 0
try:
    for seed in range(first, first + runs):
        truth, packets, lost, what = play(wire, seed)
        path = os.path.join(work, 'ports.pcap')
        wrong = look(truth, packets, path, lost in UNSURE)
        if wrong:
            failures += 1
            print(f'seed {seed}: {what}: {"; ".join(wrong)}')
            if keep:
                os.replace(path, os.path.join(keep, f'ports-{seed}.pcap'))
finally:
    wire.close()
print(f'{runs} runs, {failures} failures')
sys.exit(failures != 0)
