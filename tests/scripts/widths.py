#!/usr/bin/env python3
"""widths.py PROGRAM PCAPS: on a terminal of any width each report fits, and has the same contents as
in a file, in the same order: long lines are wrapped, and no number is broken."""
import gzip
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata

from reports import forms_of, reports_of
from terminals import rest_of, terminal

program, pcaps = sys.argv[1:]
# changes is about two captures, clocks about several capture points, points and history about a stream.
REPORTS = forms_of(reports_of(program, ["changes", "clocks", "points", "history"]), "traffic --by node", "traffic --by mfa",
                   "calls --sort time")
CAPTURES = ["otp29-ops.pcap", "rabbit-3.10.pcap.gz"]


def fail(why, text=""):
    sys.exit(f"FAILED: {why}\n{text}")


def on_terminal(command, columns, **environment):
    """The output of a command on a terminal of that width."""
    master, slave = terminal(columns)
    process = subprocess.Popen(command, stdout=slave, stderr=subprocess.PIPE,
                               env={**os.environ, **environment})
    os.close(slave)
    text = rest_of(master)
    said = process.communicate()[1].decode()
    if process.returncode not in (0, 3):
        fail(f"{command} ended with {process.returncode}", said)
    return text


def in_file(command, **environment):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, **environment}).stdout.decode()


def numbers(text):
    return re.findall(r"[0-9.]+", text)


def width(character):
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 1 + (unicodedata.east_asian_width(character) in "WF")


def widest(text):
    """A command to be pasted stays on one line, whatever the width."""
    return max(sum(map(width, line)) for line in text.split("\n") if not line.startswith("    distsniff "))


def with_wide_names(capture):
    """The capture, with names whose characters have two columns, or none."""
    packets = (pathlib.Path(pcaps) / capture).read_bytes()
    for name, wide in (b"alice", "\u8c93\u0301".encode()), (b"lists", "\u00e9\uff21".encode()):
        if len(name) != len(wide) or name not in packets:
            fail(f"{capture} has no {name}, or another one is as long")
        packets = packets.replace(name, wide)
    file = tempfile.NamedTemporaryFile(suffix=".pcap")
    file.write(packets)
    file.flush()
    os.chmod(file.name, 0o644)
    return file


def check_short(what, text, whole, columns):
    """Rows have fewer figures there: the number of calls, the slowest one, and what they are about."""
    rows = re.compile(r"^ *(\d+)\+? .*\|.{15}\|\s+(\d+)\s+(?:\d+ +\d+ +)?(.*)$", re.M)
    short, long = rows.findall(text), rows.findall(whole)
    if [row[:2] for row in short] != [row[:2] for row in long]:
        fail(f"{what} has other rows than in a file", text)
    if columns >= 100 and any(len(about) < 30 and row[2] != about for row, (_, _, about) in zip(short, long)):
        fail(f"{what} has rows of more than one line", text)


os.environ.pop("COLUMNS", None)
too_wide = 0
wide_names = with_wide_names(CAPTURES[0])
for capture in [f"{pcaps}/{capture}" for capture in CAPTURES] + [wide_names.name]:
    for report in REPORTS:
        command = [program, "-r", capture, "--report", *report.split()]
        whole = in_file(command)
        too_wide += widest(whole) > 80
        for columns in 60, 80, 100, 200:
            text = on_terminal(command, columns)
            what = f"--report {report} of {capture} in {columns} columns"
            if widest(text) > columns:
                fail(f"{what} has lines of {widest(text)}", text)
            if report == "latency" and columns < 140:
                check_short(what, text, whole, columns)
                continue
            if "".join(text.split()) != "".join(whole.split()):
                fail(f"{what} does not say the same as in a file", text)
            if numbers(text) != numbers(whole):
                fail(f"{what} has other numbers than in a file", text)
            if any(line.endswith(" ") and len(line.split()) > 1 for line in text.split("\n")
                   if line + "\n" not in whole and not line.lstrip().startswith("1us...")):
                fail(f"{what} has blanks where a line goes on", text)
if too_wide < 20:
    fail("few of these are wider than 80 columns in a file")

command = [program, "-r", f"{pcaps}/otp29-ops.pcap", "--report", "traffic"]
whole = in_file(command)
if in_file(command, COLUMNS="60") != whole:
    fail("COLUMNS changes what is written to a file")
if widest(on_terminal(command, 200, COLUMNS="70")) > 70:
    fail("COLUMNS does not say how wide a terminal is")
for wrong in "", "0", "-5", "wide", "80 or so", "99999999999999999999":
    if on_terminal(command, 80, COLUMNS=wrong) != on_terminal(command, 80):
        fail(f"COLUMNS={wrong} is taken for a width")
if on_terminal(command, 0) != on_terminal(command, 80):
    fail("a terminal that does not know its width has not 80 columns")
if on_terminal(command, 1) != on_terminal(command, 20):
    fail("a terminal that is narrower than 20 columns is not taken to have 20")
if on_terminal(command, 500).split() != whole.split():
    fail("a wide terminal breaks lines")


def asked(capture, columns):
    """What SIGUSR1 prints on a terminal of that width while a capture comes through a pipe."""
    master, slave = terminal(columns)
    process = subprocess.Popen([program, "-r", "-", "-q", "--report", "open"], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    process.stdin.write(gzip.open(capture).read())
    process.stdin.flush()
    text = ""
    for _ in range(500):
        time.sleep(0.1)
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        if not int(re.search(r"SigCgt:\s*(\w+)", status).group(1), 16) >> signal.SIGUSR1 - 1 & 1:
            continue  # it would end because of it
        process.send_signal(signal.SIGUSR1)
        while select.select([master], [], [], 0.2)[0]:
            text += os.read(master, 65536).decode()
        if "open: #" in text and " open" in text.split("open: #")[-1]:
            break
    else:
        fail("SIGUSR1 brings no call that is open", text)
    process.stdin.close()
    text += rest_of(master)  # it may still be writing
    process.wait()
    return text


hung = f"{pcaps}/situations/hung-call.pcap.gz"
if widest(asked(hung, 300)) <= 60:
    fail("the call that hangs takes no more than 60 columns anyway")
if widest(text := asked(hung, 60)) > 60:
    fail(f"what SIGUSR1 brings has lines of {widest(text)}", text)
