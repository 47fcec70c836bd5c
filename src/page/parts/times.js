// times.js - what passed when: all messages and what went wrong beside it, a line for each link, and
// marks for what happened. A stretch of it that is drawn narrows calls and messages.
const colors = {up: 'var(--ok)', closed: 'var(--faint)', failed: 'var(--error)', gap: 'var(--warning)', stall: 'var(--warning)', lost: 'var(--error)', error: 'var(--error)', warning: 'var(--warning)'};
const named = {up: 'link up', closed: 'link closed', failed: 'attempt failed', gap: 'bytes missing', stall: 'link stalled', lost: 'distsniff lost something', error: 'error found', warning: 'warning'};
const isSharp = kind => kind === 'error' || kind === 'warning' || kind === 'failed' || kind === 'lost';

function showTimes() {
  const t = data.times;
  const body = section('time', 'Time', 'Time', 'Messages over time, and what happened meanwhile. Drag over it to narrow calls and messages to that time; a click beside it ends that.');
  if (data.about.empty) return add(body, empty('Nothing was captured, so there is no time to show.'));
  const place = make('div', {class: 'panel'});
  const draw = () => clear(place).append(timePicture(t, view.times));
  add(body, make('div', {class: 'tools'}, choices([['messages', 'messages'], ['bytes', 'bytes']], view.times, v => { view.times = v; draw(); }),
    make('span', {class: 'gap'}), make('span', {class: 'note'}, 'one column is ' + span(t.width * 1e3))), place);
  draw();
  const left = [];
  if (t.marks_left_out) left.push(counted(t.marks_left_out, 'marks') + ' beyond the first ' + count(t.marks.length) + ' are left out');
  if (t.links.length > shownLinks || t.links_forgotten) left.push('the ' + count(Math.min(shownLinks, t.links.length)) + ' busiest links have a line of their own');
  if (left.length) add(body, make('p', {class: 'note'}, left.join('; ') + '.'));
}

const shownLinks = 8;

function timePicture(t, what) {
  const width = 1100, left = 64, right = 12, rowHeight = 44;
  const series = t[what];
  const num = Math.max(series.length, t.failed.length, Math.ceil((data.about.last - t.start) / t.width), 1);
  const x = d3.scaleLinear().domain([0, num]).range([left, width - right]);
  const atX = us => x((us - t.start) / t.width);
  const lines = t.links.slice(0, shownLinks);
  const high = 130, marksAt = high + 40, linesAt = marksAt + 44, all = linesAt + (lines.length > 1 ? lines.length * rowHeight + 6 : 0);
  const svg = d3.create('svg').attr('viewBox', `0 -8 ${width} ${all + 8}`).attr('role', 'img').attr('aria-label', what + ' over time');
  const most = Math.max(1, ...series);
  const y = d3.scaleLinear().domain([0, most]).nice(4).range([high, 14]);
  svg.append('g').attr('class', 'axis').attr('transform', `translate(${left},0)`).call(d3.axisLeft(y).ticks(4).tickFormat(v => what === 'bytes' ? shortBytes(v) : Number.isInteger(v) ? count(v) : '').tickSize(-(width - left - right)))
    .call(g => g.select('.domain').remove());
  svg.append('text').attr('x', left).attr('y', 0).text(what + ' a column');
  const w = Math.max(0.7, x(1) - x(0) - (num > 120 ? 0.6 : 1));
  const bars = (list, css, scale) => list.forEach((n, i) => {
    if (n) svg.append('rect').attr('class', css).attr('x', x(i)).attr('width', w).attr('y', scale(n)).attr('height', Math.max(1, scale(0) - scale(n)));
  });
  bars(series, 'much', y);
  if (what === 'messages') bars(t.failed, 'bad', y);
  const middle = [0, 1, 2, 3, 4, 5].map(i => t.start + i * (num * t.width) / 5);
  const axis = svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${high})`);
  axis.append('line').attr('x1', left).attr('x2', width - right);
  middle.forEach((us, i) => axis.append('text').attr('x', atX(us)).attr('y', 17).attr('text-anchor', i === 0 ? 'start' : i === 5 ? 'end' : 'middle').text(clock(us).slice(0, num * t.width > 6e7 ? 8 : 12)));

  // What happened: a tick each; those of one kind on one line.
  const marks = t.marks.map(m => ({...m, say: m.kind + (m.text ? ': ' + m.text : '') + (m.conn ? ', conn ' + m.conn : '')}))
    .concat(data.doctor.found.filter(f => f.severity === 'error' || f.severity === 'warning').map(f => ({at: f.first, kind: f.severity, say: f.severity + ' ' + f.code + ' ' + f.title + ': ' + f.sentence})));
  svg.append('text').attr('x', 0).attr('y', marksAt + 4).text('events');
  svg.append('line').attr('class', 'lane').attr('x1', left).attr('x2', width - right).attr('y1', marksAt).attr('y2', marksAt);
  for (const m of marks) {
    const g = svg.append('g').attr('class', 'goes front').attr('transform', `translate(${Math.max(left, Math.min(width - right, atX(m.at)))},${marksAt})`)
      .on('click', () => { if (m.packet) { setTime(-Infinity, Infinity); setFilter('packet:' + m.packet); goTo('messages'); } });
    if (isSharp(m.kind)) g.append('path').attr('d', 'M0,-6L5.5,4H-5.5Z').attr('fill', colors[m.kind]);
    else g.append('circle').attr('r', 4).attr('fill', colors[m.kind] || 'var(--faint)');
    g.append('title').text(clock(m.at) + '  ' + m.say);
  }
  const seen = [...new Set(marks.map(m => m.kind))];
  let at = left;
  seen.forEach(kind => {
    if (isSharp(kind)) svg.append('path').attr('transform', `translate(${at + 4},${marksAt + 20})`).attr('d', 'M0,-5L5,4H-5Z').attr('fill', colors[kind]);
    else svg.append('circle').attr('cx', at + 4).attr('cy', marksAt + 19).attr('r', 3.5).attr('fill', colors[kind]);
    svg.append('text').attr('x', at + 12).attr('y', marksAt + 23).text(named[kind]);
    at += 24 + named[kind].length * 6.4;
  });
  if (what === 'messages' && t.failed.some(n => n)) {
    svg.append('rect').attr('class', 'bad').attr('x', at).attr('y', marksAt + 15).attr('width', 8).attr('height', 8);
    svg.append('text').attr('x', at + 12).attr('y', marksAt + 23).text('calls that began here and did not end well');
  }

  // The busiest links, each with a scale of its own.
  if (lines.length > 1) lines.forEach((l, i) => {
    const base = linesAt + (i + 1) * rowHeight - 6;
    const own = d3.scaleLinear().domain([0, Math.max(1, ...l[what])]).range([base, base - rowHeight + 20]);
    const row = data.links.rows.find(r => r.conn === l.conn);
    const name = row ? row.side[0].node + ' – ' + row.side[1].node : '';
    bars(l[what], 'much', own);
    svg.append('line').attr('class', 'lane').attr('x1', left).attr('x2', width - right).attr('y1', base).attr('y2', base);
    svg.append('text').attr('x', 0).attr('y', base - 4).text('conn ' + l.conn);
    svg.append('text').attr('x', left).attr('y', base - rowHeight + 16).text(cut(name, 110)).append('title').text(name);
    svg.append('text').attr('x', width - right).attr('y', base - rowHeight + 16).attr('text-anchor', 'end').text('at most ' + (what === 'bytes' ? shortBytes(Math.max(...l[what])) : counted(Math.max(...l[what]), 'messages')) + ' a column');
  });

  let isMoved = false; // by this script, which does not listen to itself
  const brush = d3.brushX().extent([[left, 0], [width - right, all]]).on('end', () => {
    if (isMoved || !d3.event.sourceEvent) return;
    const s = d3.event.selection;
    if (s) setTime(t.start + x.invert(s[0]) * t.width, t.start + x.invert(s[1]) * t.width);
    else if (filter.from > -Infinity) setTime(-Infinity, Infinity);
  });
  const g = svg.insert('g', '.front').attr('class', 'brush').call(brush);
  g.select('.selection').attr('fill-opacity', null).attr('stroke', null);
  const follow = () => {
    if (!svg.node().isConnected) return;
    const from = Math.max(left, atX(filter.from)), to = Math.min(width - right, atX(filter.to));
    isMoved = true;
    g.call(brush.move, filter.from > -Infinity && to > from ? [from, to] : null);
    isMoved = false;
  };
  filter.listeners.push(follow);
  return svg.node();
}
