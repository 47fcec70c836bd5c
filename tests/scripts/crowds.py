#!/usr/bin/env python3
"""crowds.py PROGRAM: many of whatever there may be many of (connections, shapes, processes, names, nodes,
calls that are answered and that are not, monitors, deaths), through all reports, as text and as a page. It
ends well, at four times the number it takes about four times the time, and it says what did not fit under
the caps, which are small here."""
import os
import resource
import struct
import subprocess
import sys
import tempfile

from reports import reports_of

program = os.path.realpath(sys.argv[1])
FEW = 4000
CAPS = ['--max-connections', '1000', '--max-tallies', '100', '--max-names', '5000', '--max-report', '50',
        '--max-calls', '1000', '--max-monitors', '1000']
REPORTS = reports_of(program, ['changes', 'clocks', 'points', 'history'])  # of two captures, several capture points, a stream
A, B = b'\x0a\0\0\1', b'\x0a\0\0\2'


def atom(text):
    return b'w' + bytes([len(text)]) + text.encode()


def pid(node, number):
    return b'X' + atom(node) + struct.pack('>III', number, 0, 7)


def ref(number):
    return b'Z' + struct.pack('>H', 3) + atom('a@a') + struct.pack('>IIII', 7, number, 1, 2)


def group(*parts):
    return b'h' + bytes([len(parts)]) + b''.join(parts)


def integer(number):
    return b'b' + struct.pack('>i', number)


def frame(control, payload=b''):
    body = b'\x83\x44\x00' + control + payload
    return struct.pack('>I', len(body)) + body


def send(node, number, name, payload):
    return frame(group(b'a\x06', pid(node, number), atom(''), atom(name)), payload)


def on_one_link(frames):
    """Segments of one connection: (source, target, its number, bytes) of (direction, frame)."""
    sent = [1, 1]
    for way, data in frames:
        yield (A, 40000, B, 9100, sent[0], data) if way == 0 else (B, 9100, A, 40000, sent[1], data)
        sent[way] += len(data)


def connections(num):
    for i in range(num):
        host = struct.pack('>I', 0x0b000000 + i)
        said = send(f'n{i}@h{i}', 9, 'server', group(atom('hello'), integer(i)))
        yield host, 40000, B, 9100, 1, said
        yield host, 40000, B, 9100, 1 + len(said), said
        yield B, 9100, host, 40000, 1, b'\0\0\0\0'


def messages(make):
    return lambda num: on_one_link((0, make(i)) for i in range(num))


def calls(num):
    def frames():
        for i in range(num):
            request = group(atom('$gen_call'), group(pid('a@a', 9), ref(i)), group(atom(f'f{i}'), integer(i)))
            yield 0, send('a@a', 9, f'server{i}', request)
            if i % 2:
                yield 1, frame(group(b'a\x02', atom(''), pid('a@a', 9)), group(ref(i), atom('ok')))
    return on_one_link(frames())


def deaths(num):
    def frames():
        for i in range(num):
            yield 0, frame(group(b'a\x13', pid('a@a', i), pid('b@b', i), ref(i)))
            yield 1, frame(group(b'a\x15', pid('b@b', i), pid('a@a', i), ref(i), group(atom(f'r{i}'), integer(i))))
    return on_one_link(frames())


def asks(way, caller, callee, i):
    request = group(atom('$gen_call'), group(caller, ref(i)), group(atom('f'), integer(i)))
    return way, frame(group(b'a\x16', caller, callee), request)


def answers(way, caller, i):
    return way, frame(group(b'a\x02', atom(''), caller), group(ref(i), atom('ok')))


def calls_in_calls(num):
    """Each call is made for the one before, and ends before it."""
    def process(i):
        return pid('ab'[i % 2] + '@h', i)

    def frames():
        for i in range(num):
            yield asks(i % 2, process(i), process(i + 1), i)
        for i in reversed(range(num)):
            yield answers(1 - i % 2, process(i), i)
    return on_one_link(frames())


def calls_of_one(num):
    """All calls but the first are made for it, and end after it."""
    outer, server = pid('a@h', 0), pid('b@h', 1)

    def frames():
        yield asks(0, outer, server, 0)
        for i in range(1, num):
            yield asks(1, server, pid('a@h', i + 1), i)
        yield answers(1, outer, 0)
        for i in range(1, num):
            yield answers(0, server, i)
    return on_one_link(frames())


hello = group(atom('hello'), integer(1))
# Things of which there are many, and each report's text about those that had no room.
CROWDS = {
    'connections': (connections, ['links forgotten, because there were too many',
                                  'more than 100 processes', 'limit reached']),
    'shapes': (messages(lambda i: send('a@a', 9, 'server', group(atom(f's{i}'), integer(i)))),
               ['more than 100 kinds']),
    'processes': (messages(lambda i: send('a@a', i, 'server', hello)), ['more than 100 processes']),
    'names': (messages(lambda i: send('a@a', 9, f'server{i}', hello)),
              ['more than 100 processes', 'more than 100 kinds', '--max-names 5000']),
    'nodes': (messages(lambda i: send(f'n{i}@h', 9, 'server', hello)), ['more than 100 processes']),
    'calls': (calls, ['more than 100', '--max-calls 1000']),
    'monitors': (messages(lambda i: frame(group(b'a\x13', pid('a@a', i), pid('b@b', i), ref(i)))),
                 ['--max-monitors 1000']),
    'deaths': (deaths, [f'{4 * FEW} processes exited']),
    'calls in calls': (calls_in_calls, ['1 call with nested calls']),
    'calls of one': (calls_of_one, ['1 call with nested calls']),
}
# There are many of these before a cap is reached.
LARGE = {'calls in calls', 'calls of one'}


def write(name, segments):
    now = 1_700_000_000_000_000
    with open(name, 'wb') as file:
        file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 262144, 101))
        for source, port, target, to, seq, data in segments:
            now += 20
            tcp = struct.pack('>HHIIBBHHH', port, to, seq, 1, 0x50, 0x18, 60000, 0, 0) + data
            ip = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, source, target) + tcp
            file.write(struct.pack('<IIII', now // 10**6, now % 10**6, len(ip), len(ip)) + ip)


def run(capture, *options):
    """Its output, and the processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, '-r', capture, *CAPS, *options], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.returncode, done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


failed = False
with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    os.chmod(work, 0o755)
    for kind, (make, wanted) in CROWDS.items():
        spent = {}
        few = 4 * FEW if kind in LARGE else FEW
        caps = ['--max-calls', str(4 * few), '--max-names', str(4 * few)] if kind in LARGE else []
        for num in (few, 4 * few):
            write('crowd.pcap', make(num))
            tables = ['-q'] + [word for name in REPORTS for word in ('--report', name)]
            status, said, text_s = run('crowd.pcap', *caps, *tables)
            page_status, page_said, page_s = run('crowd.pcap', *caps, '-T', 'html=page.html')
            if status not in (0, 3) or page_status not in (0, 3):
                failed = True
                print(f'{num} {kind}: {status} and {page_status}\n{said[-600:]}\n{page_said[-600:]}')
            spent[num] = text_s, page_s
        for what in wanted:
            if what not in said:
                failed = True
                print(f'{kind}: nobody says "{what}"\n{said[-1500:]}')
        for way, few, many in zip(('text', 'page'), spent[few], spent[4 * few]):
            # Twice as much again, and the time that any run takes.
            if many > 8 * few + 1:
                failed = True
                print(f'{kind}, {way}: {few:.2f} s, and {many:.2f} s for four times as many')
sys.exit(failed)
