#!/usr/bin/env python3
"""count.py PROGRAM CAPTURE ...: what --report links, traffic, top, open, latency and deaths say of
captures is equal to the counts of another program on the same packets (decoder.py).

links    bytes of each end's stream, messages, the largest, ticks, of each link
traffic  all messages and their bytes, by nodes, by the kind of control message, the largest ten
top      messages and bytes that processes without a name send, by process
open     monitors and links that are open at the end, calls without a reply
latency  calls of gen_server and the like: how many, p50, p90, p99 within 1/64, and the largest
deaths   processes of which others were told that they had ended
"""
import collections
import json
import re
import subprocess
import sys

import decoder
from decoder import Pid, Ref

program, captures = sys.argv[1], sys.argv[2:]
failed = False

LINK, SEND, EXIT, REG_SEND, EXIT2 = 1, 2, 3, 6, 8
SEND_TT, EXIT_TT, REG_SEND_TT, EXIT2_TT = 12, 13, 16, 18
MONITOR_P, DEMONITOR_P, MONITOR_P_EXIT = 19, 20, 21
SEND_SENDER, SEND_SENDER_TT, PAYLOAD_EXIT, PAYLOAD_EXIT_TT = 22, 23, 24, 25
PAYLOAD_EXIT2, PAYLOAD_EXIT2_TT, PAYLOAD_MONITOR_P_EXIT = 26, 27, 28
SPAWN_REQUEST, SPAWN_REQUEST_TT, SPAWN_REPLY, SPAWN_REPLY_TT = 29, 30, 31, 32
ALIAS_SEND, ALIAS_SEND_TT, UNLINK_ID, UNLINK_ID_ACK = 33, 34, 35, 36
SENDS = {SEND, SEND_TT, REG_SEND, REG_SEND_TT, SEND_SENDER, SEND_SENDER_TT, ALIAS_SEND, ALIAS_SEND_TT}
EXITS = {EXIT, EXIT_TT, PAYLOAD_EXIT, PAYLOAD_EXIT_TT}
# The place of the sender; in MONITOR_P_EXIT it may be a name.
SENDER = dict.fromkeys((1, 3, 6, 7, 8, 13, 16, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 33, 34), 1)
SENDER.update(dict.fromkeys((29, 30, 35, 36), 2))


def differs(capture, what, ours, theirs):
    global failed
    if ours != theirs:
        failed = True
        print(f'{capture}: {what}: distsniff says {ours}, counted are {theirs}')


def report(capture, *options):
    if options[0] in ('traffic', 'top', 'latency', 'open', 'links'):
        options += ('--rows', '0')
    return subprocess.run([program, '-r', capture, '-q', '--report', *options], capture_output=True,
                          text=True, check=True).stdout


def ends(link):
    return tuple(f'{".".join(map(str, addr))}:{port}' for addr, port in link.ends)


def check_links(capture, links):
    text = report(capture, 'links')
    found = collections.Counter()
    for line in text.split('\n'):
        said = re.match(r' +(\d+) +(\d+) +(\d+|-) +(\d+) ', line)
        if said:
            found[tuple(int(x) if x != '-' else 0 for x in said.groups())] += 1
    counted = collections.Counter()
    for link in links:
        for way, direction in enumerate(link.directions):
            sizes = [m.size for w, m in link.messages if w == way]
            counted[direction.bytes, len(sizes), max(sizes, default=0), direction.ticks] += 1
    differs(capture, 'links: bytes, messages, largest, ticks of ends', found - counted, counted - found)


def check_traffic(capture, messages):
    text = report(capture, 'traffic', '--by', 'node')
    total = re.match(r'traffic by node: (\d+) messages?, (\d+) bytes?', text)
    differs(capture, 'traffic: messages and bytes', tuple(map(int, total.groups())),
            (len(messages), sum(m.size for m in messages)))
    largest = [int(line.split()[0]) for line in text.split('largest messages:')[1].split('\n  the ')[0].split('\n')[2:]]
    sizes = sorted((m.size for m in messages), reverse=True)
    differs(capture, 'traffic: the largest', largest, sizes[:len(largest)])
    differs(capture, 'traffic: how many of the largest', len(largest), min(10, len(messages)))
    # By shape, messages that have only a control message.
    found = collections.defaultdict(lambda: [0, 0])
    words = {'monitor': {MONITOR_P}, 'demonitor': {DEMONITOR_P}, 'link': {LINK},
             'unlink': {UNLINK_ID, UNLINK_ID_ACK}, 'monitor_exit': {MONITOR_P_EXIT, PAYLOAD_MONITOR_P_EXIT},
             'exit2': {EXIT2, EXIT2_TT, PAYLOAD_EXIT2, PAYLOAD_EXIT2_TT}}
    for line in report(capture, 'traffic').split('largest messages')[0].split('\n')[2:]:
        parts = line.split(None, 9)
        if len(parts) == 10 and (word := re.match(r'\w+', parts[9])) and word.group() in words:
            found[word.group()][0] += int(parts[0])
            found[word.group()][1] += int(parts[2])
    for word in found:
        these = [m.size for m in messages if m.control[0] in words[word]]
        differs(capture, f'traffic: {word}', found[word], [sum(these), len(these)])
    return len(found)


def check_top(capture, messages):
    sent = collections.defaultdict(lambda: [0, 0])
    for m in messages:
        at = SENDER.get(m.control[0])
        if at and isinstance(m.control[at], Pid):
            pid = m.control[at]
            sent[f'<{pid.node}.{pid.id}.{pid.serial}>'][0] += m.size
            sent[f'<{pid.node}.{pid.id}.{pid.serial}>'][1] += 1
    text = report(capture, 'top')
    head = re.match(r'busiest processes in ([\d.]+) s: (\d+) messages?', text)
    seconds = float(head.group(1))
    differs(capture, 'top: messages', int(head.group(2)), len(messages))
    found = collections.defaultdict(lambda: [0, 0, 0])
    rows = 0
    for line in text.split('\n')[2:]:
        parts = line.split()
        if len(parts) != 10 or not parts[0].isdigit():
            continue
        rows += 1
        for name in (parts[9].replace("'", ''), 'all'):
            found[name][0] += int(parts[1])
            found[name][1] += float(parts[3])
            found[name][2] += 1

    def is_near(said, size, num):
        """Rates of a span that is known to a millisecond, to a byte and a tenth of a message a second."""
        slack = 0.0006 / seconds
        over = (said[0] - size / seconds) / (said[2] + size / seconds * slack), \
            (said[1] - num / seconds) / (0.1 * said[2] + num / seconds * slack)
        return max(over) <= 1 and min(over) >= -1

    same = 0
    for name, (size, num) in sent.items():
        if name in found:
            same += is_near(found[name], size, num)
            if not is_near(found[name], size, num):
                differs(capture, f'top: {name} sends B/s, /s', found[name], (size / seconds, num / seconds))
    if not is_near(found['all'], sum(m.size for m in messages), len(messages)):
        differs(capture, 'top: all send', found['all'],
                (sum(m.size for m in messages) / seconds, len(messages) / seconds))
    if same * 2 < rows and rows > 4 and same * 4 < len(sent):
        differs(capture, 'top: processes that send as much', same, rows)
    return same


def is_call(payload):
    """The tag of a gen call, {'$gen_call', {From, Tag}, Request}, as a text."""
    if not (isinstance(payload, tuple) and len(payload) == 3 and payload[0] == '$gen_call' and
            isinstance(payload[1], tuple) and len(payload[1]) == 2):
        return None
    return repr(payload[1][1])


def replied(payload):
    return repr(payload[0]) if isinstance(payload, tuple) and len(payload) == 2 else None


def give_up(calls, ref):
    """The monitor of a call is not counted any more: its reference is the tag, or part of it."""
    for tag in [tag for tag in calls if repr(ref) in tag]:
        del calls[tag]


def check_calls(capture, links):
    """Gen calls without a label of their own: how many are answered, and how fast."""
    chosen = 'type == "call" and label == "gen:call"'
    run = subprocess.run([program, '-r', capture, '-T', 'json', '-Y', chosen], capture_output=True,
                         text=True, check=True)
    records = [json.loads(line) for line in run.stdout.split('\n') if line]
    theirs = {(r['start_frame'], r['caller']['pid']) for r in records if r['type'] == 'call'}
    open_calls, spans = {}, []
    for link, m in ((link, m) for link in links for _, m in link.messages):
        op = m.control[0]
        if op in SENDS:
            tag = is_call(m.payload)
            if tag is not None:
                pid = m.payload[1][0]
                if (m.number, f'<{pid.node}.{pid.id}.{pid.serial}>') in theirs:
                    open_calls[tag] = m.time, link
            elif replied(m.payload) in open_calls:
                spans.append(m.time - open_calls.pop(replied(m.payload))[0])
        elif op in (DEMONITOR_P, MONITOR_P_EXIT, PAYLOAD_MONITOR_P_EXIT):
            give_up(open_calls, m.control[3])
    spans.sort()
    line = re.search(r'^ *(\d+) +(\d+) +(\d+) +(.*?)\|.*  gen:call$', report(capture, 'latency'), re.M)
    if line is None:
        differs(capture, 'latency: calls of gen', 0, len(spans))
        return 0
    errors, without = int(line.group(2)), int(line.group(3))
    differs(capture, 'latency: answered', int(line.group(1)) - errors - without, len(spans))
    differs(capture, 'latency: without an end', without,
            sum(not link.is_over for _, link in open_calls.values()))
    if errors or without:
        return len(spans)  # quantiles are of all that ended, errors too
    units = {'ns': 1, 'us': 10**3, 'ms': 10**6, 's': 10**9}
    told = [float(n) * units[u] for n, u in re.findall(r'([\d.]+) (ns|us|ms|s)\b', line.group(4))]
    for share, value in zip((50, 90, 99, 100), told):
        exact = spans[max(0, -(-len(spans) * share // 100) - 1)]
        if abs(value - exact) > exact / 64 + 1000 + value / 200:
            differs(capture, f'latency: p{share}', value, exact)
    return len(spans)


def check_open(capture, links):
    """Monitors and links that were not removed, on connections that are open at the end."""
    monitors, linked, calls = {}, set(), {}
    for number, link in enumerate(links):
        for way, m in link.messages:
            c = m.control
            if c[0] == MONITOR_P:
                monitors[c[3]] = number
            elif c[0] in (DEMONITOR_P, MONITOR_P_EXIT, PAYLOAD_MONITOR_P_EXIT):
                monitors.pop(c[3], None)
                give_up(calls, c[3])
            elif c[0] == LINK:
                linked.add((frozenset(c[1:3]), number))
            elif c[0] == UNLINK_ID:
                linked.discard((frozenset(c[2:4]), number))
            elif c[0] in EXITS:
                linked.discard((frozenset(c[1:3]), number))
            elif c[0] in (SPAWN_REPLY, SPAWN_REPLY_TT) and isinstance(c[4], Pid):
                if c[3] & 1:
                    linked.add((frozenset((c[2], c[4])), number))
                if c[3] & 2:
                    monitors[c[1]] = number
            elif c[0] in SENDS:
                tag = is_call(m.payload)
                if tag is not None:
                    calls[tag] = number
                elif replied(m.payload) is not None:
                    calls.pop(replied(m.payload), None)
    gone = {n for n, link in enumerate(links) if link.is_over}
    text = report(capture, 'open')
    said = re.search(r'\d+ calls?, (\d+) monitors? and (\d+) process links? open', text)
    differs(capture, 'open: links', int(said.group(2)), sum(n not in gone for _, n in linked))
    differs(capture, 'open: monitors that are of no call', int(said.group(1)),
            sum(n not in gone and not any(repr(ref) in tag for tag in calls)
                for ref, n in monitors.items()))
    gen = len(re.findall(r'^call .* gen:call ', text, re.M))
    differs(capture, 'open: calls of gen', gen, sum(n not in gone for n in calls.values()))


def check_deaths(capture, messages):
    told = set()
    for m in messages:
        c = m.control
        if c[0] in (MONITOR_P_EXIT, PAYLOAD_MONITOR_P_EXIT):
            reason = c[4] if c[0] == MONITOR_P_EXIT else m.payload
            is_result = isinstance(reason, tuple) and reason and isinstance(reason[0], Ref)  # of erpc
            if reason not in ('noproc', 'noconnection') and not is_result:
                told.add(c[1])
        elif c[0] in EXITS:
            reason = c[-1] if c[0] in (EXIT, EXIT_TT) else m.payload
            if reason not in ('noproc', 'noconnection'):
                told.add(c[1])
    said = re.search(r'^(\d+) process(?:es)? exited', report(capture, 'deaths'), re.M)
    differs(capture, 'deaths: processes', int(said.group(1) or 0) if said else 0, len(told))


for capture in captures:
    links = decoder.links(capture)
    messages = sorted((m for link in links for _, m in link.messages), key=lambda m: m.number)
    check_links(capture, links)
    kinds = check_traffic(capture, messages)
    processes = check_top(capture, messages)
    calls = check_calls(capture, links)
    check_open(capture, links)
    check_deaths(capture, messages)
    print(f'{capture.split("/")[-1]}: {len(links)} links, {len(messages)} messages, {kinds} kinds of '
          f'signals, {processes} processes, {calls} calls')
    if not links or not messages:
        failed = True
sys.exit(failed)
