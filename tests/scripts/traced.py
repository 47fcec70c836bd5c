#!/usr/bin/env python3
"""traced.py PROGRAM PCAPS: each report begins with one sentence, and no heading is above an empty
table; for a file, it ends with a command that shows one thing of it in full. The packets,
connections and calls in its lines exist, and -Y finds what a line is about."""
import collections
import json
import re
import struct
import subprocess
import sys
import tempfile

from reports import forms_of, reports_of

program, pcaps = sys.argv[1:]
MOST = 3  # for each kind of option, for each report of a capture
# changes is about two captures, clocks about several capture points, points and history about a stream.
REPORTS = forms_of(reports_of(program, ["changes", "clocks", "points", "history"]), "traffic --by node",
                   "calls --sort time")
CAPTURES = ["otp29-ops.pcap", "cnode.pcap", "steady-25.pcap.gz",
            "situations/hung-call.pcap.gz", "situations/does-not-read.pcap.gz",
            "situations/wrong-cookie.pcap", "situations/stopped-node.pcap.gz",
            "situations/partition.pcap.gz", "situations/port-rejected.pcap"]
# The beginning of each.
SENTENCES = {
    "doctor": r"nothing could be checked|(.* (come back|restarted( (up to )?\d+ times)?)\. )?(no (other )?problems found|"
              r"no (other )?problems found in what could be (seen|read \([\d.]+ % of )|1 (error|warning): DS\d+, .*: .* \(.*\d\)|"
              r"\d+ findings: .*; first: DS\d+, .*: .* \(.*\d\))",
    "links": r"0 links$|\d+ links? between \d+ nodes?( \(\d+ pairs?\))?, ((all )?open|\d+ no longer open); "
             r"(no stalls, no retransmissions|worst: conn \d+)",
    "traffic": r"traffic by \w+: (0 messages|.* in .* s; [\d.]+ % of it is .)",
    "latency": r"latency of (0 calls$|\d+ calls?: p50 .*, p99 .*, max .* \(call #|"
               r"\d+ calls?; \d+ without a known end$)",
    "top": r"busiest processes in .* s: (0 messages|.*; first: .)",
    "timeline": r"timeline: \d+ events?( from .* to .*: .* \d+)?$",
    "deaths": r"\d+ process(es)? exited, \d+ connections? lost; \d+ exit signals? sent",
    "audit": r"\d+ of \d+ pairs? of nodes communicates? unencrypted over a network; ",
    "open": r"\d+ calls?, \d+ monitors? and \d+ process links? open",
    "calls": r"\d+ calls?(, \d+ ok|, \d+ |$)",
    "monitors": r"\d+ monitors? (and process links|or process link)",
    "trees": r"\d+ calls? with(out)? nested calls",
    "seq_trace": r"\d+ traced messages?",
    "apps": r"applications: (none seen|\d+ applications? on \d+ nodes?)",
    "raft": r"raft: \d+ clusters?, \d+ without a leader; ",
}
tried = collections.Counter()
seen = {}


def fail(why, text=""):
    sys.exit(f"FAILED: {why}\n{text}")


def run(*command):
    done = subprocess.run([program, *command], capture_output=True)
    if done.returncode not in (0, 3):
        fail(f"{command} ended with {done.returncode}", done.stderr.decode())
    return done.stdout.decode()


def report(capture, what):
    return run("-q", "-r", capture, "--report", *what.split())


def lines_of(what, text):
    """What each line names: its packets, connections and calls, and itself."""
    for line in text.split("\n")[1:]:
        if line.startswith("    distsniff "):
            continue
        found = {"conn": re.findall(r"\bconn (\d+)", line), "frame": [], "call": []}
        if what in ("calls", "calls --sort time", "trees"):
            found["call"] = re.findall(r"^#(\d+)|^ *\S+ #(\d+)", line)
            found["call"] = [a or b for a, b in found["call"]]
        elif what == "links":
            found["conn"] = re.findall(r"^(?:open|closed|reset|down) +(\d+) ", line)
        elif what == "doctor" and " conn " in line:
            found["frame"] = re.findall(r"(?:packets? |, )(\d+) ", line)
        elif what in ("deaths", "seq_trace"):
            found["frame"] = re.findall(r"\bpacket (\d+)", line)
        elif heading and (cells := cells_of(line)):
            for key, name in ("conn", "conn"), ("frame", "packet"), ("call", "slowest"):
                if name in heading:
                    found[key].append(cells[heading.index(name)])
        if what == "open" and line.startswith("parts"):
            found["frame"] = []  # it has completed no message yet
        elif what == "open":
            found["call"] = re.findall(r"^call .* #(\d+) ", line)
        if any(found.values()):
            yield line, found


def cells_of(line):
    """The cells of a table's row that are one word or a number with its unit; none if it is no row."""
    line = re.sub(r"(\d) (ns|us|ms|s|min|h)\b", r"\1\2", line)
    line = re.sub(r"\|[^|]{15}\|", "BAR", line)
    cells = line.split()
    return cells if len(cells) >= len(heading) and all(
        cells[heading.index(name)].isdigit() for name in ("packet", "conn") if name in heading) else None


def shown(capture, expression):
    with tempfile.NamedTemporaryFile() as file:
        if not run("-r", capture, "-Y", expression, "-T", "text", "-T", f"json={file.name}").strip():
            fail(f"-Y '{expression}' shows nothing of {capture}")
        return [json.loads(line) for line in open(file.name)]


def check(capture, what, line, found, done):
    for key in found:
        for number in found[key]:
            if number == "0" or (key, number) in done or \
                    sum(one == key for one, _ in done) >= MOST:
                continue
            done.add((key, number))
            if (capture, key, number) not in seen:
                seen[capture, key, number] = shown(capture, f"{key} == {number}")
            records = seen[capture, key, number]
            tried[what.split()[0], key] += 1
            about = [r for r in records if int(number) in (r.get(key), r.get("number"))]
            # Selecting a call also shows its other messages.
            if not about or (key == "conn" and about != records):
                fail(f"-Y '{key} == {number}' shows something else of {capture}", line)
            conns = {r["conn"] for r in records if "conn" in r}
            # The evidence of a finding may be on another connection.
            if key == "frame" and found["conn"] and "0" not in found["conn"] and what != "doctor" and \
                    not conns & set(map(int, found["conn"])):
                fail(f"-Y 'frame == {number}' shows packets of another connection", line)


HEADINGS = {"traffic": "bytes % count /s mean p99 largest packet conn what", "audit": "times packet conn",
            "latency": "calls failed noend p50 p90 p99 max total BAR slowest packet conn by",
            "top": "bin out in out asked served failed packet conn process",
            "open": "open for since packet conn who", "monitors": "kind start lasted packet conn who"}


def is_begun(what, text):
    sentence = text.split("\n")[0]
    if not re.match(SENTENCES[what.split()[0]], sentence):
        fail(f"--report {what} does not begin with its sentence", text[:500])


for capture in [f"{pcaps}/{name}" for name in CAPTURES]:
    for what in REPORTS:
        text = report(capture, what)
        is_begun(what, text)
        heading = HEADINGS.get(what.split()[0], "").split()
        done = set()
        lines = list(lines_of(what, text))
        for line, found in lines:
            check(capture, what, line, found, done)
        ends = re.findall(r"^    distsniff -r \S+ --explain (\w+):(\d+)$", text, re.M)
        if done and not ends:
            fail(f"--report {what} of {capture} does not end with a command that shows more", text)
        if not done and ends and what != "doctor":
            fail(f"--report {what} of {capture} says how to see lines that there are none of", text)
        if re.search(r"== N\b|\bFILE\b|^details:", text, re.M):
            fail(f"--report {what} of {capture} ends with something that cannot be pasted", text)
        with open(capture, "rb") as packets:
            piped = subprocess.run([program, "-q", "-r", "-", "--report", *what.split()], stdin=packets,
                                   capture_output=True).stdout.decode()
        if "    distsniff " in piped:
            fail(f"--report {what} ends with a command though no file is read", piped)

for what, key in [("doctor", "conn"), ("doctor", "frame"), ("links", "conn"), ("traffic", "frame"),
                  ("traffic", "conn"), ("latency", "call"), ("latency", "frame"), ("latency", "conn"),
                  ("top", "frame"), ("top", "conn"), ("deaths", "frame"), ("deaths", "conn"),
                  ("audit", "frame"), ("audit", "conn"), ("open", "frame"), ("open", "conn"),
                  ("open", "call"), ("calls", "call"), ("monitors", "frame"), ("monitors", "conn"),
                  ("trees", "call"), ("seq_trace", "frame"), ("seq_trace", "conn")]:
    if tried[what, key] < 1:
        fail(f"no {key} of --report {what} was tried")

# -O keeps the packets of a link.
with tempfile.TemporaryDirectory() as folder:
    kept = f"{folder}/kept.pcap"
    whole = f"{pcaps}/elixir-1.14.pcap.gz"
    run("-r", whole, "-Y", "conn == 4", "-O", kept)
    row = r"^(\w+) %s (.* kB/s) .*%% (.*)$"  # all but the number, and the share of all bytes
    text = [re.sub(" +", " ", report(name, "links")) for name in (kept, whole)]
    if (said := re.findall(row % r"\d+", text[0], re.M)) != re.findall(row % 4, text[1], re.M) or not said:
        fail(f"-O keeps {said} of conn 4")

# For a capture without packets, each is only its sentence, or says what it did not check.
with tempfile.NamedTemporaryFile(suffix=".pcap") as empty:
    empty.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    empty.flush()
    for what in REPORTS:
        text = report(empty.name, what)
        is_begun(what, text)
        if text.count("\n") != 1 and what.split()[0] not in ("doctor", "audit"):
            fail(f"--report {what} has more than a sentence to say of nothing", text)
print(", ".join(f"{what} {key} {num}" for (what, key), num in sorted(tried.items())))
