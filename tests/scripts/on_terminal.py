#!/usr/bin/env python3
"""on_terminal.py PROGRAM PCAPS: text on a terminal fits its width, and is unchanged in a pipe."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

from terminals import parts_of, resize, rest_of, terminal

program, pcaps = sys.argv[1], pathlib.Path(sys.argv[2])
PAINT = re.compile(r"\033\[[0-9;]*m")


def fail(why, text=""):
    sys.exit(f"FAILED: {why}\n{text}")


def environment(more):
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    return {**kept, "TERM": "xterm", "TZ": "UTC", **more}


def shown(columns, *options, **more):
    """What the program writes to a terminal of that width."""
    master, slave = terminal(columns)
    process = subprocess.Popen([program, *options], stdout=slave, stderr=subprocess.DEVNULL,
                               env=environment(more))
    os.close(slave)
    text = rest_of(master)
    if process.wait() != 0:
        fail(f"{options} on a terminal: status {process.returncode}")
    return text


def piped(*options):
    return subprocess.run([program, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=environment({}), check=True).stdout.decode()


def plain(text):
    return PAINT.sub("", text)


def widest(text):
    return max(len(line) for line in plain(text).split("\n"))


def compact(line):
    """A line that is too wide, without the contents of references and the caller in '$gen_call'."""
    return re.sub(r"#Ref<[^>]*>", "#Ref<...>", re.sub(r"\{'\$gen_call',\{[^}]*\}", "{'$gen_call',{...}", line))


def compact_more(line):
    """One that is still too wide, without the ends' common part, the nodes in pids, and words such as
    reg_send."""
    ends = re.match(r"(\S+ |)(~?)(\S+?)@(\S+) > (~?)(\S+?)@(\S+?): ", line)
    if ends is None:
        return line
    rest = line[ends.end():]
    one, other = ends[3] + "@" + ends[4], ends[6] + "@" + ends[7]
    names = (ends[3], ends[6]) if ends[4] == ends[7] else ("@" + ends[4], "@" + ends[7]) if ends[3] == ends[6] else \
        (one, other)
    head = re.match(r"[^<{]*", rest)[0]
    rest = re.sub(r"(^|(?<= ))(reg_send|alias_send|altact_sig_send|send_sender|send)(_tt)? ", "", head, count=1) + \
        rest[len(head):]
    begin = re.match(r"[^{[(]*", rest)[0]  # behind a bracket, pids of the receiver keep their node
    for node, shorter in (one, ""), (other, names[1] + "."):
        def without(text, shorter):
            return re.sub(r"(<\??)" + re.escape(node) + r"\.", r"\g<1>" + shorter, text)
        rest = without(begin, "") + without(rest[len(begin):], shorter)
        begin = re.match(r"[^{[(]*", rest)[0]
    for text, instead in ("{[alias|#Ref<...>],", "{$tag,"), ("#Ref<...>", "#Ref"), \
            ("{'$gen_call',{...},", "{$call,"), ("{'$gen_cast',", "{$cast,"):
        rest = rest.replace(text, instead)
    return f"{ends[1]}{ends[2]}{names[0]} > {ends[5]}{names[1]}: {rest}"


capture = str(pcaps / "otp27-ops.pcap")
whole = piped("-r", capture)
if widest(whole) < 300:
    fail("the capture has no line that is wide")

for columns in (20, 80, 100, 160):
    text = shown(columns, "-r", capture)
    if widest(text) > columns:
        fail(f"a line of {widest(text)} columns on a terminal of {columns}")
    cut, lines = plain(text).split("\n"), whole.split("\n")
    if len(cut) != len(lines):
        fail(f"{len(cut)} lines on a terminal of {columns}, {len(lines)} in a pipe")
    for short, line in zip(cut, lines):
        rest = compact(line)
        rest = rest if len(rest) <= columns else compact_more(rest)
        if short not in (line, rest) and not (short.endswith("...") and rest.startswith(short[:-3])):
            fail(f"at {columns} columns, this is not the beginning of the line", f"{short}\n{line}")
        if short != line and len(line) <= columns:
            fail(f"at {columns} columns a line was cut that fits", f"{short}\n{line}")
    for line in text.split("\n"):
        paints = PAINT.findall(line)
        if paints and paints[-1] != "\033[0m":
            fail("a colour goes on behind the end of its line", repr(line))

if plain(shown(80, "--wide", "-r", capture)) != whole:
    fail("--wide does not show lines whole")
if shown(80, "-r", capture, TERM="dumb") != plain(shown(80, "-r", capture)):
    fail("a terminal without colour shows something else")
if widest(shown(80, "-v", "-r", capture)) <= 80:
    fail("-v cuts lines")
if widest(shown(160, "-r", capture, COLUMNS="50")) > 50:
    fail("COLUMNS is ignored")

# Output for programs has the same bytes, whatever the options for a terminal are.
if piped("--wide", "-r", capture) != whole or piped("--nano", "-r", capture) != whole:
    fail("--wide or --nano changes what goes into a pipe")

# Monitors and links are dimmed; failures are not.
for line in shown(200, "-r", capture).split("\n"):
    dimmed = line.startswith("\033[2m") and "\033[0m" not in line[:-len("\033[0m")]
    if re.search(r": (de)?monitor_p |: (un)?link", plain(line)) and not dimmed:
        fail("housekeeping is not dimmed", repr(line))
    if re.search(r" (noproc|timeout|error) after ", plain(line)) and dimmed:
        fail("a failure is dimmed", repr(line))

# Findings are wrapped, not cut.
split = str(pcaps / "situations" / "hung-call.pcap.gz")
found = shown(60, "--report", "doctor", "-T", "text", "-r", split)
if widest(found) > 60:
    fail("a finding is wider than the terminal", found)

# Microseconds, unless nanoseconds are requested.
with tempfile.TemporaryDirectory() as folder:
    fine = folder + "/fine.pcap"
    packets = bytearray((pcaps / "otp27-ops.pcap").read_bytes())
    if packets[:4] != b"\xd4\xc3\xb2\xa1":
        fail("the capture is not one of microseconds in this byte order")
    packets[:4] = b"\x4d\x3c\xb2\xa1"
    pathlib.Path(fine).write_bytes(packets)
    for options, digits in ((), 6), (("--nano",), 9):
        text = plain(shown(80, *options, "-r", fine))
        if not re.match(r"\d\d:\d\d:\d\d\.\d{%d} " % digits, text):
            fail(f"{options} does not show {digits} digits of a second", text[:100])
    if not re.match(r"\d\d:\d\d:\d\d\.\d{9} ", piped("-r", fine)):
        fail("nanoseconds are missing in a pipe")

# At the end a user at a terminal gets one line about what is wrong, and where there is more; others
# do not.
def last_line(*options, on_stderr=True):
    master, slave = terminal(100)
    process = subprocess.Popen([program, *options], stdout=slave, env=environment({}),
                               stderr=slave if on_stderr else subprocess.PIPE)
    os.close(slave)
    text = rest_of(master)
    said = process.stderr.read().decode() if process.stderr else text
    if process.wait() != 0:
        fail(f"{options}: status {process.returncode}")
    return plain(said).rstrip("\n").split("\n")[-1]


with tempfile.TemporaryDirectory() as folder:
    named = folder + "/it's here.pcap"
    pathlib.Path(named).symlink_to(pathlib.Path(capture).resolve())
    verdict = last_line("-r", named, "tcp")
    found = re.fullmatch(r"alice@127\.0\.0\.1 left at 01:01:35 and has not come back; 7 warnings; first: DS313 .*; "
                         r"(distsniff -r .* --report doctor tcp) says more", verdict)
    if not found:
        fail("this is no verdict", verdict)
    command = found[1].replace("distsniff", program, 1)
    if b"7 warnings" not in subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, check=True).stdout:
        fail("the command of the verdict shows something else", command)
    if last_line("-r", named, "-e", "nothing_like_that").split(";")[:2] != verdict.split(";")[:2]:
        fail("the verdict depends on what is selected")
    fine = str(pcaps / "replay-cnode.pcap.gz")
    if not last_line("-r", fine).startswith("no problems found; distsniff -r "):
        fail("nothing is wrong, and that is not said", last_line("-r", fine))
    for options in ("-q", "-r", capture), ("--no-calls", "-r", capture), ("--report", "links", "-r", capture), \
                   ("-T", "json", "-r", capture), ("-T", "text", "-T", f"json={folder}/also", "-r", capture):
        if "says more" in last_line(*options):
            fail(f"{options} has a verdict")
    if "says more" in last_line("-r", capture, on_stderr=False):
        fail("there is a verdict where no terminal shows standard error")

# On a terminal the syntax is that of the nodes' modules; in a pipe it is always the same.
elixir, in_elixir, in_erlang = str(pcaps / "elixir-1.14.pcap.gz"), " > Lab.Groups ", " > 'Elixir.Lab.Groups' "
if in_elixir not in plain(shown(160, "-r", elixir)) or in_erlang not in piped("-r", elixir):
    fail("Elixir's syntax is not chosen on a terminal, or is in a pipe")
if in_erlang not in plain(shown(160, "--syntax", "erlang", "-r", elixir)):
    fail("--syntax erlang is not followed on a terminal")

# A terminal that becomes wider or narrower during the output.
master, slave = terminal(120)
process = subprocess.Popen([program, "-l", "-r", "-"], stdin=subprocess.PIPE, stdout=slave,
                           stderr=subprocess.DEVNULL, env=environment({}))
packets = pathlib.Path(capture).read_bytes()
middle = len(packets) // 2
text = []
came = threading.Event()


def read_all():
    for part in parts_of(master):
        text.append(part)
        came.set()


reader = threading.Thread(target=read_all)
reader.start()
process.stdin.write(packets[:middle])
process.stdin.flush()
if not came.wait(60):
    fail("nothing was shown of the first half")
resize(slave, 60)
process.stdin.write(packets[middle:])
process.stdin.close()
process.wait()
os.close(slave)
reader.join()
lines = plain(b"".join(text).decode()).split("\n")
if not any(len(line) > 60 for line in lines) or any(len(line) > 60 for line in lines[-100:]):
    fail("the width of a terminal that was resized is not followed")
print("text fits the terminal; pipes have all of it")


def notice(*options, columns=200, **more):
    """The text on standard error, which is a terminal."""
    master, slave = terminal(columns)
    process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL, stderr=slave,
                               env=environment(more))
    os.close(slave)
    text = rest_of(master)
    process.wait()
    return plain(text)


# Connections that were open before the capture: three lines if most messages have unknown atoms,
# otherwise one.
with tempfile.NamedTemporaryFile(suffix=".pcap") as late:
    data = (pcaps / "otp25.pcap").read_bytes()
    at, packets = 24, []
    while at < len(data):
        length = int.from_bytes(data[at + 8:at + 12], "little")
        packets.append(data[at:at + 16 + length])
        at += 16 + length
    late.write(data[:24] + b"".join(packets[300:]))
    late.flush()
    few = notice("-r", late.name, "--certain")
    lines = few.split("\n")
    at = next((i for i, line in enumerate(lines) if "open before the capture" in line), None)
    if at is None or not re.fullmatch(r"1 connection was open before the capture: \S+ and \S+\. So far: 100 messages, "
                                      r"\d+ bytes in [\d.]+ s\.", lines[at]) or \
            not re.match(r"\d+ % of the messages are readable(, of these \d+ % with guessed atoms \(\?name\))?\.", lines[at + 1]) or \
            "--print-refresh" not in lines[at + 2]:
        fail("the notice of three lines", few)
    narrow = notice("-r", late.name, "--certain", columns=60)
    if widest(narrow[narrow.index("1 connection"):narrow.index("without it")]) > 60 or \
            "To make all readable, run the code of distsniff\n    --print-refresh on one node." not in narrow:
        fail("the notice is broken within words", narrow)
    if float(lines[at + 1].split()[0]) >= 50:
        fail("most is readable, and it takes three lines to say so", few)
    if "@" in notice("-r", late.name, "--certain", "--redact", "all").split("So far")[0].split("before the capture")[1]:
        fail("the notice names nodes that are redacted")
    said = subprocess.run([program, "-r", late.name, "--certain"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env=environment({}), check=False).stderr.decode()
    if said.count("--print-refresh") != 1 or "So far" in said:
        fail("the notice in a pipe", said)
    if notice("-r", capture).count("--print-refresh") != 0:
        fail("a notice where no connection was open before")
