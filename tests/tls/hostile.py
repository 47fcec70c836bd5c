"""hostile.py make WORK | check WORK | blocks WORK | seeds DIR: TLS of peers who mean no good, a connection a case, all in
WORK/pcap with the secrets in WORK/keys; check compares what -T json says of each with what is written here.
blocks writes pcapng files whose blocks of secrets are odd, and WORK/list: the name of each, how many messages
are opened, and what is said."""
import json, random, sys, zlib

from tls_maker import *

CASES = []


def case(**expected):
    """expected: number of decrypted messages, and keys of "tls" with their values; None: absent"""
    def add(make):
        CASES.append((make.__name__, make, expected))
        return make
    return add


def whole(c, log, suite=0xc030, **how):
    c.hello(suite, log=log, **how)
    c.greet()
    c.chat()
    c.close()


# Names

NAMES_ODD = [b'a\x1b[31mred\x07\x1b]0;title\x07', b'a\nb\r\n\tc', b'"\'`\\</script><script>alert(1)</script>',
             b'\xc0\xaf\xe0\x80\xaf\xed\xa0\x80\xff\xfe', b'a\0b', b'\xe2\x80\xae\xef\xbb\xbf\xc2\x9b31m',
             b"'); DROP TABLE connection; --", b'#{x} $(y) %s%n {{z}} <b>&amp;', b',;|\t=HYPERLINK()', b'\x7f\x80']


def named_oddly(name, suite):
    def make(c, log):
        certificates = certificates_13 if suite >> 8 == 0x13 else certificates_12
        whole(c, log, suite, extensions=server_name(name), certificate=certificates(certificate(name, name)))
    return make


for number, name in enumerate(NAMES_ODD):
    for suite in (0x1301, 0xc030):
        make = named_oddly(name, suite)
        make.__name__ = f'odd_name_{number}_{suite:x}'
        text = name.decode('utf-8', 'backslashreplace').replace('\0', '\ufffd')
        text = any if '\\x' in text else text
        case(messages=4, sni=text, dst_certificate=text if name.isascii() else any if text is not any else None)(make)


@case(messages=4, sni='x' * 256)
def long_name(c, log):
    whole(c, log, extensions=server_name(b'x' * 60000))


@case(messages=4, sni='last')
def two_names(c, log):
    whole(c, log, extensions=server_name(b'first') + server_name(b'last'))


@case(messages=4, sni=None)
def empty_names(c, log):
    whole(c, log, extensions=extension(0, b'') + extension(0, v16(b'')) + server_name(b'') + extension(0, b'\0'))


@case(messages=4, sni=None)
def name_beyond_its_extension(c, log):
    whole(c, log, extensions=extension(0, v16(b'\0\xff\xffshort')) + extension(0, u16(9999)))


@case(messages=4)
def protocols(c, log):
    whole(c, log, extensions=extension(16, v16(v8(b'\x1b[2J') + v8(b'') + b'\xff')) + extension(16, b'') * 50)


@case(messages=4, sni='behind')
def thousands_of_extensions(c, log):
    whole(c, log, extensions=b''.join(extension(0x7000 + i % 256, b'') for i in range(10000)) + server_name(b'behind'))


@case(messages=4)
def heartbeats_and_sizes(c, log):
    """record_size_limit, max_fragment_length, heartbeat, early data, with invalid contents"""
    whole(c, log, 0x1301, extensions=extension(28, b'\0') + extension(1, b'\xff' * 9) + extension(15, b'') +
          extension(42, b'x'))


# Hellos

@case(messages=0, sni=None)
def session_of_255(c, log):
    whole(c, log, session=bytes(255), extensions=server_name(b'unread'))


@case(messages=4)
def second_hello_of_the_client(c, log):
    c.send(CLIENT, record(HANDSHAKE, client_hello(b'r' * 32, server_name(b'other'))))
    whole(c, log)


@case(messages=4, sni='right')
def twice_another_group(c, log):
    for i in range(2):
        c.send(CLIENT, record(HANDSHAKE, client_hello(b'%d' % i * 32, VERSIONS_13 + server_name(b'wrong'))))
        c.send(SERVER, record(HANDSHAKE, server_hello(RETRY_RANDOM, 0x1301, CHOSEN_13)))
    whole(c, log, 0x1301, extensions=server_name(b'right'))


@case()
def both_are_clients(c, log):
    for side in (CLIENT, SERVER, CLIENT):
        c.send(side, record(HANDSHAKE, client_hello(b'r' * 32, server_name(b'one'))))
    c.close()


@case()
def both_are_servers(c, log):
    for side in (SERVER, CLIENT, SERVER):
        c.send(side, record(HANDSHAKE, server_hello(b'r' * 32, 0x1301 if side else 0xc030, CHOSEN_13)))
    c.close()


def changes_in_between(first, second, of=SERVER):
    def make(c, log):
        c.hello(first, log=log)
        c.greet()
        c.chat(range(1))
        c.say(of, server_hello(b's' * 32, second, CHOSEN_13), HANDSHAKE)
        if first >> 8 == 0x13:
            c.say(of, handshake(24, b'\0'), HANDSHAKE)
            c.keys[of].update()
        c.chat(range(1, 2))
        c.lose(of, 100)
        c.chat(range(2, 3))
        c.close()
    return make


for first in (0x1301, 0xc030):
    for second in (0x1302, 0xc02f, 0xc024, 0x0000):
        make = changes_in_between(first, second)
        make.__name__ = f'from_{first:x}_to_{second:x}'
        case(at_least=4, suite='TLS_AES_128_GCM_SHA256' if first == 0x1301 else any if second else None)(make)


@case(suite='TLS_AES_128_GCM_SHA256', keys='found')
def the_client_names_a_suite(c, log):
    """in clear, after the server's first bytes"""
    c.hello(0x1301, log=log)
    c.keys[CLIENT], keys = None, c.keys[CLIENT]
    for i in range(3):
        c.say(SERVER, message(NAMES[1], bytes([97, i])))
        c.send(CLIENT, record(HANDSHAKE, server_hello(b's' * 32, 0, CHOSEN_13)))
        c.say(SERVER, handshake(24, b'\0'), HANDSHAKE)
        c.keys[SERVER].update()
    c.close()


@case()
def hellos_of_any_length(c, log):
    hello = client_hello(b'r' * 32, VERSIONS_13 + server_name(b'cut'))
    for length in range(4, len(hello)):
        c.send(CLIENT, record(HANDSHAKE, handshake(1, hello[4:length])))
        c.send(SERVER, record(HANDSHAKE, handshake(2, hello[4:length])))
    c.close()


@case(messages=4, sni='slow')
def a_byte_a_record(c, log):
    hello = client_hello(b'q' * 32, server_name(b'slow'))
    for byte in client_hello(b'q' * 32, extension(0xff00, bytes(4000))):
        c.send(CLIENT, record(HANDSHAKE, bytes([byte])))
    whole(c, log, extensions=server_name(b'slow'))


# Records

@case(at_least=4)
def records_of_odd_lengths(c, log):
    c.hello(0xc030, log=log)
    c.greet()
    c.chat()
    for length in (0, 1, 7, 2 ** 14, 2 ** 14 + 2048, 2 ** 14 + 2049, 65535):
        c.send(SERVER, record(DATA, bytes(length)))
    c.chat(range(2, 4))
    c.close()


@case(at_least=4)
def records_of_odd_types(c, log):
    c.hello(0x1301, log=log)
    c.greet()
    c.chat()
    for kind in (0, 1, 19, 25, 255):
        c.send(SERVER, record(kind, bytes(9)))
    for version in (0, 0x0200, 0x0300, 0x03ff, 0xffff):
        c.send(CLIENT, record(DATA, bytes(40), version))
    c.chat(range(2, 4))
    c.close()


@case(messages=4)
def empty_and_padded(c, log):
    for suite in (0x1301,):
        c.hello(suite, log=log)
        c.greet()
        for side in (CLIENT, SERVER):
            c.say(side, b'')
            c.say(side, b'', padding=16000)
            c.say(side, b'', HEARTBEAT)
            c.say(side, b'\1\xff\xff', HEARTBEAT)
            c.say(side, b'', HANDSHAKE)
            c.say(side, b'', ALERT)
            c.say(side, bytes(100), 99)
        c.chat()
        c.close()


@case(messages=4)
def nothing_but_padding(c, log):
    c.hello(0x1301, log=log)
    c.greet()
    c.say(CLIENT, b'', None, padding=40)
    c.chat()
    c.close()


@case(at_least=0)
def alerts(c, log):
    for body in (b'', b'\2', b'\2\x28\0', b'\2\xff', b'\xff\x46', b'\2\x28' * 400, b'\2\x2a'):
        c.send(SERVER, record(ALERT, body))
    whole(c, [])


@case(messages=4)
def renewed_again_and_again(c, log):
    c.hello(0x1302, log=log)
    c.greet()
    for i in range(300):
        c.say(CLIENT, handshake(24, bytes([i & 1])), HANDSHAKE)
        c.keys[CLIENT].update()
    c.chat()
    c.close()


@case(messages=4, src_renewals=500)
def ciphers_changed_again_and_again(c, log):
    c.hello(0xc030, log=log)
    c.greet()
    for i in range(500):
        c.say(CLIENT, b'\1', CHANGE_CIPHER)
        c.keys[CLIENT].number = 0
    c.chat()
    c.close()


# Certificates

@case(messages=4, dst_certificate='first')
def a_thousand_certificates(c, log):
    whole(c, log, certificate=certificates_12(certificate(b'first'), *[certificate(b'more')[:60]] * 1000))


@case(messages=4, dst_certificate=None)
def a_giant(c, log):
    whole(c, log, certificate=certificates_12(certificate(b'giant', b'x' * 50000)))


@case(messages=4, dst_certificate='n0')
def a_thousand_alternatives(c, log):
    whole(c, log, certificate=certificates_12(certificate(b'cn', [b'n%d' % i for i in range(1000)])))


@case(messages=4, dst_certificate=None)
def nested(c, log):
    inside = b''
    for i in range(4000):
        inside = der(0x30, inside)
    whole(c, log, certificate=certificates_12(inside))


@case(messages=4, dst_certificate=any)
def nested_in_a_name(c, log):
    inside = b'x'
    for i in range(900):
        inside = der(0x24, inside)
    whole(c, log, certificate=certificates_12(certificate(b'outer', inside, alternative_tag=0xa4)))


@case(messages=4)
def strings_of_odd_kinds(c, log):
    """invalid UTF-8, an odd number of bytes with two each, four each beyond Unicode"""
    odd = (12, b'\xff\xfe'), (30, b'abc'), (28, b'\xff\xff\xff\xff'), (20, b'\xe9\x1b[31m'), (3, b'\0x'), (5, b'')
    whole(c, log, certificate=b''.join(certificates_12(certificate(text, common_tag=tag)) for tag, text in odd))


@case(messages=4, dst_certificate='when', dst_certificate_until=None)
def dates_of_nonsense(c, log):
    whole(c, log, certificate=certificates_12(certificate(b'when', dates=(b'000000000000Z', b'\x1b[31m'))))


@case(messages=4, dst_certificate=None)
def lengths_of_lists(c, log):
    one = certificate(b'cut')
    bodies = (b'', b'\0', u24(0), u24(2 ** 24 - 1) + v24(one), v24(u24(2 ** 24 - 1) + one), v24(v24(b'')),
              v24(v24(one[:-1])))
    whole(c, log, certificate=b''.join(handshake(11, body) for body in bodies))


# Certificates that are compressed, RFC 8879, and hellos in hellos

def packed(body, algorithm=1, length=None, data=None):
    """the body of a message, without its 4-byte header"""
    body = body[4:]
    return handshake(25, u16(algorithm) + u24(len(body) if length is None else length) +
                     v24(zlib.compress(body) if data is None else data))


@case(messages=4, dst_certificate='packed', dst_certificate_packed=None)
def packed_by_zlib(c, log):
    whole(c, log, 0x1301, certificate=packed(certificates_13(certificate(b'packed'))))


@case(messages=4, dst_certificate=None, dst_certificate_packed='brotli')
def packed_by_brotli(c, log):
    whole(c, log, 0x1302, certificate=packed(certificates_13(certificate(b'packed')), 2))


@case(messages=4, dst_certificate=None, dst_certificate_packed='zstd')
def packed_by_zstd(c, log):
    whole(c, log, 0x1301, certificate=packed(certificates_13(certificate(b'packed')), 3))


@case(messages=4, dst_certificate=None, dst_certificate_packed=None)
def packed_by_nobody(c, log):
    whole(c, log, 0x1301, certificate=packed(certificates_13(certificate(b'packed')), 77) + handshake(25, b'\0'))


@case(messages=4, dst_certificate=None, dst_certificate_packed='zlib')
def packed_by_liars(c, log):
    """wrong lengths, invalid data, 16 MB of zeros"""
    good, zeros = certificates_13(certificate(b'packed')), zlib.compress(bytes(2 ** 24 - 1), 9)
    whole(c, log, 0x1301, certificate=packed(good, length=1) + packed(good, length=2 ** 24 - 1) + packed(good, length=0) +
          packed(good, data=b'rubbish') + packed(good, data=b'') + packed(good, data=zeros) +
          packed(good, length=2 ** 24 - 1, data=zeros) + packed(good, length=65536, data=zeros) + handshake(25, b'\0\1'))


@case(messages=4, sni='outer', ech=True)
def a_hello_within(c, log):
    whole(c, log, 0x1301, extensions=server_name(b'outer') + extension(0xfe0d, bytes(200)))


@case(messages=4, sni='inner', ech=None)
def the_hello_within(c, log):
    whole(c, log, 0x1301, extensions=server_name(b'inner') + extension(0xfe0d, b'\1') + extension(0xfe0d, b''))


# The content

def rubbish(seed):
    def make(c, log):
        r = random.Random(seed)
        c.hello(r.choice(list(SUITES)), log=log)
        c.greet()
        for i in range(60):
            side = r.randrange(2)
            good = message(NAMES[side], bytes([104, 2, 97, i & 255, 97, side]))
            at = r.randrange(len(good))
            said = r.choice([good, good[:at] + bytes([r.randrange(256)]) + good[at + 1:], good[:at], r.randbytes(at),
                             good[at:], b'\0\0\0\0' * at])
            c.say(side, said, r.choice([DATA] * 9 + [HANDSHAKE, ALERT]), r.choice([0, 0, 3]) if c.suite >> 8 == 0x13 else 0)
        c.close()
    return make


for seed in range(12):
    make = rubbish(seed)
    make.__name__ = f'rubbish_{seed}'
    case()(make)


def make(work):
    capture, log = Capture(), []
    for number, (name, make_one, expected) in enumerate(CASES):
        c = Connection(capture, 20000 + number)
        make_one(c, log)
    with open(f'{work}/pcap', 'wb') as file:
        file.write(capture.pcap())
    with open(f'{work}/keys', 'w') as file:
        file.write(''.join(line + '\n' for line in log))


def check(work):
    opened, told, failed = {}, {}, 0
    for line in open(f'{work}/json', encoding='utf-8', errors='strict'):
        if any(ord(c) < 32 for c in line[:-1]):
            sys.exit(f'control bytes: {line[:300]!r}')
        record = json.loads(line)
        port = record['src']['port'] if record['src']['port'] != 9000 else record['dst']['port']
        if record['type'] == 'message':
            opened[port] = opened.get(port, 0) + 1
        if record['type'] == 'conn' and 'tls' in record:
            told[port] = record['tls']
    for number, (name, make_one, expected) in enumerate(CASES):
        port, tls = 20000 + number, told.get(20000 + number, {})
        messages = opened.get(port, 0)
        wrong = []
        if messages != expected.get('messages', messages) or messages < expected.get('at_least', 0):
            wrong.append(f'{messages} messages')
        wrong += [f'{key} is {tls.get(key)!r}' for key, value in expected.items() if key not in ('messages', 'at_least') and
                  (key not in tls if value is any else tls.get(key) != value)]
        if wrong:
            print(f'{name}: {", ".join(wrong)}; expected {expected}')
            failed = 1
    sys.exit(failed)


def blocks(work):
    capture, log = Capture(), []
    for port, suite in ((40000, 0xc030), (40001, 0x1302)):
        whole(Connection(capture, port), log, suite)
    text = ''.join(line + '\n' for line in log).encode()
    wrong = ''.join(line[:-8] + '00000000\n' for line in log).encode()
    begin, packets = section() + interface(), [packet(*p) for p in capture.packets]
    big = section('>') + interface('>') + b''.join(packet(*p, order='>') for p in capture.packets)
    half, every = len(packets) // 2, b''.join(packets)
    first, last = b''.join(packets[:half]), b''.join(packets[half:])
    good, odd, none = secrets(text), 'some secrets in the input', ''
    files = {
        'before the interface': (section() + good + interface() + every, 8, none),
        'between packets': (begin + first + good + last, 8, none),
        'behind all': (begin + every + good, 8, none),
        'big endian': (big[:28] + secrets(text, order='>') + big[28:], 8, none),
        'longer than its block': (begin + secrets(text, length=len(text) + 1000) + every, 8, odd),
        'of 4 GB': (begin + secrets(text, length=0xffffffff) + every, 8, odd),
        'a block of 4 GB': (begin + secrets(text, block_length=0xfffffffc) + every, 0, 'block size'),
        'misaligned': (begin + secrets(text, block_length=len(text) + 21 | 1) + every, 0, 'not a multiple of 4'),
        'too short a block': (begin + block(10, b'KSLT') + good + every, 8, none),
        'of others': (begin + secrets(b'x' * 40, 0x5353484b) + secrets(b'y' * 40, 0x57474b4c) + good + every, 8, none),
        'a line of 1 MB': (begin + secrets(b'CLIENT_RANDOM ' + b'a' * 1000000) + good + every, 8, odd),
        'of nobody': (begin + secrets(b''.join(b'CLIENT_RANDOM %064x %096x\n' % (i, i) for i in range(70000))) + good +
                      every, 8, 'max-secrets'),
        'of one random': (begin + secrets(b''.join(b'SERVER_TRAFFIC_SECRET_%d %064x %064x\n' % (i, 7, i) for i in
                                                   range(70000))) + good + every, 8, 'max-secrets'),
        'NUL behind each': (begin + secrets(text.replace(b'\n', b'\0\n')) + every, 0, odd),
        'NUL before': (begin + secrets(bytes(100) + b'\n' + text) + every, 8, odd),
        'CR LF': (begin + secrets(text.replace(b'\n', b'\r\n')) + every, 8, none),
        'twice, the last is right': (begin + secrets(wrong) + good + every, 8, none),
        'twice, the first was right': (begin + good + secrets(wrong) + every, 0, none),
        'empty': (begin + secrets(b'') + every, 0, none),
        'rubbish': (begin + secrets(random.Random(1).randbytes(5000)) + every, 0, odd),
    }
    with open(f'{work}/list', 'w') as index:
        for number, (name, (data, messages, said)) in enumerate(files.items()):
            with open(f'{work}/{number}.pcapng', 'wb') as file:
                file.write(data)
            index.write(f'{number}.pcapng|{name}|{messages}|{said}\n')
    with open(f'{work}/plain.pcap', 'wb') as file:
        file.write(capture.pcap())
    with open(f'{work}/plain.keys', 'wb') as file:
        file.write(text)


class Steps(Connection):
    """only the bytes, as steps of fuzz/fuzz_tls.c"""

    def __init__(self, port):
        self.steps = b''
        super().__init__(None, port)

    def packet(self, side, data, flags=0x18):
        pass

    def send(self, side, data, segment=60000):
        for at in range(0, len(data), segment):
            self.steps += u8(side) + v16(data[at:at + segment])

    def lose(self, side, num):
        self.steps += u8(2 | side) + v16(bytes(num))


SEEDS = ('odd_name_2_1301', 'empty_names', 'heartbeats_and_sizes', 'twice_another_group', 'both_are_clients',
         'both_are_servers', 'from_1301_to_0', 'from_1301_to_1302', 'from_c030_to_c02f', 'from_c030_to_c024',
         'the_client_names_a_suite', 'records_of_odd_types', 'empty_and_padded', 'nothing_but_padding', 'alerts',
         'strings_of_odd_kinds', 'dates_of_nonsense', 'lengths_of_lists', 'packed_by_zlib', 'packed_by_brotli',
         'a_hello_within', 'rubbish_1', 'rubbish_3')


def seeds(folder):
    """a seed of fuzz/fuzz_tls.c for each of these, with its secrets first, and joined late"""
    for number, (name, make_one, expected) in enumerate(CASES):
        if name not in SEEDS:
            continue
        c, log = Steps(20000 + number), []
        make_one(c, log)
        lines = ''.join(line + '\n' for line in log).encode()
        with open(f'{folder}/{name}', 'wb') as file:
            file.write(b'\1' + u8(4) + v16(lines) + c.steps)
        if name == 'from_1301_to_1302':
            at = c.steps.index(u8(CLIENT) + u16(5 + len(framed(b'N' + bytes(12) + named(NAMES[0]))) + 17))
            with open(f'{folder}/{name}_late', 'wb') as file:
                file.write(b'\3' + u8(0xfc) + v16(lines) + c.steps[at:])


{'make': make, 'check': check, 'blocks': blocks, 'seeds': seeds}[sys.argv[1]](*sys.argv[2:])
