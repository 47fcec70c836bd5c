#!/usr/bin/env python3
"""tls_attacker.py PROGRAM [RUNS [SEED]]: recorded TLS connections between two nodes, and packets of an
attacker at random places, during the TLS handshake, too, each of which a node ignores: RST, FIN,
SYN, records, alerts and other bytes with a bad checksum, numbers far off, without ACK, an old
timestamp or a wrong acknowledgement. The decrypted messages are the same as without them, and no
others. The same SEED makes the same packets; a failed run is kept as tls-CAPTURE-SEED.pcap in
DISTSNIFF_KEEP."""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', 'support'))
from talk import ACK, FIN, PSH, RST, SYN, ones_sum

program = os.path.realpath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
pcaps = os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', '..', 'pcaps')
keep = os.environ.get('DISTSNIFF_KEEP')
work = tempfile.mkdtemp()
CAPTURES = ['tls-29', 'tls12-25', 'tls-renewed-29', 'tls12-renewed-25']


def read(path):
    """The header of a file of Ethernet packets over IPv4, and the time and bytes of each packet."""
    with open(path, 'rb') as file:
        data = file.read()
    packets, at = [], 24
    while at < len(data):
        sec, part, size, _ = struct.unpack('<IIII', data[at:at + 16])
        packets.append(((sec, part), data[at + 16:at + 16 + size]))
        at += 16 + size
    return data[:24], packets


def write(path, head, packets):
    with open(path, 'wb') as file:
        file.write(head)
        for (sec, part), data in packets:
            file.write(struct.pack('<IIII', sec, part, len(data), len(data)) + data)


def messages(path, capture):
    run = subprocess.run([program, '-r', path, '--keylog-file', f'{pcaps}/{capture}.keys', '-T', 'json'],
                         capture_output=True, text=True)
    return [(r['src']['port'], r['op'], r.get('term')) for r in map(json.loads, run.stdout.splitlines())
            if r['type'] == 'message' and 'fault' not in r]


class Segment:
    """A captured TCP segment, and others in the name of its sender."""

    def __init__(self, packet):
        self.packet, self.tcp = packet, packet[34:]
        self.ports, self.seq, self.ack = self.tcp[:4], *struct.unpack('>II', self.tcp[4:12])
        head = (self.tcp[12] >> 4) * 4
        size = struct.unpack('>H', packet[16:18])[0] - 20 - head
        self.flags, self.window, self.options = self.tcp[13], self.tcp[14:16], self.tcp[20:head]
        self.data, self.next = self.tcp[head:head + size], self.seq + size

    def make(self, flags, seq, ack, data=b'', bad=False, back=0, ttl=64):
        options = b'\2\4\5\xb4' if flags & SYN else self.options
        if back:
            time = struct.unpack('>I', options[4:8])[0] - back
            options = options[:4] + struct.pack('>I', time & 0xffffffff) + options[8:]
        head = self.ports + struct.pack('>IIBB', seq & 0xffffffff, ack & 0xffffffff, (5 + len(options) // 4) << 4,
                                        flags)
        tcp = head + self.window + b'\0\0\0\0' + options + data
        ip = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(tcp), 0, 0x4000, ttl, 6, 0) + self.packet[26:34]
        ip = ip[:10] + struct.pack('>H', ones_sum(ip) ^ 0xffff) + ip[12:]
        total = ones_sum(ip[12:20] + struct.pack('>HH', 6, len(tcp)) + tcp) ^ 0xffff ^ (0x5a5a if bad else 0)
        return self.packet[:14] + ip + tcp[:16] + struct.pack('>H', total) + tcp[18:]


def reset_off(r, s, junk): return s.make(r.choice([RST, RST | ACK]), s.next + r.choice([1, -1, 500, -30000, 10**6]),
                                         s.ack)
def syn(r, s, junk): return s.make(SYN, r.choice([s.next + r.randrange(-5, 6), r.randrange(1 << 32)]), 0,
                                   r.choice([b'', junk]))
def syn_ack(r, s, junk): return s.make(SYN | ACK, s.next + r.choice([0, 5, 10**8]), s.ack)
def no_ack(r, s, junk): return s.make(r.choice([0, PSH]), s.next, 0, junk)
def bare_fin(r, s, junk): return s.make(FIN, s.next, 0)
def old_time(r, s, junk): return s.make(PSH | ACK, s.next, s.ack, junk, back=r.choice([10**4, 10**6, 10**9]))
def bad_sum(r, s, junk): return s.make(r.choice([PSH | ACK, FIN | ACK, RST | ACK, RST]), s.next, s.ack, junk, bad=True)
def wrong_ack(r, s, junk): return s.make(PSH | ACK, s.next, s.ack + r.choice([3 * 10**6, 0x30000000, -10**8]), junk)
def far(r, s, junk): return s.make(PSH | ACK, s.next + r.choice([1 << 25, 0x30000000, -0x30000000]), s.ack, junk)
def before(r, s, junk): return s.make(PSH | ACK, s.next - len(junk) - r.choice([0, 1, 50]), s.ack, junk)
def keepalive(r, s, junk): return s.make(ACK, s.next - 1, s.ack, r.choice([b'', b'\0', b'x']))
def copy(r, s, junk): return s.make(s.flags, s.seq, s.ack, s.data, ttl=33)
def other_copy(r, s, junk): return s.make(PSH | ACK, s.seq, s.ack, s.data[:-1] + b'\x77' if s.data else b'')


KINDS = [reset_off, syn, syn_ack, no_ack, bare_fin, old_time, bad_sum, wrong_ack, far, before, keepalive, copy,
         other_copy]


def attack(rng, packet):
    segment = Segment(packet)
    junk = rng.choice([b'\x17\3\3\0\x1e' + rng.randbytes(30), b'\x15\3\3\0\2\2\x28',
                       b'\x15\3\3\0\x13' + rng.randbytes(19), b'GET / HTTP/1.0\r\n\r\n', rng.randbytes(rng.randrange(1, 200))])
    kind = rng.choice([k for k in KINDS if k is not old_time or segment.options[:4] == b'\1\1\10\12'])
    return kind.__name__, kind(rng, segment, junk)


failures = 0
for capture in CAPTURES:
    head, packets = read(f'{pcaps}/{capture}.pcap')
    wanted = messages(f'{pcaps}/{capture}.pcap', capture)
    if not wanted:
        failures += 1
        print(f'{capture}: nothing is decrypted')
    for seed in range(first, first + runs):
        rng, mixed, told = random.Random(f'{capture} {seed}'), list(packets), []
        places = [i for i, (_, p) in enumerate(packets) if p[23] == 6 and not p[47] & (SYN | FIN | RST)]
        for place in sorted(rng.sample(places[:-1], rng.choice([1, 2, 5, 12])), reverse=True):
            name, packet = attack(rng, packets[place][1])
            mixed.insert(place + 1, (packets[place][0], packet))
            told.append(f'{name} behind packet {place + 1}')
        path = os.path.join(work, 'tls.pcap')
        write(path, head, mixed)
        shown = messages(path, capture)
        if sorted(map(str, shown)) != sorted(map(str, wanted)):
            failures += 1
            print(f'{capture}, seed {seed}: {len(shown)} messages of {len(wanted)}: {"; ".join(told)}')
            if keep:
                os.replace(path, os.path.join(keep, f'tls-{capture}-{seed}.pcap'))
print(f'{len(CAPTURES) * runs} runs, {failures} failures')
sys.exit(failures != 0)
