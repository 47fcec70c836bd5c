#!/usr/bin/env python3
"""late_calls.py PROGRAM MANGLE PCAPS: in each capture whose first 30 % are cut off, each call ends as
in the whole one, or its outcome is unknown; and its likely atoms are those of its request and of
the message that ended it."""
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

program, mangle, pcaps = sys.argv[1:4]


def calls(capture, wanted='type=="call"'):
    run = subprocess.run([program, '-r', capture, '-T', 'json', '-Y', wanted],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return [json.loads(line) for line in run.stdout.splitlines()]


def frames(capture):
    run = subprocess.run([program, '-q', '-r', capture], stderr=subprocess.PIPE,
                         stdout=subprocess.DEVNULL, text=True, check=False)
    return int(next(line for line in run.stderr.splitlines() if 'packets captured' in line).split()[0])


def likely_of_messages(records):
    """By number of the call: the likely atoms of its request and of the message that ended it. None is
    known for calls that end with their caller: that message belongs to many calls."""
    request, end = {}, {}
    for r in records:
        if r['type'] == 'message' and (r['role'] == 'request' or ('latency_us' in r and 'late' not in r)):
            (request if r['role'] == 'request' else end)[r['call']] = r.get('likely_atoms', 0)
    return {number: request[number] + end[number] for number in request if number in end}


def outcome(call):
    return call['outcome'], call.get('class')


failed = compared = undecided = guessed = 0
with tempfile.TemporaryDirectory() as folder:
    for name in sorted(os.listdir(pcaps)):
        if not name.endswith(('.pcap', '.pcap.gz')):
            continue
        capture = os.path.join(pcaps, name)
        if name.endswith('.gz'):
            plain = os.path.join(folder, 'whole.pcap')
            with gzip.open(capture) as source, open(plain, 'wb') as target:
                shutil.copyfileobj(source, target)
            capture = plain
        cut = frames(capture) * 3 // 10
        late = os.path.join(folder, 'late.pcap')
        subprocess.run([mangle, 'late', str(cut), capture, late], check=True)
        whole = {}
        for call in calls(capture):
            whole.setdefault(call['start'][:26], []).append(call)
        num = 0
        records = calls(late, 'call > 0')
        likely = likely_of_messages(records)
        for call in records:
            if call['type'] != 'call':
                continue
            guessed += 'likely_atoms' in call
            if call.get('likely_atoms', 0) != likely.get(call['call'], call.get('likely_atoms', 0)):
                print(f'{name}: {likely[call["call"]]} likely atoms in the messages of {call}')
                failed += 1
            wanted = [outcome(c) for c in whole.get(call['start'][:26], [])]
            if not wanted:
                continue
            num += 1
            undecided += call['outcome'] == 'unknown'
            if call['outcome'] != 'unknown' and outcome(call) not in wanted:
                print(f'{name}: {outcome(call)} instead of {wanted}: {call}')
                failed += 1
        compared += num
print(f'{compared} calls, {undecided} of them unknown, {guessed} with likely atoms, {failed} wrong')
sys.exit(0 if failed == 0 and compared > 1000 and guessed > 100 and undecided * 4 < compared else 1)
