#!/usr/bin/env python3
"""explained.py PROGRAM PCAPS: --explain of each kind of thing shows what belongs to it, and each
command at the end of it, or of a report, works when pasted into a shell, with the same numbers; for
missing things it shows what there is."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

program, pcaps = sys.argv[1:]
os.environ["PATH"] = f"{os.path.dirname(os.path.abspath(program))}:{os.environ['PATH']}"
os.environ["TZ"] = "UTC"
tried = {}


def fail(why, text=""):
    sys.exit(f"FAILED: {why}\n{text}")


def run(*options, status=(0,), stdin=None):
    done = subprocess.run([program, *options], capture_output=True, stdin=stdin)
    if done.returncode not in status:
        fail(f"{options} ended with {done.returncode}", done.stderr.decode())
    return done.stdout.decode(), done.stderr.decode()


def paste(text, least=1):
    """Each command in a text, as a shell reads it."""
    commands = re.findall(r"^    (distsniff .*)$", text, re.M)
    if len(commands) < least:
        fail(f"fewer than {least} commands", text)
    for command in commands:
        if command in tried:
            continue
        done = subprocess.run(command, shell=True, capture_output=True)
        tried[command] = done.stdout.decode()
        if done.returncode not in (0, 3) or not done.stdout:
            fail(f"{command} ended with {done.returncode}", done.stderr.decode())
    return commands


def has(text, *parts):
    for part in parts:
        if not re.search(part, text, re.M):
            fail(f"no '{part}'", text)


with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)
    odd = f"{folder}/it's one.pcap"
    shutil.copy(f"{pcaps}/otp25.pcap", odd)
    # Each kind, from a file whose name a shell would split.
    of_call, said = run("-r", odd, "--explain", "call:24")
    has(of_call, r"^call 24: gen:call .* \{add,21\} => \{ok,231\}$", r"^waited: .* waited 38 us",
        r"^  packet:162 .* #24 gen:call", r"^  packet:164 .* #24 reply",
        r"^  before  call:23 ", r"^  after   call:25 ", r"^  before  packet:161 ", r"^  after   packet:165 ")
    if said:
        fail("--explain says something else", said)
    paste(of_call, 4)
    packet = run("-r", odd, "--explain", "packet:36")[0]
    has(packet, "features_request", r"^  call:1 ", r"^  before  packet:35 ", r"^  after   packet:37 ")
    message = run("-r", odd, "--explain", "message:17")[0]
    has(message, r"^  packet:54 ", r"^  before  packet:53 ", r"^  after   packet:55 ")
    finding = run("-r", odd, "--explain", "finding:1")[0]
    has(finding, "DS204", r"^  do: ", r"^  packet:828 .* half closed", "^DS204 in general")
    conn = run("-r", odd, "--explain", "conn:4")[0]
    has(conn, "handshake send_name", r"^  first  packet:36 ", "4 of them failed", r"^  finding:1 ")
    for text in packet, message, finding, conn:
        paste(text, 2)
    # A packet without a message, calls within calls, the ends of reports.
    has(run("-r", odd, "--explain", "packet:5")[0], "no message and no event", r"^  after   packet:6 ")
    paste(run("-r", odd, "--report", "calls")[0])
    footer = re.search(r"--explain (finding:\d+)", run("-r", odd, "--report", "doctor")[0])
    has(run("-r", odd, "--explain", footer[1])[0], "^finding")
    nested = [json.loads(line) for line in
              run("-r", f"{pcaps}/rabbit-3.10.pcap.gz", "-T", "json", "-Y",
                  "type == \"call\" && parent > 0")[0].split("\n") if line]
    child = nested[0]
    text = run("-r", f"{pcaps}/rabbit-3.10.pcap.gz", "--explain", f"call:{child['parent']}")[0]
    has(text, "^calls nested in it:$", rf"^  call:{child['call']} ")
    has(run("-r", f"{pcaps}/rabbit-3.10.pcap.gz", "--explain", f"call:{child['call']}")[0],
        "^the call it is nested in:$", rf"^  call:{child['parent']} ")
    # Several files, an expression, ports: the commands read the same.
    two = ["-r", f"{pcaps}/two-point-a.pcap", "-r", f"{pcaps}/two-point-b.pcap"]
    for options in two, ["-r", odd, "--no-follow", "port", "45595", "or", "port", "44309"]:
        text = run("--explain", "call:2", *options)[0]
        for command in paste(text, 2):
            if "call == 2" in command and "#2 " not in tried[command]:
                fail(f"{command} shows another call", tried[command])
    # As records: the call and its messages, in JSON.
    records = [json.loads(line) for line in run("-r", odd, "--explain", "call:24", "-T", "json")[0].split("\n") if line]
    if sorted((r["type"], r["call"]) for r in records) != \
            [("call", 24), ("message", 24), ("message", 24)]:
        fail("other records of call 24", records)
    # No secret of a capture with --redact.
    if "alice" in run("-r", odd, "--explain", "call:24", "--redact", "all")[0]:
        fail("--redact leaves names")
    # A truncated file is reported once.
    with open(odd, "rb") as whole, open(f"{folder}/cut.pcap", "wb") as cut:
        cut.write(whole.read()[:-100])
    text, said = run("-r", f"{folder}/cut.pcap", "--explain", "call:24", status=(1,))
    has(text, "^call 24: ")
    if said.count("\n") != 1:
        fail("a cut file is not complained of once", said)
    # Missing things, and inputs that cannot be read twice.
    for what, answer in [("call:136", "call:1 to call:135"), ("finding:9", "finding:1"), ("conn:5", "to conn:4$"),
                         ("message:635", "to message:634$"), ("packet:837", "to packet:836$"),
                         ("cal:3", "nearest: call"), ("call", "--explain call:1"), ("call:x", "whole number"),
                         ("DS1", "DS1")]:
        said = run("-r", odd, "--explain", what, status=(2,))[1]
        if said.count("\n") != 1:
            fail(f"--explain {what} is not answered in one line", said)
        has(said.strip(), answer)
    with open(odd, "rb") as stdin:
        has(run("-r", "-", "--explain", "call:1", status=(2,), stdin=stdin)[1], "twice")
    has(run("-r", odd, "--explain", "call:1", "-Y", "call == 1", status=(2,))[1], "do not go together")
    has(run("--explain", "DS101")[0], "wrong cookie")
print(f"{len(tried)} commands")
