#!/usr/bin/env python3
"""write_keys.py PROGRAM PCAPS: lines of keys as distsniff-keys writes them, in place of the secrets that nodes
logged: all messages must be the same, from the beginning or later on, with keys there before or after."""
import hashlib
import hmac
import os
import re
import struct
import subprocess
import sys
import tempfile

program, pcaps = sys.argv[1:3]
work = tempfile.mkdtemp()
failures = 0


def check(what, is_right):
    global failures
    if not is_right:
        failures += 1
        print(what)


def expand(secret, label, length, hash_name='sha384'):
    """HKDF-Expand-Label of RFC 8446."""
    label = b'tls13 ' + label
    info = struct.pack('>HB', length, len(label)) + label + b'\0'
    return hmac.new(secret, info + b'\1', hash_name).digest()[:length]


def expand_12(secret, seed, length, hash_name='sha384'):
    """The PRF of RFC 5246."""
    out, step = b'', b'key expansion' + seed
    begin = step
    while len(out) < length:
        step = hmac.new(secret, step, hash_name).digest()
        out += hmac.new(secret, step + begin, hash_name).digest()
    return out[:length]


def as_line(suite, nonce, key):
    return f'DISTSNIFF_WRITE_KEY_{suite} {nonce.hex()} {key.hex()}\n'


def lines_of(name, number):
    """The keys of both directions of a capture with AES-256-GCM, with the nonce of that record."""
    data = open(f'{pcaps}/{name}.pcap', 'rb').read()
    secrets = {}
    for line in open(f'{pcaps}/{name}.keys'):
        label, random, secret = line.split()
        secrets[label] = bytes.fromhex(random), bytes.fromhex(secret)
    if 'CLIENT_RANDOM' not in secrets:
        lines = ''
        for side in 'CLIENT', 'SERVER':
            secret = secrets[f'{side}_TRAFFIC_SECRET_0'][1]
            iv = int.from_bytes(expand(secret, b'iv', 12), 'big')
            lines += as_line(0x1302, (iv ^ number).to_bytes(12, 'big'), expand(secret, b'key', 32))
        return lines
    hello = re.search(rb'\x16\x03\x03..\x02...\x03\x03(.{32})', data, re.S)
    random, secret = secrets['CLIENT_RANDOM']
    block = expand_12(secret, hello[1] + random, 72)
    lines = ''
    # The first encrypted record of each side is its Finished, of 40 bytes: nonces are counted from there.
    for side, match in enumerate(re.finditer(rb'\x16\x03\x03\x00\x28(.{8})', data, re.S)):
        nonce = block[64 + 4 * side:68 + 4 * side] + (int.from_bytes(match[1], 'big') + number).to_bytes(8, 'big')
        lines += as_line(0xc030, nonce, block[32 * side:32 * side + 32])
    return lines


def run(*options, stdin=None):
    done = subprocess.run([program, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, input=stdin)
    return done.returncode, done.stdout, done.stderr.decode()


def messages(capture, *options):
    """The messages, and what is said of gaps."""
    _, out, said = run('--no-calls', '-T', 'json', '-Y', 'type == "message"', '-r', capture, *options)
    return out, re.search(r'.*gaps.*', said)[0]


def keys_in(text, name='keys'):
    path = f'{work}/{name}'
    with open(path, 'w') as file:
        file.write(text)
    return '--keylog-file', path


for name in 'tls-29', 'tls12-25':
    capture = f'{pcaps}/{name}.pcap'
    logged = '--keylog-file', f'{pcaps}/{name}.keys'
    whole = messages(capture, *logged)
    for number in 0, 1, 20:
        check(f'{name}: number {number}', messages(capture, *keys_in(lines_of(name, number))) == whole)
    # Joined late. Secrets of TLS 1.2 decrypt nothing then: what is in the whole capture is in this one.
    late = f'{work}/late.pcap'
    subprocess.run(['editcap', '-F', 'pcap', '-r', capture, late, '60-1000'], check=True)
    out, gaps = messages(late, *keys_in(lines_of(name, 30)))
    if name == 'tls-29':
        check(f'{name} joined late: not as by secrets', (out, gaps) == messages(late, *logged))
    check(f'{name} joined late: {gaps}', out.count(b'\n') >= 60 and gaps.startswith('0 gaps'))
    # One side; none; those of another connection.
    first, second = lines_of(name, 3).splitlines(True)
    one = messages(capture, *keys_in(first))[0], messages(capture, *keys_in(second))[0]
    check(f'{name}: one side', all(0 < out.count(b'\n') < 101 for out in one))
    check(f'{name}: both sides', sum(out.count(b'\n') for out in one) == 101)
    other = lines_of('tls12-25' if name == 'tls-29' else 'tls-29', 3)
    check(f'{name}: keys of others', messages(capture, *keys_in(other))[0] == b'')
    check(f'{name}: wrong keys', messages(capture, *keys_in(re.sub('..\n', '00\n', lines_of(name, 3))))[0] == b'')
    # Beside three hundred others, if the record of the nonce is there.
    many = ''.join(as_line(0x1302, i.to_bytes(12, 'big'), i.to_bytes(32, 'big')) for i in range(300))
    check(f'{name}: among many', b'"op"' in messages(late, *keys_in(many + lines_of(name, 20)))[0])
    # Embedded, they are read from the file, and the other secrets are not there.
    both = f'{work}/both.pcapng'
    run('-q', '-r', capture, '-w', both, '--keylog-embed', *keys_in(many + lines_of(name, 1)))
    check(f'{name}: embedded', messages(both) == whole)
    check(f'{name}: embedded lines', open(both, 'rb').read().count(b'DISTSNIFF_WRITE_KEY_') == 2)

status, _, said = run('-q', '-r', f'{pcaps}/tls-29.pcap', *keys_in('DISTSNIFF_WRITE_KEY_4866 12 34\n'))
check(f'refused: {said}', status == 1 and '1 line of' in said)
if failures:
    sys.exit(1)
os.system(f'rm -r {work}')
