// points.js - the capture points of a stream that is followed.
function showPoints() {
  const rows = data.points.rows;
  if (!rows.length) return;
  const body = section('points', 'Capture points', 'Capture points', 'Hosts that publish packets: since when, how far each is behind, what it lost, and how far its clock is ahead of the servers\'.');
  add(body, table([
    {name: 'state', left: true, bad: row => row.state !== 'up', show: row => row.state},
    {name: 'capture point', left: true, show: row => row.name},
    {name: 'since', left: true, show: row => clock(row.since).slice(0, 8)}, {name: 'last heard', left: true, show: row => clock(row.heard).slice(0, 8)},
    {name: 'lag', show: row => span(row.lag)}, {name: 'clock', show: row => (row.ahead < 0 ? '-' : '+') + span(Math.abs(row.ahead))},
    {name: 'packets', show: row => count(row.packets)}, {name: 'late', bad: row => row.late > 0, show: row => count(row.late)},
    {name: 'lost', bad: row => row.lost > 0, show: row => count(row.lost)}, {name: 'dropped', bad: row => row.dropped > 0, show: row => count(row.dropped)},
  ], rows, {first: 20}));
}
