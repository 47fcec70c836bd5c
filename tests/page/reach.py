"""reach.py PROGRAM PCAPS: the page by keys alone, on a phone and on paper, and what it costs to scroll.

What is measured is in measures.py. Pages of clusters that no capture is of - a hundred nodes, names as
long as they may be, one message - are a page whose data is changed before the browser reads it.

Exit status 77: Chromium is not there."""
import base64
import gzip
import json
import os
import re
import subprocess
import sys

from browser import chromium, own_folder
from measures import BY_MOUSE_ALONE, CONTRAST, CUT, NAMELESS, OUTSIDE, OUTSIDE_PICTURES, SMALL, TARGETS

program, pcaps = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
failures = 0


def expect(ok, what, *rest):
    global failures
    if not ok:
        failures += 1
        print('FAILED:', what, *[str(r)[:900] for r in rest])


def make(capture):
    file = os.path.abspath(capture.replace('/', '-') + '.html')
    if not os.path.exists(file):
        done = subprocess.run([program, '-r', os.path.join(pcaps, capture), '-T', 'html=' + file],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        expect(done.returncode == 0, 'the page of ' + capture, done.stdout)
    return file


DATA = re.compile(r'(id="data">)([A-Za-z0-9+/=]*)(</script>)')


def data_of(file):
    with open(file, encoding='utf-8') as f:
        return json.loads(gzip.decompress(base64.b64decode(DATA.search(f.read()).group(2))))


def with_data(file, name, change):
    """The same page after change has changed its data."""
    data = data_of(file)
    change(data)
    packed = base64.b64encode(gzip.compress(json.dumps(data).encode())).decode()
    with open(file, encoding='utf-8') as f:
        text = f.read()
    with open(name, 'w', encoding='utf-8') as f:
        f.write(DATA.sub(lambda m: m.group(1) + packed + m.group(3), text))
    return os.path.abspath(name)


def many_nodes(data):
    names = ['rabbit-%02d@rack-%d.example.internal' % (i, i % 7) for i in range(100)]
    data['nodes']['rows'] = [{**data['nodes']['rows'][0], 'from': a, 'to': b, 'bytes': 7 * i * (j + 1), 'count': i + j}
                             for i, a in enumerate(names) for j, b in enumerate(names) if a != b and (i * j) % 11 == 1]


def long_names(data):
    node = 'n' * 120 + '@' + 'very-long-host-name.' * 6 + 'example'
    text = json.dumps(data).replace('alice@127.0.0.1', node)
    data.clear()
    data.update(json.loads(text))


def one_message(data):
    data['messages'] = data['messages'][1:2]
    data['rows'] = {'seen': 1, 'kept': 1, 'first': 1, 'passed': 0}
    data['nodes']['rows'] = [{**data['nodes']['rows'][0], 'bytes': 1, 'count': 1}]
    data['traffic']['rows'] = data['traffic']['rows'][:1]
    data['links']['rows'] = data['links']['rows'][:1]
    data['calls'] = {'slowest': [], 'failed': []}
    data['outcomes']['calls'] = data['latency']['calls'] = 0


def pages():
    """The pages that are tested in all sizes, with their names."""
    otp = make('otp25.pcap')
    yield 'otp25', otp
    yield 'rabbit', make('rabbit-3.10.pcap.gz')
    yield 'partition', make('situations/partition.pcap.gz')
    yield 'TLS without keys', make('tls-29.pcap')
    yield 'a hundred nodes', with_data(otp, 'many.html', many_nodes)
    yield 'long names', with_data(otp, 'long.html', long_names)
    yield 'one message', with_data(otp, 'one.html', one_message)


FOCUS = '''(() => { const e = document.activeElement, css = getComputedStyle(e); return {
  tag: e.tagName, role: e.getAttribute('role'), stop: e.dataset.stop, part: (e.closest('section') || {}).id,
  label: e.getAttribute('aria-label') || e.innerText || e.title || (e.labels && e.labels[0] ? e.labels[0].innerText : ''),
  seen: css.outlineStyle !== 'none' && parseFloat(css.outlineWidth) >= 2 }; })()'''
OPEN_ALL = 'document.querySelectorAll(".more-rows button").forEach(b => b.click())'


def text(browser, selector):
    return browser.run('(document.querySelector(%s) || {innerText: ""}).innerText.replace(/\\u202f/g, "")' % json.dumps(selector))


def focus(browser, selector):
    browser.run('document.documentElement.style.scrollBehavior = "auto"')
    browser.run('document.querySelector(%s).focus()' % json.dumps(selector))


def check_matrix(browser):
    file = make('secrets.pcap.gz')
    browser.open(file)
    rows = {(r['from'], r['to']): r for r in data_of(file)['nodes']['rows']}
    stops = '#nodes [role="grid"] [data-stop]'
    expect(browser.run('document.querySelectorAll(%s).length' % json.dumps(stops + '[tabindex="0"]')) == 1, 'the matrix is one stop of tab')
    focus(browser, stops + '[tabindex="0"]')
    browser.key('Home', 2)
    width = int(browser.run('Math.sqrt(document.querySelectorAll(%s).length)' % json.dumps(stops)))
    found, labels = set(), {}
    for line in range(width):
        for column in range(width):
            at = browser.run(FOCUS)
            pair = tuple(at['stop'].split('\n'))
            found.add(pair)
            labels[pair] = at['label'].replace('\u202f', '')
            expect(at['seen'] and at['role'] == 'gridcell', 'a cell in focus is seen', at)
            if column < width - 1:
                browser.key('ArrowRight')
        browser.key('Home')
        browser.key('ArrowDown')
    expect(len(found) == width * width and set(rows) <= found, 'arrows come to each cell of the matrix', width, len(found))
    for pair, row in rows.items():
        expect('%s > %s: %d bytes, %d message' % (*pair, row['bytes'], row['count']) in labels[pair], 'a cell says what it is', labels[pair])
    browser.key('End', 2)
    expect(browser.run(FOCUS)['stop'] == '\n'.join([browser.run(FOCUS)['stop'].split('\n')[0]] * 2), 'control and end lead to the last')
    pair = max(rows, key=lambda p: rows[p]['bytes'])
    browser.run('[...document.querySelectorAll(%s)].find(e => e.dataset.stop === %s).focus()' % (json.dumps(stops), json.dumps('\n'.join(pair))))
    browser.key('Enter')
    expect('from:%s to:%s' % pair in text(browser, '#narrowed'), 'enter opens a cell of the matrix', text(browser, '#narrowed'))
    expect(rows[pair]['count'] <= int(re.match(r'\d+', text(browser, '#kept')).group(0)) <= rows[pair]['count'] + 4, 'and shows its messages',
           text(browser, '#kept'), rows[pair])


def check_heat(browser):
    file = make('otp25.pcap')
    browser.open(file)
    cells = data_of(file)['times']['heat']['cells']
    wanted = {'%d %d' % (cells[i], cells[i + 1]): cells[i + 2] for i in range(0, len(cells), 3)}
    focus(browser, '.heatcell')
    found = {}

    def here():
        at = browser.run(FOCUS)
        expect(at['seen'] and at['role'] == 'gridcell', 'a cell of the heat map in focus is seen', at)
        found[at['stop']] = at['label']
        return at['stop']

    browser.key('Home')
    now, before = here(), None
    while now != before:
        for key in 'ArrowUp', 'ArrowDown':
            last = None
            while here() != last:
                last = here()
                browser.key(key)
        before = now
        browser.key('ArrowRight')
        now = here()
        if now.split()[0] == before.split()[0]:
            break
    expect(set(found) == set(wanted), 'arrows come to each cell of the heat map', set(wanted) - set(found))
    for cell, label in found.items():
        expect(re.match(r'%d calls?, .* begun \d\d:' % wanted[cell], label.replace('\u202f', '')), 'a cell says what it is', label)
    expect(browser.run('document.querySelectorAll("#heat [tabindex]").length') == 1, 'the heat map is one stop of tab')
    browser.key('Home')
    cell = here()
    browser.key('Enter')
    browser.run(OPEN_ALL)
    listed = browser.run('document.querySelectorAll("#calllist tbody tr").length')
    expect(listed == wanted[cell], 'enter lists the calls of a cell', listed, wanted[cell])


def check_pictures(browser):
    browser.open(make('rabbit-3.10.pcap.gz'))
    whole = text(browser, '#kept')
    # A time span.
    focus(browser, '#time .brush')
    expect(browser.run(FOCUS)['seen'], 'the time line in focus is seen')
    wide = lambda: browser.run('document.querySelector("#time .selection").getBoundingClientRect().width')
    browser.key('ArrowRight')
    first = wide()
    expect(first > 10 and text(browser, '#kept') != whole, 'arrows draw a stretch of time', first)
    for _ in range(3):
        browser.key('ArrowRight', 8)
    expect(abs(wide() - 4 * first) < 2, 'with shift a longer one', first, wide())
    x = browser.run('document.querySelector("#time .selection").getBoundingClientRect().x')
    browser.key('ArrowRight')
    expect(abs(wide() - 4 * first) < 2 and browser.run('document.querySelector("#time .selection").getBoundingClientRect().x') > x + 5,
           'and move it')
    expect(' to ' in browser.run('document.querySelector("#time .brush").getAttribute("aria-valuetext")'), 'and say which')
    browser.key('Escape')
    expect(text(browser, '#kept') == whole and wide() == 0, 'esc ends it', text(browser, '#kept'))
    # Marks and links.
    focus(browser, '#time [data-stop][tabindex="0"]')
    one = browser.run(FOCUS)
    browser.key('ArrowRight')
    two = browser.run(FOCUS)
    expect(one['stop'] != two['stop'] and two['seen'] and re.match(r'\d\d:\d\d', two['label']), 'marks by arrows', one, two)
    browser.key('Enter')
    expect('packet:' in text(browser, '#narrowed'), 'enter opens a mark', text(browser, '#narrowed'))
    browser.key('Escape')
    focus(browser, '#time [data-stop][tabindex="0"]')
    browser.key('End')
    browser.key('Enter')
    expect('conn:' in text(browser, '#narrowed'), 'and a link', text(browser, '#narrowed'))
    for _ in range(3):
        browser.key('Escape')
    # A tree and its ladder.
    browser.run(OPEN_ALL)
    browser.run('[...document.querySelectorAll("#calllist tbody tr")].find(r => r.innerText.startsWith("#260")).focus()')
    browser.key('Enter')
    expect('Tree of 11 calls' in text(browser, '#call'), 'a call opens', text(browser, '#call')[:100])
    for picture in '.tree', '.ladder':
        focus(browser, '#call %s [data-stop][tabindex="0"]' % picture)
        browser.key('ArrowRight')
        browser.key('ArrowDown')
        at = browser.run(FOCUS)
        number = re.search(r'#(\d+)', at['label']).group(1)
        expect(at['seen'] and number != '260', picture + ' by arrows', at)
        browser.key('Enter')
        expect('Call #' + number in text(browser, '#call'), 'enter opens another call of ' + picture, number, text(browser, '#call')[:60])
        browser.run('[...document.querySelectorAll("#calllist tbody tr")].find(r => r.innerText.startsWith("#260")).click()')
    # The list of messages.
    focus(browser, '#messagelist')
    browser.key('ArrowDown')
    browser.key('ArrowDown')
    chosen = browser.run('(document.getElementById(document.getElementById("messagelist").getAttribute("aria-activedescendant")) || {innerText: ""}).innerText')
    browser.key('Enter')
    expect(chosen and chosen.split('\n')[0] in text(browser, '#message'), 'messages by arrows', chosen, text(browser, '#message')[:80])


def check_tab(browser):
    """From the top to the end by tab: each stop has a name, and its focus is visible."""
    browser.open(make('otp25.pcap'))
    browser.run('document.querySelector("#calllist tbody tr").click(); scrollTo(0, 0); document.activeElement.blur()')
    parts, steps = set(), 0
    while steps < 300:
        browser.key('Tab')
        steps += 1
        at = browser.run(FOCUS)
        if at['tag'] == 'BODY':
            break
        parts.add(at.get('part'))
        expect(at['seen'], 'what is in focus is seen', at)
        expect(at['label'].strip(), 'what is in focus says what it is', at)
    expect({'verdict', 'nodes', 'time', 'latency', 'traffic', 'calls', 'processes', 'messages'} <= parts, 'tab comes to all parts', parts)
    expect(steps < 200, 'and to the end of the page', steps)


def check_shapes(browser):
    for what, file in pages():
        browser.size(1280, 800)
        browser.open(file)
        alone = browser.run(BY_MOUSE_ALONE)
        expect(not alone, what + ': what opens by the mouse alone', alone)
        hashes = browser.run('[...document.querySelectorAll("main a")].filter(a => !a.hash || !document.getElementById(a.hash.slice(1))).length')
        expect(hashes == 0, what + ': links that lead nowhere on paper', hashes)
        for measure in OUTSIDE, OUTSIDE_PICTURES:
            outside = browser.run(measure)
            expect(not outside, what + ': outside of the page', outside)
        for scheme in 'light', 'dark':
            browser.size(360, 740, 2, True)
            browser.ask('Emulation.setTouchEmulationEnabled', enabled=True)
            browser.ask('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
            browser.open(file)
            browser.run('(() => { for (const id of ["#calllist tbody tr", "#shapes tbody tr", "#messagelist .line"]) { const e = document.querySelector(id); if (e) e.click(); } })()')
            name = '%s, a phone, %s' % (what, scheme)
            for measure, says in (OUTSIDE, 'outside of the screen'), (OUTSIDE_PICTURES, 'outside of its picture'), (SMALL + '(11)', 'smaller than 11 pixels'), \
                    (TARGETS + '(40)', 'too small for a finger'), (CONTRAST, 'hardly stands out'), (NAMELESS, 'has no name'):
                bad = browser.run(measure)
                expect(not bad, '%s: %s' % (name, says), bad)
        browser.ask('Emulation.setTouchEmulationEnabled', enabled=False)
        # A4 with margins, from a browser in dark mode.
        browser.size(1280, 800)
        browser.ask('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'dark'}])
        browser.open(file)
        browser.run('(() => { for (const id of ["#calllist tbody tr", "#shapes tbody tr", "#messagelist .line"]) { const e = document.querySelector(id); if (e) e.click(); } })()')
        before = browser.run('document.querySelectorAll("main svg").length')
        browser.run('dispatchEvent(new Event("beforeprint"))')
        browser.ask('Emulation.setEmulatedMedia', media='print', features=[{'name': 'prefers-color-scheme', 'value': 'dark'}])
        browser.size(703, 1000)
        for measure, says in (OUTSIDE, 'outside of the paper'), (OUTSIDE_PICTURES, 'outside of its picture'), (CUT, 'cut'), (SMALL + '(8)', 'smaller than 6 points'), (CONTRAST, 'hardly stands out'):
            bad = browser.run(measure)
            expect(not bad, '%s, on paper: %s' % (what, says), bad)
        controls = browser.run('[...document.querySelectorAll("nav, button, select, input, summary")].filter(e => e.getClientRects().length).map(e => e.tagName + " " + e.innerText)')
        expect(not controls, what + ', on paper: controls', controls)
        folded = browser.run('document.querySelectorAll(".term details:not([open])").length')
        expect(folded == 0, what + ', on paper: terms that are folded', folded)
        ground = browser.run('getComputedStyle(document.body).backgroundColor')
        expect(ground == 'rgb(255, 255, 255)', what + ', on paper: the ground is white', ground)
        browser.ask('Emulation.setEmulatedMedia', media='', features=[])
        browser.size(1280, 800)
        browser.run('dispatchEvent(new Event("afterprint"))')
        expect(browser.run('!document.documentElement.dataset.paper && document.querySelectorAll("main svg").length') == before, what + ': after printing it is as it was')
        expect(not browser.troubles, what + ': troubles', browser.troubles)
        browser.troubles.clear()


SCROLL = '''(async (id, step, steps) => {
  const e = id ? document.getElementById(id) : document.scrollingElement;
  for (let i = 0; i < steps; i++) { e.scrollTop += step; await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame); }
})(%s)'''


def check_costs(browser):
    """A measure that does not depend on the load of the machine: how often a scroll step lays out the
    page."""
    browser.open(make('rabbit-3.10.pcap.gz'))
    browser.run('document.documentElement.style.scrollBehavior = "auto"')
    browser.run('new Promise(r => setTimeout(r, 300))')
    for what, script, steps, layouts, styles, nodes in (
            ('the page', 'null, 120, 60', 60, 0.1, 1.2, 10), ('messages by lines', '"messagelist", 130, 60', 60, 1.2, 2.2, 50),
            ('messages by pages', '"messagelist", 4000, 50', 50, 1.2, 2.2, 50)):
        if 'messagelist' in script:
            browser.run('document.getElementById("messagelist").scrollIntoView({block: "center"})')
            browser.run('new Promise(r => setTimeout(r, 200))')
        browser.ask('HeapProfiler.collectGarbage')
        a = browser.count()
        browser.run(SCROLL % script)
        browser.ask('HeapProfiler.collectGarbage')
        b = browser.count()
        per = {k: (b[k] - a[k]) / steps for k in ('LayoutCount', 'RecalcStyleCount')}
        print('%s: a step of scrolling takes %.2f layouts and %.2f recalculations of style; %+d elements' %
              (what, per['LayoutCount'], per['RecalcStyleCount'], b['Nodes'] - a['Nodes']))
        expect(per['LayoutCount'] <= layouts and per['RecalcStyleCount'] <= styles and b['Nodes'] - a['Nodes'] <= nodes, what + ': scrolling costs more', per)


with own_folder(), chromium() as page:
    if page:
        for check in check_costs, check_matrix, check_heat, check_pictures, check_tab, check_shapes:
            check(page)
            page.size(1280, 800)
            page.ask('Emulation.setEmulatedMedia', media='', features=[])
            expect(not page.troubles, check.__name__ + ': troubles', page.troubles)
            page.troubles.clear()
sys.exit(1 if failures else 0 if page else 77)
