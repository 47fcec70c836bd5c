#!/usr/bin/env python3
"""looked_at.py PROGRAM: what a terminal shows during a live capture, in a network of its own: doctor
is redrawn with new findings, lines of the timeline come as it happens; nothing is drawn in a pipe.
Exits with 77 without the right to make a network namespace."""
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
from terminals import terminal

LONGEST = 30  # seconds to wait for output
DRAWN = "\033[H\033[J"

if "LOOKED_AT_INSIDE" not in os.environ:
    if subprocess.run(["unshare", "--net", "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("skipped: a network namespace needs root")
        sys.exit(77)
    os.environ["LOOKED_AT_INSIDE"] = "1"
    os.execvp("unshare", ["unshare", "--net", sys.executable, *sys.argv])
program = sys.argv[1]
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


EPMD = socket.create_server(("127.0.0.1", 4369))


def asked(name):
    """Asks EPMD for a node that is not registered."""
    request = b"z" + name.encode()
    with socket.create_connection(("127.0.0.1", 4369)) as asking:
        asking.sendall(len(request).to_bytes(2, "big") + request)
        answering, _ = EPMD.accept()
        with answering:
            answering.recv(100)
            answering.sendall(b"w\1")  # PORT2_RESP: no such node
        asking.recv(100)


class Watched:
    """A live capture that writes to a terminal or to a pipe."""

    def __init__(self, *options, columns=100):
        if columns:
            self.out, out = terminal(columns)
        else:
            self.out, out = os.pipe()
        environment = {**os.environ, "TERM": "xterm", "TZ": "UTC"}
        environment.pop("COLUMNS", None)
        self.process = subprocess.Popen([program, "-i", "lo", "-Z", "root", *options], stdout=out,
                                        stderr=subprocess.PIPE, env=environment)
        os.close(out)
        self.text = ""
        said = self.process.stderr.readline().decode()
        if "listening" not in said:
            sys.exit(f"FAILED: {options}: {said}")

    def comes(self, pattern):
        """Waits until that text is written."""
        end = time.monotonic() + LONGEST
        while not re.search(pattern, self.text, re.DOTALL):
            if time.monotonic() > end or not self.read(end):
                sys.exit(f"FAILED: no '{pattern}' in:\n{self.text}")

    def read(self, end):
        if not select.select([self.out], [], [], max(0, end - time.monotonic()))[0]:
            return False
        try:
            part = os.read(self.out, 65536)
        except OSError:
            return False
        self.text += part.decode()
        return bool(part)

    def ends(self):
        """The output since then, until its end, when the user ends it."""
        begin = len(self.text)
        self.process.send_signal(signal.SIGINT)
        while self.read(time.monotonic() + LONGEST):
            pass
        self.process.stderr.read()
        self.process.wait()
        return self.text[begin:]


# On a terminal: redrawn when there is something new, in lines that fit the screen; all of it at the
# end.
doctor = Watched("--report", "doctor")
doctor.comes(re.escape(DRAWN) + "at .*nothing could be checked")
asked("nobody")
doctor.comes("new  warning DS107")
doctor.comes("     warning DS107")  # it was new once
if max(len(line) for line in doctor.text.replace(DRAWN, "").split("\n")) > 100:
    sys.exit(f"FAILED: a line is wider than the terminal:\n{doctor.text}")
whole = doctor.ends()
if "  do: " not in whole.split("at ")[-1] and "  do: " not in whole:
    sys.exit(f"FAILED: the whole report does not come at the end:\n{whole}")

# Other tables are redrawn as well.
latency = Watched("--report", "latency")
latency.comes("(" + re.escape(DRAWN) + "at .*latency of 0 calls.*){2}")
latency.ends()

# --every sets the interval.
often = Watched("--report", "open", "--every", "200ms")
often.comes("(" + re.escape(DRAWN) + ".*){3}")
often.ends()

# Lines of the timeline come during the capture, on a terminal and in a pipe.
for columns in 100, 0:
    timeline = Watched("--report", "timeline", columns=columns)
    asked("nobody")
    timeline.comes("finding +warning DS107.*\n")
    if DRAWN in timeline.text:
        sys.exit("FAILED: lines that come one by one are drawn anew")
    timeline.ends()

# In a pipe nothing is redrawn, and nothing comes before the end.
piped = Watched("--report", "doctor", columns=0)
seen = Watched("--report", "doctor")
asked("nobody")
seen.comes("new  warning DS107")
seen.ends()
if select.select([piped.out], [], [], 0)[0]:
    sys.exit("FAILED: a report that nobody looks at is written before the end")
whole = piped.ends()
if DRAWN in whole or "  do: " not in whole:
    sys.exit(f"FAILED: in a pipe, this is no whole report:\n{whole}")
