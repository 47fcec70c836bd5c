// calls.js - the slowest calls, and those that did not end well; one of them opened.
let callRows = [], callAt = -1, callsKind = 'slowest', ladderIsTrue = false;

function showCalls() {
  const body = section('calls', 'Calls', 'Calls', 'Each with a sequence diagram and its call tree.', true);
  const o = data.outcomes;
  if (!o.calls) {
    page.querySelector('#calls .lead').remove();
    return add(body, empty('No call was seen: no request in this capture has a reply.'));
  }
  const trees = data.trees;
  add(body, make('p', {class: 'note', id: 'outcomes'}, counted(o.calls, 'calls') + o.outcomes.map(x => ', ' + count(x.calls) + ' ' + x.outcome).join('') + '. ' +
    (trees.trees ? counted(trees.trees, 'calls') + ' with nested calls, ' + count(trees.single) + ' without' : counted(trees.single, 'calls') + ' without nested calls') + (trees.ambiguous ? '; ' + count(trees.ambiguous) + ' nested in one of several calls' : '') + '.'));
  const list = make('div', {id: 'calllist'}), detail = make('div', {id: 'call', class: 'detail', tabindex: -1});
  const bad = data.calls.failed.length;
  add(body, make('div', {class: 'tools'}, choices([['slowest', 'slowest first'], ['failed', 'failed (' + count(bad) + ')'], ['time', 'by time']], callsKind, v => { callsKind = v; heatCell = null; draw(); })), list, detail);
  const draw = () => {
    const pool = callsKind === 'failed' ? data.calls.failed : callsKind === 'time' ? [...calls.values()].sort((a, b) => a.start - b.start) : data.calls.slowest;
    const inCell = c => !heatCell || (c.has_end && c.span >= heatCell.from && c.span < heatCell.to);
    callRows = pool.filter(c => inCell(c) && passes(c, c.start));
    callAt = -1;
    clear(list);
    if (heatCell) add(list, make('p', {class: 'note'}, 'Only calls that took ' + heatCell.text + '. ', act('all latencies', () => { heatCell = null; draw(); }, 'calls')));
    if (!callRows.length) return add(list, empty(pool.length === 0 ? 'No call failed.' : 'None of the ' + counted(pool.length, 'calls') + ' kept here matches the filter. The page keeps the slowest and the failed ones of ' + counted(o.calls, 'calls') + '.'));
    add(list, table([
      {name: 'call', show: c => '#' + c.call}, {name: 'began', show: c => clock(c.start)},
      {name: 'took', show: c => span(c.span)}, {name: 'outcome', left: true, bad: isBad, show: c => c.outcome},
      {name: 'label', left: true, show: c => c.label},
      {name: 'caller > callee', left: true, wide: true, show: c => [make('div', {}, cutNamed(c.caller, 64)), make('div', {class: 'mute'}, '> ', cutNamed(c.callee, 64))]},
      {name: 'request => result', left: true, wide: true, show: c => cut(c.what, 130)},
      {name: 'packet', show: c => packetLink(c.packet)},
    ], callRows, {first: 10, open: c => openCall(c.call)}));
    if (o.calls > calls.size) add(list, make('p', {class: 'note'}, 'The ' + count(data.calls.slowest.length) + ' slowest of ' + counted(o.calls, 'calls') + ' are kept, and ' + count(bad) + ' that failed; --max-page-calls keeps more.'));
  };
  filter.listeners.push(() => { if (!filter.text && filter.from === -Infinity) heatCell = null; draw(); });
  draw();
}

function openCall(number) {
  const detail = document.getElementById('call');
  if (!detail) return;
  const c = calls.get(number);
  clear(detail);
  if (!c) return add(detail, make('div', {class: 'panel'}, make('p', {}, 'Call #' + number + ' is not kept in this page. In a terminal:'), command('call == ' + number)));
  const members = family(c);
  const picture = make('div', {class: 'scroll panel ladder'}), tree = make('div', {class: 'tree'});
  const hidden = members.reduce((n, m) => n + (m.call.num_children || 0), 0) - (members.length - 1);
  const item = (name, ...value) => [make('dt', {}, name), make('dd', {}, ...value)];
  add(detail, make('div', {class: 'panel'},
    make('h3', {}, 'Call #' + c.call + ': ' + c.outcome + ' after ' + span(c.span)),
    make('dl', {}, item('what', c.what), item('label', findLink(c.label, 'label:' + c.label, 'calls')), item('caller', c.caller), item('callee', c.callee),
      item('began', clock(c.start) + ' (' + since(c.start) + '), packet ', packetLink(c.packet)),
      item('ended', c.end_packet ? [clock(endOf(c)), ', packet ', packetLink(c.end_packet)] : 'not in this capture'),
      item('connection', connLink(c.conn)),
      c.parent !== undefined ? item('nested in call', callLink(c.parent), c.ambiguous ? ', or in another' : '') : null,
      item('messages', act('show them', () => { clearTime(); setFilter('call:' + c.call); goTo('messages'); }, 'messages'))),
    members.length > 1 ? [make('h3', {}, 'Tree of ' + counted(members.length, 'calls')), tree] : null,
    hidden > 0 ? make('p', {class: 'note'}, counted(hidden, 'calls') + ' nested below are not kept in this page.') : null,
    make('h3', {}, 'Sequence diagram'),
    make('div', {class: 'tools'}, choices([[false, 'even steps'], [true, 'true time']], ladderIsTrue, v => { ladderIsTrue = v; drawAgain(picture); }),
      button('save as SVG', () => download('call-' + c.call + '.svg', svgText(picture.querySelector('svg')), 'image/svg+xml')),
      button('save for Mermaid', () => download('call-' + c.call + '.mmd', mermaid(members), 'text/plain'))),
    picture, members.length * 2 > mostSteps ? make('p', {class: 'note'}, 'The first ' + count(mostSteps) + ' steps are drawn.') : null,
    command('call == ' + c.call)));
  fit(picture, () => clear(picture).append(ladder(members, ladderIsTrue)));
  if (members.length > 1) fit(tree, width => clear(tree).append(icicle(members, c, width)));
  callAt = callRows.indexOf(c);
  detail.scrollIntoView({block: 'nearest'});
}
