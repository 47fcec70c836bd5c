"""wire.py: two network namespaces with a pair of interfaces between them, and a socket that sees what passes there."""
import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import sys
import time

ALL, SO_TIMESTAMPNS = 3, 35
libc = ctypes.CDLL(None, use_errno=True)


def sh(*words):
    return subprocess.run(words, capture_output=True, text=True).returncode == 0


def write_packets(path, packets):
    with open(path, 'wb') as file:
        file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 262144, 1))
        for now, data in packets:
            file.write(struct.pack('<IIII', now // 10**6, now % 10**6, len(data), len(data)) + data)


class Wire:
    """Both of them, a socket that sends packets at each end, and one that looks on at B's end. Exits with 77 where the
    right to make a network namespace is missing."""

    def __init__(self, prefix):
        self.fds = []
        self.names = [f'{prefix}{os.getpid()}{end}' for end in 'ab']
        for name in self.names:
            if not sh('ip', 'netns', 'add', name):
                print('skipped: a network namespace needs root')
                sys.exit(77)
            self.fds.append(os.open(f'/run/netns/{name}', os.O_RDONLY))
        sh('ip', '-n', self.names[0], 'link', 'add', 'v0', 'type', 'veth', 'peer', 'name', 'v1', 'netns', self.names[1])
        for end, name in enumerate(self.names):
            self.enter(end)
            for cmd in (0x17, 0x1f, 0x25):  # checksums, TSO and GSO are not left to the card
                value = ctypes.create_string_buffer(struct.pack('II', cmd, 0))
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plain:
                    try:
                        fcntl.ioctl(plain, 0x8946, struct.pack('16sP', f'v{end}'.encode(), ctypes.addressof(value)))
                    except OSError:
                        pass
            sh('ip', '-n', name, 'addr', 'add', f'10.7.0.{1 + end}/24', 'dev', f'v{end}')
            sh('ip', '-n', name, 'addr', 'add', f'2001:db8::{1 + end}/64', 'dev', f'v{end}', 'nodad')
            sh('ip', '-n', name, 'link', 'set', 'lo', 'up')
            sh('ip', '-n', name, 'link', 'set', f'v{end}', 'up')
        self.raw, self.mac = [], []
        for end in (0, 1):
            self.enter(end)
            raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            raw.bind((f'v{end}', 0))
            self.raw.append(raw)
            self.mac.append(raw.getsockname()[4])
        self.eye = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
        self.eye.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUFFORCE if hasattr(socket, 'SO_RCVBUFFORCE') else 33,
                            1 << 24)
        self.eye.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.eye.bind(('v1', 0))
        self.eye.setblocking(False)
        time.sleep(0.3)

    def enter(self, end):
        if libc.setns(self.fds[end], 0) != 0:
            raise OSError('setns')

    def drain(self):
        """What was captured since the last time: pairs of a time in microseconds and a packet."""
        packets = []
        while True:
            try:
                data, more, _, _ = self.eye.recvmsg(1 << 17, 64)
            except BlockingIOError:
                return packets
            sec, nsec = struct.unpack('qq', more[0][2][:16])
            packets.append((sec * 10**6 + nsec // 1000, data))

    def close(self):
        for name in self.names:
            sh('ip', 'netns', 'del', name)
