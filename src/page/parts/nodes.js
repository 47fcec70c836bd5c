// nodes.js - who talks to whom: a matrix, which has room for many nodes, a picture where there are few,
// and each connection with the way it takes.
// Their hues are none of those that mean something: no red, no amber, no green.
const hues = new Map(), nodeHues = ['#4e7fb5', '#b07aa1', '#5aa9a4', '#9c755f', '#8570c9', '#d37f9c', '#6c8aa8', '#c29a76', '#3f8fb0', '#a48bc0'];
function hue(node) {
  if (!hues.has(node)) hues.set(node, nodeHues[hues.size % nodeHues.length]);
  return hues.get(node);
}

function showNodes() {
  const body = section('nodes', 'Nodes', 'Who talks to whom', 'Bytes of messages from each node to each other one, and the connections that carried them, worst first.');
  const rows = data.nodes.rows;
  const sums = new Map();
  rows.forEach(r => { for (const n of [r.from, r.to]) sums.set(n, (sums.get(n) || 0) + r.bytes); });
  const names = [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a));
  names.forEach(hue);
  if (!rows.length) {
    add(body, empty(data.links.links ? 'No message was seen on any link: there were ticks at most, or what was sent could not be decoded. Below is what is known of the links.'
      : 'No two nodes were connected while this was captured.'));
  } else {
    const pictures = make('div', {class: names.length <= 12 && names.length > 1 ? 'split' : ''},
      make('div', {class: 'panel'}, matrix(names.slice(0, 50), rows)));
    if (names.length <= 12 && names.length > 1) add(pictures, make('div', {class: 'panel'}, graph(names, rows)));
    add(body, pictures);
    if (names.length > 50) add(body, make('p', {class: 'note'}, 'The 50 busiest nodes of ' + count(names.length) + ' are shown.'));
    if (data.nodes.kinds > rows.length) add(body, make('p', {class: 'note'}, counted(data.nodes.kinds - rows.length, 'pairs') + ' with less traffic are left out; distsniff -r CAPTURE --report traffic --by node --rows 0 has all.'));
  }
  add(body, make('h3', {}, 'Links'), links());
}

function cut(text, most) { return text.length > most ? text.slice(0, most - 1) + '…' : text; }

function matrix(names, rows) {
  const most = Math.max(...rows.map(r => r.bytes));
  const wide = Math.min(210, 12 + 6.6 * Math.min(26, Math.max(...names.map(n => n.length))));
  const cell = Math.max(14, names.length <= 12 ? Math.min(46, 420 / names.length) : Math.min(24, 800 / names.length)), top = wide * 0.72 + 18, all = cell * names.length;
  const svg = d3.create('svg').attr('viewBox', [0, 0, wide + all + 70, top + all + 12].join(' '))
    .attr('width', wide + all + 70).attr('role', 'img').attr('aria-label', 'bytes of messages from node to node');
  const at = new Map(names.map((n, i) => [n, i]));
  const shade = d3.scaleSqrt().domain([0, most]).range([0.08, cell >= 40 ? 0.55 : 1]); // figures can be read on it
  names.forEach((n, i) => {
    svg.append('text').attr('class', 'term').attr('x', wide - 8).attr('y', top + cell * (i + 0.5)).attr('dy', '0.35em').attr('text-anchor', 'end').text(cut(n, 26)).append('title').text(n + ' sends');
    svg.append('text').attr('class', 'term').attr('transform', `translate(${wide + cell * (i + 0.5)},${top - 8}) rotate(-45)`).text(cut(n, 26)).append('title').text(n + ' gets');
    names.forEach((m, j) => svg.append('rect').attr('class', 'cell').attr('x', wide + cell * j).attr('y', top + cell * i).attr('width', cell).attr('height', cell).attr('rx', 2).attr('fill', 'var(--line-soft)'));
  });
  svg.append('text').attr('x', wide - 8).attr('y', top - 10).attr('text-anchor', 'end').text('from ↓  to →');
  for (const r of rows) {
    if (!at.has(r.from) || !at.has(r.to)) continue;
    const g = svg.append('g').attr('class', 'goes').on('click', () => { clearTime(); setFilter('from:' + quoted(r.from) + ' to:' + quoted(r.to)); goTo('messages'); });
    g.append('rect').attr('class', 'cell much').attr('x', wide + cell * at.get(r.to)).attr('y', top + cell * at.get(r.from)).attr('width', cell).attr('height', cell).attr('rx', 2).attr('fill-opacity', shade(r.bytes));
    if (cell >= 40) g.append('text').attr('x', wide + cell * (at.get(r.to) + 0.5)).attr('y', top + cell * (at.get(r.from) + 0.5)).attr('dy', '0.35em').attr('text-anchor', 'middle')
      .attr('class', 'figure').style('fill', 'var(--ink)').style('font-size', '10px').text(shortBytes(r.bytes));
    g.append('title').text(r.from + ' > ' + r.to + '\n' + bytes(r.bytes) + ', ' + counted(r.count, 'messages'));
  }
  return svg.node();
}

// graph: nodes on a circle, each pair joined by a line as wide as what passes.
function graph(names, rows) {
  const size = 380, r = 118, mid = size / 2;
  const svg = d3.create('svg').attr('viewBox', `-70 40 ${size + 140} ${size - 80}`).attr('role', 'img').attr('aria-label', 'nodes and what passes between them');
  const place = new Map(names.map((n, i) => {
    const angle = 2 * Math.PI * i / names.length - Math.PI / 2;
    return [n, [mid + r * Math.cos(angle), mid + r * Math.sin(angle), Math.cos(angle), Math.sin(angle)]];
  }));
  const pairs = new Map();
  for (const x of rows) {
    const key = [x.from, x.to].sort().join('\n');
    const p = pairs.get(key) || {a: [x.from, x.to].sort()[0], b: [x.from, x.to].sort()[1], bytes: 0, count: 0};
    p.bytes += x.bytes;
    p.count += x.count;
    pairs.set(key, p);
  }
  const width = d3.scaleSqrt().domain([0, Math.max(...[...pairs.values()].map(p => p.bytes))]).range([1, 14]);
  for (const p of pairs.values()) {
    const [x1, y1] = place.get(p.a), [x2, y2] = place.get(p.b);
    svg.append('line').attr('class', 'goes').attr('x1', x1).attr('y1', y1).attr('x2', x2).attr('y2', y2).attr('stroke', 'var(--much)').attr('stroke-opacity', 0.45).attr('stroke-linecap', 'round').attr('stroke-width', width(p.bytes))
      .on('click', () => { clearTime(); setFilter('node:' + quoted(p.a) + ' node:' + quoted(p.b)); goTo('messages'); })
      .append('title').text(p.a + ' – ' + p.b + '\n' + bytes(p.bytes) + ', ' + counted(p.count, 'messages'));
  }
  for (const n of names) {
    const [x, y, dx, dy] = place.get(n);
    const g = svg.append('g').attr('class', 'goes').on('click', () => { clearTime(); setFilter('node:' + quoted(n)); goTo('messages'); });
    g.append('circle').attr('cx', x).attr('cy', y).attr('r', 8).attr('fill', hue(n)).attr('stroke', 'var(--panel)').attr('stroke-width', 2);
    g.append('text').attr('class', 'term').attr('x', x + dx * 15).attr('y', y + dy * 17).attr('dy', '0.35em')
      .attr('text-anchor', Math.abs(dx) < 0.3 ? 'middle' : dx > 0 ? 'start' : 'end').text(cut(n, 22)).append('title').text(n);
  }
  return svg.node();
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
  if (!rows.length) return empty('There is no link: no handshake was completed and no connection of nodes was joined late. Attempts that failed are among the findings.');
  const side = (r, show) => [make('div', {}, show(r.side[0])), make('div', {}, show(r.side[1]))];
  const all = table([
    {name: 'conn', show: r => connLink(r.conn)},
    {name: 'nodes', left: true, wide: true, title: 'sends what stands on its line', show: r => side(r, s => [s.node, s.release ? make('span', {class: 'mute'}, ' ' + s.release) : null])},
    {name: 'state', left: true, show: r => [make('div', {}, r.state + ', ' + r.end), make('div', {class: 'mute'}, (r.closer ? 'by ' + r.closer : seconds((r.last - r.first) * 1e3)))]},
    {name: 'there', left: true, title: 'when it was there, from the beginning of the capture to its end', show: r => life(r)},
    {name: 'bytes', show: r => side(r, s => count(s.bytes))},
    {name: 'messages', show: r => side(r, s => count(s.messages))},
    {name: 'largest, bytes', show: r => side(r, s => s.largest ? count(s.largest) : '-')},
    {name: 'ticks', show: r => side(r, s => count(s.ticks))},
    {name: 'every', show: r => side(r, s => s.tick_every ? span(s.tick_every) : '-')},
    {name: 'round trip p50', show: r => side(r, s => s.has_facts && s.round_trip_p50 ? span(s.round_trip_p50) : '-')},
    {name: 'p99', show: r => side(r, s => s.has_facts && s.round_trip_p99 ? span(s.round_trip_p99) : '-')},
    {name: 'sent again', bad: r => r.side.some(s => s.again), show: r => side(r, s => s.has_facts ? count(s.again) + ' of ' + count(s.segments) : '-')},
    {name: 'stalled', bad: r => r.side.some(s => s.stalls), show: r => side(r, s => s.stalls ? counted(s.stalls, 'times') + ', ' + span(s.stalled) : '-')},
    {name: 'gaps', bad: r => r.gaps > 0, show: r => count(r.gaps)},
  ], rows, {first: 8});
  all.id = 'links';
  const left = data.links.links - rows.length + data.links.forgotten;
  if (left > 0) add(all, make('p', {class: 'note'}, counted(left, 'links') + ' left out; distsniff -r CAPTURE --report links has more.'));
  return all;
}
