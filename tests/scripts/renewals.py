#!/usr/bin/env python3
"""renewals.py PROGRAM PCAPS: TLS keys that are renewed all the time are a finding (DS213), and the
same renewals, with the same key log, are none if they come less often than once a minute: the
capture is replayed at another pace. Without the key log renewals are not seen, and nothing is
reported."""
import json
import os
import struct
import subprocess
import sys
import tempfile

program, pcaps = sys.argv[1:]
capture = f'{pcaps}/tls-renewed-29.pcap'
keys = ['--keylog-file', f'{pcaps}/tls-renewed-29.keys']


def slowed(times, name):
    """The capture with the time between its packets multiplied."""
    data = open(capture, 'rb').read()
    assert data[:4] == b'\xd4\xc3\xb2\xa1'
    out, at, first = bytearray(data[:24]), 24, None
    while at < len(data):
        seconds, micros, size, _ = struct.unpack('<IIII', data[at:at + 16])
        now = seconds * 10**6 + micros
        first = first or now
        now = first + (now - first) * times
        out += struct.pack('<II', now // 10**6, now % 10**6) + data[at + 8:at + 16 + size]
        at += 16 + size
    with open(name, 'wb') as file:
        file.write(out)


def look(name, options):
    """Whether DS213 is found, and the renewals of each connection."""
    found = subprocess.run([program, '-q', '-r', name, '--report', 'doctor', *options], capture_output=True,
                           text=True)
    records = subprocess.run([program, '-r', name, '-T', 'json', *options], capture_output=True, text=True)
    renewals = {}
    for record in map(json.loads, records.stdout.splitlines()):
        if record['type'] == 'conn' and record.get('tls'):
            tls = record['tls']
            renewals[record['conn']] = tls.get('src_renewals', 0) + tls.get('dst_renewals', 0)
    return '\nwarning DS213' in '\n' + found.stdout, sorted(renewals.values())


with tempfile.TemporaryDirectory() as work:
    failed = False
    for times, options, wanted in ((1, keys, (True, [8, 8])), (27000, keys, (True, [8, 8])),
                                   (40000, keys, (False, [8, 8])), (1, [], (False, [0, 0]))):
        name = os.path.join(work, 'slowed.pcap')
        slowed(times, name)
        said = look(name, options)
        if said != wanted:
            print(f'{times} times as slow, {options}: {said}, and not {wanted}')
            failed = True
sys.exit(failed)
