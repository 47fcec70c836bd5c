// heat.js - how long calls take: when across, how long up, how many as depth of colour; and the same in
// figures by label, by who was called and by function.
function showHeat() {
  const body = section('latency', 'Latency', 'How long calls take', 'Each cell counts the calls that began then and took that long. A click lists the calls in it.');
  const t = data.times;
  if (!data.latency.calls) return add(body, empty('No call was seen: nothing in this capture asks and is answered. Messages that only go one way are below.'));
  if (!t.heat.calls) return add(body, empty('Of ' + counted(data.latency.calls, 'calls') + ' none has an end that is known, so there are no latencies.'));
  const all = [['all calls', t.heat], ...t.heat_label.map(h => ['label ' + h.what, h]), ...t.heat_callee.map(h => ['callee ' + h.what, h]),
    ...(t.heat_conn.length > 1 ? t.heat_conn.map(h => ['conn ' + h.what + linkName(Number(h.what)), h]) : [])];
  const place = make('div', {class: 'panel', id: 'heat'});
  const select = make('select', {'aria-label': 'calls of', on: {change: () => draw(select.value)}},
    all.map(([name, h], i) => make('option', {value: i}, name + ' (' + counted(h.calls, 'calls') + ')')));
  const draw = i => {
    view.heat = all[i][0];
    heatPicture(clear(place), all[i][0], all[i][1]);
  };
  add(body, make('div', {class: 'tools'}, select), place);
  const before = Math.max(0, all.findIndex(([name]) => name === view.heat));
  select.value = before;
  draw(before);
  const figures = make('div', {id: 'latencies'});
  const show = () => add(clear(figures), latencyTable(view.by));
  const parts = [['label', 'by label'], ['callee', 'by who is called'], ['function', 'by function']].filter(([key]) => data.latency[key].length);
  add(body, make('h3', {}, 'In figures'), make('div', {class: 'tools'}, choices(parts, view.by, v => { view.by = v; show(); })), figures);
  show();
  if (data.latency.more || data.latency.forgotten)
    add(body, make('p', {class: 'note'}, counted(data.latency.more, 'lines') + ' with the least time are left out here' + (data.latency.forgotten ? ', and some kinds were forgotten: where there is a + calls may be missing' : '') + '. distsniff -r CAPTURE --report latency --rows 0 shows more.'));
}

// linkName says which nodes a connection is between, where it is known.
function linkName(conn) {
  const row = data.links.rows.find(r => r.conn === conn);
  return row ? ', ' + row.side[0].node + ' – ' + row.side[1].node : '';
}

function heatPicture(place, name, heat) {
  const t = data.times, ends = t.heat_ends, cells = heat.cells;
  let low = Infinity, high = 0, most = 0;
  for (let i = 0; i < cells.length; i += 3) {
    low = Math.min(low, cells[i + 1]);
    high = Math.max(high, cells[i + 1]);
    most = Math.max(most, cells[i + 2]);
  }
  const columns = Math.max(t.messages.length, Math.ceil((data.about.last - t.start) / t.width), 1);
  const rows = high - low + 1, left = 64, width = 1100, cellHeight = Math.max(9, Math.min(18, 260 / rows));
  const height = rows * cellHeight;
  const canvas = make('canvas', {role: 'img', 'aria-label': 'latency of ' + name + ' over time', tabindex: 0});
  const scale = Math.min(2, devicePixelRatio || 1);
  canvas.width = width * scale;
  canvas.height = (height + 24) * scale;
  const g = canvas.getContext('2d');
  const paint = () => {
    const css = getComputedStyle(document.documentElement);
    const much = css.getPropertyValue('--much').trim(), soft = css.getPropertyValue('--soft').trim(), line = css.getPropertyValue('--line-soft').trim();
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, width, height + 24);
    g.font = '11.5px ' + css.getPropertyValue('--sans');
    g.textBaseline = 'middle';
    const w = (width - left) / columns;
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
    for (let i = 0; i < cells.length; i += 3) {
      g.globalAlpha = deep(cells[i + 2]);
      g.fillRect(left + cells[i] * w, height - (cells[i + 1] - low + 1) * cellHeight + 0.5, Math.max(1.5, w - 0.5), cellHeight - 1);
    }
    g.globalAlpha = 1;
    g.fillStyle = soft;
    for (let i = 0; i <= 5; i++) {
      g.textAlign = i === 0 ? 'left' : i === 5 ? 'right' : 'center';
      const us = t.start + i * columns * t.width / 5;
      g.fillText(clock(us).slice(0, columns * t.width > 6e7 ? 8 : 12), left + i * (width - left) / 5, height + 15);
    }
  };
  paint();
  repaint = paint;
  const find = event => {
    const r = canvas.getBoundingClientRect(), k = width / r.width;
    const column = Math.floor(((event.clientX - r.left) * k - left) / ((width - left) / columns));
    const row = low + Math.floor((height - (event.clientY - r.top) * k) / cellHeight);
    for (let i = 0; i < cells.length; i += 3) if (cells[i] === column && cells[i + 1] === row) return {column, row, count: cells[i + 2]};
    return null;
  };
  const between = row => (row === 0 ? 'below ' + span(ends[0]) : row < ends.length ? span(ends[row - 1]) + ' to ' + span(ends[row]) : 'from ' + span(ends[row - 1]));
  canvas.addEventListener('mousemove', event => {
    const cell = find(event);
    if (!cell) return hideTip();
    showTip(event, counted(cell.count, 'calls') + ', ' + between(cell.row) + '\nbegun ' + clock(t.start + cell.column * t.width) + ' and in ' + span(t.width * 1e3) + ' from then');
  });
  canvas.addEventListener('mouseleave', hideTip);
  canvas.addEventListener('click', event => {
    const cell = find(event);
    if (!cell) return;
    heatCell = {from: cell.row === 0 ? 0 : ends[cell.row - 1], to: cell.row < ends.length ? ends[cell.row] : Infinity, text: between(cell.row)};
    setTime(t.start + cell.column * t.width, t.start + (cell.column + 1) * t.width);
    setFilter(name.startsWith('label ') ? 'label:' + quoted(name.slice(6)) : name.startsWith('callee ') ? 'to:' + quoted(name.slice(7)) : name.startsWith('conn ') ? 'conn:' + parseInt(name.slice(5), 10) : '');
    goTo('calls');
  });
  add(place, canvas, make('p', {class: 'note'}, name + ': ' + counted(heat.calls, 'calls') + '; the darkest cell has ' + count(most) + '.'));
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
    {name: by === 'callee' ? 'who is called' : by, left: true, wide: true, show: r => findLink(r.what, find(r), 'calls')},
    {name: 'calls', show: r => count(r.calls) + (r.may_miss ? '+' : '')},
    {name: 'errors', bad: r => r.errors > 0, show: r => count(r.errors)},
    {name: 'no end', title: 'calls of which no end is known', show: r => count(r.no_end)},
    {name: 'p50', show: r => span(r.p50)}, {name: 'p90', show: r => span(r.p90)},
    {name: 'p99', show: r => span(r.p99)}, {name: 'max', show: r => span(r.max)},
    {name: 'in all', show: r => span(r.total)}, {name: 'how it is spread', left: true, show: r => bar(r.bar)},
    {name: 'slowest', show: r => callLink(r.slowest)},
  ], data.latency[by]);
}
