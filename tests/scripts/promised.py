#!/usr/bin/env python3
"""promised.py SOURCE [--update]: the names in tests/promised still exist: options, fields of JSON with
their kinds, control messages, codes of findings, reports, formats, outcomes. They are promises to
programs that read distsniff's output, and to people: new names are added before a release
(--update), and listed ones stay. If one cannot stay, raise JSON_FORMAT in src/output/sink.h, and
say so in CHANGELOG.md."""
import os
import re
import sys

source = sys.argv[1]
TABLES = (  # what, file, what a row looks like, how it is listed
    ('option', 'src/app/options/options.def', r'^(?:OPTION|FLAG|WORD)\([\w.]+, "([\w-]+)"', '{}'),
    ('option', 'src/app/options/options.def', r'^SAME\("([\w-]+)"', '{}'),
    ('option', 'include/distsniff/limits.def', r'^LIMIT\(\w+, "([\w-]+)"', 'max-{}'),
    ('field', 'src/record/fields.def', r'^([A-Z_]+)_FIELD\((\w+), (\w+),', '{}.{} {}'),
    ('op', 'include/distsniff/ops.def', r'^OP\((\d+), (\w+)', '{} {}'),
    ('finding', 'src/analyse/findings/findings.def', r'^FINDING\((DS\d+),', '{}'),
    ('report', 'src/reports/reports.def', r'^REPORT\(\w+, "(\w+)"', '{}'),
    ('format', 'src/output/sinks.def', r'^SINK\((\w+)\)', '{}'),
    ('outcome', 'src/record/outcome.def', r'^OUTCOME\(\w+, "(\w+)"', '{}'),
    ('role', 'src/record/note_role.def', r'^NOTE_ROLE\(\w+, "(\w+)"', '{}'),
)
there = set()
for what, name, row, form in TABLES:
    with open(os.path.join(source, name), encoding='utf-8') as file:
        rows = re.findall(row, file.read(), re.M)
    if not rows:
        sys.exit(f'{name} has no rows as this test knows them')
    there |= {what + ' ' + form.format(*(r if isinstance(r, tuple) else (r,))) for r in rows}
path = os.path.join(source, 'tests/promised')
if '--update' in sys.argv:
    with open(path, 'w', encoding='utf-8') as file:
        file.write(''.join(line + '\n' for line in sorted(there)))
with open(path, encoding='utf-8') as file:
    gone = [line.strip() for line in file if line.strip() not in there]
if gone:
    print('promised, and not there any more:', *gone, sep='\n  ')
    sys.exit(1)
print('ok')
