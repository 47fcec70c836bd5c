"""browser.py - headless Chromium, controlled over a pipe (Chrome DevTools Protocol: JSON, each
message ended by a zero byte, file descriptors 3 and 4). What goes wrong in the page is kept: errors,
what the console says, what the policy refuses, and every request but that for the page."""
import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


@contextlib.contextmanager
def own_folder():
    """In a folder that anybody may read, which is removed afterwards, unless KEEP is set."""
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir('/')
        if os.environ.get('KEEP'):
            print(folder)
        else:
            shutil.rmtree(folder)


@contextlib.contextmanager
def chromium():
    """A browser, None if there is none."""
    program = shutil.which('chromium')
    if program is None:
        print('skipped: what a browser shows, since chromium is not installed (Debian: chromium)')
        yield None
        return
    browser = Browser(program)
    try:
        yield browser
    finally:
        browser.close()


class Browser:
    def __init__(self, program, width=1280, height=800):
        to_read, self.to = os.pipe()
        self.come, come_write = os.pipe()
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)

        def place():  # either may be at the target place
            a, b = os.dup(to_read), os.dup(come_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, '--headless=new', '--remote-debugging-pipe', '--no-sandbox', '--disable-gpu',
             '--disable-dev-shm-usage', '--no-first-run', '--hide-scrollbars',
             # If a busy machine considers a page hidden, it draws no frames, and a test would wait
             # for them.
             '--disable-renderer-backgrounding', '--disable-backgrounding-occluded-windows',
             '--disable-background-timer-throttling',
             '--user-data-dir=' + self.folder.name, '--window-size=%d,%d' % (width, height), 'about:blank'],
            preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=dict(os.environ, HOME=self.folder.name))
        os.close(to_read)
        os.close(come_write)
        self.rest, self.number, self.session = b'', 0, None
        self.troubles, self.requests, self.opened = [], [], ['about:blank']
        target = self.ask('Target.createTarget', url='about:blank')['targetId']
        self.session = self.ask('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in 'Page', 'Runtime', 'Log', 'Network':
            self.ask(domain + '.enable')
        self.size(width, height)

    def close(self):
        try:
            self.session = None
            self.ask('Browser.close')
        except (EOFError, OSError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.folder.cleanup()

    def receive(self):
        while b'\0' not in self.rest:
            if not select.select([self.come], [], [], 120)[0]:
                self.process.kill()
                raise TimeoutError('the browser does not answer')
            more = os.read(self.come, 1 << 20)
            if not more:
                raise EOFError('the browser has gone')
            self.rest += more
        one, self.rest = self.rest.split(b'\0', 1)
        message = json.loads(one)
        method, what = message.get('method'), message.get('params', {})
        if method == 'Runtime.exceptionThrown':
            self.troubles.append(what['exceptionDetails'].get('exception', {}).get('description', str(what)))
        elif method == 'Runtime.consoleAPICalled':
            self.troubles.append('console.%s: %s' % (what['type'], [a.get('value') for a in what['args']]))
        elif method == 'Log.entryAdded':
            self.troubles.append(what['entry']['text'])
        elif method == 'Network.requestWillBeSent':
            self.requests.append(what['request']['url'])
        return message

    def ask(self, method, **what):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': what}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        while True:
            answer = self.receive()
            if answer.get('id') == message['id']:
                if 'error' in answer:
                    raise RuntimeError('%s: %s' % (method, answer['error']))
                return answer['result']

    def run(self, script):
        """The value of a JavaScript expression, or of its promise."""
        result = self.ask('Runtime.evaluate', expression=script, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            raise RuntimeError('%s: %s' % (script, result['exceptionDetails']))
        return result['result'].get('value')

    def open(self, file, seconds=60):
        """Opens a page and waits until it is shown; returns how long that took, in seconds."""
        begin = time.monotonic()
        self.opened.append(file if '://' in file else 'file://' + os.path.abspath(file))
        self.ask('Page.navigate', url=self.opened[-1])
        until = begin + seconds
        while time.monotonic() < until:
            ready = self.run('document.documentElement && document.documentElement.dataset.ready || ""')
            if ready:
                return time.monotonic() - begin
            time.sleep(0.02)
        raise RuntimeError(file + ' did not show itself within %d s' % seconds)

    def size(self, width, height, scale=1, mobile=False):
        self.ask('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=scale,
                 mobile=mobile)

    def count(self):
        """The costs of the page so far: layouts, recalculated styles, elements and others, by name."""
        self.ask('Performance.enable', timeDomain='threadTicks')
        return {m['name']: m['value'] for m in self.ask('Performance.getMetrics')['metrics']}

    def dark(self, on=True):
        self.ask('Emulation.setEmulatedMedia',
                 features=[{'name': 'prefers-color-scheme', 'value': 'dark' if on else 'light'}])

    def key(self, key, modifiers=0):
        """Presses a key by its name in the DOM; modifiers: 1 alt, 2 control, 4 meta, 8 shift."""
        text = {'Enter': '\r'}.get(key, key if len(key) == 1 else '')
        code = {'Tab': 9, 'Enter': 13}.get(key, 0)
        for kind in 'keyDown', 'keyUp':
            self.ask('Input.dispatchKeyEvent', type=kind, key=key, text=text if kind == 'keyDown' else '',
                     modifiers=modifiers, **({'windowsVirtualKeyCode': code} if code else {}))
        time.sleep(0.02)

    def click(self, selector):
        place = self.run('(() => { const e = document.querySelector(%s); e.scrollIntoView({block: "center", '
                         'behavior: "instant"}); const r = e.getBoundingClientRect(); '
                         'return [r.x + r.width / 2, r.y + r.height / 2]; })()' % json.dumps(selector))
        for kind in 'mousePressed', 'mouseReleased':
            self.ask('Input.dispatchMouseEvent', type=kind, x=place[0], y=place[1], button='left', clickCount=1)

    def screenshot(self, file, whole=False):
        what = {'format': 'png', 'captureBeyondViewport': whole}
        if whole:
            size = self.ask('Page.getLayoutMetrics')['cssContentSize']
            what['clip'] = dict(x=0, y=0, width=size['width'], height=size['height'], scale=1)
        with open(file, 'wb') as out:
            out.write(base64.b64decode(self.ask('Page.captureScreenshot', **what)['data']))
