// filter.js - what narrows calls and messages: what is typed, and a stretch of time. All words must be
// met; word is found anywhere, field:word in that field. Those who show something listen.
const filter = {text: '', tests: [], from: -Infinity, to: Infinity, listeners: []};

const fields = {
  type: r => r.verb === undefined ? 'call' : r.verb === '' ? 'event' : 'message',
  op: r => r.verb || r.outcome || '',
  label: r => r.label,
  node: r => r.fromNode !== undefined ? r.fromNode + '\n' + r.toNode : r.caller + '\n' + r.callee,
  process: r => r.from !== undefined ? r.from + '\n' + r.to : r.caller + '\n' + r.callee,
  from: r => r.from !== undefined ? r.from + '\n' + r.fromNode : r.caller,
  to: r => r.to !== undefined ? r.to + '\n' + r.toNode : r.callee,
  text: r => r.text !== undefined ? r.text : r.what,
  outcome: r => r.outcome || '',
};
const numberFields = {packet: r => [r.packet, r.end_packet], frame: r => [r.packet, r.end_packet],
  conn: r => [r.conn], call: r => [r.call]};

function testOf(word) {
  const colon = word.search(/:|==/);
  const name = colon > 0 ? word.slice(0, colon) : '';
  const value = word.slice(colon + (word.startsWith('==', colon) ? 2 : 1)).toLowerCase();
  if (name in numberFields && /^\d+$/.test(value)) return r => numberFields[name](r).includes(Number(value));
  if (name in fields) return r => fields[name](r).toLowerCase().includes(value);
  const low = word.toLowerCase();
  return r => r.all.includes(low);
}
// allOf is all that can be found in a row, made when it is looked for first.
function withAll(r) {
  if (r.all === undefined)
    r.all = (r.verb !== undefined ? [r.fromNode, r.from, r.toNode, r.to, r.verb, r.label, r.text]
      : [r.caller, r.callee, r.label, r.outcome, r.what]).join('\n').toLowerCase();
  return r;
}
function passes(r, at) {
  return at >= filter.from && at <= filter.to && (filter.tests.length === 0 ||
    (withAll(r), filter.tests.every(t => t(r))));
}
function setFilter(text, fromField) {
  filter.text = text.trim();
  filter.tests = (filter.text.match(/(?:[^\s"]|"[^"]*")+/g) || []).map(w => testOf(w.replace(/"/g, '')));
  if (!fromField) document.getElementById('filter').value = filter.text;
  tellFilter();
}
function setTime(from, to) {
  filter.from = from;
  filter.to = to;
  tellFilter();
}
function tellFilter() {
  const said = clear(document.getElementById('narrowed'));
  const parts = [];
  if (filter.text) parts.push('with “' + filter.text + '”');
  if (filter.from > -Infinity) parts.push('from ' + clock(filter.from) + ' to ' + clock(filter.to));
  said.hidden = parts.length === 0;
  if (parts.length) add(said, 'Only calls and messages ' + parts.join(', ') + '. Everything else covers the whole capture.',
    button('show all', clearFilter));
  filter.listeners.forEach(f => f());
}
function clearFilter() {
  filter.from = -Infinity;
  filter.to = Infinity;
  setFilter('');
}

// Links from numbers to where they lead.
function link(text, f, title, part) {
  return make('a', {href: '#' + (part || ''), title, class: 'chip', on: {click: event => { event.preventDefault(); f(); }}}, text);
}
// act is a link that says what it does: nobody can follow it on paper.
function act(text, f, part) {
  const a = link(text, f, null, part);
  a.className = 'act';
  return a;
}
function packetLink(n, word) {
  return n ? link((word || '') + n, () => { clearTime(); setFilter('packet:' + n); goTo('messages'); }, 'packet ' + n + ': its messages', 'messages') : '-';
}
function connLink(n, word) {
  return n ? link((word || '') + n, () => { clearTime(); setFilter('conn:' + n); goTo('messages'); }, 'connection ' + n + ': its messages', 'messages') : '-';
}
function callLink(n) {
  return n ? link('#' + n, () => { goTo('calls'); openCall(n); }, 'call ' + n + ': its sequence diagram and tree', 'calls') : '-';
}
function findLink(text, words, part) {
  return link(text, () => { clearTime(); setFilter(words); goTo(part); }, 'only these ' + part, part);
}
function clearTime() { filter.from = -Infinity; filter.to = Infinity; }
function quoted(text) { return /\s/.test(text) ? '"' + text.replace(/"/g, '') + '"' : text.replace(/"/g, ''); }
function goTo(id) { document.getElementById(id).scrollIntoView(); }
