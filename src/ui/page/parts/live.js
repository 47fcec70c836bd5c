// live.js - a page that is served: distsniff sends its state anew every few seconds (server-sent events),
// and the page is drawn again where it stands. While somebody reads, what has come waits.
const live = {source: null, waiting: null, isPaused: false, isShowing: false, isDown: false, told: 0, state: 'connecting', rate: null, at: 0, note: ''};

// isReading says whether a picture drawn anew would take something out of somebody's hands.
function isReading() {
  const open = id => { const e = document.getElementById(id); return e && e.firstChild; };
  return live.isDown || open('call') || open('message') || open('shape') || document.getElementById('help').open || String(getSelection()) !== '';
}
function showNext(anyway) {
  const text = live.waiting;
  if (!text || live.isShowing || document.hidden || (!anyway && (live.isPaused || isReading()))) return sayLive();
  live.isShowing = true;
  live.waiting = null;
  const before = data && {messages: data.traffic.messages, last: data.about.last};
  unpack(text).then(() => {
    const passed = before ? (data.about.last - before.last) / 1e6 : 0;
    if (passed > 0) live.rate = (data.traffic.messages - before.messages) / passed;
    if (!data.about.going_on && live.state === 'live') live.state = 'whole';
    show();
    live.told++;
    document.documentElement.dataset.told = live.told;
  }).catch(trouble).finally(() => {
    live.isShowing = false;
    sayLive();
  });
}
function sayLive() {
  const place = clear(document.getElementById('live'));
  place.hidden = false;
  const says = {
    connecting: ['', 'waiting for the first packets'],
    live: live.isPaused ? ['', 'paused'] : ['ok', 'live' + (live.rate === null ? '' : ', ' + perSecond(live.rate))],
    whole: ['', 'everything has been read'],
    lost: ['error', 'no connection to distsniff since ' + live.since + '; retrying'],
    ended: ['', 'distsniff has stopped; this page is no longer updated'],
    refused: ['error', 'not served: ' + live.note],
  }[live.state];
  place.dataset.state = live.isPaused && live.state === 'live' ? 'paused' : live.state;
  add(place, make('span', {class: 'state ' + says[0]}, says[1]));
  if (live.state === 'live' && data) add(place, button(live.isPaused ? 'resume' : 'pause', () => { live.isPaused = !live.isPaused; showNext(false); }, {title: 'key: space'}));
  if (live.waiting && data && !live.isShowing) add(place, button('show new data', () => showNext(true)));
  if (data && live.state !== 'ended' && live.state !== 'lost') add(place, make('a', {href: 'page.html', class: 'save', title: 'save the current page as one file'}, 'save'));
  const note = live.state === 'refused' ? '' : live.note;
  if (note) add(place, make('span', {class: 'note'}, note));
}
function perSecond(n) { return (n < 10 ? n.toFixed(1) : count(Math.round(n))) + ' messages/s'; }
function timeNow() { return new Date().toTimeString().slice(0, 8); }

function watch() {
  document.getElementById('wait').textContent = 'Waiting for distsniff.';
  const source = live.source = new EventSource('events');
  source.addEventListener('hello', event => {
    live.state = data && !data.about.going_on ? 'whole' : data ? 'live' : 'connecting';
    live.note = event.data === 'dropped' ? 'This browser did not read for a while and was disconnected. It reconnected at ' + timeNow() + ', and the page is complete.' : '';
    sayLive();
  });
  source.addEventListener('state', event => {
    live.waiting = event.data;
    if (live.state === 'connecting') live.state = 'live';
    showNext(!data);
  });
  source.addEventListener('end', () => {
    source.close();
    live.state = 'ended';
    showNext(false);
  });
  source.addEventListener('error', () => {
    if (live.state === 'ended') return;
    if (source.readyState === EventSource.CLOSED) {
      live.state = 'refused';
      live.note = 'too many browsers are connected, or distsniff was restarted. Reload the page, or see --max-web-clients.';
    } else if (live.state !== 'lost') {
      live.state = 'lost';
      live.since = timeNow();
    }
    sayLive();
  });
  addEventListener('pointerdown', () => { live.isDown = true; });
  addEventListener('pointerup', () => { live.isDown = false; setTimeout(() => showNext(false), 50); });
  document.addEventListener('visibilitychange', () => showNext(false));
  document.addEventListener('keyup', event => { if (event.key === 'Escape') showNext(false); });
}
