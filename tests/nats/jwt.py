"""jwt.py FOLDER: makes the files of a server with an operator: operator.conf with the accounts of
packaging/nats/nats-server.conf, and USER.creds for its users, as nsc writes them."""
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
operator, system = Key('O'), Key('A')
accounts = {name: Key('A') for name in ('KEEP', 'POINTS', 'READERS')}
limits = dict.fromkeys(['subs', 'data', 'payload', 'imports', 'exports', 'conn', 'leaf'], -1) | {'wildcards': True}
keeps = dict.fromkeys(['mem_storage', 'disk_storage', 'streams', 'consumer'], -1)
info = ['$JS.API.INFO', '$JS.API.STREAM.INFO.DISTSNIFF']
reads = ['$JS.API.CONSUMER.CREATE.DISTSNIFF', '$JS.API.CONSUMER.CREATE.DISTSNIFF.>',
         '$JS.API.CONSUMER.INFO.DISTSNIFF.*', '$JS.API.CONSUMER.DELETE.DISTSNIFF.*',
         '$JS.API.CONSUMER.MSG.NEXT.DISTSNIFF.*']

def imports(subjects):
    return {'limits': limits, 'imports': [
        {'name': s, 'subject': s, 'account': accounts['KEEP'].public, 'type': 'service'} for s in subjects]}

claims = {
    'KEEP': {'limits': limits | keeps, 'exports': [
        {'name': s, 'subject': s, 'type': 'service'} | ({'response_type': 'Stream'} if 'NEXT' in s else {})
        for s in ['distsniff.>'] + info + reads]},
    'POINTS': imports(['distsniff.>'] + info),
    'READERS': imports(info + reads),
}
with open('operator.conf', 'w') as file:
    file.write('operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: {\n' %
               (token(operator, operator, 'keeper', {'type': 'operator'}), system.public))
    for name, account in accounts.items():
        file.write('  %s: %s\n' % (account.public, token(operator, account, name, {'type': 'account'} | claims[name])))
    file.write('  %s: %s\n}\n' % (system.public, token(operator, system, 'system', {'type': 'account', 'limits': limits})))
for name, account, may in (('maker', 'KEEP', ['distsniff.maker.*', '$JS.API.STREAM.CREATE.DISTSNIFF'] + info),
                           ('web1', 'POINTS', ['distsniff.web1.*'] + info), ('reader', 'READERS', reads + info)):
    user = Key('U')
    rights = {'type': 'user', 'pub': {'allow': may}, 'sub': {'allow': [f'_INBOX_{name}.>']},
              'subs': -1, 'data': -1, 'payload': -1}
    with open(f'{name}.creds', 'w') as file:
        file.write('-----BEGIN NATS USER JWT-----\n%s\n------END NATS USER JWT------\n\n'
                   '-----BEGIN USER NKEY SEED-----\n%s\n------END USER NKEY SEED------\n' %
                   (token(accounts[account], user, name, rights), user.seed))
