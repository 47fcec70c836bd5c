// verdict.js - is it healthy: one sentence, then each finding with its evidence and what to do.
function showVerdict() {
  const found = data.doctor.found;
  const of = severity => found.filter(f => f.severity === severity);
  const errors = of('error'), warnings = of('warning'), notes = of('note');
  const body = make('section', {id: 'verdict', tabindex: -1, class: 'long'});
  page.append(body);
  addToMenu('verdict', 'Verdict');
  const parts = [];
  if (errors.length) parts.push(counted(errors.length, 'errors'));
  if (warnings.length) parts.push(counted(warnings.length, 'warnings'));
  const worst = found.find(f => f.severity === 'error' || f.severity === 'warning');
  const down = of('down')[0];
  add(body, make('h1', {id: 'sentence'}, data.about.empty ? null : verdictDot(errors.length ? 'error' : warnings.length ? 'warning' : data.traffic.messages ? 'ok' : 'faint'), data.about.empty ? 'Nothing was captured.'
    : (down ? down.sentence + '. ' : '') + (parts.length ? parts.join(' and ') + (errors.length + warnings.length > 1 ? ', first: ' : ': ') + worst.title + ': ' + worst.sentence + ' (' + clock(worst.first).slice(0, 8) + ').'
      : nothingWrong())));
  add(body, make('p', {class: 'lead'}, data.about.empty
    ? 'This capture has no packet of Erlang nodes: no EPMD query, no connection and no message. distsniff -v shows what the capture holds.'
    : date(data.about.first) + ', ' + clock(data.about.first) + ' to ' + clock(data.about.last) + ', ' + seconds((data.about.last - data.about.first) * 1e3) + ', times in ' + zoneName() + '.' +
      (data.about.redacted ? ' Names and contents were replaced before this page was written (--redact).' : '')));
  if (data.about.empty) return;
  add(body, make('div', {class: 'first', id: 'first'}, facts(), happened()));
  add(body, tiles());
  if (data.about.losses)
    add(body, make('p', {class: 'note bad-text'}, 'distsniff itself lost packets or records ' + counted(data.about.losses, 'times') + ', so the counts on this page are too low. The time line shows when.'));
  of('counted').forEach(f => add(body, make('p', {class: 'note'}, f.sentence + '.')));
  if (found.some(f => f.code && !f.aside)) add(body, make('h2', {class: 'small'}, 'Findings'));
  found.filter(f => f.code && !f.aside).forEach(f => body.append(finding(f)));
  const aside = found.filter(f => f.aside);
  if (aside.length) add(body, make('div', {class: 'aside'}, make('h2', {class: 'small'}, 'Hygiene'), aside.map(f => finding(f))));
  if (data.doctor.left_out) add(body, make('p', {class: 'note'}, counted(data.doctor.left_out, 'findings') + ' left out: out of memory.'));
  const list = (severity, title, none, css) => make('div', {class: css}, make('h2', {class: 'small'}, title),
    of(severity).length ? make('ul', {}, of(severity).map(f => make('li', {}, f.sentence))) : make('p', {class: 'note'}, none));
  add(body, make('div', {class: 'two'},
    list('fine', 'Checked and fine', 'Nothing could be checked: no connection began in this capture.', 'fine'),
    list('unchecked', 'Could not be checked', 'Everything could be checked.', 'unknown')));
}

// nothingWrong says no more than what was seen and read allows to say.
function nothingWrong() {
  if (!data.traffic.messages) return 'No problems found, but no message could be read.';
  const down = data.doctor.found.find(f => f.severity === 'down');
  const verdict = (data.doctor.verdict || '').slice(down ? down.sentence.length + 2 : 0).split(';')[0];
  const seen = data.about.losses && /^no (other )?problems found$/.test(verdict) ? ' in what could be seen' : '';
  return verdict[0].toUpperCase() + verdict.slice(1) + seen + '.';
}

// verdictDot says it before a word is read.
function verdictDot(what) {
  const e = make('i', {class: 'dot', 'aria-hidden': 'true'});
  e.style.background = 'var(--' + what + ')';
  return e;
}

// nodeNames lists the nodes that sent or received messages, the busiest first. An address is one whose name is
// not known, and is left out where names are: it may be that of a node with a name.
function nodeNames() {
  const names = new Set();
  data.nodes.rows.forEach(r => { names.add(r.from); names.add(r.to); });
  const all = [...names], named = all.filter(n => n.includes('@'));
  return named.length ? named : all;
}

// toolNames are those of hidden nodes: each comes for a while, to ask.
function toolNames() {
  return new Set(data.links.rows.flatMap(r => r.side).filter(s => (s.release || '').includes('hidden')).map(s => s.node));
}

// facts are the names that one looks for first: which nodes there are, and whose calls failed, and why.
function facts() {
  const most = 8, all = nodeNames(), isTool = toolNames(), names = all.filter(n => !isTool.has(n)), tools = all.length - names.length;
  const failed = new Map();
  data.calls.failed.forEach(c => {
    const pid = /#?(?:PID)?<(.*)\.\d+\.\d+>/.exec(c.callee), what = pid ? c.callee.replace(pid[0], '').trim() : c.callee.replace(/^([^@]*)@([^@]+@)/, '$1 of $2');
    const name = (!pid ? what : what ? what + ' of ' + pid[1] : pid[1] + ' (' + c.label + ')') + ': ' + (c.outcome === 'timeout' ? 'timed out' : c.outcome);
    failed.set(name, (failed.get(name) || 0) + 1);
  });
  const worst = [...failed].sort((a, b) => b[1] - a[1]);
  const isPart = data.outcomes.outcomes.filter(o => o.failed).reduce((n, o) => n + o.calls, 0) > data.calls.failed.length;
  return make('dl', {class: 'facts'},
    make('dt', {}, 'nodes'), make('dd', {}, names.slice(0, most).map((n, i) => [i ? ', ' : '', make('span', {class: 'whole'}, cut(n, 48))]).flat(),
      names.length > most ? ' and ' + count(names.length - most) + ' more' : '', tools ? (names.length ? '; ' : '') + counted(tools, 'hidden nodes') + ' (tools)' : '', all.length ? '' : 'none sent a message'),
    worst.length ? [make('dt', {}, 'failed calls'), make('dd', {}, make('ul', {}, worst.slice(0, 3).map(([name, n]) => make('li', {}, cut(name, 90) + ', ' + counted(n, 'times')))),
      worst.length > 3 || isPart ? act('all of them', () => { [...document.querySelectorAll('#calls .tools button')].filter(b => b.textContent.startsWith('failed')).forEach(b => b.click()); goTo('calls'); }, 'calls') : null)] : null);
}

// happened is the beginning of the timeline: who left and came back, what failed and when.
function happened() {
  const quiet = ['registered', 'unregistered', 'link_up', 'link_down', 'node_seen'], most = 5;
  const all = data.timeline ? data.timeline.events : [], loud = all.filter(e => !quiet.includes(e.what));
  const events = loud.length ? loud : all;
  if (!events.length) return null;
  return make('div', {}, make('ol', {class: 'happened'}, events.slice(0, most).map(e => make('li', {},
    make('time', {}, clock(e.from).slice(0, 8)), make('span', {}, cut(e.text, 120) + (e.count > 1 ? ' (' + counted(e.count, 'times') + (e.to - e.from >= 1e6 ? ', to ' + clock(e.to).slice(0, 8) : '') + ')' : ''))))),
    make('p', {class: 'note'}, make('a', {href: '#timeline'}, 'timeline: all ' + counted(all.length, 'events'))));
}

function tiles() {
  const tile = (n, what, bad) => make('div', {class: bad ? 'tile bad' : 'tile'}, make('b', {}, n), make('span', {}, what));
  const outcomes = data.outcomes.outcomes;
  const failed = outcomes.filter(o => o.failed).reduce((n, o) => n + o.calls, 0);
  const isTool = toolNames(), names = nodeNames().filter(n => !isTool.has(n));
  return make('div', {class: 'tiles', id: 'tiles'},
    tile(count(data.traffic.messages), data.traffic.messages === 1 ? 'message' : 'messages'),
    tile(shortBytes(data.traffic.bytes), bytes(data.traffic.bytes)),
    tile(count(data.links.links), data.links.links === 1 ? 'link between nodes' : 'links between nodes'),
    tile(count(names.length), names.length === 1 ? 'node' : 'nodes'),
    tile(count(data.outcomes.calls), data.outcomes.calls === 1 ? 'call' : 'calls'),
    tile(count(failed), 'calls that failed', failed > 0));
}

function finding(f) {
  const times = (f.count > 1 ? counted(f.count, 'times') + ', ' : '') + clock(f.first) + (f.count > 1 ? ' to ' + clock(f.last) : '');
  const evidence = f.evidence.map(e => {
    const parts = [];
    if (e.conn) parts.push(connLink(e.conn, 'conn '));
    e.packets.forEach(p => parts.push(parts.length ? ', ' : '', packetLink(p.packet, 'packet '), ' ' + p.what));
    return parts;
  });
  const show = () => { setTime(f.first - 1e5, f.last + 1e5); goTo('messages'); };
  return make('article', {class: 'finding'},
    make('span', {class: 'sev ' + (f.severity === 'note' ? 'remark' : f.severity)}, f.severity),
    make('div', {}, make('h3', {}, f.title, make('code', {}, f.code)),
      make('p', {}, f.sentence), f.detail ? make('p', {class: 'more'}, f.detail) : null,
      make('p', {class: 'do'}, make('b', {}, 'do: '), f.advice),
      evidence.length ? make('p', {class: 'more'}, 'evidence: ', evidence.map((parts, i) => [i ? '; ' : '', ...parts]).flat()) : null,
      f.page ? make('details', {class: 'more', open: view.open.has('page ' + f.code), on: {toggle: event => { view.open[event.target.open ? 'add' : 'delete']('page ' + f.code); }}}, make('summary', {}, 'background, and what else looks like this'), make('p', {class: 'page'}, f.page)) : null,
      make('p', {class: 'more'}, 'certainty: ' + f.certainty + (f.proof ? '; to confirm: ' + f.proof : '') + '. ' + times + '. ',
        act('messages around it', show, 'messages'))));
}

// showTimeline tells what happened when, a line an event.
function showTimeline() {
  const t = data.timeline;
  if (data.about.empty || !t || !t.events.length) return;
  const body = section('timeline', 'Timeline', 'What happened when', 'Nodes, links, stalls, failures and findings, in order of time.');
  const around = e => { setTime(e.from - 1e5, e.to + 1e5); goTo('messages'); };
  add(body, table([
    {name: 'when', left: true, show: e => clock(e.from)},
    {name: 'to', left: true, show: e => e.to > e.from ? clock(e.to) : ''},
    {name: 'what', left: true, show: e => e.words},
    {name: 'times', show: e => e.count > 1 ? count(e.count) : ''},
    {name: 'event', left: true, wide: true, show: e => e.text},
    {name: 'messages', left: true, show: e => act('around it', () => around(e), 'messages')},
  ], t.events, {first: 12}));
  if (t.left_out) add(body, make('p', {class: 'note'}, counted(t.left_out, 'events') + ' before these are left out.'));
}
