// traffic.js - what fills the links: messages by shape, heaviest first, and the largest single ones.
function showTraffic() {
  const t = data.traffic;
  const body = section('traffic', 'Traffic', 'What fills the links', 'Messages that look alike, heaviest first. Parts that vary are shown as _, for example {put,_,_}.', false, 'Click a row to see three of them.');
  if (!t.messages) return nothing(body, 'No message was seen, or none could be decoded: TLS needs its secrets (--keylog-file).');
  const wordOf = r => {
    const call = r.what.match(/[\w.]+:[\w.]+(?=\/\d)/), label = r.what.match(/\(([\w.]+:[\w.]+)\)/), atom = r.what.match(/\{'?([a-z]\w{2,})/);
    return call ? call[0] : atom ? atom[1] : label ? 'label:' + label[1] : null;
  };
  add(body, add(make('div', {id: 'shapes'}), table([
    {name: 'share', show: r => {
      const i = make('i'), e = make('div', {class: 'share'}, i);
      i.style.width = 100 * r.bytes / t.bytes + '%';
      return [percent(r.bytes, t.bytes), e];
    }},
    {name: 'what', left: true, wide: true, show: r => { const w = wordOf(r); return [w ? findLink(r.what, w, 'messages') : r.what, make('div', {class: 'mute'}, r.who)]; }},
    {name: 'bytes', show: r => count(r.bytes) + (r.may_miss ? '+' : '')},
    {name: 'count', show: r => count(r.count)},
    {name: 'per second', show: r => t.passed > 0 ? (r.count / (t.passed / 1e9)).toFixed(r.count / (t.passed / 1e9) < 100 ? 1 : 0) : '-'},
    {name: 'mean, bytes', show: r => count(r.mean)},
    {name: 'p99, bytes', show: r => count(r.p99)},
    {name: 'largest, bytes', show: r => count(r.largest)},
    {name: 'in packet', show: r => packetLink(r.packet)},
  ], t.rows, {first: 10, open: openShape}), make('div', {id: 'shape', class: 'detail', tabindex: -1})));
  if (t.others) add(body, make('p', {class: 'note'}, bytes(t.others) + ' (' + percent(t.others, t.bytes) + ') are in ' + counted(t.kinds - t.rows.length, 'kinds') + ' that are not shown here: see distsniff -r CAPTURE --report traffic --rows 0.'));
  if (t.forgotten) add(body, make('p', {class: 'note'}, 'There were too many kinds to count each: kinds that are not listed have at most ' + bytes(t.most_missing) + ' each, and rows with a + may lack that much.'));
  add(body, make('h3', {}, 'Largest messages'), table([
    {name: 'bytes', show: r => count(r.bytes)}, {name: 'packet', show: r => packetLink(r.packet)},
    {name: 'conn, time, what; who > whom', left: true, wide: true, show: r => r.what.trim()},
  ], t.largest, {first: 5}));
}

// openShape shows some of the messages that look like that.
function openShape(r) {
  const word = r.what.split(' ')[0];
  add(clear(document.getElementById('shape')), make('div', {class: 'panel'}, make('h3', {}, r.what),
    make('p', {class: 'note'}, counted(r.count, 'messages') + ' of ' + r.who + (r.samples.length < r.count ? '; ' + (r.samples.length === 1 ? 'one' : r.samples.length === 2 ? 'two' : 'three') + ' of them:' : ':')),
    r.samples.map(s => make('div', {class: 'sample'},
      make('p', {class: 'more'}, clock(s.at) + ' (' + since(s.at) + '), ' + bytes(s.bytes) + ', packet ', packetLink(s.packet)), term(s.text || word)))));
  document.getElementById('shape').scrollIntoView({block: 'nearest'});
}

// processes: who sends and gets most, and how it serves.
function showProcesses() {
  const p = data.processes;
  const body = section('processes', 'Processes', 'Processes and names', 'Who sends and receives most, by bytes, and the calls that each made and served.');
  if (!p.rows.length) return nothing(body, 'No message was seen, so no process is known.');
  const served = new Map(data.latency.callee.map(r => [r.what, r]));
  add(body, add(make('div', {id: 'tops'}), table([
    {name: 'process', left: true, wide: true, show: r => findLink(r.what, quoted(r.what.replace(/^(.*?)[@ <].*$/, '$1') || r.what), 'messages')},
    {name: 'bytes in', show: r => count(r.in_bytes)}, {name: 'bytes out', show: r => count(r.out_bytes)},
    {name: 'messages in', show: r => count(r.in)}, {name: 'out', show: r => count(r.out)},
    {name: 'calls made', show: r => count(r.asked)}, {name: 'served', show: r => count(r.served)},
    {name: 'failed', title: 'calls to it that failed', bad: r => r.failed > 0, show: r => count(r.failed)},
    {name: 'mean', show: r => { const s = served.get(r.what); return s && s.calls > s.no_end ? span(s.total / (s.calls - s.no_end)) : '-'; }},
    {name: 'p99', show: r => { const s = served.get(r.what); return s && s.calls > s.no_end ? span(s.p99) : '-'; }},
  ], p.rows)));
  if (p.processes > p.rows.length || p.forgotten) add(body, make('p', {class: 'note'}, 'The ' + count(p.rows.length) + ' busiest of ' + (p.forgotten ? 'more than ' : '') + counted(p.processes, 'processes') + '; distsniff -r CAPTURE --report top --rows 0 shows all.'));
}
