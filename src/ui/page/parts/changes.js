// changes.js - in what this capture differs from another one (--compare), side by side.
function showChanges() {
  const c = data.changes;
  if (!c) return;
  const side = s => counted(s.messages, 'messages') + ' in ' + seconds(s.seconds * 1e9);
  const worse = c.rows.filter(d => d.worse).length;
  const body = section('changes', 'Changes', 'What changed', 'Compared with ' + c.file + ' of ' + date(c.before_first) + '. Before: ' + side(c.before) + '; now: ' + side(c.after) + '.');
  const notes = [];
  if (c.differences > c.rows.length) notes.push(counted(c.differences - c.rows.length, 'differences') + ' more: distsniff --compare shows them.');
  if (c.implied) notes.push(counted(c.implied, 'differences') + ' that follow from a node or call in the table are left out.');
  if (c.not_judged) notes.push('Not judged: ' + counted(c.not_judged, 'kinds') + ' that one capture seems to lack, since messages of it could not be read, or are of nodes without a name.');
  if (c.too_rare) notes.push(counted(c.too_rare, 'kinds') + ' that one capture alone has ' + (c.too_rare === 1 ? 'is' : 'are') + ' too rare to say more.');
  if (c.incomplete) notes.push('There were too many kinds: what appeared or vanished is not known (--max-tallies).');
  if (c.before_cut) notes.push(c.file + ' could not be read in full.');
  if (c.no_memory) notes.push('Memory ran out: some differences are missing.');
  if (!c.rows.length) add(body, empty(c.compared || !c.before.messages || !c.after.messages ? 'No differences.' : 'Nothing could be compared.'));
  else add(body, make('p', {id: 'compared'}, counted(c.differences, 'differences') + ', ' + count(worse) + ' of them worse.'), add(make('div', {id: 'differences'}), table([
    {name: 'change', left: true, bad: d => d.worse, show: d => d.change + (d.worse ? ', worse' : '')},
    {name: 'of', left: true, show: d => d.measure === 'presence' ? '' : d.words},
    {name: 'before', show: d => changeValue(d, d.before, 'appeared')},
    {name: 'now', show: d => changeValue(d, d.after, 'vanished')},
    {name: 'what', left: true, wide: true, show: d => [d.kind_words + ' ' + d.key, d.why.length ? make('div', {class: 'mute'}, d.why.map(w => w.outcome + ' ' + count(w.calls)).join(', ')) : null]},
    {name: 'how often, before', left: true, show: d => changeBars(d.before_slices, c.before_width, changeMost(d, c))},
    {name: 'and now', left: true, show: d => changeBars(d.after_slices, c.after_width, changeMost(d, c))},
    {name: 'see', left: true, show: d => d.change === 'vanished' ? '' : d.conn ? connLink(d.conn, 'conn ') : d.packet ? packetLink(d.packet, 'packet ') : ''},
  ], c.rows, {first: 20})));
  notes.forEach(n => add(body, make('p', {class: 'note'}, n)));
}

// changeValue writes a figure with its unit, nothing where one capture has none.
function changeValue(d, value, none) {
  if (d.kind === 'finding' || (d.measure === 'presence' && d.change === none)) return '';
  if (d.measure === 'release') return value;
  if (d.measure === 'p50' || d.measure === 'p99') return span(value * 1e9);
  if (d.measure === 'failed') return (100 * value).toFixed(value > 0 && value < 0.1 ? 1 : 0) + ' %';
  if (d.measure === 'size') return shortBytes(Math.round(value));
  return value.toFixed(value >= 100 ? 0 : value >= 1 ? 1 : 3) + '/s';
}

// changeBars draws rates in slices of a capture; changeMost is the greatest of both captures.
function changeMost(d, c) { return Math.max(...d.before_slices.map(n => n / c.before_width), ...d.after_slices.map(n => n / c.after_width), 0); }
function changeBars(slices, width, most) {
  if (!slices.length) return '';
  return add(make('span', {class: 'spark', title: 'from the beginning of that capture to its end'}), slices.map(n => {
    const bar = make('i', {class: n ? '' : 'none'});
    bar.style.height = Math.max(1, Math.round(16 * n / width / most)) + 'px';
    return bar;
  }));
}
