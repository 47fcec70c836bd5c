#!/usr/bin/env python3
"""outsiders.py PROGRAM: a connection between two nodes, packets of somebody else that they ignore, then two
hundred messages each way. All of these are shown, with all their atoms, and what was ignored is counted;
over either version of IP, with tags and without, with timestamps and without, with checksums and with
some that were left to the network card, joined late, in one direction, with numbers that wrap around. What nodes do take ends or replaces the connection as ever. Finding
DS505 reports what was ignored: likely where the hop count shows that somebody else sent it, else possible."""
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', 'support'))
from talk import ACK, FIN, NUM, PSH, RST, SYN, URG, Shape, Talk, Way

program = os.path.realpath(sys.argv[1])
only = sys.argv[2] if len(sys.argv) > 2 else ''
# Packets of an outsider: which end they seem to come from, and more.
CASES = {}


def case(kinds='ignored'):
    def add(function):
        CASES[function.__name__] = (function, kinds)
        return function
    return add


@case()
def reset_bad_sum(t, e): t.put(e, RST, t.seq[e], 0, bad=True)
@case()
def reset_ack_bad_sum(t, e): t.put(e, RST | ACK, t.seq[e], t.seq[1 - e], bad=True)
@case()
def reset_bad_ip_sum(t, e): t.put(e, RST, t.seq[e], 0, bad=True, bad_ip=True)
@case()
def reset_near(t, e): t.put(e, RST, t.seq[e] + 1, 0)
@case()
def reset_ack_before(t, e): t.put(e, RST | ACK, t.seq[e] - 1, t.seq[1 - e])
@case()
def reset_far(t, e): t.put(e, RST, t.seq[e] + 1000000, 0)
@case()
def reset_farther(t, e): t.put(e, RST | ACK, t.seq[e] + 0x30000000, t.seq[1 - e])
@case()
def reset_right(t, e): t.put(e, RST, t.seq[e], 0, ttl=200)
@case('ended')
def reset_ack_right(t, e): t.put(e, RST | ACK, t.seq[e], t.seq[1 - e], ttl=200)
@case('ended 20')
def reset_right_twice(t, e):
    t.put(e, RST | ACK, t.seq[e], t.seq[1 - e])
    t.both(20)
    t.put(1 - e, RST | ACK, t.seq[1 - e], t.seq[e])
@case()
def resets_blind(t, e):
    for i in range(2049):
        t.put(e, RST, i * 2096153 + 77, 0)
@case()
def fin_bad_sum(t, e): t.put(e, FIN | ACK, t.seq[e], t.seq[1 - e], bad=True)
@case()
def fin_no_ack(t, e): t.put(e, FIN, t.seq[e], 0)
@case('continued')
def fin_right(t, e): t.put(e, FIN | ACK, t.seq[e], t.seq[1 - e])
@case('continued')
def fins_right(t, e):
    t.put(e, FIN | ACK, t.seq[e], t.seq[1 - e])
    t.put(1 - e, FIN | ACK, t.seq[1 - e], t.seq[e])
@case()
def syn_little_off(t, e): t.put(e, SYN, t.seq[e] + 5, 0)
@case()
def syn_before(t, e): t.put(e, SYN, t.seq[e] - 1, 0)
@case()
def syn_there(t, e): t.put(e, SYN, t.seq[e], 0)
@case()
def syn_far(t, e): t.put(e, SYN, t.seq[e] + 1600000000, 0)
@case()
def syn_many(t, e):
    for i in range(300):
        t.put(e, SYN, i * 13999999 + 5, 0)
@case()
def syn_ack_far(t, e): t.put(e, SYN | ACK, t.seq[e] + 160000000, t.seq[1 - e])
@case()
def syn_refused(t, e):
    t.put(e, SYN, 99000000, 0)
    t.put(1 - e, ACK, t.seq[1 - e], t.seq[e])
@case()
def data_bad_sum(t, e): t.put(e, PSH | ACK, t.seq[e], t.seq[1 - e], b'\0\0\0\4hurt', bad=True)
@case()
def data_bad_ip_sum(t, e): t.put(e, PSH | ACK, t.seq[e], t.seq[1 - e], b'\0\0\0\4hurt', bad_ip=True,
                                 bad=t.way.version == 6)
@case()
def data_zero_bad_sum(t, e): t.put(e, ACK, t.seq[e], t.seq[1 - e], bytes(8), bad=True)
@case()
def data_large_bad_sum(t, e): t.put(e, ACK, t.seq[e], t.seq[1 - e], b'GET /' * 280, bad=True)
@case()
def data_no_ack(t, e): t.put(e, PSH, t.seq[e], 0, b'\0\0\0\4hurt')
@case()
def data_no_flags(t, e): t.put(e, 0, t.seq[e], 0, b'\0\0\0\4hurt')
@case()
def data_wrong_ack(t, e): t.put(e, ACK, t.seq[e], t.seq[1 - e] + 0x20000000, b'\0\0\0\4hurt')
@case()
def data_far(t, e): t.put(e, ACK, t.seq[e] + 0x30000000, t.seq[1 - e], b'\0\0\0\4hurt')
@case('ignored times')
def data_old_time(t, e): t.put(e, ACK, t.seq[e], t.seq[1 - e], b'\0\0\0\4hurt', time=t.now // 1000 - 100000)
@case('nothing')
def urgent_byte(t, e):
    t.say(e, b'!', flags=ACK | PSH | URG, urgent=1)
@case('nothing')
def urgent_ahead(t, e):
    t.put(e, ACK | URG, t.seq[e], t.seq[1 - e], urgent=3)  # two bytes on
    whole = t.message(e)
    t.say(e, whole[:2] + b'!' + whole[2:])
@case('nothing')
def keepalive(t, e):
    t.put(e, ACK, t.seq[e] - 1, t.seq[1 - e])
    t.put(1 - e, ACK, t.seq[1 - e], t.seq[e])
    t.put(e, ACK, t.seq[e] - 1, t.seq[1 - e], b'\0')


far_off = [None]  # the TTL of the outsider
failures = 0
work = tempfile.mkdtemp()


def look(talk):
    path = os.path.join(work, 'talk.pcap')
    talk.write(path)
    run = subprocess.run([program, '-r', path, '-T', 'json', '--report', 'doctor'], capture_output=True, text=True)
    records = [json.loads(line) for line in run.stdout.splitlines() if line.startswith('{')]
    return run, records


def wrong(name, what):
    global failures
    failures += 1
    print(f'{name}: {what}')


def count(records):
    shown, unknown = {}, 0
    for r in records:
        if r['type'] == 'message':
            end = int(r['src']['port'] == 25672)
            shown[end] = shown.get(end, 0) + 1
            unknown += r.get('unknown_atoms', 0) + r.get('likely_atoms', 0)
    return shown.get(0, 0), shown.get(1, 0), unknown


def check_finding(name, records, kinds):
    found = [(r['severity'], r['certainty']) for r in records if r.get('code') == 'DS505']
    if kinds == 'nothing':
        wanted = []
    elif far_off[0] or name.split()[-2] in ('reset_right', 'reset_ack_right'):
        wanted = [('warning', 'likely')]
    elif name.split()[-2].startswith(('reset', 'syn')):
        wanted = [('warning', 'possible')]
    else:
        wanted = [('note', 'possible')]
    if [f for f in found if f not in wanted] or bool(found) != bool(wanted):
        wrong(name, f'DS505 {found}, not {wanted}')


def check(name, talk, kinds, wanted):
    run, records = look(talk)
    a, b, unknown = count(records)
    if run.returncode not in (0, 3) or (a, b) != wanted or unknown:
        wrong(name, f'{a} and {b} messages of {wanted}, {unknown} unknown atoms; {run.returncode} {run.stderr[-600:]}')
    states = [r['state'] for r in records if r['type'] == 'conn']
    if kinds == 'ignored' and 'ignored, as a node would do' not in run.stderr:
        wrong(name, f'not said: {run.stderr}')
    if kinds in ('continued', 'ended') and 'continued' not in states and talk.one_way is None:
        wrong(name, f'states {states}')
    if talk.one_way is None:  # in one direction alone, the sender of a packet is unknown
        check_finding(name, records, kinds)
    if kinds == 'nothing' and 'ignored, as a node would do' in run.stderr:
        wrong(name, f'said of nothing: {run.stderr}')


WAYS = [Way(), Way(6, 'vlan'), Way(4, 'sll2', times=False), Way(4, left='a'), Way(6, times=False, left='ab')]


# The numbers wrap around near the outsider's packet.
SHAPES = [Shape('late', is_late=True), Shape('wraps', seq=(0x100000000 - 188, 0x100000000 - 193)),
          Shape('one way a', one_way=0), Shape('late one way b', is_late=True, one_way=1)]


def play(way, name, send, kinds, more, end, shape=None):
    talk = Talk(way, shape=shape)
    talk.begin()
    talk.ttl = far_off[0] or 64
    send(talk, end)
    talk.ttl = 64
    extra = (end == 0, end == 1) if name == 'urgent_ahead' else (0, 0)
    talk.both()
    talk.end()
    wanted = [0 if talk.one_way == 1 - e else 3 + NUM + more + extra[e] for e in (0, 1)]
    check(f'{way.name} {talk.shape.name}: {name} {"ab"[end]}', talk, kinds, tuple(wanted))


for way, far_off[0] in [(way, None) for way in WAYS] + [(WAYS[0], 63), (WAYS[1], 200)]:
    for name, (send, kinds) in CASES.items():
        if only and only not in name:
            continue
        if 'times' in kinds and not way.times or far_off[0] and 'twice' in name:
            continue
        kinds, *more = kinds.split()
        for end in 0, 1:
            play(way, name, send, kinds, sum(int(word) for word in more if word.isdigit()), end)
far_off[0] = None
for shape in SHAPES:
    for number, (name, (send, kinds)) in enumerate(CASES.items()):
        if only and only not in name:
            continue
        kinds, *more = kinds.split()
        end = number % 2 if shape.one_way is None else shape.one_way
        play(WAYS[0], name, send, kinds, sum(int(word) for word in more if word.isdigit()), end, shape)
print(f'{failures} failures')
sys.exit(failures != 0)
