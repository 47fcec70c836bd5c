#!/usr/bin/env python3
"""xmpp_work.py SECONDS DOMAIN PREFIX HOST ...: users PREFIX0 and on of an XMPP server whose nodes are these
hosts: they register, log in, befriend each other, chat, meet in rooms, publish, ask and go, for scripts/shapes/ejabberd."""
import asyncio, base64, os, random, re, sys, time
seconds, domain, prefix, hosts = float(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
IS_OTHER = os.environ.get('WORK') == 'other'  # other habits, for what is held out
USERS, ROOMS = (14, 2) if IS_OTHER else (9, 3)
until = time.time() + seconds
rand = random.Random(prefix)


class User:
    def __init__(self, num, host, resource):
        self.name, self.host, self.resource, self.ids = f'{prefix}{num}', host, resource, 0
        self.jid = f'{self.name}@{domain}'

    def say(self, text):
        self.out.write(text.encode())

    def iq(self, kind, to, body):
        self.ids += 1
        to = f" to='{to}'" if to else ''
        self.say(f"<iq type='{kind}' id='i{self.ids}'{to}>{body}</iq>")

    async def expect(self, pattern):
        while not re.search(pattern, self.seen):
            data = await asyncio.wait_for(self.inp.read(65536), 10)
            if not data:
                raise ConnectionError(self.name)
            self.seen += data.decode('utf-8', 'replace')
        self.seen = ''

    async def stream(self):
        self.seen = ''
        self.say(f"<stream:stream to='{domain}' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>")
        await self.expect('</stream:features>')

    async def login(self, register=False):
        self.inp, self.out = await asyncio.open_connection(self.host, 5222)
        await self.stream()
        if register:
            self.iq('set', '', f"<query xmlns='jabber:iq:register'><username>{self.name}</username><password>secret</password></query>")
            await self.expect("type='(result|error)'")
        token = base64.b64encode(f'\0{self.name}\0secret'.encode()).decode()
        self.say(f"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>{token}</auth>")
        await self.expect('<success')
        await self.stream()
        self.iq('set', '', f"<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>{self.resource}</resource></bind>")
        await self.expect('<jid>')
        self.iq('set', '', "<session xmlns='urn:ietf:params:xml:ns:xmpp-session'/>")
        self.iq('get', '', "<query xmlns='jabber:iq:roster'/>")
        self.iq('set', '', "<enable xmlns='urn:xmpp:carbons:2'/>")
        self.say("<presence><priority>%d</priority><c xmlns='http://jabber.org/protocol/caps' hash='sha-1' node='http://example.net' ver='v%s'/></presence>"
                 % (rand.randint(0, 9), self.name))
        self.reader = asyncio.ensure_future(self.read())

    async def read(self):
        try:
            while True:
                data = await self.inp.read(65536)
                if not data:
                    return
                for found in re.finditer(r"<iq[^>]*type='get'[^>]*>", data.decode('utf-8', 'replace')):
                    sender, ident = re.search(r"from='([^']*)'", found[0]), re.search(r"id='([^']*)'", found[0])
                    if sender and ident:
                        self.say(f"<iq type='result' to='{sender[1]}' id='{ident[1]}'/>")
        except (OSError, asyncio.CancelledError):
            pass

    async def work(self, others):
        me = int(self.name[len(prefix):])
        room = f'room{me % ROOMS}@conference.{domain}'
        other = lambda: rand.choice(others)
        for peer in rand.sample(others, 3):
            self.say(f"<presence type='subscribe' to='{peer.jid}'/><presence type='subscribed' to='{peer.jid}'/>")
        self.say(f"<presence to='{room}/{self.name}'><x xmlns='http://jabber.org/protocol/muc'/></presence>")
        self.iq('set', room, "<query xmlns='http://jabber.org/protocol/muc#owner'><x xmlns='jabber:x:data' type='submit'/></query>")
        pub = "<pubsub xmlns='http://jabber.org/protocol/pubsub'>%s</pubsub>"
        service = f'pubsub.{domain}'
        acts = [
            lambda: self.say(f"<message type='chat' to='{other().jid}'><body>hello {rand.random()}</body></message>"),
            lambda: self.say(f"<message type='chat' to='{other().jid}/{other().resource}'><body>{'x' * rand.randint(1, 900)}</body></message>"),
            lambda: self.say(f"<message type='groupchat' to='{room}'><body>all {rand.random()}</body></message>"),
            lambda: self.say(f"<message type='groupchat' to='{room}'><body>to all</body></message>"),
            lambda: self.say(f"<message to='{room}/{other().name}' type='chat'><body>you</body></message>"),
            lambda: self.say(f"<presence><show>{rand.choice(['away', 'dnd', 'xa', 'chat'])}</show><status>s{rand.random()}</status></presence>"),
            lambda: self.say(f"<presence to='room{rand.randrange(ROOMS)}@conference.{domain}/{self.name}'><x xmlns='http://jabber.org/protocol/muc'/></presence>"),
            lambda: self.say(f"<presence type='unavailable' to='room{rand.randrange(ROOMS)}@conference.{domain}/{self.name}'/>"),
            lambda: self.iq('get', f'{other().jid}/{other().resource}', "<ping xmlns='urn:xmpp:ping'/>"),
            lambda: self.iq('get', f'{other().jid}/{other().resource}', "<query xmlns='jabber:iq:version'/>"),
            lambda: self.iq('get', other().jid, "<vCard xmlns='vcard-temp'/>"),
            lambda: self.iq('set', '', f"<vCard xmlns='vcard-temp'><FN>{self.name}</FN></vCard>"),
            lambda: self.iq('get', other().jid, "<query xmlns='jabber:iq:last'/>"),
            lambda: self.iq('set', service, pub % f"<create node='n{rand.randrange(4)}'/>"),
            lambda: self.iq('set', service, pub % f"<subscribe node='n{rand.randrange(4)}' jid='{self.jid}'/>"),
            lambda: self.iq('set', service, pub % f"<publish node='n{rand.randrange(4)}'><item id='x{rand.randrange(9)}'><e xmlns='a:b'>{rand.random()}</e></item></publish>"),
            lambda: self.iq('set', service, pub % f"<unsubscribe node='n{rand.randrange(4)}' jid='{self.jid}'/>"),
            lambda: self.iq('get', service, pub % f"<items node='n{rand.randrange(4)}'/>"),
            lambda: self.iq('set', '', pub % f"<publish node='http://jabber.org/protocol/mood'><item><mood xmlns='http://jabber.org/protocol/mood'><text>{rand.random()}</text></mood></item></publish>"),
            lambda: self.iq('set', '', "<query xmlns='jabber:iq:roster'><item jid='%s' name='a'><group>g</group></item></query>" % other().jid),
            lambda: self.iq('set', '', "<query xmlns='jabber:iq:roster'><item jid='%s' subscription='remove'/></query>" % other().jid),
            lambda: self.say(f"<presence type='subscribe' to='{other().jid}'/><presence type='subscribed' to='{other().jid}'/>"),
            lambda: self.iq('set', '', "<block xmlns='urn:xmpp:blocking'><item jid='someone@%s'/></block>" % domain),
            lambda: self.iq('set', '', "<query xmlns='jabber:iq:private'><storage xmlns='storage:bookmarks'/></query>"),
            lambda: self.iq('set', '', "<query xmlns='urn:xmpp:mam:2'><set xmlns='http://jabber.org/protocol/rsm'><max>3</max></set></query>"),
            lambda: self.iq('get', f'conference.{domain}', "<query xmlns='http://jabber.org/protocol/disco#items'/>"),
            lambda: self.iq('get', domain, "<query xmlns='http://jabber.org/protocol/disco#items' node='online users'/>"),
            lambda: self.iq('get', room, "<query xmlns='http://jabber.org/protocol/disco#info'/>"),
            lambda: self.iq('set', room, "<query xmlns='http://jabber.org/protocol/muc#admin'><item nick='%s' role='visitor'/></query>" % other().name),
            lambda: self.say(f"<message to='{room}' type='groupchat'><subject>s{rand.random()}</subject></message>"),
            lambda: self.say(f"<message to='{prefix}99@{domain}' type='chat'><body>nobody</body></message>"),
            lambda: self.iq('set', '', f"<enable xmlns='urn:xmpp:push:0' jid='push.{domain}' node='p'/>"),
        ]
        if IS_OTHER:
            acts = acts[0:3] * 3 + acts[5:6] + acts[8:11] + acts[25:28]
        while time.time() < until:
            for _ in range(rand.randint(1, 6)):
                rand.choice(acts)()
            await self.out.drain()
            await asyncio.sleep(rand.uniform(0.02, 0.4))

    async def live(self, others):
        first = True
        while time.time() < until:
            try:
                await self.login(first)
                first = False
                await asyncio.wait_for(self.work(others), rand.uniform(6, 25) * (4 if IS_OTHER else 1))
            except asyncio.TimeoutError:
                pass
            except OSError:
                self.host = rand.choice(hosts)
                await asyncio.sleep(1)
            try:
                if rand.random() < 0.7:
                    self.say("<presence type='unavailable'/></stream:stream>")
                self.out.close()
            except (OSError, AttributeError):
                pass
            if rand.random() < 0.4:
                self.host = rand.choice(hosts)
            await asyncio.sleep(rand.uniform(0.2, 2))


async def main():
    users = [User(num, hosts[num % len(hosts)], f'r{num % 2}') for num in range(USERS)]
    users += [User(num, hosts[(num + 1) % len(hosts)], 'second') for num in range(3)]
    await asyncio.gather(*(user.live([u for u in users if u.name != user.name]) for user in users))

asyncio.run(main())
