"""jwt.py FOLDER: makes what a server with an operator needs: operator.conf, and USER.creds as nsc writes them,
for web1, which may publish its own records, and reader, which may read."""
import base64, json, os, subprocess, sys, time

def run(*words, data=None):
    return subprocess.run(words, input=data, stdout=subprocess.PIPE, check=True).stdout

def base32(raw):
    return base64.b32encode(raw).decode().rstrip('=')

def base64url(raw):
    return base64.urlsafe_b64encode(raw).decode().rstrip('=')

def crc16(raw): # CRC-16/XMODEM, the checksum of NATS' keys
    crc = 0
    for byte in raw:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1) ^ (0x1021 if crc & 0x8000 else 0)
    return (crc & 0xffff).to_bytes(2, 'little')

class Key:
    """An Ed25519 key; its kind is the first letter of its public form: O, A or U."""
    def __init__(self, kind):
        prefix = {'O': 14 << 3, 'A': 0, 'U': 20 << 3}[kind]
        self.pem = run('openssl', 'genpkey', '-algorithm', 'ed25519')
        seed = run('openssl', 'pkey', '-outform', 'DER', data=self.pem)[-32:]
        public = run('openssl', 'pkey', '-pubout', '-outform', 'DER', data=self.pem)[-32:]
        raw = bytes([prefix]) + public
        self.public = base32(raw + crc16(raw))
        raw = bytes([18 << 3 | prefix >> 5, (prefix & 31) << 3]) + seed
        self.seed = base32(raw + crc16(raw))

    def sign(self, text):
        with open('signed', 'wb') as file:
            file.write(text)
        with open('pem', 'wb') as file:
            file.write(self.pem)
        return run('openssl', 'pkeyutl', '-sign', '-rawin', '-inkey', 'pem', '-in', 'signed')

def token(issuer, subject, name, claims):
    now = int(time.time())
    head = base64url(json.dumps({'typ': 'JWT', 'alg': 'ed25519-nkey'}).encode())
    body = base64url(json.dumps({'jti': f'{name}-{now}', 'iat': now, 'iss': issuer.public, 'name': name,
                                 'sub': subject.public, 'nats': claims | {'version': 2}}).encode())
    text = f'{head}.{body}'
    return f'{text}.{base64url(issuer.sign(text.encode()))}'

os.chdir(sys.argv[1])
operator, account = Key('O'), Key('A')
unlimited = dict.fromkeys(['subs', 'data', 'payload', 'imports', 'exports', 'conn', 'leaf',
                           'mem_storage', 'disk_storage', 'streams', 'consumer'], -1) | {'wildcards': True}
system = Key('A')
with open('operator.conf', 'w') as file:
    file.write('operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: {\n  %s: %s\n  %s: %s\n}\n' % (
        token(operator, operator, 'keeper', {'type': 'operator'}), system.public,
        account.public, token(operator, account, 'fleet', {'type': 'account', 'limits': unlimited}),
        system.public, token(operator, system, 'system', {'type': 'account', 'limits': unlimited | {
            'mem_storage': 0, 'disk_storage': 0, 'streams': 0, 'consumer': 0}})))
of_stream = ['$JS.API.INFO', '$JS.API.STREAM.*.DISTSNIFF']
for name, may in {'web1': ['distsniff.web1.*'], 'reader': ['$JS.API.CONSUMER.>']}.items():
    user = Key('U')
    claims = {'type': 'user', 'pub': {'allow': may + of_stream}, 'sub': {'allow': [f'_INBOX_{name}.>']},
              'subs': -1, 'data': -1, 'payload': -1}
    with open(f'{name}.creds', 'w') as file:
        file.write('-----BEGIN NATS USER JWT-----\n%s\n------END NATS USER JWT------\n\n'
                   '-----BEGIN USER NKEY SEED-----\n%s\n------END USER NKEY SEED------\n' %
                   (token(account, user, name, claims), user.seed))
