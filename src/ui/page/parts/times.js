// times.js - what passed when: all messages and what went wrong beside it, a line for each link, and
// marks for what happened. A stretch of it that is drawn narrows calls and messages.
const colors = {up: 'var(--ok)', closed: 'var(--faint)', failed: 'var(--error)', gap: 'var(--warning)', stall: 'var(--warning)', lost: 'var(--error)', error: 'var(--error)', warning: 'var(--warning)'};
const named = {up: 'link up', closed: 'link closed', failed: 'attempt failed', gap: 'bytes missing', stall: 'link stalled', lost: 'distsniff lost records', error: 'error found', warning: 'warning'};
const isSharp = kind => kind === 'error' || kind === 'warning' || kind === 'failed' || kind === 'lost';

function showTimes() {
  const t = data.times;
  const body = section('time', 'Time', 'Time', 'Messages over time, with events and findings.', false, 'Drag to select a time range for calls and messages; click outside to clear it.');
  if (data.about.empty) return nothing(body, 'Nothing was captured, so there is no time to show.');
  const place = make('div', {class: 'panel'});
  const draw = width => clear(place).append(timePicture(t, view.times, width));
  add(body, make('div', {class: 'tools'}, choices([['messages', 'messages'], ['bytes', 'bytes']], view.times, v => { view.times = v; drawAgain(place); })), place);
  fit(place, draw);
  const left = [];
  if (t.marks_left_out) left.push(counted(t.marks_left_out, 'marks') + ' beyond the first ' + count(t.marks.length) + ' are left out');
  if (t.links.length > shownLinks || t.links_forgotten) left.push('the ' + count(Math.min(shownLinks, t.links.length)) + ' busiest links have a line of their own');
  if (left.length) add(body, make('p', {class: 'note'}, left.join('; ') + '.'));
}

const shownLinks = 8;

function timeLabels(width) { return width < 420 ? 1 : width < 900 ? 3 : 5; }

// marksOf lists what happened: a mark each.
function marksOf(t) {
  return t.marks.map(m => ({...m, say: m.kind + (m.text ? ': ' + m.text : '') + (m.conn ? ', conn ' + m.conn : '')}))
    .concat(data.doctor.found.filter(f => f.severity === 'error' || f.severity === 'warning').map(f => ({at: f.first, kind: f.severity, say: f.severity + ' ' + f.code + ' ' + f.title + ': ' + f.sentence})));
}
function shapeOf(g, kind, size) {
  if (isSharp(kind)) g.append('path').attr('d', 'M0,-6L5.5,4H-5.5Z').attr('transform', `scale(${size})`).attr('fill', colors[kind]);
  else g.append('circle').attr('r', 4 * size).attr('fill', colors[kind] || 'var(--faint)');
}
// legendOf says where each kind of mark is explained: in as many lines as that takes.
function legendOf(marks, hasFailed, left, right) {
  const list = [...new Set(marks.map(m => m.kind))].map(kind => ({kind, says: named[kind] || kind}));
  if (hasFailed) list.push({says: 'calls that failed'});
  let x = left, line = 0;
  for (const l of list) {
    const width = 12 + l.says.length * 6.6;
    if (x > left && x + width > right) [x, line] = [left, line + 1];
    [l.x, l.line] = [x, line];
    x += width + 14;
  }
  return {list, lines: list.length ? line + 1 : 0};
}

function timePicture(t, what, width) {
  const isSmall = width < 600, left = isSmall ? 54 : 64, right = 12, rowHeight = 44, labels = timeLabels(width);
  const series = t[what];
  const num = Math.max(series.length, t.failed.length, Math.ceil((data.about.last - t.start) / t.width), 1);
  const x = d3.scaleLinear().domain([0, num]).range([left, width - right]);
  const atX = us => x((us - t.start) / t.width);
  const lines = t.links.slice(0, shownLinks);
  const marks = marksOf(t), legend = legendOf(marks, what === 'messages' && t.failed.some(n => n), left, width - right);
  const high = 130, marksAt = high + 40, linesAt = marksAt + 26 + 18 * legend.lines, all = linesAt + (lines.length > 1 ? lines.length * rowHeight + 6 : 0);
  const svg = d3.create('svg').attr('viewBox', `0 -8 ${width} ${all + 8}`).attr('width', width).attr('role', 'group').attr('aria-label', what + ' over time');
  const most = Math.max(1, ...series);
  const y = d3.scaleLinear().domain([0, most]).nice(4).range([high, 14]);
  svg.append('g').attr('class', 'axis').attr('transform', `translate(${left},0)`).call(d3.axisLeft(y).tickValues(y.ticks(4).filter(Number.isInteger)).tickFormat(v => what === 'bytes' ? shortBytes(v) : count(v)).tickSize(-(width - left - right)))
    .call(g => g.select('.domain').remove());
  svg.append('text').attr('x', left).attr('y', 0).text(what + ' in each ' + span(t.width * 1e3));
  const w = Math.max(0.7, x(1) - x(0) - (num > 120 ? 0.6 : 1));
  const bars = (list, css, scale) => list.forEach((n, i) => {
    if (n) svg.append('rect').attr('class', css).attr('x', x(i)).attr('width', w).attr('y', scale(n)).attr('height', Math.max(1, scale(0) - scale(n)));
  });
  bars(series, 'much', y);
  if (!series.some(n => n)) svg.append('text').attr('x', (left + width) / 2).attr('y', high / 2 + 10).attr('text-anchor', 'middle').text('no message was read');
  if (what === 'messages') bars(t.failed, 'bad', y);
  const middle = d3.range(labels + 1).map(i => t.start + i * (num * t.width) / labels);
  const axis = svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${high})`);
  axis.append('line').attr('x1', left).attr('x2', width - right);
  middle.forEach((us, i) => axis.append('text').attr('x', atX(us)).attr('y', 17).attr('text-anchor', i === 0 ? 'start' : i === labels ? 'end' : 'middle').text(clock(us).slice(0, num * t.width > 6e7 ? 8 : 12)));

  // What happened: a tick each; those of one kind on one line.
  svg.append('text').attr('x', 0).attr('y', marksAt + 4).text('events');
  svg.append('line').attr('class', 'lane').attr('x1', left).attr('x2', width - right).attr('y1', marksAt).attr('y2', marksAt);
  for (const m of marks) {
    const g = svg.append('g').attr('transform', `translate(${Math.max(left, Math.min(width - right, atX(m.at)))},${marksAt})`);
    const says = clock(m.at) + '  ' + m.say;
    if (m.packet) stop(g, says, m.at + m.say).on('click', () => { setTime(-Infinity, Infinity); setFilter('packet:' + m.packet); goTo('messages'); });
    g.classed('front', true);
    shapeOf(g, m.kind, 1);
    g.append('title').text(says);
  }
  for (const l of legend.list) {
    const g = svg.append('g').attr('transform', `translate(${l.x + 4},${marksAt + 19 + 18 * l.line})`);
    if (l.kind) shapeOf(g, l.kind, 0.9);
    else g.append('rect').attr('class', 'bad').attr('x', -4).attr('y', -4).attr('width', 8).attr('height', 8);
    g.append('text').attr('x', 8).attr('y', 4).text(l.says);
  }

  // The busiest links, each with a scale of its own.
  if (lines.length > 1) lines.forEach((l, i) => {
    const base = linesAt + (i + 1) * rowHeight - 6;
    const own = d3.scaleLinear().domain([0, Math.max(1, ...l[what])]).range([base, base - rowHeight + 20]);
    const row = data.links.rows.find(r => r.conn === l.conn);
    const name = row ? row.side[0].node + ' – ' + row.side[1].node : '';
    bars(l[what], 'much', own);
    svg.append('line').attr('class', 'lane').attr('x1', left).attr('x2', width - right).attr('y1', base).attr('y2', base);
    const peak = Math.max(...l[what]), says = (isSmall ? '' : 'at most ') + (what === 'bytes' ? shortBytes(peak) : counted(peak, 'messages')) + (isSmall ? '' : ' in ' + span(t.width * 1e3));
    const g = stop(svg.append('g'), 'conn ' + l.conn + (name ? ', ' + name : '') + ': its messages', 'conn ' + l.conn).classed('front', true)
      .on('click', () => { clearTime(); setFilter('conn:' + l.conn); goTo('messages'); });
    const label = g.append('text').attr('x', 0).attr('y', base - rowHeight + 16);
    label.append('tspan').attr('class', 'followed').text('conn ' + l.conn);
    label.append('tspan').attr('x', Math.max(left, 44 + 7 * String(l.conn).length)).text(cutName(name, Math.floor((width - left - right - 24 - 6.6 * says.length) / 6.8)));
    g.append('title').text(name);
    svg.append('text').attr('x', width - right).attr('y', base - rowHeight + 16).attr('text-anchor', 'end').text(says);
  });

  let isMoved = false; // by this script, which does not listen to itself
  // A finger scrolls, too: it draws over the columns alone.
  const brush = d3.brushX().extent([[left, 0], [width - right, matchMedia('(pointer: coarse)').matches ? high : all]]).on('end', () => {
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
  requestAnimationFrame(follow); // when it is in its place
  stretchByKeys(g, t, num);
  return rove(svg.node());
}

// stretchByKeys draws a stretch of time without a mouse: arrows move it, with shift its end alone.
function stretchByKeys(g, t, num) {
  const step = Math.max(1, Math.round(num / 40));
  const say = () => {
    const from = Math.round((Math.max(filter.from, t.start) - t.start) / t.width);
    g.attr('aria-valuenow', filter.from > -Infinity ? Math.max(0, Math.min(num, from)) : 0)
      .attr('aria-valuetext', filter.from > -Infinity ? clock(filter.from) + ' to ' + clock(filter.to) : 'the whole time');
  };
  g.attr('tabindex', 0).attr('role', 'slider').attr('aria-label', 'time range').attr('aria-valuemin', 0).attr('aria-valuemax', num);
  say();
  g.on('keydown', () => {
    const event = d3.event, by = {ArrowRight: step, ArrowLeft: -step}[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    let from = (filter.from - t.start) / t.width, to = (filter.to - t.start) / t.width;
    if (!isFinite(from) || !isFinite(to)) [from, to] = by > 0 ? [0, step] : [num - step, num];
    else if (event.shiftKey) to = Math.max(from + step, Math.min(num, to + by));
    else {
      const moved = Math.max(-from, Math.min(num - to, by));
      [from, to] = [from + moved, to + moved];
    }
    setTime(t.start + from * t.width, t.start + to * t.width);
  });
  filter.listeners.push(() => { if (g.node().isConnected) say(); });
}
