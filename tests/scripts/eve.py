#!/usr/bin/env python3
"""eve.py PROGRAM CAPTURE...: the output of -T eve agrees with that of -T json in the same run: an
alert for each finding, a flow for each connection that ended, an anomaly for each gap and fault,
with the same addresses and the same community_id, and the fields that EVE has for any event."""
import collections
import json
import os
import subprocess
import sys
import tempfile

program, captures = os.path.realpath(sys.argv[1]), sys.argv[2:]
SEVERITY = {'error': 1, 'warning': 2, 'note': 3}
wrong = []


def check(is_right, what):
    if not is_right:
        wrong.append(what)


def lines(path):
    with open(path, encoding='utf-8') as f:
        return [json.loads(line) for line in f]


def ends(event):
    return {(event['src_ip'], event['src_port']), (event['dest_ip'], event['dest_port'])}


def compare(capture, folder, options=()):
    as_json, as_eve = folder + '/json', folder + '/eve'
    subprocess.run([program, '-r', capture, '-T', 'json=' + as_json, '-T', 'eve=' + as_eve, *options],
                   stderr=subprocess.DEVNULL, check=True)
    name = os.path.basename(capture)
    records, events = lines(as_json), collections.defaultdict(list)
    for event in lines(as_eve):
        events[event['event_type']].append(event)
        check(event['timestamp'].endswith('+0000') and 'T' in event['timestamp'], name + ': no time of EVE')
    findings = [r for r in records if r['type'] == 'finding']
    check([(f['code'], f['severity'], f['text'], f['ts'].rstrip('Z')) for f in findings] ==
          [(a['distsniff']['code'], {v: k for k, v in SEVERITY.items()}[a['alert']['severity']],
            a['distsniff']['text'], a['timestamp'].removesuffix('+0000')) for a in events['alert']],
          name + ': the alerts are not the findings')
    for alert in events['alert']:
        check(alert['alert']['signature_id'] == 43690000 + int(alert['distsniff']['code'][2:]) and
              alert['alert']['gid'] == 4369, name + ': a signature is not that of the code')
    closed = {r['conn']: r for r in records if r['type'] == 'conn' and 'src_sent' in r}
    check(sorted(closed) == sorted(f['flow_id'] for f in events['flow']),
          name + ': the flows are not the connections that ended')
    for flow in events['flow']:
        conn = closed.get(flow['flow_id'])
        if conn is None:
            continue
        check(ends(flow) == {(conn[end]['addr'], conn[end]['port']) for end in ('src', 'dst')},
              name + ': other addresses')
        check(flow.get('community_id') == conn.get('community_id'), name + ': another community_id')
        check(flow['distsniff']['messages_toserver'] + flow['distsniff']['messages_toclient'] ==
              conn['src_sent']['messages'] + conn['dst_sent']['messages'], name + ': other counts of messages')
    faults = [r for r in records if r['type'] == 'gap' or
              ('fault' in r and r['type'] not in ('call', 'link_facts'))]
    check(len(faults) == len(events['anomaly']),
          f'{name}: {len(events["anomaly"])} anomalies of {len(faults)} gaps and faults')
    check(set(events) <= {'alert', 'flow', 'anomaly'}, name + ': events of another kind')
    return {kind: len(of_kind) for kind, of_kind in events.items()}


total = collections.Counter()
with tempfile.TemporaryDirectory() as folder:
    for capture in captures:
        total.update(compare(capture, folder))
    compare(captures[0], folder, ['--redact', 'all'])
    with open(folder + '/eve', encoding='utf-8') as f:
        check('127.0.0.1' not in f.read(), 'an address that --redact replaces is there')
for kind in ('alert', 'flow', 'anomaly'):
    check(total[kind] != 0, f'no capture has an event of type {kind}')
print(dict(total))
for what in wrong[:20]:
    print('FAILED:', what)
sys.exit(len(wrong) != 0)
