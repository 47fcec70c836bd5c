// heat.js - how long calls take: when across, how long up, how many as depth of colour; and the same in
// figures by label, by who was called and by function.
function showHeat() {
  const body = section('latency', 'Latency', 'How long calls take', 'Each cell counts the calls that began then and took that long.', false, 'Click a cell to list its calls.');
  const t = data.times;
  if (!data.latency.calls) return nothing(body, 'No call was seen: no request in this capture has a reply. Messages without replies are below.');
  if (!t.heat.calls) return nothing(body, 'The end of ' + counted(data.latency.calls, 'calls') + ' is unknown, so there are no latencies.');
  const all = [['all calls', t.heat], ...t.heat_label.map(h => ['label ' + h.what, h]), ...t.heat_callee.map(h => ['callee ' + h.what, h]),
    ...(t.heat_conn.length > 1 ? t.heat_conn.map(h => ['conn ' + h.what + linkName(Number(h.what)), h]) : [])];
  const place = make('div', {class: 'panel', id: 'heat'});
  const select = make('select', {'aria-label': 'calls of', on: {change: () => draw(select.value)}},
    all.map(([name, h], i) => make('option', {value: i}, name + ' (' + counted(h.calls, 'calls') + ')')));
  let chosen = 0;
  const draw = i => {
    chosen = i;
    view.heat = all[i][0];
    drawAgain(place);
  };
  add(body, make('div', {class: 'tools'}, select), place);
  const before = Math.max(0, all.findIndex(([name]) => name === view.heat));
  select.value = before;
  draw(before);
  fit(place, width => heatPicture(clear(place), all[chosen][0], all[chosen][1], width));
  const figures = make('div', {id: 'latencies'});
  const show = () => add(clear(figures), latencyTable(view.by));
  const parts = [['label', 'by label'], ['callee', 'by callee'], ['function', 'by function']].filter(([key]) => data.latency[key].length);
  add(body, make('h3', {}, 'In figures'), make('div', {class: 'tools'}, choices(parts, view.by, v => { view.by = v; show(); })), figures);
  show();
  if (data.latency.more || data.latency.forgotten)
    add(body, make('p', {class: 'note'}, counted(data.latency.more, 'lines') + ' with the least time are not shown' + (data.latency.forgotten ? ', and some kinds were forgotten: rows with a + may lack calls' : '') + '. distsniff -r CAPTURE --report latency --rows 0 shows more.'));
}

// linkName says which nodes a connection is between, where it is known.
function linkName(conn) {
  const row = data.links.rows.find(r => r.conn === conn);
  return row ? ', ' + row.side[0].node + ' – ' + row.side[1].node : '';
}

function heatPicture(place, name, heat, width) {
  const t = data.times, ends = t.heat_ends, cells = [];
  for (let i = 0; i < heat.cells.length; i += 3) cells.push({column: heat.cells[i], row: heat.cells[i + 1], count: heat.cells[i + 2]});
  const low = d3.min(cells, c => c.row), high = d3.max(cells, c => c.row), most = d3.max(cells, c => c.count);
  const columns = Math.max(t.messages.length, Math.ceil((data.about.last - t.start) / t.width), 1);
  const rows = high - low + 1, isSmall = width < 600, left = isSmall ? 52 : 64, labels = timeLabels(width), cellHeight = Math.max(9, Math.min(18, 260 / rows));
  const height = rows * cellHeight, w = (width - left) / columns;
  const canvas = make('canvas', {'aria-hidden': 'true'});
  const scale = document.documentElement.dataset.paper ? 3 : Math.max(1, Math.min(2, devicePixelRatio || 1));
  canvas.width = width * scale;
  canvas.height = (height + 24) * scale;
  const g = canvas.getContext('2d');
  const boxOf = c => ({x: left + c.column * w, y: height - (c.row - low + 1) * cellHeight + 0.5, width: Math.max(1.5, w - 0.5), height: cellHeight - 1});
  const paint = () => {
    const css = getComputedStyle(document.documentElement);
    const much = css.getPropertyValue('--much').trim(), soft = css.getPropertyValue('--soft').trim(), line = css.getPropertyValue('--line-soft').trim();
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, width, height + 24);
    g.font = '11.5px ' + css.getPropertyValue('--sans');
    g.textBaseline = 'middle';
    for (let r = low; r <= high + 1; r++) {
      const y = height - (r - low) * cellHeight;
      g.fillStyle = line;
      g.fillRect(left, Math.round(y) - 0.5, width - left, 1);
      if (r > 0 && r - 1 < ends.length && (r - 1) % 3 === 0) {
        g.fillStyle = soft;
        g.textAlign = 'right';
        g.fillText(span(ends[r - 1]).replace(/\.0+ /, ' '), left - 8, Math.max(7, y));
      }
    }
    const deep = d3.scaleSqrt().domain([0, most]).range([0.2, 1]);
    g.fillStyle = much;
    for (const c of cells) {
      const box = boxOf(c);
      g.globalAlpha = deep(c.count);
      g.fillRect(box.x, box.y, box.width, box.height);
    }
    g.globalAlpha = 1;
    g.fillStyle = soft;
    for (let i = 0; i <= labels; i++) {
      g.textAlign = i === 0 ? 'left' : i === labels ? 'right' : 'center';
      const us = t.start + i * columns * t.width / labels;
      g.fillText(clock(us).slice(0, columns * t.width > 6e7 ? 8 : 12), left + i * (width - left) / labels, height + 15);
    }
  };
  paint();
  repaint = paint;
  // The cell under a mouse, or the one that a finger will have meant.
  const find = event => {
    const r = canvas.getBoundingClientRect(), k = width / r.width, reach = event.pointerType === 'touch' ? 20 : 0;
    const x = (event.clientX - r.left) * k, y = (event.clientY - r.top) * k;
    const far = c => { const b = boxOf(c); return Math.hypot(Math.max(b.x - x, 0, x - b.x - w), Math.max(b.y - y, 0, y - b.y - b.height)); };
    const nearest = cells.reduce((best, c) => { const d = far(c); return d < best.d || (d === best.d && best.c === null) ? {c, d} : best; }, {c: null, d: reach + 1});
    return nearest.c && nearest.d <= Math.max(reach, 0.5) ? nearest.c : null;
  };
  const between = row => (row === 0 ? 'below ' + span(ends[0]) : row < ends.length ? span(ends[row - 1]) + ' to ' + span(ends[row]) : 'from ' + span(ends[row - 1]));
  const saysOf = c => counted(c.count, 'calls') + ', ' + between(c.row) + ', begun ' + clock(t.start + c.column * t.width) + ' and in ' + span(t.width * 1e3) + ' from then';
  const open = c => {
    heatCell = {from: c.row === 0 ? 0 : ends[c.row - 1], to: c.row < ends.length ? ends[c.row] : Infinity, text: between(c.row)};
    setTime(t.start + c.column * t.width, t.start + (c.column + 1) * t.width);
    setFilter(name.startsWith('label ') ? 'label:' + quoted(name.slice(6)) : name.startsWith('callee ') ? 'to:' + quoted(name.slice(7)) : name.startsWith('conn ') ? 'conn:' + parseInt(name.slice(5), 10) : '');
    goTo('calls');
  };
  canvas.addEventListener('mousemove', event => {
    const c = find(event);
    if (c) showTip(event, saysOf(c));
    else hideTip();
  });
  canvas.addEventListener('mouseleave', hideTip);
  canvas.addEventListener('click', event => { const c = find(event); if (c) open(c); });
  add(place, heatKeys(make('div', {class: 'heat', role: 'grid', 'aria-label': 'latency of ' + name + ' over time', 'aria-rowcount': rows, 'aria-colcount': columns}, canvas),
    cells, c => ({...boxOf(c), left: 100 * boxOf(c).x / width, top: 100 * boxOf(c).y / (height + 24), index: [high - c.row + 1, c.column + 1], says: saysOf(c)}), open),
  make('p', {class: 'note'}, name + ': ' + counted(heat.calls, 'calls') + '; the fullest cell has ' + count(most) + '.'));
}

// heatKeys: the cells of a canvas are no elements; the one that keys have come to is. Left and right go to
// the next cell of another time, up and down to another one of that time. Each is an element of its own,
// so that what it says is read.
function heatKeys(grid, cells, boxOf, open) {
  if (!cells.length) return grid;
  const near = (of, list) => list.reduce((best, c) => !best || Math.abs(c.row - of.row) < Math.abs(best.row - of.row) ? c : best, null);
  const beside = (c, side) => {
    const there = cells.filter(o => side * (o.column - c.column) > 0);
    const column = (side > 0 ? d3.min : d3.max)(there, o => o.column);
    return near(c, there.filter(o => o.column === column));
  };
  const above = (c, side) => near(c, cells.filter(o => o.column === c.column && side * (o.row - c.row) > 0));
  const ends = (c, which) => { const column = which(cells, o => o.column); return near(c, cells.filter(o => o.column === column)); };
  const steps = {ArrowRight: c => beside(c, 1), ArrowLeft: c => beside(c, -1), ArrowUp: c => above(c, 1), ArrowDown: c => above(c, -1),
    Home: c => ends(c, d3.min), End: c => ends(c, d3.max)};
  let now = null;
  const put = c => {
    const box = boxOf(c), row = make('div', {role: 'row', 'aria-rowindex': box.index[0]});
    const cell = make('div', {role: 'gridcell', class: 'heatcell', tabindex: 0, 'aria-colindex': box.index[1], 'aria-label': box.says, 'data-stop': c.column + ' ' + c.row});
    Object.assign(cell.style, {left: box.left + '%', top: box.top + '%', width: box.width + 'px', height: box.height + 'px'});
    cell.addEventListener('click', () => open(c));
    cell.addEventListener('focus', () => tipBeside(cell));
    cell.addEventListener('blur', hideTip);
    cell.addEventListener('keydown', event => {
      const to = event.ctrlKey || event.altKey || event.metaKey ? null : steps[event.key];
      if (event.key === 'Enter' || event.key === ' ') open(c);
      else if (!to) return;
      else if (to(c)) put(to(c)).focus();
      event.preventDefault();
      event.stopPropagation();
    });
    grid.append(add(row, cell));
    const before = now;
    now = row;
    // The one before goes when this one has what keys say.
    if (before) queueMicrotask(() => before.remove());
    return cell;
  };
  put(cells[0]);
  return grid;
}
let repaint = () => {}; // in the colours that are now to be
let heatCell = null; // the latencies of the cell that was chosen

function bar(list) {
  const most = Math.max(...list, 1);
  const e = make('span', {class: 'spark', title: 'from microseconds on the left to tens of seconds'});
  list.forEach(n => {
    const i = make('i', {class: n ? '' : 'none'});
    i.style.height = Math.round(15 * n / most) + 'px';
    e.append(i);
  });
  return e;
}

function latencyTable(by) {
  const find = r => by === 'label' ? 'label:' + quoted(r.what) : by === 'callee' ? 'to:' + quoted(r.what) : quoted(r.what.replace(/\/\d+$/, ''));
  return table([
    {name: by, left: true, wide: true, show: r => findLink(r.what, find(r), 'calls')},
    {name: 'calls', show: r => count(r.calls) + (r.may_miss ? '+' : '')},
    {name: 'failed', bad: r => r.errors > 0, show: r => count(r.errors)},
    {name: 'no end', title: 'calls without a known end', show: r => count(r.no_end)},
    {name: 'p50', show: r => span(r.p50)}, {name: 'p90', show: r => span(r.p90)},
    {name: 'p99', show: r => span(r.p99)}, {name: 'max', show: r => span(r.max)},
    {name: 'total', show: r => span(r.total)}, {name: 'distribution', left: true, show: r => bar(r.bar)},
    {name: 'slowest', show: r => callLink(r.slowest)},
  ], data.latency[by]);
}
