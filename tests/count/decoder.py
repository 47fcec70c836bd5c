"""A second decoder of the distribution protocol, made only for counting: classic pcap files, TCP
reassembly by sequence numbers, handshakes, distribution headers with their atom cache, terms,
control messages, fragments. It shares no code with distsniff; it raises an error for anything
unknown.

https://www.erlang.org/doc/apps/erts/erl_dist_protocol and .../erl_ext_dist"""
import gzip
import struct
from collections import namedtuple

Packet = namedtuple('Packet', 'number time src dst seq flags payload length')
FIN, SYN, RST, ACK = 1, 2, 4, 16


class Atom(str):
    pass


Pid = namedtuple('Pid', 'node id serial creation')
Port = namedtuple('Port', 'node id creation')
Ref = namedtuple('Ref', 'node words creation')
Other = namedtuple('Other', 'what')  # a fun, an export: what it is made of counts for nothing


# --- packets ---

def packets(name):
    """The TCP segments of a capture, in order."""
    data = (gzip.open if name.endswith('.gz') else open)(name, 'rb').read()
    order = {b'\xd4\xc3\xb2\xa1': '<', b'\x4d\x3c\xb2\xa1': '<', b'\xa1\xb2\xc3\xd4': '>'}[data[:4]]
    unit = 1 if data[:4] == b'\x4d\x3c\xb2\xa1' else 1000
    link = struct.unpack(order + 'I', data[20:24])[0] & 0xffff
    at, number = 24, 0
    while at < len(data):
        seconds, fraction, captured, length = struct.unpack(order + 'IIII', data[at:at + 16])
        number += 1
        packet = data[at + 16:at + 16 + captured]
        at += 16 + captured
        assert captured == length, 'cut by the snap length'
        start = {1: 14, 113: 16, 276: 20, 101: 0, 12: 0}[link]
        ether = {1: packet[12:14], 113: packet[14:16], 276: packet[0:2]}.get(link, b'\x08\x00')
        if ether == b'\x08\x00':
            yield from segment(number, seconds * 10**9 + fraction * unit, packet[start:])


def segment(number, time, ip):
    size = (ip[0] & 15) * 4
    total = struct.unpack('>H', ip[2:4])[0]
    if ip[0] >> 4 != 4 or ip[9] != 6:
        return
    if struct.unpack('>H', ip[6:8])[0] & 0x3fff:
        raise ValueError('a fragment of IP')
    tcp = ip[size:total]
    source, target, seq = struct.unpack('>HHI', tcp[:8])
    yield Packet(number, time, (ip[12:16], source), (ip[16:20], target), seq, tcp[13],
                 tcp[(tcp[12] >> 4) * 4:], total)


class Stream:
    """One direction. feed returns its bytes in order, with the packet that completed them."""

    def __init__(self):
        self.next = None
        self.held = {}
        self.begun = False

    def feed(self, packet):
        if packet.flags & SYN:
            self.next = (packet.seq + 1) & 0xffffffff
            self.begun = True
            return
        if self.next is None:
            self.next = packet.seq
        if packet.payload:
            self.held.setdefault(packet.seq, packet.payload)
        moved = True
        while moved:
            moved = False
            for seq in list(self.held):
                behind = (self.next - seq) & 0xffffffff
                if behind < 1 << 31:
                    rest = self.held.pop(seq)[behind:]
                    if rest:
                        self.next = (self.next + len(rest)) & 0xffffffff
                        moved = True
                        yield rest


# --- terms ---

class Reader:
    def __init__(self, data, atoms=(), at=0):
        self.data, self.atoms, self.at = data, atoms, at

    def take(self, size):
        piece = self.data[self.at:self.at + size]
        if len(piece) != size:
            raise ValueError('too short')
        self.at += size
        return piece

    def int(self, size):
        return int.from_bytes(self.take(size), 'big')

    def many(self, num):
        return tuple(self.term() for _ in range(num))

    def text(self, size, coding):
        return Atom(self.take(size).decode(coding))

    def map(self):
        return {'map': [(self.term(), self.term()) for _ in range(self.int(4))]}

    def list(self):
        items = list(self.many(self.int(4)))
        tail = self.term()
        return items if tail == [] else Other(('list', items, tail))

    def big(self, size):
        sign = self.int(1)
        value = int.from_bytes(self.take(size), 'little')
        return -value if sign else value

    def ref(self):
        num = self.int(2)
        node, creation = self.term(), self.int(4)
        return Ref(node, tuple(self.int(4) for _ in range(num)), creation)

    def fun(self):
        size = self.int(4)
        self.take(size - 4)
        return Other('fun')

    def bits(self):
        size, _ = self.int(4), self.int(1)
        return Other(('bits', self.take(size)))

    def term(self):
        tag = self.int(1)
        if tag == 131:
            return self.term()
        return TERMS[tag](self)


TERMS = {
    70: lambda r: struct.unpack('>d', r.take(8))[0],
    77: Reader.bits,
    82: lambda r: r.atoms[r.int(1)],
    88: lambda r: Pid(r.term(), r.int(4), r.int(4), r.int(4)),
    89: lambda r: Port(r.term(), r.int(4), r.int(4)),
    90: Reader.ref,
    97: lambda r: r.int(1),
    98: lambda r: int.from_bytes(r.take(4), 'big', signed=True),
    100: lambda r: r.text(r.int(2), 'latin-1'),
    104: lambda r: r.many(r.int(1)),
    105: lambda r: r.many(r.int(4)),
    106: lambda r: [],
    107: lambda r: list(r.take(r.int(2))),
    108: Reader.list,
    109: lambda r: r.take(r.int(4)),
    110: lambda r: r.big(r.int(1)),
    111: lambda r: r.big(r.int(4)),
    112: Reader.fun,
    113: lambda r: Other(r.many(3)),
    115: lambda r: r.text(r.int(1), 'latin-1'),
    116: Reader.map,
    118: lambda r: r.text(r.int(2), 'utf-8'),
    119: lambda r: r.text(r.int(1), 'utf-8'),
    120: lambda r: Port(r.term(), r.int(8), r.int(4)),
}


# --- the distribution ---

Message = namedtuple('Message', 'number time size control payload')


class Direction:
    """What one end sends: its name, ticks, messages."""

    def __init__(self):
        self.data = b''
        self.bytes = 0
        self.ticks = 0
        self.frames = []
        self.cache = {}
        self.parts = {}
        self.is_up = False
        self.steps = 0

    def header(self, data, at):
        """The atoms of a distribution header, and the end of the header."""
        num = data[at]
        at += 1
        if num == 0:
            return (), at
        flags = data[at:at + num // 2 + 1]
        at += len(flags)
        bits = [flags[i // 2] >> 4 * (i % 2) & 15 for i in range(num + 1)]
        size = 2 if bits[num] & 1 else 1
        atoms = []
        for i in range(num):
            slot = (bits[i] & 7) << 8 | data[at]
            at += 1
            if bits[i] & 8:
                length = int.from_bytes(data[at:at + size], 'big')
                self.cache[slot] = Atom(data[at + size:at + size + length].decode('utf-8'))
                at += size + length
            atoms.append(self.cache[slot])
        return tuple(atoms), at

    def message(self, number, time, frame, size):
        if frame[0] == 112:  # pass through
            return self.read(number, time, size, frame[1:], ())
        assert frame[0] == 131, 'no frame of a node'
        if frame[1] == 68:
            atoms, at = self.header(frame, 2)
            return self.read(number, time, size, frame[at:], atoms)
        sequence = frame[2:10]
        left = int.from_bytes(frame[10:18], 'big')
        if frame[1] == 69:
            atoms, at = self.header(frame, 18)
            self.parts[sequence] = (atoms, [frame[at:]], size)
        else:
            assert frame[1] == 70
            atoms, pieces, before = self.parts[sequence]
            self.parts[sequence] = (atoms, pieces + [frame[18:]], before + size)
        if left != 1:
            return None
        atoms, pieces, size = self.parts.pop(sequence)
        return self.read(number, time, size, b''.join(pieces), atoms)

    @staticmethod
    def read(number, time, size, data, atoms):
        reader = Reader(data, atoms)
        control = reader.term()
        payload = reader.term() if reader.at < len(data) else None
        assert reader.at == len(data)
        return Message(number, time, size, control, payload)

    def feed(self, packet, piece, other):
        self.data += piece
        self.bytes += len(piece)
        while True:
            if not self.is_up:
                if len(self.data) < 2:
                    return
                length = int.from_bytes(self.data[:2], 'big')
                if len(self.data) < 2 + length:
                    return
                step = self.data[2:2 + length]
                self.data = self.data[2 + length:]
                self.steps += 1
                if step[:1] == b'a' and length == 17:  # challenge_ack: the last word of both
                    self.is_up = other.is_up = True
                continue
            if len(self.data) < 4:
                return
            length = int.from_bytes(self.data[:4], 'big')
            if length == 0:
                self.ticks += 1
                self.data = self.data[4:]
                continue
            if len(self.data) < 4 + length:
                return
            frame = self.data[4:4 + length]
            self.data = self.data[4 + length:]
            message = self.message(packet.number, packet.time, frame, 4 + length)
            if message is not None:
                yield message


class Link:
    def __init__(self, ends):
        self.ends = ends
        self.directions = (Direction(), Direction())
        self.messages = []  # (direction, message)
        self.is_over = False


def links(name, skip=(4369,)):
    """The connections of a capture on which nodes connect, from their first packet on."""
    conns, result = {}, []
    for packet in packets(name):
        if packet.src[1] in skip or packet.dst[1] in skip:
            continue
        if packet.flags & SYN and not packet.flags & ACK:
            link = Link((packet.src, packet.dst))
            if (packet.src, packet.dst) in conns and conns[packet.src, packet.dst][0].next == \
                    (packet.seq + 1) & 0xffffffff:
                continue  # the same SYN again
            streams = (Stream(), Stream())
            conns[packet.src, packet.dst] = (streams[0], 0, link)
            conns[packet.dst, packet.src] = (streams[1], 1, link)
            result.append(link)
        if (packet.src, packet.dst) not in conns:
            continue
        stream, way, link = conns[packet.src, packet.dst]
        link.is_over |= bool(packet.flags & (FIN | RST))
        for piece in stream.feed(packet):
            direction = link.directions[way]
            for message in direction.feed(packet, piece, link.directions[1 - way]):
                link.messages.append((way, message))
    return [link for link in result if any(d.is_up for d in link.directions)]
