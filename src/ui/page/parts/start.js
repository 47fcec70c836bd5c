// start.js - unpacks, and shows part after part.
function show() {
  const y = scrollY, was = focused();
  filter.listeners.length = 0;
  clear(page);
  document.title = 'distsniff: ' + (data.about.empty ? 'nothing captured' : date(data.about.first) + ' ' + clock(data.about.first).slice(0, 8));
  [showVerdict, showChanges, showTimeline, showNodes, showTimes, showHeat, showTraffic, showCalls, showProcesses, showApps, showPoints, showMessages].forEach(f => f());
  page.append(make('footer', {}, 'Written by distsniff ' + data.about.version + '. Times are those of the machine that wrote this page' +
    '. ', make('span', {class: 'act'}, 'Press ? for keys. '), 'Pictures are drawn with D3 (Mike Bostock, BSD licence).'));
  if (document.documentElement.dataset.ready !== 'yes') listen();
  else {
    focusAgain(was);
    scrollTo({top: y, behavior: 'instant'});
  }
  document.documentElement.dataset.ready = 'yes';
}
function trouble(error) {
  clear(page).append(make('p', {class: 'empty trouble'}, 'This page cannot be shown: ' + error.message + '. The tables of distsniff --report show the same.'));
  document.documentElement.dataset.ready = 'failed';
}
async function start() {
  if (typeof DecompressionStream === 'undefined') throw new Error('this browser cannot unpack gzip; Firefox 113, Chromium 80, Safari 16.4 and later versions can');
  const text = document.getElementById('data').textContent.trim();
  if (!text) return watch();
  await unpack(text);
  show();
}
start().catch(trouble);
