"""odd_epmd.py PORT: answers NAMES_REQ at that port in ways that no EPMD does, a different one at each
of 127.0.1.1, 127.0.1.2 ... Prints a line with the ways when all listen."""
import socket
import struct
import sys
import threading
import time

port = int(sys.argv[1])
head = struct.pack('>I', port)
line = b'name stranger at port 5\n'


def garbage(to):
    to.sendall(bytes(range(256)) * 16)


def endless(to):
    while True:
        to.sendall(line * 1000)


def huge_name(to):
    to.sendall(head + b'name ' + b'x' * 40000 + b' at port 1\n')


def crowd(to):
    to.sendall(head + b''.join(b'name n%d at port %d\n' % (i, i) for i in range(1, 2000)))


def slow(to):
    for byte in head + line * 100:
        to.sendall(bytes([byte]))
        time.sleep(0.2)


def silent(to):
    while to.recv(1):
        pass


def closes(_to):
    pass


def cut(to):
    to.sendall(head + b'name half at port 60001\nname whole at po')


def controls(to):
    to.sendall(head + b'name \x1b[31m\xe2\x80\xaered\x07 at port 60002\n')


def resets(to):
    to.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))


def empty(to):
    to.sendall(head)


def serve(server, way):
    while True:
        client, _ = server.accept()
        try:
            client.recv(64)
            way(client)
        except OSError:
            pass
        client.close()


ways = [garbage, endless, huge_name, crowd, slow, silent, closes, cut, controls, resets, empty]
for i, one in enumerate(ways):
    listener = socket.create_server((f'127.0.1.{i + 1}', port))
    threading.Thread(target=serve, args=(listener, one)).start()
print('listens', *[one.__name__ for one in ways], flush=True)
