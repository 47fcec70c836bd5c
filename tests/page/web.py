"""web.py PROGRAM PCAPS: --web, asked by curl and shown by a browser.

Who has the address is served, nobody else, under no other name and in no other page; what is shown is
what -T html writes, and goes on while packets come; a browser that does not read is dropped and told;
a signal ends it all, whoever looks on (where nobody was waited for it takes less than five seconds on any machine).

Exit status 77: curl or Chromium is not there, and what needs it was not tested."""
import base64
import gzip
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from browser import chromium, own_folder

program, pcaps = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
os.environ['no_proxy'] = '*'  # requests stay on this machine
failures = []
skipped = False


def expect(ok, what, *rest):
    if not ok:
        failures.append(what)
        print('FAILED:', what, *[str(r)[:600] for r in rest])


def wait_for(what):
    """The first true value of what(), or None after two minutes; the time does not matter here."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        value = what()
        if value:
            return value
        time.sleep(0.05)


class Served:
    """A run of the program with --web: its address and its output."""
    def __init__(self, *options, stdin=subprocess.DEVNULL, first=None, sandbox=False):
        env = dict(os.environ, ASAN_OPTIONS='detect_leaks=0') if sandbox else None  # it does not work in the sandbox
        self.process = subprocess.Popen([program, *options], stdin=stdin, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=env)
        if first:
            feed(self.process, [first])
        self.said = ''
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        at = wait_for(lambda: re.search(r'Open (http://([^/]+)/([0-9a-f]{32})/) ', self.said))
        if not at:
            raise RuntimeError('%s: no address: %s' % (options, self.said))
        self.url, self.host, self.token = at.groups()

    def listen(self):
        for line in self.process.stderr:
            self.said += line.decode()

    def end(self, number=signal.SIGTERM):
        """Ends it, and returns its status and after how many seconds it ended. Its output is complete
        then."""
        begin = time.monotonic()
        self.process.send_signal(number)
        status = self.process.wait(30)
        seconds = time.monotonic() - begin
        self.listener.join()
        return status, seconds


def curl(*options):
    """Status, headers and body."""
    done = subprocess.run(['curl', '-s', '-i', '--max-time', '20', *options], stdout=subprocess.PIPE)
    head, _, body = done.stdout.partition(b'\r\n\r\n')
    lines = head.decode().split('\r\n')
    return int(lines[0].split()[1]) if lines[0] else 0, \
        dict((name.lower(), value) for name, _, value in (l.partition(': ') for l in lines[1:])), body


def unpack(text):
    return json.loads(gzip.decompress(base64.b64decode(text)))


def data_of(page):
    return unpack(re.search(r'id="data">([A-Za-z0-9+/=]*)</script>', page).group(1))


def events(url, num, *options):
    """(name, data) of the first num events, and of those that follow within a second."""
    process = subprocess.Popen(['curl', '-sN', '--max-time', '60', *options, url + 'events'], stdout=subprocess.PIPE)
    come = []
    reader = threading.Thread(target=lambda: come.extend(iter(lambda: process.stdout.read1(65536), b'')))
    reader.start()

    def whole():
        return [e for e in b''.join(come).decode().split('\n\n')[:-1] if 'event: ' in e]
    wait_for(lambda: len(whole()) >= num)
    time.sleep(1)
    process.kill()
    process.wait()
    reader.join()
    parts = [dict(l.partition(': ')[::2] for l in e.split('\n')) for e in whole()]
    return [(p['event'], p.get('data', ''), p.get('id')) for p in parts]


def capture(name):
    return os.path.join(pcaps, name)


def check_words():
    """Mistakes are reported in one line, with what would be right."""
    def said(*options):
        done = subprocess.run([program, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, done.stderr.decode().strip().split('\n')
    for wrong in '', '80800', 'x', 'host:80', '1.2.3.4:', ':80', '::1:80', '[1.2.3.4]:80', '8080x', '-1', '[::1:80':
        status, lines = said('--web', wrong, '-r', capture('otp25.pcap'))
        expect(status == 2 and len(lines) == 1 and '--web takes [ADDR:]PORT' in lines[0] and "'%s'" % wrong in lines[0],
               'a wrong address is told: ' + wrong, status, lines)
    with socket.socket() as other:
        other.bind(('127.0.0.1', 0))
        other.listen()
        port = other.getsockname()[1]
        status, lines = said('--web', str(port), '-r', capture('otp25.pcap'))
        expect(status == 1 and lines == ['distsniff: --web: cannot listen on 127.0.0.1:%d: Address already in use: '
                                         'choose another port, or 0 for a free one' % port], 'a port in use is told', lines)
    status, lines = said('--web', '198.51.100.7:0', '-r', capture('otp25.pcap'))
    expect(status == 1 and 'no interface of this machine has that address' in lines[0], 'an address of others', lines)
    status, lines = said('--web', '0', '--no-calls', '-r', capture('otp25.pcap'))
    expect(status == 2 and '--no-calls and --web 0 do not go together' in lines[0], '--no-calls', lines)


def check_requests():
    page = os.path.abspath('page.html')
    subprocess.run([program, '-r', capture('rabbit-3.10.pcap.gz'), '-T', 'html=' + page], check=True, stderr=subprocess.DEVNULL)
    with open(page, encoding='utf-8') as f:
        written = data_of(f.read())
    served = Served('-r', capture('rabbit-3.10.pcap.gz'), '--web', '0', '-v', sandbox=True)
    expect(served.host.startswith('127.0.0.1:'), 'this machine alone, unless told otherwise', served.host)
    expect(wait_for(lambda: 'until Ctrl-C' in served.said), 'it stays when all has been read', served.said)
    expect('packets' in served.said, 'and says first what there was', served.said)
    status, head, body = curl(served.url)
    expect(status == 200 and b'id="data"></script>' in body, 'the page', status, head)
    expect('access-control-allow-origin' not in head and head.get('x-frame-options') == 'DENY' and
           head.get('cache-control') == 'no-store' and head.get('referrer-policy') == 'no-referrer' and
           head.get('x-content-type-options') == 'nosniff' and
           head.get('cross-origin-resource-policy') == 'same-origin', 'its headers', head)
    policy = re.search(rb'Content-Security-Policy" content="([^"]*)"', body).group(1).decode()
    expect("default-src 'none'" in policy and "connect-src 'self'" in policy and 'unsafe' not in policy, 'its policy', policy)
    base = 'http://' + served.host
    for url, wanted in ((base + '/', 404), (base + '/' + '0' * 32 + '/', 404), (base + '/' + served.token, 404),
                        (served.url + 'x', 404), (served.url + '../', 404), (base + '//' + served.token + '/', 404),
                        (base + '/' + served.token[:31] + '/', 404), (served.url[:-2] + 'g/', 404)):
        status, head, body = curl('--path-as-is', url)
        expect(status == wanted and served.token.encode() not in body, 'nothing is at ' + url, status, body)
    for name in 'evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example', '', '[::1', '[evil]', \
            '2130706433', '0x7f.1', 'LOCALHOSTx':
        status, head, body = curl('-H', 'Host: ' + name if name else 'Host;', served.url)
        expect(status in (400, 403) and b'<html' not in body, 'not under the name of ' + name, status)
    for name in 'localhost:9', '127.0.0.1', '[::1]:9000', '10.1.2.3:1':
        expect(curl('-H', 'Host: ' + name, served.url)[0] == 200, 'where it was led by an address: ' + name)
    for method in 'POST', 'PUT', 'DELETE', 'OPTIONS':
        status, head, _ = curl('-X', method, '-d', 'x' * 100, served.url)
        expect(status == 405 and head.get('allow') == 'GET, HEAD', method + ' is refused', status, head)
    expect(curl('-I', served.url)[0] == 200, 'HEAD')
    status, head, body = curl(served.url + 'page.html')
    saved = data_of(body.decode())
    expect(status == 200 and 'attachment' in head.get('content-disposition', ''), 'the page as a file', head)
    expect(saved == written, 'is what -T html writes')
    got = events(served.url, 2)
    expect([e[0] for e in got] == ['hello', 'state'] and got[0][1] == 'welcome', 'one who looks on is welcomed, and told', [e[0] for e in got])
    expect(unpack(got[1][1]) == written, 'what -T html writes')
    status, seconds = served.end()
    expect(status == 0 and seconds < 5, 'SIGTERM ends it', status, seconds)
    expect('sandbox: ' in served.said and 'refused' not in served.said, 'in the sandbox nothing is refused', served.said)


def check_crowd():
    """At most two clients; closed ones do not count."""
    served = Served('-r', capture('otp25.pcap'), '--web', '0', '--max-web-clients', '2')
    # Connections that never complete a request block no other client, however many they are.
    address, _, port = served.host.rpartition(':')
    held = [socket.create_connection((address, int(port))) for _ in range(60)]
    for other in held:
        other.sendall(b'GET /')
    expect(curl('--max-time', '5', served.url)[0] == 200, 'the page, beside those who never ask')
    for other in held:
        other.close()
    def look_on():
        return subprocess.Popen(['curl', '-sN', served.url + 'events'], stdout=subprocess.PIPE)

    two = [look_on() for _ in range(2)]
    expect([process.stdout.readline() for process in two] == [b'event: hello\n'] * 2, 'two look on')
    status, head, body = curl(served.url + 'events')
    expect(status == 503 and b'--max-web-clients' in body, 'a third one is refused, and told why', status, body)
    for process in two:
        process.kill()
        process.wait()
    process = look_on()
    expect(process.stdout.readline() == b'event: hello\n', 'who has gone takes no place')
    process.kill()
    process.wait()
    status, _ = served.end()
    expect(status == 0, 'SIGTERM ends it', status)
    expect('a browser was refused, because 2 are connected: see --max-web-clients' in served.said, 'somebody was sent away: that is said', served.said)


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(('::1', 0))
        return True
    except OSError:
        print('without IPv6, which this machine has not')
        return False


def check_redacted():
    address = '[::1]' if has_ipv6() else '127.0.0.1'
    served = Served('-r', capture('secrets.pcap.gz'), '--web', address + ':0', '--redact', 'all')
    expect(served.host.startswith(address + ':'), 'at the address that was asked for', served.host)
    got = events(served.url, 2)
    text = json.dumps(unpack(got[-1][1]))
    expect('Abendstern' not in text and '"redacted": true' in text, '--redact holds for what is served')
    status, _ = served.end(signal.SIGINT)
    expect(status == 0, 'Ctrl-C ends it', status)


def feed(process, blocks):
    for block in blocks:
        process.stdin.write(block)
        process.stdin.flush()


def check_growth(browser):
    """Packets come slowly; two browsers follow, and one of them does not read."""
    with open(capture('otp25.pcap'), 'rb') as f:
        whole = f.read()
    parts = [whole[:24]]
    at = 24
    while at < len(whole):
        size = 16 + int.from_bytes(whole[at + 8:at + 12], 'little')
        parts.append(whole[at:at + size])
        at += size
    served = Served('-r', '-', '--web', '0', stdin=subprocess.PIPE, first=b''.join(parts[:300]))
    pipe, process = served.process.stdin, served.process
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    deaf.connect(('127.0.0.1', int(served.host.rsplit(':', 1)[1])))
    deaf.sendall(('GET /%s/events HTTP/1.1\r\nHost: %s\r\n\r\n' % (served.token, served.host)).encode())
    if browser:
        browser.open(served.url)
        shown = lambda: browser.run('+document.querySelector("#tiles b").innerText.replace(/\\D/g, "")')
        told = lambda: int(browser.run('document.documentElement.dataset.told || 0'))
        if not wait_for(lambda: browser.run('document.querySelector("#tiles b") !== null') and shown()):
            raise RuntimeError('the browser shows nothing: %s' % [
                browser.run('document.body.innerText')[:300], browser.troubles, browser.requests, served.said])
        first = shown()
        expect(first > 0, 'the browser shows what has come', first)
        expect('live' in browser.run('document.getElementById("live").innerText'), 'and that it goes on')
        # The matrix is used by keys.
        focused = lambda: browser.run('document.activeElement.dataset.stop')
        browser.run('document.querySelector("#nodes [data-stop]").focus()')
        cell = focused()
    # Until the deaf one is dropped: some packets every tenth of a second, with changed contents.
    left = parts[300:]
    until = time.monotonic() + 120
    while 'did not read' not in served.said and time.monotonic() < until:
        feed(process, left[:4])
        left = left[4:] if len(left) > 40 else left
        time.sleep(0.1)
    expect('a browser at 127.0.0.1, port %d, did not read for 10 s and was dropped' % deaf.getsockname()[1] in served.said,
           'who does not read is dropped', served.said)
    deaf.settimeout(5)
    head = deaf.recv(4000).decode('latin-1')
    number = re.search(r'\nid: (\d+)\n', head)
    deaf.close()
    expect(number, 'it had a number', head[:300])
    got = events(served.url, 1, '-H', 'Last-Event-ID: ' + (number.group(1) if number else '0'))
    expect(got and got[0][1] == 'dropped', 'and is told when it comes again', got[:1])
    got = events(served.url, 1, '-H', 'Last-Event-ID: 123456')
    expect(got and got[0][1] == 'welcome', 'others are welcome', got[:1])
    if browser:
        grown = wait_for(lambda: shown() > first)
        expect(grown and told() >= 2, 'the page grows', first, shown(), told())
        expect(cell and focused() == cell, 'and what was in focus still is', cell, focused())
        # Nothing moves while a message is open: it stays.
        browser.run('document.querySelector("#messagelist .line").click()')
        before, said = told(), browser.run('document.getElementById("message").innerText')
        feed(process, left[:20])
        left = left[20:]
        expect(wait_for(lambda: 'show new data' in browser.run('document.getElementById("live").innerText')),
               'what is new waits while a message is read')
        expect(told() == before and browser.run('document.getElementById("message").innerText') == said, 'and it stays')
        browser.key('Escape')
        expect(wait_for(lambda: told() > before), 'then it is shown')
    feed(process, left)
    pipe.close()
    expect(wait_for(lambda: 'until Ctrl-C' in served.said), 'all has been read', served.said)
    if browser:
        expect(wait_for(lambda: 'everything has been read' in browser.run('document.getElementById("live").innerText')),
               'the browser says so', browser.run('document.getElementById("live").innerText'))
        expect(browser.run('document.querySelectorAll("section").length') == 10, 'and has all its parts')
    status, seconds = served.end()
    expect(status == 0 and seconds < 5, 'SIGTERM ends it while browsers look on', status, seconds)
    if browser:
        expect(wait_for(lambda: 'has stopped' in browser.run('document.getElementById("live").innerText')),
               'the browser says that it has ended', browser.run('document.getElementById("live").innerText'))
        others = [r for r in browser.requests if r not in (served.url, served.url + 'events', 'about:blank')]
        expect(not browser.troubles and not others, 'the browser has nothing to complain of', browser.troubles, others)


if shutil.which('curl') is None:
    print('skipped: curl is not installed')
    sys.exit(77)
with own_folder():
    check_words()
    check_requests()
    check_crowd()
    check_redacted()
    with chromium() as browser:
        check_growth(browser)
sys.exit(1 if failures else 0 if browser else 77)
