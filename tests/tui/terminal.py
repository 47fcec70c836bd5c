#!/usr/bin/env python3
"""terminal.py PROGRAM PCAPS: the state of the terminal of --tui: it is restored, however the program
ends; it may be taken away, stopped, resized; messages during the run are printed at the end."""
import base64
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

program, pcaps = sys.argv[1], pathlib.Path(sys.argv[2])
capture = str(pcaps / "otp25.pcap")
PATIENCE = 20  # seconds, for a machine that has other work
count = 0


def fail(why, text=b""):
    sys.exit(f"FAILED: {why}\n{text.decode(errors='replace')}")


def resize(descriptor, rows, columns):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class Screen:
    """The program on a terminal of its own, which is its controlling terminal."""

    def __init__(self, *options, rows=24, columns=80, **environment):
        self.master, self.slave = pty.openpty()
        resize(self.slave, rows, columns)
        self.before = termios.tcgetattr(self.slave)
        self.text = b""
        kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
        slave = self.slave

        def take_terminal():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen([program, "--tui", *options], stdin=slave, stdout=slave, stderr=slave,
                                        preexec_fn=take_terminal,
                                        env={**kept, "TERM": "xterm", "LC_ALL": "C.UTF-8", "TZ": "UTC", **environment})

    def wait_for(self, pattern):
        """The output up to a text, which is removed."""
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.text)):
            if not select.select([self.master], [], [], max(0, end - time.monotonic()))[0]:
                fail(f"{pattern} did not come", self.text)
            try:
                part = os.read(self.master, 65536)
            except OSError:
                fail(f"the terminal closed before {pattern}", self.text)
            self.text += part
        before, self.text = self.text[:found.end()], self.text[found.end():]
        return before

    def wait_for_files(self, folder, num):
        """The output while that many files are created and written, which is removed."""
        end = time.monotonic() + PATIENCE
        while sum(file.stat().st_size != 0 for file in pathlib.Path(folder).iterdir()) < num:
            if time.monotonic() > end:
                fail(f"there are no {num} files", self.text)
            if select.select([self.master], [], [], 0.05)[0]:
                self.text += os.read(self.master, 65536)

    def press(self, keys):
        os.write(self.master, keys)

    def end(self, status=0):
        """The rest, after it has ended with that status; the terminal is as before."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            if time.monotonic() > end:
                self.process.kill()
                fail("the program does not end", self.text)
            if select.select([self.master], [], [], 0.05)[0]:
                self.text += os.read(self.master, 65536)
        while select.select([self.master], [], [], 0)[0]:
            self.text += os.read(self.master, 65536)
        if self.process.returncode != status:
            fail(f"status {self.process.returncode}, not {status}", self.text)
        if termios.tcgetattr(self.slave) != self.before:
            fail("the terminal is not as it was", self.text)
        os.close(self.slave)
        os.close(self.master)
        global count
        count += 1
        return self.text


READY = rb"634 msgs"

# q ends it, and the final messages are on the terminal itself, behind its alternate screen.
screen = Screen("-r", capture)
screen.wait_for(READY)
screen.press(b"q")
rest = screen.end()
if b"\033[?1049l" not in rest or b"packets" not in rest.split(b"\033[?1049l")[-1]:
    fail("the summary does not stand on the terminal that was given back", rest)

# Signals end it in order, like Ctrl-C.
for how in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    screen = Screen("-r", capture)
    screen.wait_for(READY)
    screen.process.send_signal(how)
    screen.end()
screen = Screen("-r", capture)
screen.wait_for(READY)
screen.press(b"\003")
screen.end()

# Ctrl-Z restores the terminal, and it continues where it was. Its parent is this process, which
# waits for it.
screen = Screen("-r", capture)
screen.wait_for(READY)
screen.press(b"\032")
end = time.monotonic() + PATIENCE
while os.waitid(os.P_PID, screen.process.pid, os.WSTOPPED | os.WNOHANG) is None:
    if time.monotonic() > end:
        fail("Ctrl-Z does not stop it")
    time.sleep(0.02)
screen.wait_for(rb"\033\[\?1049l")
if termios.tcgetattr(screen.slave)[3] & termios.ECHO == 0:
    fail("the terminal is not given back while the program is stopped")
screen.process.send_signal(signal.SIGCONT)
screen.wait_for(READY)
screen.press(b"q")
screen.end()

# All of that in the sandbox, which refuses nothing that a screen needs.
screen = Screen("-r", capture, "--sandbox=require", ASAN_OPTIONS="detect_leaks=0")
screen.wait_for(READY)
resize(screen.slave, 30, 90)
screen.press(b"23\0141?q\032")
end = time.monotonic() + PATIENCE
while os.waitid(os.P_PID, screen.process.pid, os.WSTOPPED | os.WNOHANG) is None:
    if time.monotonic() > end:
        fail("Ctrl-Z does not stop it in the sandbox")
    time.sleep(0.02)
screen.process.send_signal(signal.SIGCONT)
screen.wait_for(READY)
screen.press(b"5/-e alive2_(req|x_resp) -Y size > 0 || frame > 0\r\014")  # executable memory is not available
screen.wait_for(b"-e alive2")
screen.wait_for(rb"1 of \d")
screen.press(b"q")
rest = screen.end()
if b"distsniff: " in rest:
    fail("something was complained of in the sandbox", rest)

# The size changes while it draws, to nothing and back.
screen = Screen("-r", capture)
screen.wait_for(READY)
for rows, columns in ((50, 200), (1, 1), (3, 500), (24, 80)):
    resize(screen.slave, rows, columns)
    screen.press(b"3j2k1")
resize(screen.slave, 30, 90)
screen.wait_for(READY)
resize(screen.slave, 2, 10)
screen.wait_for(rb"the termi")
screen.press(b"q")
screen.end()

# Its output is stopped: it ends all the same.
screen = Screen("-r", capture)
screen.wait_for(READY)
for i in range(40):
    resize(screen.slave, 60 + i % 2, 300)
    screen.press(b"\014123")
    time.sleep(0.01)  # more output than the terminal holds, as nothing reads it
screen.process.send_signal(signal.SIGTERM)
end = time.monotonic() + PATIENCE
while screen.process.poll() is None and time.monotonic() < end:
    time.sleep(0.05)
if screen.process.poll() is None:
    screen.process.kill()
    fail("a terminal that takes nothing keeps the program")
screen.end()

# The terminal is taken away.
screen = Screen("-r", capture)
screen.wait_for(READY)
os.close(screen.slave)
os.close(screen.master)
try:
    screen.process.wait(PATIENCE)
except subprocess.TimeoutExpired:
    screen.process.kill()
    fail("without a terminal it goes on")

# Colours, and none.
screen = Screen("-r", capture, TERM="xterm-256color")
colourful = screen.wait_for(READY)
screen.press(b"q")
colourful += screen.end()
screen = Screen("-r", capture, TERM="xterm-256color", NO_COLOR="1")
plain = screen.wait_for(READY)
screen.press(b"q")
plain += screen.end()
COLOUR = re.compile(rb"\033\[(\d+;)*3[0-7](;|m)")
if not COLOUR.search(colourful) or COLOUR.search(plain):
    fail("colours", plain)

# The list is saved, only in the folder; a packet file can be decoded alone. No existing file is
# overwritten.
with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o777)
    screen = Screen("-r", str(pcaps / "rabbit-3.10.pcap.gz"), "--save-folder", folder, "--sandbox=require", columns=200,
                    ASAN_OPTIONS="detect_leaks=0")
    screen.wait_for(b"9922")
    screen.press(b"5/size>5KB\r\014")
    screen.wait_for(b"1 of 8")
    for number, format in enumerate((b"tex\t", b"json", b"mermaid", b"pcap", b"pcapng", b"json", b"erl\t")):
        screen.press(b"w" + format + b"\r")
        screen.wait_for_files(folder, number + 1)
    screen.press(b"wx\r")
    screen.wait_for(b"such")
    screen.press(b"q")
    screen.end()
    files = sorted(pathlib.Path(folder).iterdir())
    if sorted(file.suffix for file in files) != [".erl", ".json", ".json", ".mmd", ".pcap", ".pcapng", ".txt"]:
        fail(f"saved: {files}")
    for file in files:
        if file.suffix in (".txt", ".json") and len(file.read_text().splitlines()) != 8:
            fail(f"{file} has not what was listed")
        if file.suffix == ".erl":
            text = file.read_text()
            if f"-module('{file.stem}')" not in text or text.count("message(") < 8 or "call(1)" not in text:
                fail(f"{file} is no module of what was listed", text.encode())
        if file.suffix.startswith(".pcap"):
            read = subprocess.run([program, "-q", "-r", str(file)], capture_output=True, timeout=PATIENCE)
            if b"0 gaps, 0 faults, 0 unknown atoms" not in read.stderr:
                fail(f"{file} does not decode", read.stderr)
    # Redacted records stay redacted, and packets cannot be saved.
    screen = Screen("-r", capture, "--save-folder", folder, "--redact=all", columns=200)
    screen.wait_for(READY)
    screen.press(b"5wtext\r")
    screen.wait_for_files(folder, len(files) + 1)
    screen.press(b"wpcap\r")
    screen.wait_for(b"redact")
    screen.press(b"q")
    screen.end()
    for file in set(pathlib.Path(folder).iterdir()) - set(files):
        if "alice" in file.read_text():
            fail(f"{file} has a name")
screen = Screen("-r", capture)
screen.wait_for(READY)
screen.press(b"5w")
screen.wait_for(b"folder")
screen.press(b"y") # the selection goes to the terminal's clipboard
shown = re.search(rb"\033\]52;c;([A-Za-z0-9+/=]+)\a", screen.wait_for(rb"\033\]52;c;[^\a]+\a"))
if b"epmd alive2_req" not in base64.b64decode(shown.group(1)):
    fail("copied", shown.group(0))
screen.press(b"\033[<0;10;7M\033[<0;10;7m\r\014")  # a click selects the row
screen.wait_for(b"event in packet")
screen.wait_for(b"epmd alive2_req bob")
screen.press(b"q")
screen.press(b"q")
screen.end()

# Without a terminal there is no screen, and outputs that would mix with it are refused.
alone = subprocess.run([program, "--tui", "-r", capture], stdin=subprocess.DEVNULL, capture_output=True,
                       start_new_session=True, timeout=PATIENCE)
if alone.returncode != 1 or b"--tui needs a terminal" not in alone.stderr:
    fail("without a terminal", alone.stderr)
screen = Screen("-r", capture, TERM="no-such-terminal")
if b"does not know the terminal" not in screen.end(1):
    fail("an unknown terminal is not said")
screen = Screen("-r", capture, TERM="dumb")
if b"whose cursor can be moved, which dumb (TERM) has not" not in screen.end(1):
    fail("a terminal that can show no screen is not said")
for term in ("vt100", "linux", "screen", "vt220"):
    screen = Screen("-r", capture, TERM=term, ASAN_OPTIONS="detect_leaks=0")  # ncurses keeps a name of "linux"
    screen.wait_for(READY)
    screen.press(b"5q")
    screen.end()
for options in (["-T", "text"], ["-q"], ["--every", "1s", "--doctor"]):
    screen = Screen("-r", capture, *options)
    screen.end(2)
print(f"ok: {count} terminals")
