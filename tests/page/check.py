"""check.py PROGRAM PCAPS LEAKS...: the page of -T html in a browser.

Its figures are those of --report; what peers named cannot become anything but text; --redact hides
in it what it hides elsewhere; it can be used without a mouse; it asks no network, the browser has
nothing to complain of, and it is as small as it is to be. LEAKS is the command that looks for secrets
(tests/erl/leaks.erl), but for the file to look into.

Exit status 77: Chromium is not there, and what needs it was not tested."""
import base64
import gzip
import json
import os
import re
import subprocess
import sys

from browser import chromium, own_folder

program, pcaps, leaks = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2]), sys.argv[3:]
failures = []


def expect(ok, what, *rest):
    if not ok:
        failures.append(what)
        print('FAILED:', what, *[str(r)[:600] for r in rest])


def run(*options):
    done = subprocess.run([program, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def make(capture, *options):
    file = os.path.abspath(os.path.basename(capture) + '-%d.html' % len(os.listdir('.')))
    status, _, error = run('-r', capture if '/' in capture else os.path.join(pcaps, capture), '-T', 'html=' + file,
                           *options)
    expect(status == 0, 'the page of %s %s' % (capture, options), error)
    return file


def data_of(file):
    with open(file, encoding='utf-8') as page:
        packed = re.search(r'id="data">([A-Za-z0-9+/=]*)</script>', page.read()).group(1)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def report(capture, what, *options):
    # Requests are kept longer and say more about their functions if there is another output.
    return run('-r', os.path.join(pcaps, capture), '-T', 'json=/dev/null', '--report', what, *options)[1].splitlines()


def same(shown, told, what):
    """Two tables are equal; otherwise the first two lines that differ are shown."""
    others = [x for x in zip(shown, told) if x[0] != x[1]][:2]
    expect(shown == told and told, what, len(shown), len(told), others, shown[len(told):][:1], told[len(shown):][:1])


# The whole contents of a table, also what it shows on demand; thousands are not separated.
SHOW_ALL = 'document.querySelectorAll(".more-rows button").forEach(b => b.click())'
ROWS = '''[...document.querySelectorAll(%s + " tbody tr")].map(r => [...r.children].map(c => c.innerText
    .replace(/\\u202f/g, "").replace(/\\s+/g, " ").trim()))'''


def rows_of(browser, selector):
    return browser.run(ROWS % json.dumps(selector))


def text_of(browser, selector):
    return browser.run('(document.querySelector(%s) || {innerText: ""}).innerText.replace(/\\u202f/g, "")'
                       % json.dumps(selector))


def check_troubles(browser, what):
    expect(not browser.troubles, what + ': the browser complains', browser.troubles)
    asked = [r for r in browser.requests if r not in browser.opened]
    expect(not asked, what + ': asks for more than the page', asked)
    browser.troubles.clear()
    browser.requests.clear()


def squeeze(text):
    return ' '.join(text.split())


def plain(text):
    return re.sub(r'[;\s]', '', text)


def check_figures(browser, capture):
    file = make(capture)
    browser.open(file)
    browser.run(SHOW_ALL)
    data = data_of(file)

    # bytes, %, count, /s, mean, p99, largest, packet, conn, what; who
    told = []
    for l in report(capture, 'traffic', '--rows', '200'):
        if l.startswith('largest messages'):
            break
        if re.match(r' +\d+[ +] +[\d.]+ +\d+ ', l):
            f = l.split(None, 9)
            told.append([f[1] + ' %', plain(f[9]), f[0], *f[2:8]])
    shown = [[r[0], plain(r[1]), *r[2:]] for r in rows_of(browser, '#shapes')]
    same(shown, told, capture + ': traffic')
    total = re.search(r'(\d+) messages?, (\d+) bytes?', report(capture, 'traffic')[0])
    tiles = text_of(browser, '#tiles')
    expect(total.group(1) in tiles and total.group(2) + ' bytes' in tiles, capture + ': totals', tiles)
    expect(sum(data['times']['messages']) == int(total.group(1)) and
           sum(data['times']['bytes']) == int(total.group(2)), capture + ': the time line holds all')

    # Latencies by label, then by callee and function.
    parts, by = {}, None
    for l in report(capture, 'latency', '--rows', '200'):
        m = re.search(r' conn  by (\w+)$', l)
        by = m.group(1) if m else by
        f = re.match(r' +(\d+)[ +] +(\d+) +(\d+) (.*)\|.*\| +(\d+) +\d+ +\d+  (.*)$', l)
        if f:
            parts.setdefault(by, []).append([squeeze(f.group(6)), f.group(1), f.group(2), f.group(3),
                                             *re.findall(r'[\d.]+ \w+', f.group(4)), '#' + f.group(5)])
    for i, by in enumerate(parts):
        browser.run('document.querySelectorAll("#latency .tools:not(:first-of-type) button")[%d].click()' % i)
        browser.run(SHOW_ALL)
        shown = [r[:9] + r[10:] for r in rows_of(browser, '#latencies')]
        same(shown, parts[by], capture + ': latency by ' + by)
    in_cells = sum(data['times']['heat']['cells'][2::3])
    for by in 'heat_label', 'heat_callee', 'heat_conn':
        if len(data['times'][by]) < 32:
            expect(sum(h['calls'] for h in data['times'][by]) == in_cells, capture + ': ' + by + ' holds all')
    expect(in_cells == data['times']['heat']['calls'] ==
           sum(r['calls'] - r['no_end'] for r in data['latency']['label']), capture + ': the heat map holds all')

    # The first screen has what one looks for first: nodes, failed calls, events, and times.
    first = json.loads(browser.run('''JSON.stringify({text: document.querySelector('#first').innerText,
        bottom: document.querySelector('#first').getBoundingClientRect().bottom + scrollY,
        lead: document.querySelector('#verdict .lead').innerText})'''))
    sides = {s['node'] for r in data['links']['rows'] for s in r['side'] if 'hidden' not in s.get('release', '')}
    expect(any(s in first['text'] for s in sides if '@' in s) or not any('@' in s for s in sides), capture + ': nodes', first)
    expect(first['bottom'] < 800, capture + ': the first screen', first)
    expect(re.search(r'times in UTC', first['lead']), capture + ': the time zone', first)
    why = {c['outcome'].replace('timeout', 'timed out') for c in data['calls']['failed']}
    expect(not why or any(': ' + w in first['text'] for w in why), capture + ': why calls failed', first)
    expect(not data['timeline']['events'] or '%d event' % len(data['timeline']['events']) in first['text'],
           capture + ': the timeline', first)

    # "1346 calls, 1343 ok, 3 error; ..." and the line about trees
    line = text_of(browser, '#outcomes')
    expect(line.split('.')[0] == report(capture, 'calls')[0].split(';')[0], capture + ': calls', line)
    trees = re.match(r'(\d+) calls? with(?:out)? nested calls(?:, (\d+) without)?', report(capture, 'trees')[0]).group(0)
    expect(trees in line, capture + ': trees', line, trees)

    # Links, three lines each.
    told = []
    for l in report(capture, 'links'):
        f = re.match(r'(?:open|closed|reset|down) +(\d+) ', l)
        if f:
            told.append([f.group(1), [], [], []])
        f = re.match(r' +(\d+) +(\d+) +(?:\d+|-) +(\d+) ', l)
        if f:
            for i in range(3):
                told[-1][i + 1].append(f.group(i + 1))
    told = [[r[0]] + [' '.join(x) for x in r[1:]] for r in told]
    shown = [[r[0], r[5], r[6], r[8]] for r in rows_of(browser, '#links')]
    same(shown, told, capture + ': links')

    # Processes: requests made, requests served, failures and name.
    told = []
    for l in report(capture, 'top', '--rows', '200')[2:]:
        f = re.match(r' *\d+ +\d+ +[\d.]+ +[\d.]+ +(\d+) +(\d+) +(\d+)[ +] +\d+ +\d+  (.*)$', l)
        if f:
            told.append([squeeze(f.group(4)), *f.groups()[:3]])
    shown = [[r[0], *r[5:8]] for r in rows_of(browser, '#tops')]
    same(shown, told, capture + ': processes')

    # Each line of the doctor about this capture.
    verdict = text_of(browser, '#verdict')
    for l in report(capture, 'doctor'):
        f = re.match(r'(error|warning|note) (DS\d+) ([^:]*): (.*) \(.*\)$', l)
        words = [f.group(2), f.group(3), f.group(4)] if f else [l[2:]] if re.match(r'  \S', l) and not \
            re.match(r'  (evidence|do|certainty|in full):|.*:$', l) else [] # a command follows
        for w in words:
            expect(squeeze(w) in squeeze(verdict), capture + ': doctor says ' + w)
    check_troubles(browser, capture)


def check_hostile(browser):
    """Names that a page might interpret replace others of the same length."""
    with open(os.path.join(pcaps, 'otp25.pcap'), 'rb') as f:
        capture = f.read()
    names = {b'no_longer_a_pid': b'</script><b x=1', b'through_alias': b'"><i id=evil>a',
             b'global_name_server': '\u2028\u202e--><i a>\u00a0%;&'.encode(), b'whereis_name': b"';alert(1)//'",
             b'alice@127.0.0.1': b'<u>&a@127.0.0.1', b'get_members': b'<svg/onload'}
    for name, other in names.items():
        other = (other + b'_' * len(name))[:len(name)]
        expect(name in capture, 'the capture has ' + name.decode())
        capture = capture.replace(name, other)
    with open('hostile.pcap', 'wb') as f:
        f.write(capture)
    file = make('./hostile.pcap')
    with open(file, encoding='utf-8') as f:
        text = f.read()
    expect(text.count('</script>') == 2 and 'evil' not in text, 'no name stands in the file as it is')
    browser.open(file)
    browser.run(SHOW_ALL)
    for i in range(3):
        browser.run('(document.querySelectorAll("#latency .tools:not(:first-of-type) button")[%d] || {click() {}}).click()' % i)
    for words in 'script', 'evil', 'alert', 'svg':
        browser.run('(() => { const f = document.getElementById("filter"); f.value = %s; '
                    'f.dispatchEvent(new Event("input")); return new Promise(r => setTimeout(r, 300)); })()'
                    % json.dumps(words))
        browser.run('document.querySelectorAll("#messagelist .line").forEach(l => l.click())')
        browser.run('document.querySelectorAll("#calllist tbody tr").forEach(l => l.click())')
        expect(browser.run('document.querySelectorAll("i[id], i[a], b[x], u, img, svg[onload], #page script").length') == 0,
               'a name became an element: ' + words)
    everything = browser.run('document.documentElement.innerText')
    expect('</script><b' in text_of(browser, '#page') or '</script><b' in json.dumps(data_of(file)), 'it is there as text')
    expect('<u>&a@127.0.0.1' in everything, 'the name of the node is shown as it is')
    expect('\u202e' not in everything and '\u2028' not in everything, 'nothing turns the writing round')
    check_troubles(browser, 'hostile names')


def check_redacted(browser):
    options = ['--cookie-file', 'cookie']
    with open('cookie', 'w') as f:
        f.write('cookie_of_the_vault\n')
    for mode, more in ('all', []), ('none', ['--redact', 'all']):
        browser.open(make('secrets.pcap.gz', *options, *more))
        browser.run(SHOW_ALL)
        texts = [browser.run('document.documentElement.outerHTML')]
        # All messages, by scrolling, and each of them opened.
        height = browser.run('document.querySelector("#messagelist").scrollHeight')
        for top in range(0, height, 400):
            browser.run('(async () => { const l = document.querySelector("#messagelist"); l.scrollTop = %d; '
                        'await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame); })()' % top)
            texts.append(browser.run('document.querySelector("#messagelist").innerText'))
        with open('shown-' + mode, 'w', encoding='utf-8') as f:
            f.write('\n'.join(texts).replace('_::bitstring', ''))  # a type's name, which begins a secret's
        # A page contains only the beginning of long texts, so not every secret is in a page without
        # --redact.
        if mode == 'none':
            done = subprocess.run([*leaks, 'shown-none'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            expect(done.returncode == 0, 'no secret is shown with --redact', done.stdout.decode())
    with open('shown-all', encoding='utf-8') as f:
        expect('Abendstern' in f.read(), 'without --redact they are shown')
    expect('Names and contents were replaced' in text_of(browser, '#verdict'), 'it is said that it is redacted')
    check_troubles(browser, 'redacted')


def check_keys(browser):
    browser.open(make('otp25.pcap'))
    said = lambda: text_of(browser, '#kept')
    whole = said()
    browser.key('/')
    expect(browser.run('document.activeElement.id') == 'filter', '/ goes to the filter')
    for c in 'label:erpc':
        browser.key(c)
    browser.run('new Promise(r => setTimeout(r, 400))')
    expect(re.match(r'\d+ of \d+ lines', said()), 'typing narrows the messages', said())
    expect(all('erpc' in r[4] for r in rows_of(browser, '#calllist')), 'and the calls')
    browser.key('Enter')
    browser.key('j')
    browser.key('j')
    browser.key('k')
    browser.key('Enter')
    browser.run('new Promise(r => setTimeout(r, 300))')
    opened = text_of(browser, '#message') + text_of(browser, '#call')
    expect('connection' in opened, 'j, k and enter open one', opened)
    browser.key('Escape')
    expect(text_of(browser, '#message') + text_of(browser, '#call') == '', 'esc closes it')
    browser.key('Escape')
    expect(said() == whole, 'esc ends the filter', said())
    browser.key('?')
    expect(browser.run('document.getElementById("help").open'), '? says what the keys are')
    browser.key('Escape')
    expect(not browser.run('document.getElementById("help").open'), 'esc closes that')
    # A time span, drawn with the mouse.
    browser.run('document.documentElement.style.scrollBehavior = "auto"')
    browser.run('document.getElementById("time").scrollIntoView()')
    x, y, w = browser.run('(() => { const r = document.querySelector("#time svg .overlay").getBoundingClientRect(); '
                          'return [r.x, r.y + 60, r.width]; })()')
    for kind, at in ('Pressed', 0.1), ('Moved', 0.2), ('Moved', 0.5), ('Released', 0.5):
        browser.ask('Input.dispatchMouseEvent', type='mouse' + kind, x=x + w * at, y=y, button='left', buttons=1,
                    clickCount=1)
    browser.run('new Promise(r => setTimeout(r, 300))')
    expect(re.match(r'\d+ of \d+ lines', said()), 'a stretch of time narrows the messages', said())
    expect(browser.run('document.querySelector("#time svg .selection").getBoundingClientRect().width') > w * 0.3,
           'and stays drawn')
    browser.run('document.querySelector("#narrowed button").click()')
    expect(said() == whole, 'and is ended', said())
    # A number links to what it counts.
    browser.run('document.querySelector("#latencies tbody tr a:last-child") && '
                '[...document.querySelectorAll("#latencies tbody tr:first-child a")].pop().click()')
    number = re.search(r'Call #(\d+)', text_of(browser, '#call'))
    expect(number, 'the slowest call opens', text_of(browser, '#call')[:200])
    expect(browser.run('document.querySelectorAll("#call svg .arrow").length') >= 2, 'with its ladder')
    check_troubles(browser, 'keys')


def check_shapes(browser):
    """On a phone nothing is wider than the screen; an empty part shows why it is empty."""
    file = make('rabbit-3.10.pcap.gz')
    browser.size(390, 844, 2, True)
    browser.open(file)
    expect(browser.run('document.documentElement.scrollWidth') <= 390, 'it fits a phone')
    browser.size(1280, 800)
    with open(os.path.join(pcaps, 'otp25.pcap'), 'rb') as f:
        head = f.read(24)
    with open('empty.pcap', 'wb') as f:
        f.write(head)
    browser.open(make('./empty.pcap'))
    expect(text_of(browser, '#sentence') == 'Nothing was captured.', 'an empty capture says so')
    parts = browser.run('[...document.querySelectorAll("section")].map(s => s.innerText.split("\\n").length)')
    expect(len(parts) == 8 and min(parts) >= 2, 'each part says why it is empty', parts)
    browser.open(make('tls-29.pcap'))
    check_troubles(browser, 'shapes')


def check_sizes():
    small = make('rabbit-3.10.pcap.gz', '--max-page-bytes', '600000')
    rows = data_of(small)['rows']
    expect(os.path.getsize(small) <= 600000, 'a page is no larger than it may be', os.path.getsize(small))
    whole = data_of(make('rabbit-3.10.pcap.gz'))
    expect(rows['kept'] < rows['seen'] == whole['rows']['kept'] == len(whole['messages']), 'what is left out is counted', rows)
    few = data_of(make('rabbit-3.10.pcap.gz', '--max-page-messages', '100', '--max-page-calls', '40'))
    expect(few['rows'] == {'seen': whole['rows']['seen'], 'kept': 100, 'first': 25, 'passed': 0}, 'so many messages', few['rows'])
    expect(few['messages'][:25] == whole['messages'][:25] and
           few['messages'][25:] == whole['messages'][:-76:-1], 'the first ones, and the latest')
    expect(len(few['calls']['slowest']) == 30 and
           few['calls']['slowest'] == whole['calls']['slowest'][:30], 'the slowest calls')
    for books in 'traffic', 'latency', 'links', 'processes', 'outcomes', 'trees', 'doctor':
        expect(few[books] == whole[books], books + ' is of the whole capture')
    for source in os.listdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../src/ui/page/parts')):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../src/ui/page/parts', source)) as f:
            expect(not re.search(r'innerHTML|outerHTML|insertAdjacent|document\.write|\.html\(|eval\(|new Function', f.read()),
                   source + ' reads no markup')


with own_folder():
    check_sizes()
    with chromium() as browser:
        if browser:
            for capture in 'rabbit-3.10.pcap.gz', 'otp25.pcap', 'tools-25.pcap.gz':
                check_figures(browser, capture)
            check_hostile(browser)
            check_redacted(browser)
            check_keys(browser)
            check_shapes(browser)
sys.exit(1 if failures else 0 if browser else 77)
