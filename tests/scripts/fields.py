#!/usr/bin/env python3
"""fields.py PROGRAM FIELDS_DEF PCAPS: the outputs say the same. Of each capture, each field of each record of
-T json is a row of record/fields.def and has its kind, -Y has a field for it, and -T etf has the same records
with the same fields and values, but for what the rows call JSON's or the maps' own. -T sqlite has these values
in its columns; alerts of -T eve and --report doctor of -T html have the parameters of findings. Each row was seen
in a capture, or stands in UNSEEN below."""
import base64
import gzip
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile

program, definition, pcaps = sys.argv[1:4]

# Rows that no capture has, other than in maps: from live captures, from kernels, about likely atoms
# (a file that is read back has none), from rare peers; mfa, which is among the elements of control
# tuples here; and parameters of findings, which check-sentences finds in sentences.
UNSEEN = set('''
    epmd.answer epmd_node.fd handshake.cookie_ok handshake.cookie_note tls.ech tls.src_certificate_packed
    tls.src_alert tls.dst_certificate_packed tls.dst_alert counters.likely_atoms counters.ignored
    message.control gap.messages side.ignored_resets side.ignored_syns side.ignored_others
    side.ignored_first_frame side.ignored_last_frame side.ignored_min_ttl side.ignored_max_ttl
    note.waited note.mfa waited.messages waited.bytes waited.calls waited.head waited.first
    waited_message.frame waited_message.size waited_message.op waited_message.role waited_message.label
    param waited_message.call trouble.likely_atoms trouble.guesses guess.slot guess.atoms guess_atom.atom
    guess_atom.percent call.parent_inferred call.likely_atoms lost.ts lost.until lost.cause lost.records
    lost.packets lost.messages side.kernel socket
'''.split())

ROW = re.compile(r'^([A-Z_]+)_FIELD\((\w+), (\w+),', re.M)
table = {}
with open(definition) as file:
    for record, name, kind in ROW.findall(file.read()):
        record = 'side' if record == 'TCP' else record.lower()
        table.setdefault(record, {}).setdefault(name, []).append(kind)

with open(os.path.join(os.path.dirname(definition), 'finding_params.def')) as file:
    for name, kind in re.findall(r'^PARAM\((\w+), (\w+),', file.read(), re.M):
        table.setdefault('param', {})[name] = [{'NUMBER': 'SIGNED'}.get(kind, kind)]

# Fields of objects and lists of these kinds.
OBJECTS = {'TLS': 'tls', 'COUNTERS': 'counters', 'SIDE': 'side', 'ROUND_TRIP': 'round_trip',
           'WAITED': 'waited', 'FAULT': 'fault', 'PARTY': 'party', 'PARAMS': 'param'}
LISTS = {'EPMD_NODES': 'epmd_node', 'WAITED_MESSAGES': 'waited_message', 'GUESSES': 'guess',
         'GUESS_ATOMS': 'guess_atom', 'PACKETS': 'packet'}
NUMBERS = {'FINDING_CONNS', 'FINDING_FRAMES', 'CHILDREN'}
TEXTS = {'FLAG_NAMES', 'TEXTS', 'TITLES', 'FINDING_NODES'}
SPANS = {'SPAN', 'ROUND_TRIP'}
ROLES = {'from', 'to', 'token', 'ref', 'flags', 'group_leader', 'mfa', 'opts', 'id', 'result', 'reason'}
# Terms in maps that are text in JSON, or that are written differently: only their presence is
# compared.
TERMS = {'TERM', 'PAYLOAD', 'REQUEST', 'ANSWER', 'PID', 'REF', 'NOTE_MFA', 'CALL_MFA', 'FLAGS', 'DIGEST',
         'SECOND', 'TIME', 'TS', 'UNKNOWN_ATOMS'}
OWN_OF_MAPS = {'MAP_TERM', 'MAP_BOOL', 'MAP_ADDRESSES'}
OWN_OF_JSON = {'JSON_UNSIGNED', 'AS_ETF'}
PARTS_OF = {record: ['head', record] for record in ('epmd', 'handshake', 'conn', 'message', 'gap', 'stall', 'stream')}
PARTS_OF['tick'] = ['head']
for parts in PARTS_OF.values():
    parts += ['note', 'trouble']
PARTS_OF['link_facts'] = ['head', 'link_facts']
PARTS_OF['link'] = ['monitor']

seen, faults = set(), []


def fault(text):
    if len(faults) < 60 and text not in faults:
        faults.append(text)


def decode(b, at):
    """A term in external format; atoms become text; all but numbers, texts, lists and maps become
    tuples."""
    tag = b[at]
    at += 1
    if tag == 97:
        return b[at], at + 1
    if tag == 98:
        return struct.unpack_from('>i', b, at)[0], at + 4
    if tag in (110, 111):
        size, at = (b[at], at + 1) if tag == 110 else (struct.unpack_from('>I', b, at)[0], at + 4)
        value = int.from_bytes(b[at + 1:at + 1 + size], 'little')
        return -value if b[at] else value, at + 1 + size
    if tag in (118, 119):
        size, at = (b[at], at + 1) if tag == 119 else (struct.unpack_from('>H', b, at)[0], at + 2)
        return b[at:at + size].decode(), at + size
    if tag == 100:
        size = struct.unpack_from('>H', b, at)[0]
        return b[at + 2:at + 2 + size].decode('latin-1'), at + 2 + size
    if tag == 109:
        size = struct.unpack_from('>I', b, at)[0]
        return b[at + 4:at + 4 + size], at + 4 + size
    if tag == 107:
        size = struct.unpack_from('>H', b, at)[0]
        return list(b[at + 2:at + 2 + size]), at + 2 + size
    if tag == 106:
        return [], at
    if tag in (104, 105, 108):
        size, at = (b[at], at + 1) if tag == 104 else (struct.unpack_from('>I', b, at)[0], at + 4)
        items = []
        for _ in range(size + (tag == 108)):
            item, at = decode(b, at)
            items.append(item)
        return (items[:-1], at) if tag == 108 else (tuple(items), at)
    if tag == 116:
        size, at, items = struct.unpack_from('>I', b, at)[0], at + 4, {}
        for _ in range(size):
            key, at = decode(b, at)
            value, at = decode(b, at)
            items[key if isinstance(key, str) else repr(key)] = value
        return items, at
    if tag in (70, 88, 89, 90, 113, 120):
        if tag == 70:
            return (tag,), at + 8
        if tag == 113:
            for _ in range(3):
                _item, at = decode(b, at)
            return (tag,), at
        words = struct.unpack_from('>H', b, at)[0] if tag == 90 else 0
        _node, at = decode(b, at + 2 * (tag == 90))
        return (tag,), at + {88: 12, 89: 8, 90: 4 + 4 * words, 120: 12}[tag]
    size = struct.unpack_from('>I', b, at)[0]  # bits, funs
    return (tag,), at + (size + 5 if tag == 77 else size)


def maps_of(path):
    with open(path, 'rb') as file:
        b = file.read()
    at, maps = 0, []
    while at < len(b):
        size = struct.unpack_from('>I', b, at)[0]
        maps.append(decode(b, at + 5)[0])
        at += 4 + size
    return maps


def text_of(value):
    return value.decode('utf-8', 'replace') if isinstance(value, bytes) else value


def check_value(kind, said, mapped, where):
    if kind in OBJECTS:
        check([OBJECTS[kind]], said, mapped, where)
    elif kind in LISTS or kind in TEXTS or kind in NUMBERS:
        if len(said) != len(mapped):
            fault(f'{where}: {len(said)} in JSON, {len(mapped)} in maps')
        for one, other in zip(said, mapped):
            if kind in LISTS:
                check([LISTS[kind]], one, other, where)
            elif kind == 'TITLES':
                pass  # escaped differently
            elif one != text_of(other):
                fault(f'{where}: {one!r} in JSON, {other!r} in maps')
    elif kind == 'SPAN' or kind == 'BARE_SPAN':
        if round(said * 1000) != mapped:
            fault(f'{where}: {said} us in JSON, {mapped} ns in maps')
    elif kind in ('UNSIGNED', 'SIGNED', 'BOOL') or kind in ('WORD', 'NAME', 'STRING', 'COMMUNITY_ID', 'ADDR'):
        value = {'true': True, 'false': False}.get(mapped, mapped) if kind == 'BOOL' else text_of(mapped)
        if said != value and str(said) != str(value):
            fault(f'{where}: {said!r} in JSON, {mapped!r} in maps')


def check(parts, said, mapped, where):
    """The fields of these parts in a JSON object and in a map."""
    said, mapped = dict(said), dict(mapped)
    for part in parts:
        for name, kinds in table[part].items():
            for kind in kinds:
                at = f'{part}.{name}'
                key = name + '_us' if kind in SPANS else name
                other = 'time' if kind == 'TS' else name
                if kind == 'PEERS':
                    for end in ('src', 'dst'):
                        said.pop(end)
                        mapped.pop(end)
                        mapped.pop(end + '_inferred', None)
                elif kind == 'ROLES':
                    for role in ROLES & set(said):
                        if role in mapped:
                            said.pop(role)
                            mapped.pop(role)
                elif kind == 'MAP_ADDRESSES':
                    mapped.pop('src_addr', None)
                    mapped.pop('dst_addr', None)
                elif kind in OWN_OF_MAPS:
                    if mapped.pop(other, None) is not None:
                        seen.add(at)
                elif kind in OWN_OF_JSON:
                    if said.pop(key, None) is not None:
                        seen.add(at)
                elif key in said and other in mapped:
                    seen.add(at)
                    check_value(kind, said.pop(key), mapped.pop(other), f'{where}, {at}')
                elif key in said and kind not in ('PID', 'REF'):
                    fault(f'{where}, {at}: not in maps')
                    said.pop(key)
                elif key in said:  # a pid or reference of an unknown node
                    said.pop(key)
                elif other in mapped and kind == 'UNKNOWN_ATOMS':
                    mapped.pop(other)
                elif other in mapped and 'MAP_BOOL' not in kinds:
                    fault(f'{where}, {at}: not in JSON')
                    mapped.pop(other)
    for key in said:
        fault(f'{where}: JSON has {key}, which is no row of fields.def')
    for key in mapped:
        fault(f'{where}: maps have {key}, which is no row of fields.def')


# Columns of -T sqlite whose name differs from the field's, or that have no field.
COLUMNS = {
    'epmd': ({}, {'nodes'}), 'handshake': ({}, {'digest', 'flag_names'}), 'gap': ({}, set()),
    'stall': ({'waited': None}, set()),
    'call': ({}, {'ts', 'frame', 'caller', 'callee', 'mfa', 'request', 'result', 'reason', 'children',
                  'latency'}),
    'finding': ({'nodes': None, 'conns': None, 'frames': None, 'evidence': None},
                {'ts', 'first', 'text', 'detail', 'params'}),
}


def said_by(findings):
    """These findings as comparable tuples, whatever the output calls the sentence."""
    said = set()
    for finding in map(dict, findings):
        params = finding.get('params')
        if isinstance(params, str):
            params = json.loads(params)
        said.add((finding['code'], finding['text' if 'text' in finding else 'sentence'],
                  finding.get('detail') or None, json.dumps(params, sort_keys=True)))
    return said


def check_findings(said, outputs, where):
    """Records and alerts report a finding at most three times; rows and the report have its last
    state."""
    rows, alerts, report = (outputs.get(output) for output in ('sqlite', 'eve', 'html'))
    pairs = [('-T eve', alerts, '-T json', said), ('-T json', said, '-T eve', alerts),
             ('-T sqlite', rows, '--report doctor', report), ('--report doctor', report, '-T sqlite', rows)]
    for name, some, other, others in pairs:
        for one in (some or set()) - (some if others is None else others):
            fault(f'{where}, {name}: {one}, which {other} does not say')
    for name, some in outputs.items():
        for code in {one[0] for one in said} ^ {one[0] for one in some}:
            fault(f'{where}, {name}: {code} is there or not, otherwise than in JSON')


def check_rows(database, records, where):
    for kind, (_names, without) in COLUMNS.items():
        rows = [dict(row) for row in database.execute(f'SELECT * FROM {kind} ORDER BY rowid')]
        wanted = [r for r in records if r['type'] == kind]
        if kind == 'finding':  # three records, one row
            wanted = []
        if kind == 'call':
            rows.sort(key=lambda row: row['call'])
            wanted.sort(key=lambda r: r['call'])
        if kind != 'finding' and len(rows) != len(wanted):
            fault(f'{where}: {len(wanted)} {kind} in JSON, {len(rows)} rows')
            continue
        for name, kinds in table[kind].items():
            if name in without or kinds[0] in OBJECTS or kinds[0] in LISTS or kinds[0] in OWN_OF_MAPS:
                continue
            column = name + '_ns' if kinds[0] in ('SPAN', 'TIME') else name
            if rows and column not in rows[0] and name not in _names:
                fault(f'{kind}.{name}: -T sqlite has no column {column}')
                continue
            for row, r in zip(rows, wanted):
                said = r.get(name + '_us' if kinds[0] == 'SPAN' else name)
                if kinds[0] == 'SPAN' and said is not None:
                    said = round(said * 1000)
                if kinds[0] not in ('TIME', 'TEXT', 'TEXT_OR_NONE') and said != row[column] and \
                        str(said) != str(row[column]):
                    fault(f'{where}, {kind}.{name}: {said!r} in JSON, {row[column]!r} in the row')


captures = []
for folder, _folders, names in os.walk(pcaps):
    captures += [os.path.join(folder, name) for name in names if re.search(r'\.pcap(ng)?(\.gz|\.zst)?$', name)]
for capture in sorted(captures):
    with tempfile.TemporaryDirectory() as folder:
        outputs = [os.path.join(folder, name) for name in ('json', 'etf', 'db', 'eve', 'html')]
        command = [program, '-r', capture, '-v', '--etf', '--report', 'doctor', '--report', 'timeline']
        for output, form in zip(outputs, ('json', 'etf', 'sqlite', 'eve', 'html')):
            command += ['-T', f'{form}={output}']
        keys = re.sub(r'\.pcap.*', '.keys', capture)
        if os.path.exists(keys):
            command += ['--keylog-file', keys]
        run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if not os.path.exists(outputs[0]):
            print(capture, run.stderr.decode())
            sys.exit(1)
        with open(outputs[0]) as file:
            records = [json.loads(line) for line in file]
        maps = maps_of(outputs[1])
        where = os.path.basename(capture)
        if len(records) != len(maps):
            fault(f'{where}: {len(records)} records of JSON, {len(maps)} maps')
        for said, mapped in zip(records, maps):
            kind = said.pop('type')
            if kind != mapped.pop('type'):
                fault(f'{where}: a {kind} in JSON only')
                break
            check(PARTS_OF.get(kind, [kind]), said, mapped, f'{where}, {kind}')
            said['type'] = kind
        found = {}
        if os.path.exists(outputs[2]):
            database = sqlite3.connect(outputs[2])
            database.row_factory = sqlite3.Row
            check_rows(database, records, where)
            found['sqlite'] = said_by(database.execute('SELECT code, text, detail, params FROM finding'))
            database.close()
        with open(outputs[3]) as file:
            alerts = [json.loads(line) for line in file if '"event_type":"alert"' in line]
            found['eve'] = said_by(alert['distsniff'] for alert in alerts)
        if os.path.exists(outputs[4]):
            with open(outputs[4]) as file:
                page = re.search(r'<script type="application/gzip-base64" id="data">(.*?)</script>', file.read(), re.S)
            report = json.loads(gzip.decompress(base64.b64decode(page.group(1))))['doctor']
            found['html'] = said_by(f for f in report['found'] if 'code' in f)
        check_findings(said_by(r for r in records if r['type'] == 'finding'), found, where)

# -Y has a field with the name of each row, except for those listed here, with what they are there.
PREFIX = {'tls': 'tls.', 'counters': 'src_sent.', 'token': 'token.', 'party': 'caller.', 'fault': 'fault.'}
FILTERED = {'src': 'src.addr', 'roles': 'to', 'stalled': 'stall', 'caller.for': 'caller.name', 'from_for': 'from_name',
            'to_for': 'to_name', 'module': 'mfa', 'function': 'mfa', 'args': 'mfa'}
for end in ('src', 'dst'):
    for part in ('certificate', 'alert', 'renewals'):
        FILTERED[f'tls.{end}_{part}'] = f'tls.{part}'
# Objects whose parts are fields; the same text elsewhere; what a message waited for, and likely
# atoms.
NOT_FILTERED = {'src_addr', 'tls', 'src_sent', 'dst_sent', 'flags', 'ctl', 'msg', 'fault', 'guesses', 'waited',
                'tls.src_certificate_until', 'tls.dst_certificate_until', 'tls.src_certificate_packed',
                'tls.dst_certificate_packed'}
listed = subprocess.run([program, '--fields'], capture_output=True, text=True, check=True).stdout
filters = {line.split()[0] for line in listed.splitlines() if line.strip()}
for record in ('head', 'epmd', 'handshake', 'conn', 'tls', 'counters', 'message', 'token', 'gap', 'stall', 'stream',
               'note', 'call', 'party', 'monitor', 'trouble', 'fault'):
    for name in table[record]:
        name = PREFIX.get(record, '') + name
        if FILTERED.get(name, name) not in filters and name not in NOT_FILTERED:
            fault(f'{record}: -Y has no field {name}')

structural = {'PEERS', 'ROLES', 'MAP_ADDRESSES'}
for record, fields in table.items():
    for name, kinds in fields.items():
        at = f'{record}.{name}'
        if at not in seen and at not in UNSEEN and record not in UNSEEN and record != 'token' and \
                not structural & set(kinds):
            fault(f'{at}: no capture has it')
if faults:
    print('\n'.join(faults))
    sys.exit(1)
print(f'{len(seen)} fields in {len(captures)} captures')
