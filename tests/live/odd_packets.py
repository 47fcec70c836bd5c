#!/usr/bin/env python3
"""odd_packets.py PROGRAM [RUNS [SEED]]: compares with what Linux does with odd packets. Two sockets in
network namespaces of their own send what two nodes send; an attacker on the wire between them sends
one to three odd packets at once, at random places: during the handshake, within a large message,
after one end's FIN. What each socket reads is the truth: all messages that it read are shown, and
no other, or messages are reported missing. The same SEED makes the same odd packets; a failed run
is kept as odd-SEED.pcap in DISTSNIFF_KEEP. Exits with 77 without the right to make network
namespaces."""
import collections
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
from talk import ACK, FIN, PSH, RST, SYN, URG, Way, handshake, ones_sum, reg_send
from wire import Wire, write_packets

program = os.path.realpath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 12
first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
keep = os.environ.get('DISTSNIFF_KEEP')
work = tempfile.mkdtemp()
NUM, SPOOFED = 40, 7000000


class Link:
    """A connection between two sockets, its captured packets, and what each end has read."""

    def __init__(self, wire, version, rng):
        self.wire, self.version, self.rng, self.way = wire, version, rng, Way(version)
        self.packets, self.mine = [], collections.Counter()
        self.seq, self.time, self.port, self.first = [0, 0], [None, None], None, None
        self.read, self.sent, self.ids, self.told = [b'', b''], [b'', b''], 0, [False, False]
        self.ended, self.attacks, self.window, self.is_late = [False, False], [], 500, False
        family = socket.AF_INET if version == 4 else socket.AF_INET6
        host = '10.7.0.2' if version == 4 else '2001:db8::2'
        self.drain()
        self.packets.clear()
        wire.enter(1)
        server = socket.socket(family, socket.SOCK_STREAM)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((host, 25672))
        server.listen()
        wire.enter(0)
        one = socket.socket(family, socket.SOCK_STREAM)
        one.setblocking(False)
        one.connect_ex((host, 25672))
        select.select([server], [], [], 3)
        self.port = (one.getsockname()[1], 25672)
        two, _ = server.accept()
        server.close()
        two.setblocking(False)
        self.ends = [one, two]
        for end in self.ends:
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.drain()

    def drain(self):
        """Reads the captured packets, and learns the ends' positions from their own packets."""
        for now, data in self.wire.drain():
            self.packets.append((now, data))
            if self.mine[data]:
                self.mine[data] -= 1
            else:
                self.learn(data)

    def learn(self, data):
        at = 54 if self.version == 6 else 34
        if self.port is None or len(data) < at + 20 or data[at - 11 if self.version == 4 else at - 34] != 6:
            return
        sport, _, seq, _, offset, flags = struct.unpack('>HHIIBB', data[at:at + 14])
        if sport not in self.port:
            return
        end = self.port.index(sport)
        head = (offset >> 4) * 4
        ip_len = struct.unpack('>H', data[16:18])[0] + 14 if self.version == 4 else (
            struct.unpack('>H', data[18:20])[0] + 54)
        size = ip_len - at - head
        next_seq = seq + size + bool(flags & SYN) + bool(flags & FIN)
        if flags & SYN or (next_seq - self.seq[end]) & 0x80000000 == 0:
            self.seq[end] = next_seq & 0xffffffff
        options = data[at + 20:at + head]
        if options[:4] == b'\1\1\10\12':
            self.time[end] = struct.unpack('>I', options[4:8])[0]

    def put(self, end, flags, off=0, ack_off=0, data=b'', make=None, ip_make=None, **more):
        """Sends a packet in the name of an end."""
        more.setdefault('time', self.time[end])
        more.setdefault('ack', self.seq[1 - end] + ack_off)
        whole = self.way.packet(end, flags, self.seq[end] + off, more.pop('ack'), data, self.port,
                                window=more.pop('window', self.window), **more)
        self.throw(end, whole)

    def throw(self, end, whole):
        whole = self.wire.mac[1 - end] + self.wire.mac[end] + whole[12:]
        self.mine[whole] += 1
        self.wire.raw[end].send(whole)

    def pump(self, wanted, patience=1.5):
        """Reads until an end has read as much as wanted; false if it does not arrive."""
        over = time.monotonic() + patience
        while True:
            for end in (0, 1):
                try:
                    data = self.ends[end].recv(1 << 16)
                    self.read[end] += data
                    self.ended[end] = self.ended[end] or data == b''
                except BlockingIOError:
                    pass
                except OSError:
                    self.ended = [True, True]
            self.drain()
            if len(self.read[0]) >= wanted[0] and len(self.read[1]) >= wanted[1]:
                return True
            if time.monotonic() > over or self.ended == [True, True]:
                return False
            select.select(self.ends, [], [], 0.01)

    def say(self, end, data):
        try:
            if self.ends[end].send(data) != len(data):
                return False
        except OSError:
            return False
        self.sent[end] += data
        wanted = [len(self.sent[1]), len(self.sent[0])]
        return self.pump(wanted)

    def message(self, end, size=0):
        """A REG_SEND with a list of one number, a different one each time."""
        self.ids += 1
        return self.numbered(end, self.ids, size)

    def numbered(self, end, number, size=0):
        is_first = not self.told[end]
        self.told[end] = True
        return reg_send(end, is_first, b'l\0\0\0\2b' + struct.pack('>I', number) + b'm' +
                        struct.pack('>I', size) + bytes(size) + b'j')

    def shake(self, between):
        for end, step in handshake():
            between()
            if not self.say(end, step):
                return False
        return True


# The attacker's packets; at most one in a link that the ends accept.
def spoofed(t, e, size=None):
    """Bytes of a message that no node has sent, as long as a real one."""
    told = t.told[:]
    t.told[e] = True
    whole = t.numbered(e, SPOOFED + 1 + t.rng.randrange(1000))
    t.told = told
    return whole if size is None else (whole * (1 + size // len(whole)))[:size]


def keepalive(t, e): t.put(e, ACK, -1, data=t.rng.choice([b'', b'\0', b'x']))
def keepalive_acked(t, e): t.put(e, ACK, -1); t.put(1 - e, ACK)
def syn_ack_again(t, e): t.put(1, SYN | ACK, t.rng.choice([0, -1, 5, 10**6]), options=b'\2\4\5\xb4')
def syn_ack_with_data(t, e): t.put(e, SYN | ACK, -1, data=t.rng.choice([spoofed(t, e), b'']), options=b'\2\4\5\xb4')
def syn_with_data(t, e): t.put(e, SYN, t.rng.choice([0, -1, 9, 10**8]), data=spoofed(t, e), options=b'\2\4\2\x18')
def syn_fin(t, e): t.put(e, SYN | FIN | t.rng.choice([0, ACK]), t.rng.choice([0, 3]), data=spoofed(t, e, 9))
def fin_reset(t, e): t.put(e, FIN | RST, t.rng.choice([1, 40, 10**5]))
def all_flags(t, e): t.put(e, 0x3f, t.rng.choice([1, -1, 99]), data=spoofed(t, e, 20))
def reset_in_window(t, e): t.put(e, RST | t.rng.choice([0, ACK]), t.rng.choice([1, 50, 3000, -1]))
def reset_with_data(t, e): t.put(e, RST | ACK, t.rng.choice([2, 700, -50]), data=b'why')
def fin_early_data(t, e): t.put(e, FIN | ACK, 5, t.rng.choice([1, 10**5, 2 * 10**6]), data=spoofed(t, e, 12))
def fin_old(t, e): t.put(e, FIN | ACK, t.rng.choice([-1, -20]), data=t.rng.choice([b'', b'y']))
def data_ack_unsent(t, e): t.put(e, PSH | ACK, 0, t.rng.choice([1, 7, 5000, 10**6]), data=spoofed(t, e))
def data_ack_old(t, e): t.put(e, PSH | ACK, 0, t.rng.choice([-10**6, -10**7, -2**30]), data=spoofed(t, e),
                                window=321)  # with the usual window Linux accepts it, as it checks less
def data_behind_window(t, e): t.put(e, ACK, t.rng.choice([2**25, 2**30, 2**31 - 1]), data=spoofed(t, e))
def data_before(t, e): t.put(e, ACK, -len(spoofed(t, e)) - t.rng.choice([0, 3]), data=spoofed(t, e))
def no_ack_urgent(t, e): t.put(e, URG | PSH, data=spoofed(t, e), urgent=2)
def early_pieces(t, e):
    for _ in range(t.rng.randrange(1, 5)):
        start = t.rng.randrange(1, 20)
        t.put(e, ACK, start, data=bytes([t.rng.randrange(256)]) * t.rng.randrange(1, 20))
def window_shut(t, e): t.put(e, ACK, window=0); t.put(e, ACK)
def mss_option(t, e): t.put(e, ACK, options=b'\2\4\0\x10\3\3\7\1')
def md5_option(t, e): t.put(e, PSH | ACK, data=spoofed(t, e), options=b'\23\22' + bytes(16) + b'\1\1')
def bad_options(t, e): t.put(e, ACK, options=t.rng.choice([b'\10\11\1\1', b'\5\2\1\1', b'\2\0\1\1', b'\x1e\xff\1\1']))
def old_time(t, e): t.put(e, PSH | ACK, data=spoofed(t, e), time=(t.time[e] or 0) - t.rng.choice([2000, 10**6, 2**30]))
def old_reset(t, e): t.put(e, RST | ACK, t.rng.choice([1, 60]), time=(t.time[e] or 0) - 10**5)
def flags_of_ecn(t, e): t.put(e, ACK | 0xc0)
def bad_sum_fin(t, e): t.put(e, FIN | ACK, data=spoofed(t, e, 30), bad=True)
def zero_sum(t, e): t.throw(e, with_sum(t, t.way.packet(e, PSH | ACK, t.seq[e], t.seq[1 - e], spoofed(t, e), t.port,
                                                       time=t.time[e]), 0))
def short_head(t, e):
    whole = bytearray(t.way.packet(e, PSH | ACK, t.seq[e], t.seq[1 - e], spoofed(t, e), t.port, time=t.time[e]))
    at = (54 if t.version == 6 else 34) + 12
    whole[at] = t.rng.choice([0x00, 0x40, 0xf0]) if len(whole) < 94 else t.rng.choice([0x00, 0x40])
    t.throw(e, with_sum(t, bytes(whole)))
def empty_data(t, e): t.put(e, PSH | ACK | t.rng.choice([0, URG]), urgent=0)
def rights(t, e): t.put(e, ACK, ack_off=t.rng.choice([0, -1, -30]))


def with_sum(t, whole, value=None):
    """The packet with a recomputed or given checksum."""
    at = 54 if t.version == 6 else 34
    tcp = whole[at:at + 16] + b'\0\0' + whole[at + 18:]
    ends = whole[22:54] + struct.pack('>II', len(tcp), 6) if t.version == 6 else (
        whole[26:34] + struct.pack('>HH', 6, len(tcp)))
    total = ones_sum(ends + tcp) ^ 0xffff if value is None else value
    return whole[:at] + tcp[:16] + struct.pack('>H', total) + tcp[18:]


def extended(t, e):
    """IPv6 with headers before that of TCP: some that a node accepts, and some that it does not."""
    if t.version != 6:
        return options_of_ip(t, e)
    bad = t.rng.choice([{'ack_off': 3000000}, {'off': 2**29}])
    whole = t.way.packet(e, PSH | ACK, t.seq[e] + bad.get('off', 0), t.seq[1 - e] + bad.get('ack_off', 0),
                         spoofed(t, e), t.port, time=t.time[e])
    headers = t.rng.choice([[0], [60], [0, 60], [60, 60], [44]])
    chain, following = b'', 6
    for kind in reversed(headers):
        chain = (bytes([following, 0]) + (b'\0\0\0\0\0\7' if kind == 44 else b'\1\4\0\0\0\0')) + chain
        following = kind
    ip = bytearray(whole[14:54])
    ip[4:6] = struct.pack('>H', len(whole) - 54 + len(chain))
    ip[6] = following
    t.throw(e, whole[:14] + bytes(ip) + chain + whole[54:])


def options_of_ip(t, e):
    """IPv4 with options, with data beyond any window."""
    whole = t.way.packet(e, PSH | ACK, t.seq[e] + 2**29, t.seq[1 - e], spoofed(t, e), t.port, time=t.time[e])
    ip = bytearray(whole[14:34])
    ip[0] = 0x46
    ip[2:4] = struct.pack('>H', len(whole) - 14 + 4)
    ip[10:12] = b'\0\0'
    ip += b'\1\1\1\0'
    ip[10:12] = struct.pack('>H', ones_sum(bytes(ip)) ^ 0xffff)
    t.throw(e, whole[:14] + bytes(ip) + whole[34:])


def to_group(t, e):
    """In a frame to several hosts, and from or to an address of IP of several."""
    whole = t.way.packet(e, PSH | ACK, t.seq[e], t.seq[1 - e], spoofed(t, e), t.port, time=t.time[e])
    mac = t.rng.choice([b'\xff' * 6, b'\1\0\x5e\0\0\1', b'\x33\x33\0\0\0\1'])
    whole = mac + t.wire.mac[e] + whole[12:]
    t.mine[whole] += 1
    t.wire.raw[e].send(whole)


def with_options(t, e):
    """The next data with options of IPv6: at most one that a node passes over, or any that it does not take."""
    if t.version != 6:
        return to_group(t, e)
    options = t.rng.choice([b'\x5e\4\0\0\0\0', b'\x9e\4\0\0\0\0', b'\xde\4\0\0\0\0', b'\1\4\0\0\0\1', b'\1\5\0\0\0\0',
                            b'\1\4' + bytes(8) + b'\x1e\2\0\0', bytes(8) + b'\x1e\4\0\0\0\0', b'\x1e\0' * 9 + b'\1\2\0\0',
                            b'\xc2\4\0\1\0\0', b'\xc9\20' + bytes(16) + b'\1\2\0\0'])
    kind = t.rng.choice([0, 60])
    whole = t.way.packet(e, PSH | ACK, t.seq[e], t.seq[1 - e], spoofed(t, e), t.port, time=t.time[e])
    chain = bytes([6, (len(options) + 2) // 8 - 1]) + options
    ip = bytearray(whole[14:54])
    ip[4:6] = struct.pack('>H', len(whole) - 54 + len(chain))
    ip[6] = kind
    t.throw(e, whole[:14] + bytes(ip) + chain + whole[54:])


def routed(t, e):
    """The next data in a packet that a node drops: with a source route, or malformed options."""
    whole = t.way.packet(e, PSH | ACK, t.seq[e], t.seq[1 - e], spoofed(t, e), t.port, time=t.time[e])
    if t.version == 6:
        chain = b'\6\2\4\1' + bytes(4) + t.rng.choice([whole[38:54], whole[22:38]])
        ip = bytearray(whole[14:54])
        ip[4:6] = struct.pack('>H', len(whole) - 54 + len(chain))
        ip[6] = 43
    else:
        chain = b''
        options = t.rng.choice([b'\x83\7\4' + whole[30:34] + b'\0', b'\x89\7\4' + whole[26:30] + b'\0',
                                b'\x83\7\10' + whole[30:34] + b'\0', b'\x94\0\0\0', b'\x94\1\0\0', b'\x94\5\0\0'])
        ip = bytearray(whole[14:34])
        ip[0] = 0x45 + len(options) // 4
        ip[2:4] = struct.pack('>H', len(whole) - 14 + len(options))
        ip[10:12] = b'\0\0'
        ip += options
        ip[10:12] = struct.pack('>H', ones_sum(bytes(ip)) ^ 0xffff)
    t.throw(e, whole[:14] + bytes(ip) + chain + whole[54 if t.version == 6 else 34:])


def in_pieces(t, e):
    """A segment in fragments that overlap, or one of which is missing, or whose bytes a node ignores."""
    if t.version != 4:
        return extended(t, e)
    whole = t.way.packet(e, PSH | ACK, t.seq[e], t.seq[1 - e], spoofed(t, e), t.port, time=t.time[e])
    ident, body = t.rng.randrange(1, 65536), whole[34:]
    for start, stop, more in t.rng.choice([[(0, 40, 1), (32, len(body), 0)], [(0, 40, 1)], [(40, len(body), 0)],
                                           [(0, 48, 1), (40, 48, 1), (56, len(body), 0)]]):
        ip = bytearray(whole[14:34])
        ip[2:4] = struct.pack('>H', 20 + stop - start)
        ip[4:8] = struct.pack('>HH', ident, more << 13 | start // 8)
        ip[10:12] = b'\0\0'
        ip[10:12] = struct.pack('>H', ones_sum(bytes(ip)) ^ 0xffff)
        t.throw(e, whole[:14] + bytes(ip) + body[start:stop])


KINDS = [keepalive, keepalive_acked, syn_ack_again, syn_ack_with_data, syn_with_data, syn_fin, fin_reset, all_flags,
         reset_in_window, reset_with_data, fin_early_data, fin_old, data_ack_unsent, data_ack_old,
         data_behind_window, data_before, no_ack_urgent, early_pieces, window_shut, mss_option, md5_option,
         bad_options, old_time, old_reset, flags_of_ecn, bad_sum_fin, zero_sum, short_head, empty_data, rights,
         extended, routed, in_pieces, to_group, with_options]
NUMBERED = [data_ack_unsent, data_ack_old]


def attack(t, where, num):
    for _ in range(num):
        kind, end = t.rng.choice(KINDS), t.rng.randrange(2)
        if kind in NUMBERED and t.is_late:  # docs/limits.md
            continue
        t.drain()
        kind(t, end)
        t.attacks.append(f'{kind.__name__} {"ab"[end]} {where}')
    time.sleep(0.002)
    t.pump([0, 0])


def play(wire, seed):
    rng = random.Random(seed)
    t = Link(wire, rng.choice([4, 4, 6]), rng)
    late = t.is_late = rng.random() < 0.25
    places = {rng.randrange(NUM): rng.randrange(1, 4) for _ in range(rng.randrange(1, 5))}
    goes_on = t.shake(lambda: attack(t, 'amid the handshake', 1) if not late and rng.random() < 0.06 else None)
    if late:
        t.drain()
        t.packets.clear()
        t.read = [b'', b'']
        t.sent = [b'', b'']
    half = rng.choice([None, None, 0, 1])
    for number in range(NUM):
        if not goes_on or not all(t.say(end, t.message(end, rng.choice([0, 0, 0, 900]))) for end in (0, 1)):
            break
        if number in places:
            if rng.random() < 0.3:  # within a message
                end, whole = rng.randrange(2), None
                whole = t.message(end, 3000)
                cuts = sorted(rng.randrange(1, len(whole)) for _ in range(2))
                for part in (whole[:cuts[0]], whole[cuts[0]:cuts[1]], whole[cuts[1]:]):
                    goes_on = goes_on and (part == b'' or t.say(end, part))
                    attack(t, f'amid message {number}', places[number])
            else:
                attack(t, f'before message {number}', places[number])
    if goes_on and half is not None:
        try:
            t.ends[half].shutdown(socket.SHUT_WR)
        except OSError:
            pass
        t.pump([0, 0])
        t.attacks.append(f'{"ab"[half]} ends')
        for number in range(10):
            if number == 3:
                attack(t, 'behind the end', 2)
            if not t.say(1 - half, t.message(1 - half)):
                break
    time.sleep(0.02)
    t.pump([0, 0])
    for end in t.ends:
        end.close()
    time.sleep(0.02)
    t.drain()
    return t, late


def numbers(data, skipped):
    """The numbers of the messages that an end has read, and whether it could read all."""
    at, found = skipped, []
    while len(data) - at >= 4:
        size = struct.unpack('>I', data[at:at + 4])[0]
        body = data[at + 4:at + 4 + size]
        if size > 10**6 or (size and body[:2] != b'\203D'):
            return found, False
        if len(body) < size:
            return found, True
        mark = body.find(b'l\0\0\0\2b')
        if mark < 0:
            return found, False
        found.append(struct.unpack('>I', body[mark + 6:mark + 10])[0])
        at += 4 + size
    return found, True


def look(t, late, path):
    write_packets(path, t.packets)
    run = subprocess.run([program, '-r', path, '-T', 'json'], capture_output=True, text=True)
    records = [json.loads(line) for line in run.stdout.splitlines()]
    shown = [[], []]
    for r in records:
        if r['type'] == 'message' and 'fault' not in r and r.get('term', '').startswith('['):
            shown[int(r['src']['port'] == 25672)].append(int(r['term'][1:].split(',')[0]))
    shakes = [0, 0] if late else [2 + 19 + 2 + 21, 5 + 2 + 23 + 2 + 17]
    said = any(r['type'] == 'gap' or 'fault' in r for r in records) or 'missing' in run.stderr
    wrong = [] if run.returncode in (0, 3) else [f'exit {run.returncode}: {run.stderr[-300:]}']
    for end in (0, 1):
        truth, is_whole = numbers(t.read[1 - end], shakes[end])
        have = shown[end]
        if have == truth or (not is_whole and have[:len(truth)] == truth):
            continue
        strange = [n for n in have if n not in truth and n > SPOOFED]  # more of a node's own may be on its way
        lacking = [n for n in truth if n not in have]
        if strange and is_whole or lacking and not said:
            wrong.append(f'{"ab"[end]}: {len(have)} of {len(truth)}, not taken {strange[:4]}, lacking {lacking[:4]}'
                         f'{"" if said else ", not said"}')
    return wrong


wire = Wire('odd')
failures = total = 0
try:
    for seed in range(first, first + runs):
        t, late = play(wire, seed)
        total += sum(len(numbers(t.read[e], 0 if late else (46 if e == 0 else 44))[0]) for e in (0, 1))
        path = os.path.join(work, 'odd.pcap')
        wrong = look(t, late, path)
        if wrong:
            failures += 1
            print(f'seed {seed}: IPv{t.version}{" late" if late else ""}: {"; ".join(wrong)} | {"; ".join(t.attacks)}')
            if keep:
                os.replace(path, os.path.join(keep, f'odd-{seed}.pcap'))
finally:
    wire.close()
print(f'{runs} links, {total} messages, {failures} failures')
sys.exit(failures != 0)
