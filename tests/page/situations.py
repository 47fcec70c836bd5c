"""situations.py PROGRAM PCAPS: the page of each capture whose faults the MANIFEST lists shows them,
with evidence and advice; and everybody can read and reach all of it: text has contrast by day and
by night, pictures have names, everything that opens can be opened by keys."""
import json
import os
import re
import subprocess
import sys

from browser import chromium, own_folder
from measures import CONTRAST, NAMELESS

program, pcaps = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
failures = 0


def expect(ok, what, *rest):
    global failures
    if not ok:
        failures += 1
        print('FAILED:', what, *[str(r)[:900] for r in rest])


def make(capture, name):
    keys = re.sub(r'\.pcap.*', '.keys', capture)
    done = subprocess.run([program, '-r', capture, *(['--keylog-file', keys] if os.path.exists(keys) else []),
                           '-T', 'html=' + name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(done.returncode == 0 and os.path.exists(name), 'the page of ' + capture, done.stdout)
    return os.path.abspath(name)


def manifest(folder):
    with open(os.path.join(folder, 'MANIFEST'), encoding='utf-8') as f:
        for line in f:
            name, _, rest = line.partition(':')
            if re.fullmatch(r'[^#: ]+\.pcap\S*', name):
                yield os.path.join(folder, name), set(re.findall(r'DS\d+', rest.partition('doctor:')[2]))


FINDINGS = '''[...document.querySelectorAll('.finding')].map(f => ({
  code: f.querySelector('h3 code').textContent, severity: f.querySelector('.sev').textContent,
  sentence: f.querySelector('p').textContent, advice: f.querySelector('.do').textContent,
  links: f.querySelectorAll('a').length, seen: f.getBoundingClientRect().height > 40}))'''


def check_situation(browser, capture, wanted):
    """Its page shows the findings, and each leads to the messages around it."""
    what = os.path.relpath(capture, pcaps)
    browser.open(make(capture, os.path.basename(capture) + '.html'))
    shown = browser.run(FINDINGS)
    bad = {f['code'] for f in shown if f['severity'] in ('error', 'warning')}
    expect(bad == wanted, what + ': its page shows other findings', bad, wanted)
    sentence = browser.run('document.getElementById("sentence").textContent')
    expect(bool(re.search('error|warning', sentence)) == bool(wanted), what + ': the first line', sentence)
    for f in shown:
        expect(f['seen'] and len(f['sentence']) > 10 and f['advice'].startswith('do: ') and len(f['advice']) > 10 and
               f['links'] >= 1, what + ': ' + f['code'] + ' has evidence and advice', f)
    empty = browser.run('[...document.querySelectorAll("section")].filter(s => s.innerText.trim().split("\\n").length < 2)'
                        '.map(s => s.id)')
    expect(not empty, what + ': parts that say nothing', empty)
    if shown:
        browser.run('[...document.querySelectorAll(".finding")][0].querySelectorAll(".more a")'
                    '[document.querySelector(".finding").querySelectorAll(".more a").length - 1].click()')
        expect(browser.run('!document.getElementById("narrowed").hidden'), what + ': a finding leads to its messages')
    expect(not browser.troubles, what + ': troubles', browser.troubles)
    browser.troubles.clear()


MOUSE_ALONE = '''[...document.querySelectorAll('tr.goes')].filter(e => e.tabIndex < 0).length'''


def check_access(browser):
    for scheme in 'light', 'dark':
        browser.ask('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        for capture in 'secrets.pcap.gz', 'otp25.pcap':
            browser.open(make(os.path.join(pcaps, capture), capture + '.html'))
            browser.run('(() => { const row = document.querySelector("#calllist tbody tr"); if (row) row.click(); })()')
            faint = browser.run(CONTRAST)
            expect(not faint, '%s, %s: text that hardly stands out' % (capture, scheme), faint)
    browser.ask('Emulation.setEmulatedMedia', features=[])
    nameless = browser.run(NAMELESS)
    expect(not nameless, 'what has no name for those who do not see it', nameless)
    expect(browser.run('document.documentElement.lang') == 'en', 'the language of the page')
    levels = browser.run('[...document.querySelectorAll("h1, h2, h3, h4")].map(e => Number(e.tagName[1]))')
    expect(levels[0] == 1 and all(b - a <= 1 for a, b in zip(levels, levels[1:])), 'headings by level', levels)
    expect(browser.run(MOUSE_ALONE) == 0, 'what opens by the mouse alone', browser.run(MOUSE_ALONE))
    browser.run('(() => { const call = document.getElementById("call"); while (call.firstChild) call.firstChild.remove(); '
                'document.querySelectorAll("#calllist tbody tr")[1].focus(); })()')
    browser.key('Enter')
    expect('Call #' in browser.run('document.getElementById("call").textContent'), 'enter opens the row that is in focus')


def check_changes(browser):
    """The page of a comparison has a row for each difference of -T json; a page without one has no
    such rows."""
    before, after = (os.path.join(pcaps, 'load-%s.pcap.gz' % which) for which in ('before', 'after'))
    said = subprocess.run([program, '-r', after, '--compare', before, '-T', 'json'], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode()
    wanted = [json.loads(line) for line in said.splitlines()][:-1]
    subprocess.run([program, '-r', after, '--compare', before, '-T', 'html=changes.html'], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    browser.open(os.path.abspath('changes.html'))
    rows = browser.run('[...document.querySelectorAll("#differences tbody tr")].map(tr => '
                       '[...tr.querySelectorAll("td")].map(td => td.textContent))')
    expect([row[0] for row in rows] == [d['change'] + (', worse' if d['worse'] else '') for d in wanted],
           'differences', rows, wanted)
    expect(len(wanted) == 4 and all(d['key'] in row[4] for d, row in zip(wanted, rows)), 'what differs', rows)
    expect(rows[1][2:4] == ['0 %', '%.1f %%' % (100 * wanted[1]['after'])] and 'error 36' in rows[1][4], 'failures', rows[1])
    expect(re.fullmatch(r'\d+ B', rows[3][3]) and rows[3][7].startswith('conn '), 'sizes', rows[3])
    expect('4 differences, 4 of them worse' in browser.run('document.getElementById("compared").textContent'), 'the sum')
    bars = browser.run('[...document.querySelectorAll("#differences .spark")].map(s => s.children.length)')
    expect(len(bars) == 7 and min(bars) > 10, 'bars: none where one capture has nothing', bars)
    expect('load-before' in browser.run('document.querySelector("#changes .lead").textContent'), 'the other file')
    browser.open(make(after, 'alone.html'))
    expect(browser.run('document.getElementById("changes")') is None, 'changes, and nothing was compared')
    expect(not browser.troubles, 'changes: troubles', browser.troubles)


with own_folder(), chromium() as page:
    if page:
        check_access(page)
        check_changes(page)
        done = 0
        for place in pcaps, os.path.join(pcaps, 'situations'):
            for one, codes in manifest(place):
                if codes:
                    check_situation(page, one, codes)
                    done += 1
        expect(done > 20, 'captures with findings', done)
        print(done, 'situations')
sys.exit(1 if failures else 0 if page else 77)
