"""terminals.py: terminals of any width, for tests."""
import fcntl
import os
import pty
import struct
import termios


def resize(descriptor, columns):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def terminal(columns):
    """Both ends of a terminal of that width, which changes no bytes."""
    master, slave = pty.openpty()
    resize(slave, columns)
    flags = termios.tcgetattr(slave)
    flags[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, flags)
    return master, slave


def parts_of(master):
    """The output, part by part, until the other end is closed."""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        yield part
    os.close(master)


def rest_of(master):
    return b"".join(parts_of(master)).decode()
