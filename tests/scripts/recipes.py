#!/usr/bin/env python3
"""recipes.py SOURCE BUILD: the lists "To add" of CONTRIBUTING.md are true. A copy of the tree in BUILD gets a
control message with a role of its own, a link type, a label, a finding, a report, an option, an output and a view, each
by what the lists say and nothing else; the program that is built from it shows each, and the quick tests that
the rows touch (TOUCHED) pass. Where a line is left out that a table needs, the compiler says which."""
import fcntl
import json
import os
import pathlib
import pty
import re
import shlex
import select
import shutil
import sqlite3
import struct
import subprocess
import sys
import termios

source, build = (pathlib.Path(arg).resolve() for arg in sys.argv[1:3])
tree, objects = build / 'tree', build / 'objects'
num = 0


def fail(what):
    print('FAILED:', what)
    sys.exit(1)


def check(is_right, what):
    global num
    num += 1
    if not is_right:
        fail(what)


# Additions: texts after a mark in a file (before it if the mark begins with <), or whole files.
ADDED = [
    ('include/distsniff/ops.def', None,
     'OP(99, HAND_OVER, hand_over, OTHER, "ftz", NONE, ANY, ANY)\n'),
    ('include/distsniff/roles.def', None, 'ROLE(\'z\', PARCEL, "parcel", IS_TUPLE | IS_ATOM)\n'),
    ('src/output/text_message.c', '<#define SHOWN_REASON', '#define SHOWN_PARCEL {BEFORE(" "), 0, true}\n'),
    ('src/output/sqlite/rows_message.c', '<    COLUMN_OF_REASON', '    COLUMN_OF_PARCEL = COLUMN_message_parcel,\n'),
    ('src/output/sqlite/columns.def', '<WORD(message, control,', 'WORD(message, parcel, "")\n'),
    ('include/distsniff/link_types.def', None, 'LINK_TYPE(USER1, 148, 3, VERSION, -1, -1)\n'),
    ('tests/support/op_frames.h', "{'_', BYTES(\"\\x77\\0\"), \"''\"},", " {'z', BYTES(\"\\x77\\3box\"), \"box\"},"),
    ('src/output/fixture/templates/replay.escript', '37 => {"altact_sig_send", "_ft_"}',
     ',\n            99 => {"hand_over", "_t_"}'),
    ('tests/unit/analyse/findings/test_finding_order.c', '[RANK_HYGIENE] = "', 'DS399 '),
    ('tests/fuzz/fuzz_packet.c', '228, 229, 147, ', '148, '),
    ('dissect/labels/otp.def', None, 'OTP(INFO, "", "parcel:sent", "", "{parcel_sent, Count}")\n'),
    ('src/analyse/findings/findings.def', None,
     'FINDING(DS399, NOTE, HYGIENE, "a parcel was sent", "Look into it.", "Somebody sent a parcel.")\n'),
    ('src/analyse/findings/detect_messages.c', 'void detect_messages(struct detect *d, const struct record *record)\n{\n',
     '    if (record->note.label != NULL && strcmp(record->note.label, "parcel:sent") == 0) {\n'
     '        struct finding *f = detect_begin(d, FINDING_DS399, record->event);\n'
     '        wording_add(&f->sentence, "one parcel");\n'
     '        detect_commit(d);\n'
     '    }\n'),
    ('src/reports/reports.def', None, 'REPORT(PARCELS, "parcels", KIND(parcels), "how many messages there are")\n'),
    ('src/reports/report_parcels.c', None, '''#include "reports/report.h"

#include <inttypes.h>
#include <stdlib.h>

struct parcels {
    struct report_text *text;
    uint64_t num;
};

static void *open_table(struct report_text *text, const struct report_config *config)
{
    (void)config;
    struct parcels *report = calloc(1, sizeof *report);
    if (report != NULL)
        report->text = text;
    return report;
}

static void take_record(void *report, const struct record *record)
{
    (void)record;
    ((struct parcels *)report)->num++;
}

static void show_table(void *state)
{
    struct parcels *report = state;
    ds_buffer_printf(&report->text->buffer, "%" PRIu64 " parcels\\n", report->num);
}

const struct report_kind report_parcels = {
    .open = open_table,
    .record = take_record,
    .takes = REPORT_TAKES_MESSAGES,
    .show = show_table,
    .end = free,
};
'''),
    ('src/app/options/options.def', None, 'OPTION(parcels, "parcels", 0, NULL, "the same as --report parcels")\n'),
    ('src/app/options/option_report.c', None, '''
bool option_set_parcels(struct options *o, const char *value)
{
    (void)value;
    o->report.wanted[REPORT_PARCELS] = true;
    return true;
}
'''),
    ('src/output/sinks.def', 'SINK(exunit)\n', 'SINK(parcels)\n'),
    ('src/output/sink_parcels.c', None, '''#include "output/sink.h"

static bool parcels_open(struct sink *sink)
{
    (void)sink;
    return true;
}

static void parcels_record(struct sink *sink, const struct record *record)
{
    if (record_is_message(record) && record->event->message.op != NULL)
        ds_buffer_printf(&sink->output.buffer, "parcel by %s\\n", record->event->message.op->name);
}

static void parcels_close(struct sink *sink)
{
    (void)sink;
}

const struct sink_kind sink_parcels = {
    .name = "parcels",
    .help = "a line for each message",
    .open = parcels_open,
    .record = parcels_record,
    .close = parcels_close,
};
'''),
    ('src/ui/tui/views.def', None, 'VIEW(parcels, "parcels", "how many links carry parcels")\n'),
    ('src/ui/tui/view_parcels.c', None, '''#include "ui/tui/tui_view.h"

static void *open_view(void)
{
    static int view;
    return &view;
}

static void close_view(void *view)
{
    (void)view;
}

static void update(void *view, const struct tui_facts *facts)
{
    *(int *)view = cJSON_GetArraySize(cJSON_GetObjectItem(facts->snapshot.book[BOOK_LINKS], "rows"));
}

static void draw(void *view, const struct tui_facts *facts, struct cells *cells, struct area area)
{
    (void)facts;
    cells_put_string(cells, area.row, area.column, area.columns, STYLE_PLAIN,
                     *(int *)view == 1 ? "one link carries parcels" : "none does");
}

static bool request(void *view, const struct tui_facts *facts, enum tui_request request,
                    struct tui_page *page)
{
    (void)view, (void)facts, (void)request, (void)page;
    return false;
}

const struct tui_view view_parcels = {
    .books = BOOK_BIT(LINKS),
    .open = open_view,
    .close = close_view,
    .update = update,
    .draw = draw,
    .request = request,
};
'''),
]


# The unit tests that cover whole tables: of ops and roles, link types, findings.
TOUCHED = ['test_dist_stream_ops', 'test_fixture', 'test_packet', 'test_pseudo_packet', 'test_finding_order']


def on_screen(program, keys, wanted, *options):
    """Whether --tui shows a text after some keys, within a minute."""
    pid, master = pty.fork()
    if pid == 0:
        os.environ.update(TERM='xterm', LC_ALL='C.UTF-8')
        os.execv(program, [str(program), '--tui', *map(str, options)])
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 120, 0, 0))
    shown, is_asked = b'', False
    try:
        while wanted not in shown and select.select([master], [], [], 60)[0]:
            shown += os.read(master, 65536)
            if not is_asked and b' msgs' in shown:
                os.write(master, keys)
                is_asked = True
    except OSError:
        pass
    os.close(master)
    os.waitpid(pid, 0)
    return wanted in shown


def copy_tree():
    """Unchanged files keep their times, so that a second run builds only what has changed."""
    wanted = {}
    for name in ('CMakeLists.txt', 'dependencies.cmake', 'hardening.cmake', 'dissect', 'include', 'keys',
                 'man', 'packaging', 'src', 'tests'):
        top = source / name
        for file in [top] if top.is_file() else top.rglob('*'):
            if file.is_file():
                wanted[file.relative_to(source)] = file.read_bytes()
    for name, mark, text in ADDED:
        path = pathlib.Path(name)
        if mark is None:
            wanted[path] = wanted.get(path, b'') + text.encode()
            continue
        mark, is_before = mark.removeprefix('<').encode(), mark.startswith('<')
        old = wanted[path]
        at = old.find(mark)
        if at < 0:
            fail(f'{name}: no {mark}')
        at += 0 if is_before else len(mark)
        wanted[path] = old[:at] + text.encode() + old[at:]
    for file in list(tree.rglob('*')) if tree.exists() else []:
        if file.is_file() and file.relative_to(tree) not in wanted:
            file.unlink()
    for path, data in wanted.items():
        file = tree / path
        if not file.exists() or file.read_bytes() != data:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            shutil.copymode(source / path, file) if (source / path).exists() else None


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def make():
    done = run('cmake', '-S', tree, '-B', objects, '-DCMAKE_BUILD_TYPE=Debug', '-DCMAKE_C_FLAGS_DEBUG=-O0',
               '-DDISTSNIFF_TESTS=ON', '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON')
    if done.returncode == 0:
        done = run('cmake', '--build', objects, '--target', 'distsniff', *TOUCHED, '-j', '2')
    if done.returncode != 0:
        fail(f'it is not built:\n{done.stdout[-3000:]}{done.stderr[-3000:]}')
    warnings = [line for line in (done.stdout + done.stderr).splitlines() if 'warning:' in line]
    check(not warnings, f'warnings: {warnings}')


def test():
    for name in TOUCHED:
        done = run(objects / 'tests' / name, cwd=tree / 'tests')
        check(done.returncode == 0, f'{name}: {done.stdout[-2000:]}{done.stderr[-2000:]}')


def atom(text):
    return bytes([119, len(text)]) + text


def pid(node, number):
    return b'X' + atom(node) + struct.pack('>III', number, 0, 7)


def frame(*terms):
    data = b'p' + b''.join(b'\x83' + term for term in terms)
    return struct.pack('>I', len(data)) + data


def make_capture():
    """Two messages between two nodes, in a link type that only the copy knows."""
    from_, to = pid(b'a@host', 1), pid(b'b@host', 2)
    data = frame(b'h\x04a\x63' + from_ + to + atom(b'box'))
    data += frame(b'h\x03a\x16' + from_ + to, b'h\x02' + atom(b'parcel_sent') + b'a\x03')
    packets = b''
    end = 1001 + len(data)
    for sec, (is_back, seq, other, payload) in enumerate([
            (False, 1001, 5001, data), (True, 5001, end, b'\0\0\0\0'), (False, end, 5005, b'\0\0\0\0')]):
        ports, hosts = (40000, 5000), (b'\x0a\0\0\1', b'\x0a\0\0\2')
        if is_back:
            ports, hosts = ports[::-1], hosts[::-1]
        tcp = struct.pack('>HHIIBBHHH', *ports, seq, other, 5 << 4, 16, 8192, 0, 0)
        ip = struct.pack('>BBHHHBBH', 0x45, 0, 40 + len(payload), 0, 0, 64, 6, 0) + hosts[0] + hosts[1]
        packet = b'\0\0\0' + ip + tcp + payload
        packets += struct.pack('<IIII', 1700000000 + sec, 0, len(packet), len(packet)) + packet
    path = build / 'parcels.pcap'
    path.write_bytes(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 148) + packets)
    return path


def look(capture):
    program = objects / 'distsniff'

    def show(*options, status=0):
        done = run(program, '-r', capture, '--dist-port', '5000', *options)
        check(done.returncode == status, f'{options}: {done.returncode}, {done.stderr}')
        return done.stdout

    text = show()
    check(re.search(r'hand_over <a@host\S*> > <b@host\S*> box', text), f'a control message, its role, a link type: {text}')
    check('parcel:sent' in text or 'parcel:sent' in show('-v'), f'a label: {text}')
    records = [json.loads(line) for line in show('-T', 'json').splitlines()]
    ours = [r for r in records if r.get('op') == 'hand_over']
    check(len(ours) == 1 and 'box' in json.dumps(ours[0].get('parcel')), f'a role in JSON: {records}')
    check('parcel => box' in re.sub(r'\s+', ' ', show('-T', 'erl')), 'a role in -T erl')
    check('hand_over' in show('-Y', 'op == "hand_over"') and 'hand_over' not in show('-Y', 'op == "send"'),
          'a control message in -Y')
    check('parcel:sent' in show('--only', 'parcel:sent', '-T', 'json'), 'a label in --only')
    check('DS399' in show('--report', 'doctor'), 'a finding in --report doctor')
    check('Somebody sent a parcel.' in run(program, '--explain', 'DS399').stdout, 'a finding in --explain')
    check(show('--report', 'parcels').endswith('2 parcels\n'), 'a report')
    check('parcels ' in run(program, '--report', 'list').stdout, 'a report in its list')
    check(show('--parcels').endswith('2 parcels\n'), 'an option')
    check('--parcels' in run(program, '--help').stdout, 'an option in --help')
    check('parcel by hand_over\n' in show('-T', 'parcels'), 'an output')
    check('parcels ' in run(program, '-T', 'list').stdout, 'an output in its list')
    check(on_screen(program, b'\x1bOD', b'one link carries parcels', '-r', capture, '--dist-port', '5000'), 'a view')
    database = build / 'parcels.db'
    database.unlink(missing_ok=True)
    done = run(program, '-r', capture, '--dist-port', '5000', '-T', f'sqlite={database}')
    if done.returncode == 0:
        rows = sqlite3.connect(database).execute("SELECT parcel FROM message WHERE op = 'hand_over'").fetchall()
        check(rows == [('box',)], f'a role in -T sqlite: {rows}')


def leave_out():
    """Without a line that a table needs, nothing compiles, and the compiler names it."""
    commands = json.loads((objects / 'compile_commands.json').read_text())
    for name, line, word in [('src/output/text_message.c', '#define SHOWN_PARCEL', 'SHOWN_PARCEL'),
                             ('src/output/sqlite/rows_message.c', '    COLUMN_OF_PARCEL', 'COLUMN_OF_PARCEL')]:
        file = tree / name
        command = next(c for c in commands if c['file'] == str(file))
        text = file.read_text()
        lines = [l for l in text.splitlines(keepends=True) if not l.startswith(line)]
        check(len(lines) + 1 == len(text.splitlines()), name)
        arguments = shlex.split(command['command'])
        arguments.remove(str(file))
        arguments[arguments.index('-o') + 1] = '/dev/null'
        done = run(*arguments, '-fsyntax-only', '-iquote', file.parent, '-xc', '-',
                   cwd=command['directory'], input=''.join(lines))
        check(done.returncode != 0 and word in done.stderr, f'{name} without {line}: {done.stderr}')


build.mkdir(parents=True, exist_ok=True)
copy_tree()
make()
test()
look(make_capture())
leave_out()
print(f'{num} checks')
