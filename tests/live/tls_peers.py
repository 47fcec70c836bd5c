"""tls_peers.py talk|check|tshark WORK: see tls_peers. talk makes connections and logs in WORK/made
what was sent in each; check compares that with the records of distsniff, tshark with what tshark
reads in the same packets."""
import json, os, re, select, struct, subprocess, sys, time

PORT = 9000
SUITES_12 = """ECDHE-RSA-AES256-GCM-SHA384 ECDHE-RSA-AES128-GCM-SHA256 ECDHE-RSA-CHACHA20-POLY1305
ECDHE-RSA-AES256-SHA384 ECDHE-RSA-AES128-SHA256 ECDHE-RSA-AES256-SHA ECDHE-RSA-AES128-SHA
DHE-RSA-AES256-GCM-SHA384 DHE-RSA-AES256-CCM DHE-RSA-AES128-CCM8 DHE-RSA-AES256-SHA256 AES256-GCM-SHA384
AES128-CCM AES256-CCM8 AES128-SHA256 ECDHE-ECDSA-AES256-GCM-SHA384 ECDHE-ECDSA-AES256-CCM
ECDHE-ECDSA-AES128-CCM8 ECDHE-ECDSA-CHACHA20-POLY1305 ECDHE-ECDSA-AES256-SHA384""".split()
SUITES_13 = """TLS_AES_256_GCM_SHA384 TLS_AES_128_GCM_SHA256 TLS_CHACHA20_POLY1305_SHA256
TLS_AES_128_CCM_SHA256 TLS_AES_128_CCM_8_SHA256""".split()
# tshark mistakes data before the handshake for later data, and reads nothing after a certificate
# that was requested later.
NOT_TSHARK = ('data before the handshake, -sess_in', 'asked for a certificate afterwards')
FLAGS = 0xd07df7fbd


def atom(text):
    return bytes([119, len(text)]) + text.encode()


def framed(body):
    return struct.pack('>I', len(body)) + body


def node(name):
    return struct.pack('>H', len(name)) + name.encode()


def message(name, number, size):
    """reg_send of {number, "...", binary of size} to the process of that name"""
    pid = bytes([88]) + atom(name) + struct.pack('>III', 85, 0, 7)
    control = bytes([104, 4, 97, 6]) + pid + atom('') + atom('echo')
    payload = bytes([104, 2, 98]) + struct.pack('>I', number) + bytes([109]) + \
        struct.pack('>I', size) + b'x' * size
    return framed(bytes([131, 68, 0]) + control + payload)


class Peer:
    def __init__(self, args):
        self.process = subprocess.Popen(['openssl', *args], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.heard = b''

    def wait(self, what):
        """waits until it receives that, and drops what came before"""
        until = time.time() + 30
        while what not in self.heard:
            select.select([self.process.stdout], [], [], 1)
            more = self.process.stdout.read()
            if more:
                self.heard += more
            elif time.time() > until or self.process.poll() is not None:
                sys.exit(f'{self.process.args} did not hear {what[:40]!r}: {self.heard[-600:]!r}')
        self.heard = self.heard[self.heard.index(what) + len(what):]

    def say(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()


class Connection:
    """what both send each other, each only after it has received what came before"""

    def __init__(self, server, work, args, log='keys.log'):
        self.server, self.number = server, 0
        self.client = Peer(['s_client', '-connect', f'127.0.0.1:{PORT}', '-keylogfile', f'{work}/{log}', *args])
        self.said = {'client': b'', 'server': b''}

    def peer(self, who):
        return self.client if who == 'client' else self.server

    def tell(self, who, data):
        self.said[who] += data
        self.peer(who).say(data)
        self.peer('server' if who == 'client' else 'client').wait(data[:4000])

    def greet(self):
        self.tell('client', framed(b'N' + struct.pack('>QI', FLAGS, 7) + node('alice@peer')))
        self.tell('server', framed(b'sok'))
        self.tell('server', framed(b'N' + struct.pack('>QII', FLAGS, 1234, 7) + node('bob@peer')))
        self.tell('client', framed(b'r' + struct.pack('>I', 5678) + bytes(16)))
        self.tell('server', framed(b'a' + bytes(16)))

    def talk(self):
        for size in (10, 40000, 0, 300):
            for who, name in (('client', 'alice@peer'), ('server', 'bob@peer')):
                self.tell(who, message(name, self.number, size))
                self.number += 1

    def end(self, work, title, keys='found', renewals=0):
        self.client.say(b'Q\n')
        self.client.process.wait()
        with open(f'{work}/made', 'a') as made:
            made.write(json.dumps({'title': title, 'messages': self.number, 'keys': keys, 'renewals': renewals,
                                   **{who: data.hex() for who, data in self.said.items()}}) + '\n')


def serve(work, args, certificate='rsa', times=1):
    server = Peer(['s_server', '-accept', f'127.0.0.1:{PORT}', '-naccept', str(times), '-cert',
                   f'{work}/{certificate}.pem', '-key', f'{work}/{certificate}.key', *args])
    server.wait(b'ACCEPT')
    return server


def stop(server):
    server.process.stdin.close()
    server.process.wait()


def connect(work, title, client_args, server_args, certificate='rsa', renew=(), ask=None):
    server = serve(work, server_args, certificate)
    c = Connection(server, work, client_args)
    c.greet()
    c.talk()
    for command, sign in renew:
        c.client.say(command)
        c.client.wait(sign)
        c.talk()
    if ask:
        server.say(ask)
        server.wait(b'SSL_do_handshake')
        c.talk()
    c.end(work, title, renewals=len(renew))
    stop(server)


def connect_early(work, title):
    """twice, the second time with data before the server has answered"""
    with open(f'{work}/early', 'wb') as file:
        file.write(b'early bird' * 100)
    server = serve(work, ['-early_data'], times=2)
    for turn in (['-sess_out', f'{work}/session'], ['-sess_in', f'{work}/session', '-early_data', f'{work}/early']):
        c = Connection(server, work, ['-tls1_3', *turn])
        if '-early_data' in turn:
            server.wait(b'early bird')
        c.greet()
        c.talk()
        c.end(work, f'{title}, {turn[0]}')
    stop(server)


def connect_late(work, title, args):
    """the secrets come after some of the records"""
    server = serve(work, [])
    c = Connection(server, work, args, 'later.log')
    c.greet()
    c.talk()
    time.sleep(1.5)
    with open(f'{work}/later.log') as lines, open(f'{work}/keys.log', 'a') as to:
        to.write(lines.read())
    os.unlink(f'{work}/later.log')
    time.sleep(1.5)
    c.talk()
    c.end(work, title, keys='late')
    stop(server)


def take_up(work, title, args):
    """twice, the second time resuming the first session"""
    server = serve(work, args[1:], times=2)
    for turn in ('-sess_out', '-sess_in'):
        c = Connection(server, work, [*args, turn, f'{work}/session'])
        c.client.wait(b'Reused, ' if turn == '-sess_in' else b'New, ')
        c.greet()
        c.talk()
        c.end(work, f'{title} {turn}')
    stop(server)


def talk(work):
    for suite in SUITES_12:
        connect(work, suite, ['-tls1_2', '-cipher', suite + ':@SECLEVEL=0'], ['-cipher', suite + ':@SECLEVEL=0'],
                'ec' if 'ECDSA' in suite else 'rsa')
    connect(work, 'MAC before padding', ['-tls1_2', '-cipher', 'ECDHE-RSA-AES128-SHA256', '-no_etm'], [])
    for suite in SUITES_13:
        connect(work, suite, ['-tls1_3', '-ciphersuites', suite], ['-ciphersuites', suite])
    take_up(work, 'a session by its ticket, 1.2', ['-tls1_2'])
    take_up(work, 'a session that the server keeps, 1.2', ['-tls1_2', '-no_ticket'])
    take_up(work, 'a session, 1.3', ['-tls1_3'])
    connect(work, 'renegotiation', ['-tls1_2'], ['-client_renegotiation'], renew=[(b'R\n', b'RENEGOTIATING')] * 2)
    connect(work, 'key updates', ['-tls1_3'], [], renew=[(b'K\n', b'KEYUPDATE'), (b'k\n', b'KEYUPDATE')])
    connect(work, 'another group is asked for', ['-tls1_3', '-groups', 'X25519:P-384'], ['-groups', 'P-384'])
    own = ['-cert', f'{work}/ec.pem', '-key', f'{work}/ec.key']
    for version in ('-tls1_2', '-tls1_3'):
        connect(work, f'a certificate of the client, {version}', [version, *own], ['-verify', '1'])
    connect(work, 'asked for a certificate afterwards', ['-tls1_3', '-enable_pha', *own], ['-verify', '1'],
            ask=b'c\n')
    connect_early(work, 'data before the handshake')
    connect_late(work, 'late, 1.2', ['-tls1_2'])
    connect_late(work, 'late, 1.3', ['-tls1_3'])


def load(work):
    return [json.loads(line) for line in open(f'{work}/made')]


def check(work, *how):
    conns, told = {}, {}
    for line in open(f'{work}/json'):
        record = json.loads(line)
        if record['type'] == 'message':
            conns.setdefault(record['conn'], []).append(record)
        elif record['type'] == 'conn' and 'tls' in record:
            told[record['conn']] = record['tls']
    made = load(work)
    order = sorted(told)
    if len(order) != len(made):
        sys.exit(f'{len(order)} connections of {len(made)}')
    for number, expected in zip(order, made):
        title, messages, tls = expected['title'], conns.get(number, []), told[number]
        numbers = [int(re.match(r'\{(\d+),', m['term']).group(1)) for m in messages]
        if sorted(numbers) != list(range(expected['messages'])):
            sys.exit(f'{title}: messages {numbers} of {expected["messages"]}, {tls}')
        for m in messages:
            if 'fault' in m or m['from'].find('alice' if m['src']['port'] != PORT else 'bob') < 0:
                sys.exit(f'{title}: {m}')
        # In a live capture, a line may come a moment after the records.
        keys = ['found'] if how else ['late'] if expected['keys'] == 'late' else ['found', 'late']
        if tls['keys'] not in keys:
            sys.exit(f'{title}: keys {tls["keys"]}, not {keys}')
        if title in SUITES_13 and tls['suite'] != title:
            sys.exit(f'{title}: {tls}')
        renewals = tls.get('src_renewals', 0) + tls.get('dst_renewals', 0)
        if (expected['renewals'] != 0) != (renewals != 0):
            sys.exit(f'{title}: {renewals} renewals')
    print(f'{len(made)} connections are as they were made {" ".join(how)}')


def tshark(work):
    for number, expected in enumerate(load(work)):
        if expected['title'] in NOT_TSHARK:
            continue
        said = subprocess.run(['tshark', '-r', f'{work}/pcap', '-o', f'tls.keylog_file:{work}/keys.log', '-q', '-d',
                               f'tcp.port=={PORT},tls', '-z', f'follow,tls,raw,{number}'], capture_output=True, text=True).stdout
        lines = [line for line in said.splitlines() if re.fullmatch(r'\t?[0-9a-f]+', line)]
        first, second = ('server', 'client') if f'Node 0: 127.0.0.1:{PORT}' in said else ('client', 'server')
        got = {first: ''.join(l for l in lines if l[0] != '\t'), second: ''.join(l[1:] for l in lines if l[0] == '\t')}
        for who in got:
            if got[who] != expected[who]:
                at = next(i for i in range(len(got[who]) + 1) if got[who][:i + 1] != expected[who][:i + 1])
                sys.exit(f'{expected["title"]}: from {at // 2} on tshark reads other bytes of the {who}: '
                         f'{got[who][at:at + 40]}, not {expected[who][at:at + 40]}')
    print('tshark reads the same bytes')


{'talk': talk, 'check': check, 'tshark': tshark}[sys.argv[1]](*sys.argv[2:])
