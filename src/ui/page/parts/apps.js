// apps.js - the applications that speak, and raft clusters with their members.
function showApps() {
  const a = data.apps, r = data.raft;
  if (!a.rows.length) return;
  const body = section('apps', 'Applications', 'Applications', 'What speaks here, by the labels of its messages, and what the messages are about.');
  const named = list => list.map(t => t.what + ' ' + count(t.count)).join(', ');
  add(body, add(make('div', {id: 'applications'}), table([
    {name: 'status', left: true, bad: row => row.status !== 'ok', show: row => row.status},
    {name: 'application', left: true, show: row => row.what},
    {name: 'nodes', show: row => count(row.nodes)}, {name: 'messages', show: row => count(row.messages)},
    {name: 'bytes', show: row => count(row.bytes)}, {name: 'calls', show: row => count(row.calls)},
    {name: 'failed', bad: row => row.failed > 0, show: row => count(row.failed)},
    {name: 'about', left: true, wide: true, show: row => row.about.length ? row.things + ': ' + named(row.about) : named(row.kinds)},
  ], a.rows, {first: 10})));
  if (!r.rows.length) return;
  add(body, make('h3', {}, 'Raft clusters'), add(make('div', {id: 'raft'}), table([
    {name: 'status', left: true, bad: row => row.status !== 'ok', show: row => row.status},
    {name: 'cluster', left: true, show: row => row.what + (row.likely ? ' (a likely name)' : '')},
    {name: 'leader', left: true, show: row => row.leader ? row.leader + ' since ' + clock(row.since) : '-'},
    {name: 'term', show: row => count(row.term)}, {name: 'elections', bad: row => row.elections > 1, show: row => count(row.elections)},
    {name: 'index', show: row => row.index < 0 ? '-' : count(row.index)},
    {name: 'slowest commit', show: row => row.slowest ? span(row.slowest) : '-'},
    {name: 'followers', left: true, wide: true, show: row => row.members.map(m => m.node + (m.lag < 0 ? '' : ' lacks ' + count(m.lag))).join(', ')},
  ], r.rows, {first: 10})));
}
