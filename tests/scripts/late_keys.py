#!/usr/bin/env python3
"""late_keys.py PROGRAM PCAPS: captures whose keys come after the packets, in a block of the pcapng
file or in a key log that grows: the output must be the same as with the keys from the start, except
for tls.keys, and, if there are several connections, for their order."""
import fcntl
import json
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

program, pcaps = sys.argv[1:3]
failures = 0


def packets(name):
    data = open(f'{pcaps}/{name}.pcap', 'rb').read()
    link, at, found = struct.unpack_from('<I', data, 20)[0], 24, []
    assert data[:4] == b'\xd4\xc3\xb2\xa1'
    while at < len(data):
        second, micro, length, whole = struct.unpack_from('<IIII', data, at)
        found.append((second * 1000000 + micro, data[at + 16:at + 16 + length], whole, link))
        at += 16 + length
    return found


def keys_of(name):
    return open(f'{pcaps}/{name}.keys', 'rb').read()


def block(kind, body):
    length = 12 + len(body)
    return struct.pack('<II', kind, length) + body + struct.pack('<I', length)


def pad(data):
    return data + bytes(-len(data) % 4)


def pcapng(given, secrets):
    """The packets, with a block of secrets before the packets whose numbers are in secrets."""
    links = sorted({packet[3] for packet in given})
    parts = [block(0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1))]
    parts += [block(1, struct.pack('<HHI', link, 0, 0)) for link in links]
    for i in range(len(given) + 1):
        if i in secrets:
            parts.append(block(10, struct.pack('<II', 0x544c534b, len(secrets[i])) + pad(secrets[i])))
        if i < len(given):
            ts, data, whole, link = given[i]
            parts.append(block(6, struct.pack('<IIIII', links.index(link), ts >> 32, ts & 0xffffffff,
                                              len(data), whole) + pad(data)))
    return b''.join(parts)


def tell(data, options):
    done = subprocess.run([program, *options, '-r', '-'], input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f'{options}: {done.stderr.decode()}')
    return done.stdout


def compare(what, early, late):
    global failures
    if early == late:
        return
    failures += 1
    before, after = early.splitlines(), late.splitlines()
    print(f'{what}: {len(before)} lines, and late {len(after)}')
    for a, b in zip(before, after):
        if a != b:
            print(f'  {a.decode()[:300]}\n  {b.decode()[:300]}')
            break


NOT_YET = b'# none yet\n'
TELLINGS = [['-T', 'json'], ['-T', 'text', '-v']]
OTHERS = [[], ['-x'], ['-T', 'perfetto'], ['-T', 'mermaid'], ['-T', 'otlp']] + [
    ['--report', kind] for kind in ('calls', 'traffic', 'latency', 'links', 'doctor')]


def as_found(told):
    return told.replace(b'"keys":"late"', b'"keys":"found"')


def unordered(told):
    """Connections that are reported first have the lower numbers."""
    told = re.sub(rb'conn \d+|"conn":\d+', b'conn', told)
    return b'\n'.join(sorted(told.splitlines()))


def in_frames(told):
    """The terms of -T etf, one a line: each has its length before it."""
    lines, at = [], 0
    while at < len(told):
        length = struct.unpack_from('>I', told, at)[0]
        term = told[at + 4:at + 4 + length]
        lines.append(repr(term.replace(b'\x04late', b'\x05found')).encode())
        at += 4 + length
    return b'\n'.join(lines)


def as_terms(name, moments):
    """In terms only that word differs."""
    given, keys = packets(name), keys_of(name)
    early = tell(pcapng(given, {0: keys}), ['-T', 'etf'])
    for moment in moments:
        late = tell(pcapng(given, {0: NOT_YET, int(len(given) * moment): keys}), ['-T', 'etf'])
        if late == early:
            sys.exit(f'{name}: the keys are not late in terms')
        compare(f'{name} at {moment}, as terms', in_frames(early), in_frames(late))


def at_moments(name, moments, tellings, form=lambda told: told):
    given, keys = packets(name), keys_of(name)
    for options in tellings:
        early = tell(pcapng(given, {0: keys}), options)
        for moment in moments:
            late = tell(pcapng(given, {0: NOT_YET, int(len(given) * moment): keys}), options)
            if options == ['-T', 'json'] and b'"keys":"late"' not in late:
                sys.exit(f'{name}: the keys are not late')
            compare(f'{name} at {moment}, {" ".join(options)}', form(early), form(as_found(late)))


def of_several():
    """Connections that wait at the same time; those without TLS are reported before them."""
    given, keys = [], b''
    for name in ('tls12-25', 'tls-29'):
        own = packets(name)
        given += [(1700000000000000 + 1000000 * i // len(own), *packet[1:]) for i, packet in enumerate(own)]
        keys += keys_of(name)
    given.sort(key=lambda packet: packet[0])

    def said(secrets):
        lines = tell(pcapng(given, secrets), ['-T', 'json']).splitlines()
        return sorted(as_found(line) for line in lines)

    early, late = said({0: keys}), said({0: NOT_YET, len(given) * 4 // 5: keys})
    compare('several', b'\n'.join(early), b'\n'.join(late))


def wait_for(what):
    until = time.monotonic() + 60
    while not what():
        if time.monotonic() > until:
            sys.exit('the pipe is not read')
        time.sleep(0.02)


def look_around(run, said, num_packets):
    """until it has done so after that many packets, as it does whenever it waits for more: it looks
    for keys, then it answers requests for its state. After the second answer it has certainly
    looked again."""
    def answers():
        with open(said) as file:
            return [int(n) for n in re.findall(r'^(\d+) packets captured\n', file.read(), re.M)]

    def is_answered():
        before = len(answers())
        run.send_signal(signal.SIGUSR1)
        wait_for(lambda: len(answers()) > before)
        return answers()[-1] >= num_packets

    wait_for(is_answered)
    is_answered()


def while_it_grows():
    """A key log that is written while a pipe feeds the capture, once everything in the pipe has been
    read."""
    data = open(f'{pcaps}/tls-29.pcap', 'rb').read()
    options = ['-T', 'json', '-r', '-', '--keylog-file']
    early = subprocess.run([program, *options, f'{pcaps}/tls-29.keys'], input=data,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    with tempfile.TemporaryDirectory() as folder:
        log = f'{folder}/key.log'
        with open(log, 'w') as file:
            file.write('# none yet\n')
        said = f'{folder}/said'
        with open(said, 'w') as file:
            run = subprocess.Popen([program, *options, log], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file)
        half, num = 24, 0
        while half < len(data) // 2:
            half, num = half + 16 + struct.unpack_from('<I', data, half + 8)[0], num + 1
        run.stdin.write(data[:half])
        run.stdin.flush()
        wait_for(lambda: not struct.unpack('i', fcntl.ioctl(run.stdin, termios.FIONREAD, bytes(4)))[0])
        look_around(run, said, num)
        with open(log, 'ab') as file:
            file.write(keys_of('tls-29'))
        look_around(run, said, num)
        late, _ = run.communicate(data[half:])
    if b'"keys":"late"' not in late:
        sys.exit('the keys of the file are not late')
    compare('a key log that grows', early, as_found(late))


os.environ['ASAN_OPTIONS'] = os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0'
for name in ('tls12-25', 'tls-29'):
    at_moments(name, (0.6, 0.8, 1), TELLINGS)
    at_moments(name, (0.6,), OTHERS)
    as_terms(name, (0.6, 1))
for name in ('tls12-renewed-25', 'tls-renewed-29'):
    at_moments(name, (0.3, 0.45), TELLINGS)
    at_moments(name, (0.7, 1), TELLINGS, unordered) # one is closed by then, and EPMD was asked for another
of_several()
while_it_grows()
sys.exit(failures != 0)
