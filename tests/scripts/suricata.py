#!/usr/bin/env python3
"""suricata.py PROGRAM RULES PCAPS: Suricata accepts packaging/suricata/distsniff.rules, raises each of them on packets
that it is for and none on others, and gives connections the same ids as -T eve. DISTSNIFF_SURICATA is the command, where
it is not suricata, such as "chroot ROOT suricata": folders of /tmp are the same there. Exits with 77 where there is no
Suricata; Debian has it from version 13 on."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '../support'))
from talk import ACK, FIN, PSH, SYN, Talk, Way  # noqa: E402

program, rules, pcaps = sys.argv[1:4]
command = os.environ.get('DISTSNIFF_SURICATA', 'suricata').split()
if not shutil.which(command[0]) or subprocess.run([*command, '-V'], capture_output=True, check=False).returncode:
    print('skipped: suricata is not installed')
    sys.exit(77)
wrong = []
folder = tempfile.mkdtemp()


def events(capture, home, outside='any'):
    """Suricata's output for a capture."""
    out = tempfile.mkdtemp(dir=folder)
    shutil.copy(rules, os.path.join(folder, 'rules'))
    with open(os.path.join(folder, 'suricata.yaml'), 'w', encoding='utf-8') as file:
        file.write(f'''%YAML 1.1
---
vars:
  address-groups: {{HOME_NET: "{home}", EXTERNAL_NET: "{outside}"}}
  port-groups: {{}}
outputs:
  - eve-log: {{enabled: yes, filetype: regular, filename: eve.json, community-id: true, types: [alert, flow]}}
stream: {{midstream: true, checksum-validation: no}}
classification-file: /etc/suricata/classification.config
''')
    run = subprocess.run([*command, '-c', os.path.join(folder, 'suricata.yaml'), '-S', os.path.join(folder, 'rules'),
                          '-r', capture, '-l', out, '-k', 'none'], capture_output=True, text=True, check=False)
    if run.returncode or 'error' in (run.stderr + run.stdout).lower().replace('errors', ''):
        wrong.append(f'{capture}: {run.stderr} {run.stdout}')
        return []
    with open(os.path.join(out, 'eve.json'), encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def alerts(capture, home, outside='any'):
    return {e['alert']['signature_id'] for e in events(capture, home, outside) if e['event_type'] == 'alert'}


def make(name, port, data):
    """A connection on which a client sends that."""
    talk = Talk(Way(times=False))  # Suricata rejects a timestamp echo that was never sent
    ports, seq = (45000, port), [1000, 5000]
    talk.put(0, SYN, seq[0], 0, port=ports)
    talk.put(1, SYN | ACK, seq[1], seq[0] + 1, port=(45000, port))
    seq = [seq[0] + 1, seq[1] + 1]
    talk.put(0, ACK, seq[0], seq[1], port=ports)
    talk.put(0, PSH | ACK, seq[0], seq[1], data, port=ports)
    talk.put(1, ACK, seq[1], seq[0] + len(data), port=ports)
    talk.put(0, FIN | ACK, seq[0] + len(data), seq[1], port=ports)
    talk.put(1, FIN | ACK, seq[1], seq[0] + len(data) + 1, port=ports)
    path = os.path.join(folder, name)
    talk.write(path)
    return path


def request(body):
    return struct.pack('>H', len(body)) + body


FLAGS = struct.pack('>Q', 0xd07df7fbd)


def handshake(name, flags=FLAGS):
    return request(b'N' + flags + struct.pack('>IH', 1, len(name)) + name)


HOME = '10.7.0.2'
try:
    test = subprocess.run([*command, '-T', '-c', '/etc/suricata/suricata.yaml', '-S',
                           shutil.copy(rules, os.path.join(folder, 'rules'))], capture_output=True, text=True, check=False)
    if test.returncode:
        wrong.append(f'-T: {test.stderr} {test.stdout}')
    for sid, port, data in (
            (1, 4369, request(b'n')), (2, 4369, request(b'zalice')), (4, 4369, request(b'd')), (5, 4369, request(b'k')),
            (3, 4369, request(b'x' + struct.pack('>HBBHHH', 2000, 77, 0, 6, 5, 1) + b'a' + b'\0\0')),
            (6, 4369, request(b'salice')), (7, 25672, handshake(b'alice@h1')),
            (8, 25672, request(b'n\0\5' + struct.pack('>I', 0x37fbd) + b'alice@h1')),
            (9, 25672, handshake(b'AAAAAA@h1'))):
        found = alerts(make('made', port, data), HOME, '!' + HOME)
        wanted = {43691000 + sid} | ({43691007} if sid == 9 else set())
        if found != wanted:
            wrong.append(f'{data}: {found} instead of {wanted}')
        # From inside, ordinary access raises no alert.
        found = alerts(os.path.join(folder, 'made'), '10.7.0.0/16', '!10.7.0.0/16')
        wanted = {43691000 + sid} & {43691004, 43691005, 43691006, 43691009}
        if found != wanted:
            wrong.append(f'{data} from inside: {found} instead of {wanted}')
    for port, data in ((4369, b'\0\2nn'), (80, b'GET /N HTTP/1.1\r\nHost: n@h\r\n\r\n'), (25672, b'\0\3sok'),
                       (25672, request(b'N\0\0\0' + bytes(40))), (4369, b'\1\1n'), (25672, b'\0\0\0\0')):
        found = alerts(make('other', port, data), HOME, '!' + HOME)
        if found:
            wrong.append(f'{data}: {found}')
    for name, wanted in (('latin1.pcap', {43691001, 43691007}), ('cats.pcap', {43691002, 43691003, 43691007}),
                         ('two-point-a.pcap', set())):
        said = events(shutil.copy(os.path.join(pcaps, name), folder), 'any')
        found = {e['alert']['signature_id'] for e in said if e['event_type'] == 'alert'}
        if not wanted <= found:
            wrong.append(f'{name}: {found} lacks some of {wanted}')
        ours = subprocess.run([program, '-r', os.path.join(pcaps, name), '-T', 'eve'], capture_output=True, text=True,
                              check=False).stdout
        flows = [e for e in map(json.loads, ours.splitlines()) if e['event_type'] == 'flow']
        # If both ends have one address, Suricata 7 orders the ports differently from Zeek,
        # Wireshark and the specification.
        ids = {e['community_id'] for e in flows if e['src_ip'] != e['dest_ip']}
        theirs = {e.get('community_id') for e in said}
        if ids - theirs or (name == 'two-point-a.pcap' and not ids):
            wrong.append(f'{name}: community_id {ids - theirs} of {len(ids)}')
finally:
    shutil.rmtree(folder)
if wrong:
    print('\n'.join(wrong))
    sys.exit(1)
print('ok')
