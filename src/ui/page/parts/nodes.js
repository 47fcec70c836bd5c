// nodes.js - who talks to whom: a matrix, which has room for many nodes, a picture where there are few,
// and each connection with the way it takes.
// Their hues are none of those that mean something: no red, no amber, no green.
const hues = new Map(), nodeHues = ['#4e7fb5', '#b07aa1', '#5aa9a4', '#9c755f', '#8570c9', '#d37f9c', '#6c8aa8', '#c29a76', '#3f8fb0', '#a48bc0'];
function hue(node) {
  if (!hues.has(node)) hues.set(node, nodeHues[hues.size % nodeHues.length]);
  return hues.get(node);
}

function showNodes() {
  const body = section('nodes', 'Nodes', 'Who talks to whom', 'Bytes of messages from each node to each other node, and the links that carried them, worst first.');
  const rows = data.nodes.rows;
  const sums = new Map();
  rows.forEach(r => { for (const n of [r.from, r.to]) sums.set(n, (sums.get(n) || 0) + r.bytes); });
  const names = [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a));
  names.forEach(hue);
  if (!rows.length) {
    add(body, empty(data.links.links ? 'No message was seen on any link: there were only ticks, or the messages could not be decoded (TLS needs --keylog-file). The links are listed below.'
      : 'No two nodes were connected while this was captured.'));
  } else {
    const isFew = names.length <= 12 && names.length > 1;
    const all = make('div', {class: 'panel'}), few = isFew ? make('div', {class: 'panel'}) : null;
    add(body, make('div', {class: isFew ? 'split' : ''}, all, few));
    fit(all, width => {
      const picture = matrix(names.slice(0, 50), rows, width);
      all.classList.toggle('panel', picture !== null);
      clear(all).append(picture || pairs(rows));
    });
    if (isFew) fit(few, width => clear(few).append(graph(names, rows, width)));
    if (names.length > 50) add(body, make('p', {class: 'note'}, 'The 50 busiest nodes of ' + count(names.length) + ' are shown.'));
    if (data.nodes.kinds > rows.length) add(body, make('p', {class: 'note'}, counted(data.nodes.kinds - rows.length, 'pairs') + ' with less traffic are not shown: see distsniff -r CAPTURE --report traffic --by node --rows 0.'));
  }
  add(body, make('h3', {}, 'Links'), links());
}

function cut(text, most) { return text.length > most ? text.slice(0, most - 1) + '…' : text; }
// cutName leaves of a name its beginning, and the host.
function cutName(name, most) {
  const at = name.lastIndexOf('@'), half = Math.floor((most - 1) / 2), tail = at >= 0 && name.length - at < half ? name.length - at : half;
  return name.length > most ? name.slice(0, most - 1 - tail) + '…' + name.slice(name.length - tail) : name;
}
function cutNamed(name, most) { return make('span', {title: name.length > most ? name : null}, cutName(name, most)); }

function showPair(from, to) { clearTime(); setFilter('from:' + quoted(from) + ' to:' + quoted(to)); goTo('messages'); }

// matrix has a cell for each node and each other one: null where they would be too small to be read, or
// to be met with a finger.
function matrix(names, rows, width) {
  const most = Math.max(...rows.map(r => r.bytes)), large = names.length <= 12 ? 46 : 24;
  // As much of each name as leaves the cells their size.
  const longest = Math.max(...names.map(n => n.length)), wideOf = letters => Math.max(88, Math.min(220, 12 + 6.9 * Math.min(letters, longest)));
  const letters = [30, 25, 20].find(l => (width - 1.72 * wideOf(l) - 6) / names.length >= large) || (width < 600 ? 16 : 30), wide = wideOf(letters);
  // Names above lean, which takes room on the right; where that is scarce they stand.
  let cell = Math.floor(Math.min(large, (width - 1.72 * wide - 6) / names.length));
  const isSteep = cell < 18;
  if (isSteep) cell = Math.floor(Math.min(24, (width - wide - 6) / names.length));
  if (cell < (isNarrow.matches ? 40 : 14)) return null;
  const top = (isSteep ? wide : wide * 0.72) + 18, all = cell * names.length;
  const svg = d3.create('svg').attr('viewBox', [0, 0, width, top + all + 12].join(' ')).attr('width', width).attr('role', 'grid').attr('aria-label', 'bytes of messages from node to node');
  const shade = d3.scaleSqrt().domain([0, most]).range([0.08, cell >= 40 ? 0.55 : 1]); // figures can be read on it
  const sent = new Map(rows.map(r => [r.from + '\n' + r.to, r]));
  const heads = svg.append('g').attr('role', 'row');
  heads.append('text').attr('x', wide - 10).attr('y', top - 10).attr('text-anchor', 'end').attr('role', 'columnheader').text('from ↓  to →');
  names.forEach((n, j) => heads.append('text').attr('class', 'term').attr('role', 'columnheader').attr('transform', `translate(${wide + cell * (j + 0.5) + (isSteep ? 4 : 0)},${top - 8}) rotate(${isSteep ? -90 : -45})`).text(cutName(n, letters)).append('title').text(n + ' gets'));
  names.forEach((n, i) => {
    const row = svg.append('g').attr('role', 'row'), y = top + cell * i;
    row.append('text').attr('class', 'term').attr('role', 'rowheader').attr('x', wide - 8).attr('y', y + cell * 0.5).attr('dy', '0.35em').attr('text-anchor', 'end').text(cutName(n, letters)).append('title').text(n + ' sends');
    names.forEach((m, j) => {
      const r = sent.get(n + '\n' + m), x = wide + cell * j;
      const says = n + ' > ' + m + ': ' + (r ? bytes(r.bytes) + ', ' + counted(r.count, 'messages') : 'nothing');
      const g = row.append('g').attr('role', 'gridcell').attr('tabindex', -1).attr('aria-label', says).attr('data-stop', n + '\n' + m);
      const square = css => g.append('rect').attr('class', css).attr('x', x).attr('y', y).attr('width', cell).attr('height', cell).attr('rx', 2);
      square('cell').attr('fill', 'var(--line-soft)');
      if (!r) return;
      g.attr('class', 'goes').on('click', () => showPair(n, m));
      square('cell much').attr('fill-opacity', shade(r.bytes));
      if (cell >= 40) g.append('text').attr('x', x + cell * 0.5).attr('y', y + cell * 0.5).attr('dy', '0.35em').attr('text-anchor', 'middle')
        .attr('class', 'figure').style('fill', 'var(--ink)').style('font-size', '11px').text(shortBytes(r.bytes).replace(' ', '\u202f'));
      g.append('title').text(says);
    });
  });
  return rove(svg.node(), names.length);
}

// pairs says the same line by line.
function pairs(rows) {
  const most = Math.max(...rows.map(r => r.bytes));
  const all = table([
    {name: 'from > to', left: true, wide: true, show: r => [make('div', {}, dot(r.from), r.from), make('div', {}, '> ', dot(r.to), r.to)]},
    {name: 'bytes', show: r => {
      const i = make('i');
      i.style.width = 100 * r.bytes / most + '%';
      return [count(r.bytes), make('div', {class: 'share'}, i)];
    }},
    {name: 'messages', show: r => count(r.count)},
  ], rows.slice().sort((a, b) => b.bytes - a.bytes), {first: 8, open: r => showPair(r.from, r.to)});
  all.id = 'pairs';
  return all;
}

// graph: nodes on a circle, each pair joined by a line as wide as what passes.
function graph(names, rows, width) {
  const half = width / 2, r = Math.max(56, Math.min(118, half - 100)), mid = r + 44, letters = Math.max(8, Math.floor((half - r - 18) / 6.9));
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${2 * mid}`).attr('width', width).attr('role', 'group').attr('aria-label', 'nodes and the traffic between them');
  const place = new Map(names.map((n, i) => {
    const angle = 2 * Math.PI * i / names.length - Math.PI / 2;
    return [n, [half + r * Math.cos(angle), mid + r * Math.sin(angle), Math.cos(angle), Math.sin(angle)]];
  }));
  const pairs = new Map();
  for (const x of rows) {
    const [a, b] = [x.from, x.to].sort(), key = a + '\n' + b;
    const p = pairs.get(key) || {a, b, bytes: 0, count: 0};
    p.bytes += x.bytes;
    p.count += x.count;
    pairs.set(key, p);
  }
  const thick = d3.scaleSqrt().domain([0, Math.max(...[...pairs.values()].map(p => p.bytes))]).range([1, 14]);
  for (const p of pairs.values()) {
    const [x1, y1] = place.get(p.a), [x2, y2] = place.get(p.b);
    const says = p.a + ' – ' + p.b + ': ' + bytes(p.bytes) + ', ' + counted(p.count, 'messages');
    const g = stop(svg.append('g'), says, p.a + '\n' + p.b).on('click', () => { clearTime(); setFilter('node:' + quoted(p.a) + ' node:' + quoted(p.b)); goTo('messages'); });
    // A line of one pixel is hardly met: what is around it counts as it.
    for (const css of ['near', 'passes']) g.append('line').attr('class', css).attr('x1', x1).attr('y1', y1).attr('x2', x2).attr('y2', y2);
    g.select('.passes').attr('stroke-width', thick(p.bytes));
    g.append('title').text(says);
  }
  for (const n of names) {
    const [x, y, dx, dy] = place.get(n);
    const g = stop(svg.append('g'), n + ': its messages', n).on('click', () => { clearTime(); setFilter('node:' + quoted(n)); goTo('messages'); });
    g.append('circle').attr('class', 'near').attr('cx', x).attr('cy', y).attr('r', 20);
    g.append('circle').attr('class', 'node').attr('cx', x).attr('cy', y).attr('r', 8).attr('fill', hue(n));
    g.append('text').attr('class', 'term').attr('x', x + dx * 15).attr('y', y + dy * 17).attr('dy', '0.35em')
      .attr('text-anchor', Math.abs(dx) < 0.3 ? 'middle' : dx > 0 ? 'start' : 'end').text(cutName(n, Math.abs(dx) < 0.3 ? Math.floor(width / 7) : letters));
    g.append('title').text(n);
  }
  return rove(svg.node());
}

// life is a line as long as the capture, and on it how long the link was there.
function life(r) {
  const all = Math.max(1, data.about.last - data.about.first), i = make('i'), e = make('span', {class: 'life', title: clock(r.first) + ' to ' + clock(r.last)}, i);
  i.style.left = 100 * Math.max(0, r.first - data.about.first) / all + '%';
  i.style.width = Math.max(1.5, 100 * (r.last - r.first) / all) + '%';
  return e;
}

function links() {
  const rows = data.links.rows;
  if (!rows.length) return empty('There is no link: no handshake was completed, and no link was open before the capture. Failed attempts are among the findings.');
  const side = (r, show) => [make('div', {}, show(r.side[0])), make('div', {}, show(r.side[1]))];
  const has = f => rows.some(r => r.side.some(f));
  // What nothing can be said of has no column: what is left is in sight at once.
  const all = table([
    {name: 'conn', show: r => connLink(r.conn)},
    {name: 'nodes', left: true, wide: true, whole: true, title: 'each line has the data that this node sent', show: r => side(r, s => cutNamed(s.node, 30))},
    {name: 'release', left: true, sides: true, show: r => side(r, s => make('span', {class: 'mute'}, s.release || '-'))},
    {name: 'state', left: true, lines: true, show: r => [make('div', {}, r.state + ', ' + r.end), make('div', {class: 'mute'}, r.closer ? ['by ', cutNamed(r.closer, 16)] : seconds((r.last - r.first) * 1e3))]},
    {name: 'present', left: true, title: 'when the link existed, from the beginning of the capture to its end', show: r => life(r)},
    {name: 'bytes', sides: true, show: r => side(r, s => count(s.bytes))},
    {name: 'messages', sides: true, show: r => side(r, s => count(s.messages))},
    {name: 'largest', sides: true, title: 'the largest message, bytes', show: r => side(r, s => s.largest ? count(s.largest) : '-')},
    {name: 'ticks', sides: true, show: r => side(r, s => count(s.ticks))},
    has(s => s.tick_every) && {name: 'every', sides: true, show: r => side(r, s => s.tick_every ? span(s.tick_every) : '-')},
    has(s => s.has_facts && s.round_trip_p50) && {name: 'round trip', sides: true, title: 'half of the round trips take at most this long', show: r => side(r, s => s.has_facts && s.round_trip_p50 ? span(s.round_trip_p50) : '-')},
    has(s => s.has_facts && s.round_trip_p99) && {name: 'p99', sides: true, title: '99 of 100 round trips take at most this long', show: r => side(r, s => s.has_facts && s.round_trip_p99 ? span(s.round_trip_p99) : '-')},
    has(s => s.again) && {name: 'retrans.', sides: true, title: 'retransmitted segments; point at a number for the total', bad: r => r.side.some(s => s.again), show: r => side(r, s => s.has_facts ? make('span', {title: 'of ' + counted(s.segments, 'segments')}, count(s.again)) : '-')},
    has(s => s.stalls) && {name: 'stalled', sides: true, bad: r => r.side.some(s => s.stalls), show: r => side(r, s => s.stalls ? counted(s.stalls, 'times') + ', ' + span(s.stalled) : '-')},
    rows.some(r => r.gaps) && {name: 'gaps', bad: r => r.gaps > 0, show: r => count(r.gaps)},
  ].filter(c => c), rows, {first: 8});
  const none = [rows.some(r => r.gaps) ? null : 'has gaps', has(s => s.again) || !has(s => s.has_facts) ? null : 'retransmitted anything'].filter(x => x);
  if (none.length) add(all, make('p', {class: 'note'}, 'None of these links ' + none.join(' or ') + '.'));
  all.id = 'links';
  const left = data.links.links - rows.length + data.links.forgotten;
  if (left > 0) add(all, make('p', {class: 'note'}, counted(left, 'links') + ' are not shown: see distsniff -r CAPTURE --report links.'));
  return all;
}
