#!/usr/bin/env python3
"""in_wireshark.py PROGRAM DISSECTOR PCAPS: tshark shows each field of -T wireshark as in -T json, in
order, with its type; no line of Lua fails on any packet; filters, links and warnings agree with the
records. Exits with 77 without a tshark that has Lua."""
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import xml.etree.ElementTree as ElementTree
from datetime import datetime, timezone

program, dissector, pcaps = sys.argv[1:4]
CAPTURES = ('otp27-ops.pcap', 'ended-callers.pcap', 'tls-29.pcap', 'two-point-a.pcap', 'elixir-1.14.pcap.gz',
            'gen-rpc.pcap.gz', 'latin1.pcap', 'situations/partition.pcap.gz')
INSIDE = 'IN_WIRESHARK_INSIDE'
MOST = 262144  # the longest packet for Wireshark
OWN = ('distsniff.raw', 'distsniff.request_in', 'distsniff.response_in', 'distsniff.parent_in', 'distsniff.evidence_in')

faults = []


def fault(text):
    if len(faults) < 40:
        faults.append(text)


if not shutil.which('tshark'):
    print('skipped: tshark is not installed')
    sys.exit(77)
if 'Lua' not in re.sub(r'without Lua', '', subprocess.run(['tshark', '--version'], capture_output=True, text=True,
                                                          check=True).stdout):
    print('skipped: this tshark has no Lua')
    sys.exit(77)

if INSIDE not in os.environ and subprocess.run(['unshare', '--net', 'true'], check=False).returncode == 0:
    os.environ[INSIDE] = '1'
    os.execvp('unshare', ['unshare', '--net', sys.executable, *sys.argv])

folder = tempfile.mkdtemp()
os.chmod(folder, 0o777)
os.environ['HOME'] = os.environ['XDG_CONFIG_HOME'] = folder  # no user's settings
os.environ['TZ'] = 'UTC'
# As root, tshark 4.4 loads no Lua, and starts no extcap program. So another user runs it.
user = []
if os.getuid() == 0:
    user = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--inh-caps=+net_raw,+net_admin',
            '--ambient-caps=+net_raw,+net_admin']


def put(source, name):
    """A copy that everybody may read and run."""
    to = os.path.join(folder, name)
    shutil.copy(source, to)
    os.chmod(to, 0o755)
    return to


dissector = put(dissector, 'distsniff.lua')


def shark(name, *arguments):
    os.chmod(name, 0o644)
    run = subprocess.run([*user, 'tshark', '-X', 'lua_script:' + dissector, '-r', name, *arguments], capture_output=True,
                         check=False)
    errors = run.stderr.decode('utf-8', 'replace')
    at = run.stdout.find(b'Lua Error')
    if run.returncode or re.search('lua', errors, re.I) or at >= 0:
        said = run.stdout[at:at + 300].decode('utf-8', 'replace') if at >= 0 else ''
        print(f'{name}: tshark {" ".join(arguments)}: {errors} {said}')
        sys.exit(1)
    return run.stdout


def packets_of(name):
    """The fields of each packet: names and values, in order; and the warnings."""
    at = os.path.join(folder, 'pdml')
    with open(at, 'wb') as file:
        file.write(shark(name, '-T', 'pdml'))
    for _event, packet in ElementTree.iterparse(at):
        if packet.tag != 'packet':
            continue
        fields, proto = [], packet.find("proto[@name='distsniff']")
        if proto is None:
            fault(f'{name}: a packet is not dissected')
        else:
            fields = [(f.get('name'), f.get('show') or '', f.get('showname') or '') for f in proto.iter('field')]
        yield fields
        packet.clear()


ESCAPES = {'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}


def plain(text):
    """Undoes Wireshark's escapes in a text."""
    def one(found):
        what = found.group(1)
        if what[0] == 'x':
            return chr(int(what[1:], 16))
        if what[0] in 'uU':
            return chr(int(what[1:], 16))
        if what.isdigit():
            return chr(int(what, 8))
        return ESCAPES.get(what, what)
    return re.sub(r'\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[0-7]{3}|.)', one, text, flags=re.S)


def leaves(value, path=''):
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, f'{path}.{key}')
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part, path)
    else:
        yield path, value


def objects_of(value, path=''):
    if isinstance(value, dict):
        yield path
        for key, part in value.items():
            yield from objects_of(part, f'{path}.{key}')
    elif isinstance(value, list):
        for part in value:
            yield from objects_of(part, path)


def ns_of(text):
    """A time as JSON or Wireshark writes it, in nanoseconds."""
    text = text.replace(' UTC', '').rstrip('Z')
    day, _dot, part = text.rpartition('.') if '.' in text else (text, '', '0')
    for form in ('%Y-%m-%dT%H:%M:%S', '%Y-%m-%d %H:%M:%S', '%b %d, %Y %H:%M:%S'):
        try:
            second = datetime.strptime(re.sub(' +', ' ', day), form).replace(tzinfo=timezone.utc)
            return int(second.timestamp()) * 10**9 + int((part + '0' * 9)[:9])
        except ValueError:
            pass
    return None


def is_same(said, shown):
    if isinstance(said, bool):
        return shown in (('1', 'True') if said else ('0', 'False'))
    if isinstance(said, (int, float)):
        return float(shown) == float(said)
    wanted = said.replace('\0', '\\u0000')  # a zero would end the text
    # Wireshark 4.0 shows a backslash as it is, later versions escape it.
    return wanted in (shown, plain(shown)) or (ns_of(said) is not None and ns_of(said) == ns_of(shown))


def compare(where, record, fields):
    kind = record['type']
    wanted = list(leaves(record))
    seen = [(name, show) for name, show, showname in fields
            if name.startswith('distsniff.') and name not in OWN and not name.startswith('distsniff.expert')]
    # Objects have a line of their own, without a value.
    objects = {'distsniff' + path for path in objects_of(record)}
    seen = [(name, show) for name, show in seen
            if name not in objects and name.replace(f'distsniff.{kind}.', 'distsniff.', 1) not in objects]
    if len(seen) != len(wanted):
        fault(f'{where}: {len(wanted)} fields, {len(seen)} shown: {[path for path, _ in wanted]} {[n for n, _ in seen]}')
        return
    for (path, said), (name, shown) in zip(wanted, seen):
        if name not in (f'distsniff{path}', f'distsniff.{kind}{path}'):
            fault(f'{where}: {path} is shown as {name}')
        elif not is_same(said, shown):
            fault(f'{where}: {path} is {said!r}, shown as {shown!r}')


def check(capture):
    name, said = os.path.join(folder, 'w.pcapng'), os.path.join(folder, 'json')
    command = [program, '-r', os.path.join(pcaps, capture), '--report', 'doctor', '-v', '-T', 'json=' + said, '-T',
               'wireshark=' + name]
    keys = os.path.join(pcaps, re.sub(r'\.pcap.*', '.keys', capture))
    if os.path.exists(keys):
        command += ['--keylog-file', keys]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    with open(said, encoding='utf-8') as file:
        lines = file.readlines()
    num = 0
    for line, fields in zip(lines, packets_of(name)):
        num += 1
        where = f'{capture}, packet {num}'
        if len(line.encode()) < MOST - 20:
            compare(where, json.loads(line), fields)
        elif not any(field == 'distsniff.expert.cut' for field, _shown, _ in fields):
            fault(f'{where}: nothing says that it is cut')
    if num != len(lines):
        fault(f'{capture}: {num} packets, {len(lines)} records')
    return name, [json.loads(line) if len(line.encode()) < MOST - 20 else {'type': 'cut'} for line in lines]


def numbers(name, expression):
    return [int(n) for n in shark(name, '-Y', expression, '-T', 'fields', '-e', 'frame.number').split()]


def check_filters(name, records):
    """Filters find what they should, links lead from requests to replies and back, findings and faults
    are warnings."""
    for expression, wanted in (
            ('distsniff.op == "reg_send"', lambda r: r.get('op') == 'reg_send'),
            ('distsniff.size > 100 && distsniff.type == "message"', lambda r: r.get('size', 0) > 100),
            ('distsniff.src.node contains "alice"', lambda r: 'alice' in r.get('src', {}).get('node', '')),
            ('distsniff.latency_us > 500', lambda r: r.get('latency_us', 0) > 500),
            ('distsniff.type == "finding"', lambda r: r['type'] == 'finding'),
            ('_ws.expert.severity == error', lambda r: r.get('severity') == 'error' or
             r.get('fault', {}).get('kind') == 'malformed')):
        found = [n + 1 for n, r in enumerate(records) if wanted(r)]
        if numbers(name, expression) != found:
            fault(f'{expression}: {numbers(name, expression)[:9]} instead of {found[:9]}')
    requests, replies = {}, {}
    for n, r in enumerate(records):
        if r['type'] == 'message' and r.get('role') == 'request':
            requests.setdefault(r['call'], n + 1)
        elif r['type'] == 'message' and r.get('call') and r.get('role') != 'request':
            replies.setdefault(r['call'], n + 1)
    if not replies:
        fault('no calls')
    lines = shark(name, '-2', '-T', 'fields', '-e', 'frame.number', '-e', 'distsniff.request_in', '-e',
                  'distsniff.response_in').decode().splitlines()
    linked = {int(n): (a, b) for n, a, b in (line.split('\t') for line in lines)}
    for call, n in replies.items():
        if linked[n][0] != str(requests.get(call, '')):
            fault(f'the reply in {n}: request in {linked[n][0]}, not {requests.get(call)}')
        if call in requests and linked[requests[call]][1] != str(n):
            fault(f'the request in {requests[call]}: response in {linked[requests[call]][1]}, not {n}')


def check_hostile(name):
    """Packets that are cut anywhere, or have changed bytes, make no line of Lua fail."""
    draw = random.Random(4)
    with open(name, 'rb') as file:
        data = file.read()
    blocks, at = [], 0
    while at < len(data):
        kind, size = struct.unpack_from('<II', data, at)
        blocks.append((kind, data[at:at + size]))
        at += size
    out = b''.join(block for kind, block in blocks if kind != 6)
    packets = [block for kind, block in blocks if kind == 6]
    picked = [b for b in packets if len(b) < 3000]
    for i in range(1500):
        block = draw.choice(picked)
        size = struct.unpack_from('<I', block, 20)[0]
        body = bytearray(block[28:28 + size])
        how = i % 4
        if how == 0:
            body = body[:draw.randrange(20, len(body))]
        elif how == 1:
            for _ in range(4):
                body[draw.randrange(20, len(body))] = draw.choice(b'"\\{}[]:,u0-e\0\xff')
        elif how == 2:
            body = body[:20] + draw.choice([b'{' * 4000, b'{"a":' * 4000, b'[' * 4000, b'{"type":"message","src":' + b'[' * 999,
                                            b'{"type":"call","call":{"a":1},"parent":[],"caller":"x"}', b'null', b'"', b'{}',
                                            b'{"type":"finding","frames":[[1],{"a":2},"x",-1,1e99],"severity":{}}',
                                            b'{"type":"message","src":7,"dst":{"addr":{},"port":"99999999"},"op":[1]}',
                                            b'{"type":"message","src":{"addr":"::1%x:","port":1},"dst":{"addr":"1.2.3.999"}}',
                                            b'{"type":"message","size":99999999999999999999,"ts":"9999-99-99T99:99:99Z"}',
                                            b'{"type":"gap","bytes":[],"messages":{}}', b'{"type":"stall","why":7,"duration_us":"x"}',
                                            b'{"type":"message","frame":{"x":1},"call":7,"role":[]}', b'{"type":{}}',
                                            b'{"type":"lost","cause":[],"records":{}}', b'{"type":"epmd","result":[1],"port":{}}',
                                            b'{"type":"message","fault":{"kind":["x"],"what":{}},"unknown_atoms":{}}'])
        else:
            body += bytes(draw.randrange(256) for _ in range(40))
        padded = bytes(body) + b'\0' * (-len(body) % 4)
        total = 32 + len(padded)
        out += struct.pack('<II', 6, total) + block[8:20] + struct.pack('<II', len(body), len(body)) + padded + \
            struct.pack('<I', total)
    broken = os.path.join(folder, 'broken.pcapng')
    with open(broken, 'wb') as file:
        file.write(out)
    shark(broken, '-V')


def check_extcap():
    """tshark finds the interface by itself, and captures from it: a file, and live packets."""
    capture = put(os.path.join(pcaps, 'cats.pcap'), 'cats.pcap')
    os.mkdir(os.path.join(folder, 'extcap'))
    put(program, 'extcap/distsniff')
    os.environ['WIRESHARK_EXTCAP_DIR'] = os.path.join(folder, 'extcap')
    found = subprocess.run([*user, 'tshark', '-D'], capture_output=True, text=True, check=True).stdout
    if 'distsniff (Erlang distribution)' not in found:
        fault(f'tshark -D: {found}')
        return
    command = [*user, 'tshark', '-X', 'lua_script:' + dissector, '-i', 'distsniff', '-l', '-T', 'fields', '-e', 'distsniff.type',
               '-e', 'distsniff.op']
    run = subprocess.run([*command, '-o', 'extcap.distsniff.read:' + capture, '-o',
                          'extcap.distsniff.displayfilter:type != "conn"'], capture_output=True, text=True, check=False)
    said = subprocess.run([program, '-r', capture, '-T', 'json', '-Y', 'type != "conn"', '--doctor'], capture_output=True,
                          text=True, check=False).stdout
    wanted = [json.loads(line) for line in said.splitlines() if line.startswith('{')]
    wanted = [r['type'] + '\t' + r.get('op', '') for r in wanted]
    if run.returncode or run.stdout.splitlines() != wanted or 'extcap pipe' in run.stderr:
        fault(f'a file by extcap: {run.stdout[:300]!r} instead of {wanted[:9]} {run.stderr}')
    run = subprocess.run([*command, '-o', 'extcap.distsniff.read:/none.pcap'], capture_output=True, text=True,
                         check=False, timeout=60)
    if 'none.pcap' not in run.stderr:
        fault(f'no word of a file that is not there: {run.stderr}')
    run = subprocess.run([*command, '-o', 'extcap.distsniff.displayfilter:size >'], capture_output=True, text=True,
                         check=False, timeout=60)
    if 'distsniff: -Y: column 7' not in run.stderr:
        fault(f'no word of a filter that is none: {run.stderr}')
    if INSIDE not in os.environ:
        print('packets as they come: not tried, this user may have no network of its own')
        return
    check_live(command)


def check_live(command):
    subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)
    with socket.create_server(('127.0.0.1', 4369)) as server, subprocess.Popen(
            [*command, '-o', 'extcap.distsniff.interface:lo'], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True) as run:
        seen = threading.Event()

        def ask():
            while not seen.wait(0.1):
                with socket.create_connection(('127.0.0.1', 4369)) as client:
                    peer, _address = server.accept()
                    client.sendall(b'\0\x01n')
                    peer.recv(9)
                    peer.sendall(struct.pack('>I', 4369) + b'name a at port 1234\n')
                    peer.close()
                    client.recv(99)
        asker = threading.Thread(target=ask)
        asker.start()
        for line in run.stdout:
            if line.startswith('epmd\tnames_req'):
                break
        else:
            fault('no packet as it comes')
        seen.set()
        asker.join()
        run.send_signal(signal.SIGINT)
        _rest, errors = run.communicate()
        if 'extcap pipe' in errors:
            fault(f'live: {errors}')


try:
    check_extcap()
    for capture in CAPTURES:
        made, records = check(capture)
        if capture == 'otp27-ops.pcap':
            check_filters(made, records)
            check_hostile(made)
finally:
    shutil.rmtree(folder)
if faults:
    print('\n'.join(faults))
    sys.exit(1)
print('ok')
