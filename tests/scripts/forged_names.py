#!/usr/bin/env python3
"""forged_names.py PROGRAM: a node of a connection that was joined late gets its name from a handshake
at the same place, with the creation of its pids; but not from a handshake that an attacker began in
its name and could not finish, as that needs the cookie; and never with --certain."""
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '../support'))
from talk import Talk, Way  # noqa: E402

program = sys.argv[1]
CREATION = 2  # of the listening end's pids in Talk.message
FLAGS = struct.pack('>Q', 0xd07df7fbd)


def handshake(steps, name):
    """A tool's connection to that end, up to that many of its five messages."""
    talk = Talk(Way(), port=45001)
    talk.syn()
    talk.syn_ack()
    talk.put(0, 0x10, talk.seq[0], talk.seq[1])
    said = [(0, b'N' + FLAGS + struct.pack('>IH', 1, 4) + b't@h1'), (1, b'sok'),
            (1, b'N' + FLAGS + struct.pack('>IIH', 77, CREATION, len(name)) + name),
            (0, b'r' + struct.pack('>I', 78) + bytes(16)), (1, b'a' + bytes(16))]
    for end, body in said[:steps]:
        talk.say(end, struct.pack('>H', len(body)) + body)
    talk.end()
    return talk


def names(steps, *options, name=b'b@h2'):
    """How the sender at the listening end is shown after such a handshake: the node, and the number of
    likely atoms."""
    first = handshake(steps, name)
    late = Talk(Way())
    late.now, late.told = first.now + 10**6, [True, True]
    late.both(4)
    with tempfile.NamedTemporaryFile(suffix='.pcap') as file:
        late.packets = first.packets + late.packets
        late.write(file.name)
        out = subprocess.run([program, '-r', file.name, '-T', 'json', *options], capture_output=True, check=True).stdout
    records = [json.loads(line) for line in out.splitlines()]
    sent = [r for r in records if r['type'] == 'message' and r['conn'] != 1 and r['from'].count('<') and
            r['src']['port'] == 25672]
    if len(sent) != 4:
        sys.exit(f'FAILED: {len(sent)} messages of {steps} steps')
    return sent[-1]['from']


failed = False
for steps, options, wanted in ((5, (), '<b@h2.100.0>'), (3, (), None), (4, (), None), (5, ('--certain',), None)):
    got = names(steps, *options)
    firm = 'b@h2' in got and '?' not in got
    if firm != (wanted is not None):
        print(f'FAILED: {steps} steps {options}: {got}')
        failed = True
print('ok' if not failed else 'FAILED')
sys.exit(failed)
