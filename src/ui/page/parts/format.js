// format.js - numbers as the tables of distsniff write them, with their units. Thousands are parted
// by a narrow space, which the tables do without.
function count(n) {
  return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}
function counted(n, what) { return count(n) + ' ' + (Number(n) === 1 ? what.replace(/s$/, '') : what); }

// span writes a time span of nanoseconds: 412 us, 3.20 ms, 5.00 s.
const spans = [[1e3, 1, 0, ' ns'], [1e6, 1e3, 0, ' us'], [1e7, 1e4, 2, ' ms'], [1e9, 1e5, 1, ' ms'],
  [6e10, 1e7, 2, ' s'], [Infinity, 6e9, 1, ' min']];
function span(ns) {
  const size = Math.abs(Number(ns));
  const [, unit, digits, name] = spans.find(s => size < s[0]);
  const value = Math.floor((size + Math.floor(unit / 2)) / unit);
  return (ns < 0 ? '-' : '') + (value / 10 ** digits).toFixed(digits) + name;
}
// seconds writes a longer time, to three digits behind the point: 12.041 s.
function seconds(ns) { return (Number(ns) / 1e9).toFixed(3) + ' s'; }
function percent(part, all) { return all > 0 ? (100 * part / all).toFixed(1) + ' %' : '-'; }
function bytes(n) { return counted(n, 'bytes'); }
// Bytes, shortened where there is no room: 12.3 MB.
function shortBytes(n) {
  if (n < 1000) return n + ' B';
  const units = ['kB', 'MB', 'GB', 'TB'];
  let i = -1;
  do { n /= 1000; i++; } while (n >= 999.5 && i < 3);
  return (n < 9.995 ? n.toFixed(2) : n < 99.95 ? n.toFixed(1) : n.toFixed(0)) + ' ' + units[i];
}
function two(n) { return String(n).padStart(2, '0'); }
// clock writes microseconds since 1970 as the time of day of the tables.
function clock(us) {
  const local = us + data.about.zone * 1e6;
  const s = Math.floor(local / 1e6), rest = Math.floor(local - s * 1e6);
  const day = ((s % 86400) + 86400) % 86400;
  return two(Math.floor(day / 3600)) + ':' + two(Math.floor(day / 60) % 60) + ':' + two(day % 60) + '.' + String(rest).padStart(6, '0');
}
// zoneName is the time zone of all times of the page.
function zoneName() {
  const minutes = Math.round(Math.abs(data.about.zone) / 60);
  return 'UTC' + (minutes ? (data.about.zone < 0 ? '-' : '+') + Math.floor(minutes / 60) + (minutes % 60 ? ':' + two(minutes % 60) : '') : '');
}
function date(us) {
  const d = new Date(us / 1000 + data.about.zone * 1000);
  return d.getUTCFullYear() + '-' + two(d.getUTCMonth() + 1) + '-' + two(d.getUTCDate());
}
// since writes how long after the beginning of the capture.
function since(us) { return '+' + ((us - data.about.first) / 1e6).toFixed(us - data.about.first < 1e7 ? 3 : 1) + ' s'; }
