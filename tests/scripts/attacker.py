#!/usr/bin/env python3
"""attacker.py PROGRAM [RUNS [SEED]]: a healthy connection between two nodes, and packets of an
attacker at random places that a node ignores: RST, FIN, SYN and data with a bad checksum, numbers
far off, without ACK, an old timestamp, a wrong acknowledgement, an urgent byte, fragments of
datagrams, frames to several hosts, IPv6 options that a host must know, bytes that come too early or
again, IP headers with a wrong length; during the handshake, too. Both directions are captured or
one, from the start or later. All messages of the nodes are shown, or it is reported that some are
missing; and no others are shown. The same SEED makes the same packets; a failed run is kept as
attacker-SEED.pcap in DISTSNIFF_KEEP."""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', 'support'))
from talk import ACK, FIN, PSH, RST, SYN, URG, Shape, Talk, Way

program = os.path.realpath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 60
first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
NUM, LEN = 200, 40  # messages, and their least length in bytes
work = tempfile.mkdtemp()
keep = os.environ.get('DISTSNIFF_KEEP')


def junk(rng, talk, end):
    """A message that a node might accept from its peer, or bytes that are not a message."""
    message = Talk(talk.way).message(end)
    return rng.choice([message, bytes(rng.randrange(1, 40)), b'GET / HTTP/1.1\r\n\r\n', bytes([255] * 8),
                       rng.randbytes(rng.randrange(1, 200))])


def bad_sum(rng, t, e):
    flags = rng.choice([RST, RST | ACK, FIN | ACK, SYN, SYN | ACK, PSH | ACK, PSH | ACK | URG])
    data = b'' if flags & (RST | SYN) else junk(rng, t, e)
    t.put(e, flags, t.seq[e] + rng.choice([0, 0, 1, -1, 700]), t.seq[1 - e], data, bad=True,
          urgent=rng.randrange(0, 9))


def reset_off(rng, t, e):
    off = rng.choice([1, -1, 2, 1448, 30000, -30000, 10**6, 0x30000000])
    t.put(e, rng.choice([RST, RST | ACK]), t.seq[e] + off, t.seq[1 - e])


def syn(rng, t, e):
    t.put(e, SYN, rng.choice([t.seq[e] + rng.randrange(-5, 6), rng.randrange(1 << 32)]), 0,
          options=b'\2\4\5\xb4')


def no_ack(rng, t, e):
    flags = rng.choice([0, PSH, FIN, FIN | PSH, URG])
    t.put(e, flags, t.seq[e], 0, junk(rng, t, e) if flags != FIN else b'')


def old_time(rng, t, e):
    if t.way.times:
        t.put(e, rng.choice([ACK, PSH | ACK, FIN | ACK, PSH | ACK | URG]), t.seq[e], t.seq[1 - e], junk(rng, t, e),
              time=t.now // 1000 - rng.choice([10**3, 10**6, 10**9]), urgent=rng.randrange(0, 9))


def wrong_ack(rng, t, e):
    off = rng.choice([2 * 10**6, 0x30000000, -10**8, -0x30000000])
    t.put(e, rng.choice([ACK, PSH | ACK, FIN | ACK]), t.seq[e], t.seq[1 - e] + off, junk(rng, t, e))


def unsent_ack(rng, t, e):
    """Acknowledges bytes that do not exist yet. A capture of one direction cannot know that, nor one
    that has just begun."""
    if t.one_way is None and len(t.packets) > 32:
        off = rng.choice([1, 30, 42, 1000, 70000, 10**6])
        t.put(e, rng.choice([ACK, PSH | ACK, FIN | ACK]), t.seq[e], t.seq[1 - e] + off, junk(rng, t, e))


def far_ack(rng, t, e):
    near = [1, 1000, 10**6] if t.one_way is None else []
    t.put(e, ACK, t.seq[e], t.seq[1 - e] + rng.choice([2 * 10**6, 10**7, 0x30000000] + near))


def early(rng, t, e):
    """Within the next bytes: a node would accept it in order."""
    start = rng.randrange(1, LEN - 1)
    t.put(e, PSH | ACK, t.seq[e] + start, t.seq[1 - e], bytes([0x55]) * rng.randrange(1, LEN - start))


def old_data(rng, t, e):
    """Bytes that came already, or are from before the beginning."""
    data = junk(rng, t, e)
    t.put(e, PSH | ACK, t.seq[e] - len(data) - rng.choice([0, 0, 1, 500]), t.seq[1 - e], data)


def bad_len(rng, t, e):
    """The IP header claims more bytes than there are, or none."""
    if t.way.version == 4:
        t.put(e, PSH | ACK, t.seq[e], t.seq[1 - e], junk(rng, t, e), ip_len=rng.choice([0, 1400]),
              bad=rng.random() < 0.5)


def old_urgent(rng, t, e):
    if t.way.times:
        t.put(e, ACK | URG, t.seq[e], t.seq[1 - e], time=t.now // 1000 - 10**5, urgent=rng.randrange(1, 9))


def far_data(rng, t, e):
    t.put(e, PSH | ACK, t.seq[e] + rng.choice([10**7, 0x30000000, -0x30000000]), t.seq[1 - e], junk(rng, t, e))


def piece(rng, t, e):
    """A fragment of a datagram whose other fragments never come."""
    if t.way.version == 4 and t.way.link == 'ethernet':
        whole = t.way.packet(e, PSH | ACK, t.seq[e], t.seq[1 - e], bytes(64), t.port)
        ether, ip, rest = whole[:14], bytearray(whole[14:34]), whole[34:]
        offset = rng.choice([0, 3, 100])
        ip[2:4] = struct.pack('>H', 20 + 48)
        ip[4:8] = struct.pack('>HH', rng.randrange(1, 65536), 0x2000 | offset)
        t.now += 700
        if t.one_way in (None, e):
            t.packets.append((t.now, ether + bytes(ip) + rest[:48]))


def to_group(rng, t, e):
    """In a frame to several hosts."""
    whole = t.way.packet(e, rng.choice([PSH | ACK, FIN | ACK, RST]), t.seq[e], t.seq[1 - e], junk(rng, t, e), t.port,
                         time=t.now // 1000)
    if t.way.link == 'sll2':
        whole = whole[:10] + bytes([rng.choice([1, 2])]) + whole[11:]
    else:
        whole = rng.choice([b'\xff' * 6, b'\1\0\x5e\0\0\1', b'\x33\x33\0\0\0\1']) + whole[6:]
    t.now += 700
    if t.one_way in (None, e):
        t.packets.append((t.now, whole))


def with_options(rng, t, e):
    """With options of IPv6 that nobody knows, and that have to be known."""
    if t.way.version == 6:
        head = {'vlan': 18, 'ethernet': 14, 'sll2': 20}[t.way.link]
        whole = t.way.packet(e, rng.choice([PSH | ACK, FIN | ACK, RST]), t.seq[e], t.seq[1 - e], junk(rng, t, e), t.port,
                             time=t.now // 1000)
        ip = bytearray(whole[head:head + 40])
        ip[4:6] = struct.pack('>H', len(whole) - head - 40 + 8)
        ip[6] = rng.choice([0, 60])
        chain = bytes([6, 0, rng.choice([0x5e, 0x9e, 0xde]), 4]) + bytes(4)
        t.now += 700
        if t.one_way in (None, e):
            t.packets.append((t.now, whole[:head] + bytes(ip) + chain + whole[head + 40:]))


KINDS = [to_group, with_options, bad_sum, reset_off, syn, no_ack, old_time, wrong_ack, far_data, piece, far_ack,
         early, old_data, bad_len, old_urgent, unsent_ack]
AT_ONCE = [bad_sum, no_ack, old_time, old_data, bad_len, old_urgent, far_ack]  # once there is a connection
WAYS = [Way(), Way(), Way(6), Way(4, 'vlan'), Way(6, 'vlan'), Way(4, 'sll2'), Way(4, times=False)]


def make(seed):
    rng = random.Random(seed)
    late, one_way = rng.random() < 0.3, rng.choice([None, None, None, 0, 1])
    wraps = rng.random() < 0.2
    seq = (0x100000000 - rng.randrange(1, 9000), 0x100000000 - rng.randrange(1, 9000)) if wraps else (
        rng.randrange(1 << 32), rng.randrange(1 << 32))
    talk = Talk(rng.choice(WAYS), shape=Shape('', seq, late, one_way))
    attacks = []

    def begins():
        if not late and one_way is None and rng.random() < 0.05:
            kind, end = rng.choice(AT_ONCE), rng.randrange(2)
            kind(rng, talk, end)
            attacks.append(f'1 {kind.__name__} {"ab"[end]} amid the handshake')
    talk.between = begins
    talk.begin()
    places = sorted(rng.choice([rng.randrange(NUM), rng.randrange(30)]) for _ in range(rng.randrange(1, 7)))
    for number in range(NUM):
        while places and places[0] == number:
            places.pop(0)
            kind, end = rng.choice(KINDS), rng.randrange(2)
            times = rng.choice([1, 1, 1, 5])
            for _ in range(times):
                kind(rng, talk, end)
            attacks.append(f'{times} {kind.__name__} {"ab"[end]} before message {number}')
        for end in (0, 1) if rng.random() < 0.7 else (1, 0):
            talk.say(end, talk.message(end), ack=rng.random() < 0.8)
    talk.end()
    return talk, attacks


def look(talk, path):
    talk.write(path)
    run = subprocess.run([program, '-r', path, '-T', 'json'], capture_output=True, text=True)
    records = [json.loads(line) for line in run.stdout.splitlines()]
    shown = [0, 0]
    for r in records:
        if r['type'] == 'message':
            shown[r['src']['port'] == 25672] += 1
            if r.get('to') != 'gardener':
                return run, shown, f'a message to {r.get("to")} that no node sent'
    said = [r for r in records if r['type'] == 'gap' or 'fault' in r] or 'missing' in run.stderr
    return run, shown, said


failures = 0
for seed in range(first, first + runs):
    talk, attacks = make(seed)
    path = os.path.join(work, 'attacker.pcap')
    run, shown, said = look(talk, path)
    wanted = [0 if talk.one_way == 1 - e else 3 + NUM for e in (0, 1)]
    known = run.returncode in (0, 3) and all(
        have == want or (have < want and said) for have, want in zip(shown, wanted))
    if not known or isinstance(said, str):
        failures += 1
        print(f'seed {seed}: {shown} of {wanted}, {said if isinstance(said, str) else "said" if said else "not said"}; '
              f'{talk.way.name}{" late" if talk.shape.is_late else ""}'
              f'{"" if talk.one_way is None else " one way " + "ab"[talk.one_way]}; {"; ".join(attacks)}')
        if keep:
            os.replace(path, os.path.join(keep, f'attacker-{seed}.pcap'))
print(f'{runs} runs, {failures} failures')
sys.exit(failures != 0)
