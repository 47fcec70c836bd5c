#!/usr/bin/env python3
"""mutants.py SOURCES: each mistake of tests/mutants/ can be made: its text is in its file exactly
once. Otherwise a row would test nothing, and only a run of all of them would show it."""
import pathlib
import sys

sources = pathlib.Path(sys.argv[1])
failures = rows = 0


def fail(table, number, what):
    global failures
    failures += 1
    print(f"FAILED: tests/mutants/{table.name}:{number}: {what}")


for table in sorted((sources / "tests/mutants").iterdir()):
    text = before = None
    for number, line in enumerate(table.read_text().splitlines(), 1):
        if line.startswith("#") or not line:
            continue
        if line.startswith("- "):
            before = line[2:]
            rows += 1
            if text is not None and text.count(before) != 1:
                fail(table, number, f"{text.count(before)} times in {name}: {before}")
        elif line.startswith("+"):
            if before is None:
                fail(table, number, "nothing says what it takes the place of")
            elif line[1:].removeprefix(" ") == before:
                fail(table, number, "changes nothing")
            before = None
        else:
            name = line.split(":")[0]
            text = (sources / name).read_text() if (sources / name).is_file() else None
            if text is None:
                fail(table, number, f"no file {name}")
            elif not line.partition(": ")[2].split():
                fail(table, number, "no tests")
print(f"{rows} mistakes")
sys.exit(failures != 0 or rows == 0)
