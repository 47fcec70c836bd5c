"""tls_maker.py: TLS of hostile peers: records, hellos and messages of any shape, encrypted with known
keys, in packets of a capture. It encrypts with libcrypto, which the program needs as well."""
import ctypes, ctypes.util, hashlib, hmac, struct

libcrypto = ctypes.CDLL(ctypes.util.find_library('crypto'))
for function in ('EVP_CIPHER_CTX_new', 'EVP_aes_128_gcm', 'EVP_aes_256_gcm'):
    getattr(libcrypto, function).restype = ctypes.c_void_p

CHANGE_CIPHER, ALERT, HANDSHAKE, DATA, HEARTBEAT = range(20, 25)
TLS_1_2, TLS_1_3 = 0x0303, 0x0304
CLIENT, SERVER = 0, 1
SUITES = {0x1301: (16, 'sha256'), 0x1302: (32, 'sha384'), 0xc02f: (16, 'sha256'), 0xc030: (32, 'sha384')}


def u8(n):
    return struct.pack('>B', n)


def u16(n):
    return struct.pack('>H', n)


def u24(n):
    return struct.pack('>I', n)[1:]


def v8(data):
    return u8(len(data)) + data


def v16(data):
    return u16(len(data)) + data


def v24(data):
    return u24(len(data)) + data


def seal_gcm(key, nonce, aad, text):
    """text, and the tag after it"""
    context = ctypes.c_void_p(libcrypto.EVP_CIPHER_CTX_new())
    cipher = ctypes.c_void_p(libcrypto.EVP_aes_256_gcm() if len(key) == 32 else libcrypto.EVP_aes_128_gcm())
    out, tag, done = ctypes.create_string_buffer(len(text) + 16), ctypes.create_string_buffer(16), ctypes.c_int()
    libcrypto.EVP_EncryptInit_ex(context, cipher, None, key, nonce)
    libcrypto.EVP_EncryptUpdate(context, None, ctypes.byref(done), aad, len(aad))
    libcrypto.EVP_EncryptUpdate(context, out, ctypes.byref(done), text, len(text))
    libcrypto.EVP_EncryptFinal_ex(context, ctypes.byref(out, done.value), ctypes.byref(done))
    libcrypto.EVP_CIPHER_CTX_ctrl(context, 0x10, 16, tag)
    libcrypto.EVP_CIPHER_CTX_free(context)
    return out.raw[:len(text)] + tag.raw


def prf(name, secret, seed, length):
    out, a = b'', seed
    while len(out) < length:
        a = hmac.new(secret, a, name).digest()
        out += hmac.new(secret, a + seed, name).digest()
    return out[:length]


def expand(name, secret, label, length):
    info = u16(length) + v8(b'tls13 ' + label) + b'\0'
    out, block, i = b'', b'', 1
    while len(out) < length:
        block = hmac.new(secret, block + info + u8(i), name).digest()
        out, i = out + block, i + 1
    return out[:length]


class Keys13:
    """encrypts one direction of TLS 1.3, starting with a traffic secret"""

    def __init__(self, suite, secret):
        (self.key_len, self.hash), self.secret = SUITES[suite], secret
        self.start()

    def start(self):
        self.key, self.iv = (expand(self.hash, self.secret, label, length)
                             for label, length in ((b'key', self.key_len), (b'iv', 12)))
        self.number = 0

    def update(self):
        self.secret = expand(self.hash, self.secret, b'traffic upd', len(self.secret))
        self.start()

    def seal(self, kind, text, padding=0):
        inside = text + (u8(kind) if kind is not None else b'') + bytes(padding)
        head = u8(DATA) + u16(TLS_1_2) + u16(len(inside) + 16)
        nonce = bytes(a ^ b for a, b in zip(self.iv, bytes(4) + struct.pack('>Q', self.number)))
        self.number += 1
        return head + seal_gcm(self.key, nonce, head, inside)


class Keys12:
    """encrypts one direction of TLS 1.2 with GCM"""

    def __init__(self, suite, master, client_random, server_random, side):
        key_len, name = SUITES[suite]
        block = prf(name, master, b'key expansion' + server_random + client_random, 2 * (key_len + 4))
        self.key = block[side * key_len:(side + 1) * key_len]
        self.salt = block[2 * key_len + 4 * side:][:4]
        self.number = 0

    def seal(self, kind, text, padding=0):
        number = struct.pack('>Q', self.number)
        self.number += 1
        head = u8(kind) + u16(TLS_1_2)
        sealed = seal_gcm(self.key, self.salt + number, number + head + u16(len(text)), text)
        return head + v16(number + sealed)


def record(kind, body, version=TLS_1_2):
    return u8(kind) + u16(version) + v16(body)


def handshake(kind, body):
    return u8(kind) + v24(body)


def extension(kind, body):
    return u16(kind) + v16(body)


def server_name(name, kind=0):
    return extension(0, v16(u8(kind) + v16(name)))


VERSIONS_13 = extension(43, v8(u16(TLS_1_3) + u16(TLS_1_2)))
CHOSEN_13 = extension(43, u16(TLS_1_3)) + extension(51, u16(29) + v16(bytes(32)))


def client_hello(random, extensions=b'', version=TLS_1_2, session=b''):
    return handshake(1, u16(version) + random + v8(session) + v16(u16(0x1301) + u16(0xc030)) + v8(b'\0') +
                     (v16(extensions) if extensions is not None else b''))


def server_hello(random, suite, extensions=b'', version=TLS_1_2, session=b''):
    return handshake(2, u16(version) + random + v8(session) + u16(suite) + b'\0' +
                     (v16(extensions) if extensions is not None else b''))


RETRY_RANDOM = hashlib.sha256(b'HelloRetryRequest').digest()


def der(tag, *parts):
    body = b''.join(parts)
    n = len(body)
    length = u8(n) if n < 128 else b'\x82' + u16(n) if n < 65536 else b'\x83' + u24(n)
    return u8(tag) + length + body


def oid(*numbers):
    out = u8(40 * numbers[0] + numbers[1])
    for n in numbers[2:]:
        more = [n & 127]
        while n := n >> 7:
            more.insert(0, 128 | n & 127)
        out += bytes(more)
    return der(6, out)


RSA_KEY = der(0x30, der(0x30, oid(1, 2, 840, 113549, 1, 1, 1), der(5)),
              der(3, b'\0', der(0x30, der(2, b'\0' + b'\xc1' * 64), der(2, b'\1\0\1'))))


def certificate(common_name=b'', alternative=None, common_tag=12, alternative_tag=0x82, key=RSA_KEY, more=b'',
                dates=(b'200101000000Z', b'491231235959Z')):
    """a certificate that no authority has signed"""
    name = der(0x30, der(0x31, der(0x30, oid(2, 5, 4, 3), der(common_tag, common_name))))
    if alternative is not None:
        names = alternative if isinstance(alternative, list) else [alternative]
        more += der(0x30, oid(2, 5, 29, 17), der(4, der(0x30, *(der(alternative_tag, n) for n in names))))
    signature = der(0x30, oid(1, 2, 840, 113549, 1, 1, 11), der(5))
    body = der(0x30, der(0xa0, der(2, b'\2')), der(2, b'\1'), signature, name,
               der(0x30, *(der(0x17, date) for date in dates)), name, key,
               *([der(0xa3, der(0x30, more))] if more else []))
    return der(0x30, body, signature, der(3, b'\0', bytes(64)))


def certificates_12(*all):
    return handshake(11, v24(b''.join(v24(one) for one in all)))


def certificates_13(*all):
    return handshake(11, b'\0' + v24(b''.join(v24(one) + u16(0) for one in all)))


# The nodes' messages.

def framed(body):
    return struct.pack('>I', len(body)) + body


def atom(text):
    return bytes([119, len(text)]) + text


def message(name, term):
    pid = bytes([88]) + atom(name) + struct.pack('>III', 85, 0, 7)
    return framed(bytes([131, 68, 0, 104, 4, 97, 6]) + pid + atom(b'') + atom(b'echo') + term)


FLAGS = 0xd07df7fbd
NAMES = (b'alice@peer', b'bob@peer')


def named(name):
    return v16(name)


class Connection:
    """packets of a connection, whose bytes come in segments of any size"""

    def __init__(self, capture, port, title=''):
        self.capture, self.port, self.title = capture, port, title
        self.seq = [1000, 2000]
        self.packet(CLIENT, b'', 2)
        self.packet(SERVER, b'', 0x12)
        self.seq = [1001, 2001]
        self.packet(CLIENT, b'', 0x10)
        self.keys = [None, None]

    def packet(self, side, data, flags=0x18):
        ports = (self.port, 9000) if side == CLIENT else (9000, self.port)
        hosts = (b'\x0a\0\0\1', b'\x0a\0\0\2') if side == CLIENT else (b'\x0a\0\0\2', b'\x0a\0\0\1')
        ack = self.seq[1 - side] if flags != 2 else 0
        tcp = struct.pack('>HHIIBBHHH', *ports, self.seq[side], ack, 80, flags, 65535, 0, 0)
        ip = struct.pack('>BBHHHBBH', 0x45, 0, 40 + len(data), 0, 0, 64, 6, 0) + hosts[0] + hosts[1]
        self.capture.add(ip + tcp + data)

    def send(self, side, data, segment=1400):
        for at in range(0, len(data), segment):
            part = data[at:at + segment]
            self.packet(side, part)
            self.seq[side] = (self.seq[side] + len(part)) & 0xffffffff

    def lose(self, side, num):
        self.seq[side] += num

    def say(self, side, text, kind=DATA, padding=0):
        self.send(side, self.keys[side].seal(kind, text, padding))

    def hello(self, suite=0xc030, extensions=b'', session=b'', server=b'', log=None, certificate=None):
        """a whole handshake, up to the keys, whose lines are written to log"""
        random = [hashlib.sha256(b'%d %d' % (self.port, side)).digest() for side in (CLIENT, SERVER)]
        is_13 = suite >> 8 == 0x13
        self.random, self.suite = random, suite
        said = client_hello(random[0], extensions + (VERSIONS_13 if is_13 else b''), session=session)
        for at in range(0, len(said), 16000):
            self.send(CLIENT, record(HANDSHAKE, said[at:at + 16000]))
        self.send(SERVER, record(HANDSHAKE, server_hello(random[1], suite, server + (CHOSEN_13 if is_13 else b''))))
        digest = hashlib.new(SUITES[suite][1])
        if is_13:
            secrets = {}
            for side, who in ((CLIENT, 'CLIENT'), (SERVER, 'SERVER')):
                for label in ('HANDSHAKE_TRAFFIC_SECRET', 'TRAFFIC_SECRET_0'):
                    secret = hashlib.new(SUITES[suite][1], f'{self.port} {who} {label}'.encode()).digest()
                    secrets[f'{who}_{label}'] = secret
            self.early = [Keys13(suite, secrets[f'{who}_HANDSHAKE_TRAFFIC_SECRET']) for who in ('CLIENT', 'SERVER')]
            self.keys = [Keys13(suite, secrets[f'{who}_TRAFFIC_SECRET_0']) for who in ('CLIENT', 'SERVER')]
            inside = (certificate or b'') + handshake(20, digest.digest())
            for at in range(0, len(inside), 16000):
                self.send(SERVER, self.early[1].seal(HANDSHAKE, inside[at:at + 16000]))
            self.send(CLIENT, self.early[0].seal(HANDSHAKE, handshake(20, digest.digest())))
        else:
            secrets = {'CLIENT_RANDOM': hashlib.sha384(b'%d' % self.port).digest()}
            self.keys = [Keys12(suite, secrets['CLIENT_RANDOM'], *random, side) for side in (CLIENT, SERVER)]
            for at in range(0, len(certificate or b''), 16000):
                self.send(SERVER, record(HANDSHAKE, certificate[at:at + 16000]))
            for side in (CLIENT, SERVER):
                self.send(side, record(CHANGE_CIPHER, b'\1'))
                self.say(side, handshake(20, bytes(12)), HANDSHAKE)
        if log is not None:
            for label, secret in secrets.items():
                log.append(f'{label} {random[0].hex()} {secret.hex()}')

    def greet(self):
        self.say(CLIENT, framed(b'N' + struct.pack('>QI', FLAGS, 7) + named(NAMES[0])))
        self.say(SERVER, framed(b'sok'))
        self.say(SERVER, framed(b'N' + struct.pack('>QII', FLAGS, 1234, 7) + named(NAMES[1])))
        self.say(CLIENT, framed(b'r' + struct.pack('>I', 5678) + bytes(16)))
        self.say(SERVER, framed(b'a' + bytes(16)))

    def chat(self, numbers=range(2)):
        for n in numbers:
            for side in (CLIENT, SERVER):
                self.say(side, message(NAMES[side], bytes([104, 2, 97, n, 97, side])))

    def close(self):
        for side in (CLIENT, SERVER):
            self.packet(side, b'', 0x11)
            self.seq[side] += 1


class Capture:
    """packets, a millisecond apart"""

    def __init__(self):
        self.packets, self.now_us = [], 1_700_000_000_000_000

    def add(self, ip):
        self.now_us += 1000
        self.packets.append((self.now_us, ip))

    def pcap(self):
        head = struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 262144, 101)
        return head + b''.join(struct.pack('<IIII', *divmod(at, 1_000_000), len(p), len(p)) + p
                               for at, p in self.packets)


def block(kind, body, order='<', length=None):
    """a block of pcapng"""
    body += bytes(-len(body) % 4)
    length = 12 + len(body) if length is None else length
    return struct.pack(order + 'II', kind, length) + body + struct.pack(order + 'I', length)


def section(order='<'):
    return block(0x0a0d0d0a, struct.pack(order + 'IHHq', 0x1a2b3c4d, 1, 0, -1), order)


def interface(order='<'):
    return block(1, struct.pack(order + 'HHI', 101, 0, 262144), order)


def packet(at_us, ip, order='<'):
    return block(6, struct.pack(order + 'IIIII', 0, at_us >> 32, at_us & 0xffffffff, len(ip), len(ip)) + ip, order)


def secrets(text, kind=0x544c534b, order='<', length=None, block_length=None):
    """a block of secrets, whose length may be wrong"""
    return block(10, struct.pack(order + 'II', kind, len(text) if length is None else length) + text, order, block_length)
