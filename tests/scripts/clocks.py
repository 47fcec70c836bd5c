#!/usr/bin/env python3
"""clocks.py PROGRAM PCAPS: reports about a capture whose clock goes back, jumps, or has any value: no
duration is negative, no sum overflows (the sanitizers check that), with any option."""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

from reports import reports_of

program, pcaps = os.path.realpath(sys.argv[1]), sys.argv[2]
SECOND = 10**6
REPORTS = reports_of(program, ["changes", "history"])  # of two captures, of a stream


def told(packets, how):
    """The time of each packet by that clock."""
    chance = random.Random(1)
    first = packets[0][0]
    for i, (ts, _) in enumerate(packets):
        yield {
            "back": lambda: first - i * 1000,
            "jump": lambda: ts - (3600 * SECOND if i > len(packets) // 2 else 0),
            "stopped": lambda: first,
            "wild": lambda: chance.choice([0, 1, (2**32 - 1) * SECOND, ts, ts - 86400 * SECOND]),
        }[how]()


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    assert data[:4] == b"\xd4\xc3\xb2\xa1", "pcap with microseconds, little end first"
    packets, at = [], 24
    while at < len(data):
        seconds, micros, length = struct.unpack_from("<III", data, at)
        packets.append((seconds * SECOND + micros, data[at + 8:at + 16 + length]))
        at += 16 + length
    return data[:24], packets


failed = False
head, packets = read(os.path.join(pcaps, "otp27-ops.pcap"))
with tempfile.TemporaryDirectory() as work:
    os.chmod(work, 0o755)
    for how in ["back", "jump", "stopped", "wild"]:
        path = os.path.join(work, how + ".pcap")
        with open(path, "wb") as f:
            f.write(head)
            for ts, (_, rest) in zip(told(packets, how), packets):
                f.write(struct.pack("<II", ts // SECOND, ts % SECOND) + rest)
        asked = [word for report in REPORTS for word in ("--report", report)]
        run = subprocess.run([program, "-q", "-r", path, *asked], capture_output=True, text=True)
        wrong = re.findall(r".*(?:for -\d|\+-\d|1844674407\d|922337203\d{6,}).*", run.stdout)
        if run.returncode not in (0, 3) or not run.stdout or wrong:
            print(f"{how}: ended with {run.returncode}", *wrong[:5], run.stderr[-2000:], sep="\n")
            failed = True
sys.exit(failed)
