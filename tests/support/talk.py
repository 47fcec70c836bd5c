"""talk.py: packets of a connection between two nodes, made by hand, with what others put in; and a file of them."""
import struct

FIN, SYN, RST, PSH, ACK, URG = 1, 2, 4, 8, 16, 32
NUM = 200


def ones_sum(data):
    if len(data) % 2:
        data += b'\0'
    total = sum(struct.unpack('>%dH' % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


NODES = b'a@h1', b'b@h2'


def handshake():
    """What the ends say in turn: pairs of end and bytes."""
    flags = struct.pack('>Q', 0xd07df7fbd)
    steps = [(0, b'N' + flags + struct.pack('>IH', 1, 4) + NODES[0]), (1, b'sok'),
             (1, b'N' + flags + struct.pack('>IIH', 77, 2, 4) + NODES[1]),
             (0, b'r' + struct.pack('>I', 78) + bytes(16)), (1, b'a' + bytes(16))]
    return [(end, struct.pack('>H', len(step)) + step) for end, step in steps]


def reg_send(end, is_first, term):
    """A REG_SEND from a pid of an end to a name, by the cache of atoms, which the end's first one fills."""
    head = b'\203D\2' + (b'\x88\0' if is_first else b'\0\0')
    for slot, text in ((7, NODES[end]), (9, b'gardener')):
        head += bytes([slot]) + (bytes([len(text)]) + text if is_first else b'')
    body = head + b'h\4a\6X' + b'R\0' + struct.pack('>III', 100, 0, 1 + end) + b'w\0' + b'R\1' + term
    return struct.pack('>I', len(body)) + body


class Way:
    """How packets look: version of IP, link layer, timestamps, whose checksums are left to the card."""

    def __init__(self, version=4, link='ethernet', times=True, left=''):
        self.version, self.link, self.times, self.left = version, link, times, left
        self.name = f'IPv{version} {link}{" times" if times else ""}{" left " + left if left else ""}'

    def link_type(self):
        return {'ethernet': 1, 'vlan': 1, 'sll2': 276}[self.link]

    def addr(self, end):
        if self.version == 4:
            return bytes([10, 7, 0, 1 + end])
        return bytes.fromhex('20010db8') + bytes(11) + bytes([1 + end])

    def packet(self, end, flags, seq, ack, data=b'', port=(45000, 25672), window=500, time=None, ttl=64,
               bad=False, bad_ip=False, urgent=0, options=b'', left=None, ip_len=None):
        src, dst = self.addr(end), self.addr(1 - end)
        if self.times and time is not None:
            options += b'\1\1\10\12' + struct.pack('>II', time & 0xffffffff, 1)
        options += b'\1' * (-len(options) % 4)
        head = struct.pack('>HHIIBBHHH', port[end], port[1 - end], seq & 0xffffffff, ack & 0xffffffff,
                           (5 + len(options) // 4) << 4, flags, window, 0, urgent) + options
        pseudo = src + dst + (struct.pack('>HH', 6, len(head + data)) if self.version == 4
                              else struct.pack('>II', len(head + data), 6))
        if left if left is not None else 'ab'[end] in self.left:
            sum_ = ones_sum(pseudo)
        else:
            sum_ = ones_sum(pseudo + head + data) ^ 0xffff
        if bad:
            sum_ ^= 0x5a5a
        tcp = head[:16] + struct.pack('>H', sum_) + head[18:] + data
        if self.version == 4:
            ip = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(tcp) if ip_len is None else ip_len, 0, 0x4000, ttl, 6, 0) + src + dst
            sum_ = ones_sum(ip) ^ 0xffff ^ (0x0f0f if bad_ip else 0)
            ip = ip[:10] + struct.pack('>H', sum_) + ip[12:]
        else:
            ip = struct.pack('>IHBB', 6 << 28, len(tcp), 6, ttl) + src + dst
        ether = 0x0800 if self.version == 4 else 0x86dd
        if self.link == 'sll2':
            return struct.pack('>HHIHBB8x', ether, 0, 3, 1, 0, 6) + ip + tcp
        tag = struct.pack('>HH', 0x8100, 7) if self.link == 'vlan' else b''
        return b'\2\0\0\0\0\1\2\0\0\0\0\2' + tag + struct.pack('>H', ether) + ip + tcp


class Shape:
    """What of a connection was captured, and with which numbers it begins."""

    def __init__(self, name='', seq=(1000, 5000), is_late=False, one_way=None):
        self.name, self.seq, self.is_late, self.one_way = name, seq, is_late, one_way


class Talk:
    """A connection, and what was captured of it so far."""

    def __init__(self, way, port=45000, shape=None):
        self.way, self.port, self.shape = way, (port, 25672), shape or Shape()
        self.packets, self.now = [], 1700000000000000
        self.seq, self.told, self.ttl = list(self.shape.seq), [False, False], 64
        self.one_way = self.shape.one_way
        self.between = lambda: None  # called before each step of the handshake

    def put(self, end, flags, seq, ack, data=b'', port=None, captured=True, **more):
        self.now += 700
        more.setdefault('time', self.now // 1000)
        more.setdefault('ttl', self.ttl)
        if captured and self.one_way in (None, end):
            self.packets.append((self.now, self.way.packet(end, flags, seq, ack, data, port or self.port, **more)))

    def say(self, end, data, flags=PSH | ACK, is_captured=True, ack=True, **more):
        self.put(end, flags, self.seq[end], self.seq[1 - end], data, captured=is_captured, **more)
        self.seq[end] += len(data)
        if ack:
            self.put(1 - end, ACK, self.seq[1 - end], self.seq[end])

    def syn(self):
        self.put(0, SYN, self.seq[0], 0, options=b'\2\4\5\xb4')
        self.seq[0] += 1

    def syn_ack(self):
        self.put(1, SYN | ACK, self.seq[1], self.seq[0], options=b'\2\4\5\xb4')
        self.seq[1] += 1

    def shake(self):
        for end, step in handshake():
            self.between()
            self.say(end, step)

    def message(self, end):
        is_first = not self.told[end]
        self.told[end] = True
        return reg_send(end, is_first, b'l\0\0\0\1a\5j')

    def begin(self):
        self.syn()
        self.syn_ack()
        self.put(0, ACK, self.seq[0], self.seq[1])
        self.shake()
        if self.shape.is_late:
            self.packets.clear()
        self.both(3)

    def both(self, num=NUM, **more):
        for _ in range(num):
            self.say(0, self.message(0), **more)
            self.say(1, self.message(1), **more)

    def end(self):
        self.put(0, FIN | ACK, self.seq[0], self.seq[1])
        self.put(1, FIN | ACK, self.seq[1], self.seq[0] + 1)
        self.put(0, ACK, self.seq[0] + 1, self.seq[1] + 1)

    def write(self, path):
        with open(path, 'wb') as file:
            file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 262144, self.way.link_type()))
            for now, data in self.packets:
                file.write(struct.pack('<IIII', now // 10**6, now % 10**6, len(data), len(data)) + data)
