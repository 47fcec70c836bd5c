// keys.js - what can be done without a mouse.
const keyList = [['/', 'filter calls and messages: words, or field:word; fields are type, op, label, node, process, from, to, text, outcome, packet, conn, call'],
  ['j k', 'next and previous message (or call, when calls are shown)'], ['enter', 'open it'], ['esc', 'close what is open, then clear the filter'],
  ['tab, arrows', 'move through the page and the items of a picture; on a selected time range, move it, or its end with shift'], ['1 to 8', 'the parts of this page'], ['?', 'this list']];
let lastList = 'messages';

function listInSight() {
  const seen = id => { const e = document.getElementById(id); if (!e) return 0; const r = e.getBoundingClientRect(); return Math.max(0, Math.min(r.bottom, innerHeight) - Math.max(r.top, 0)); };
  const a = seen('calllist'), b = seen('messagelist');
  return a === 0 && b === 0 ? lastList : a > b ? 'calls' : 'messages';
}
function move(by) {
  lastList = listInSight();
  if (lastList === 'messages') {
    const list = document.getElementById('messagelist');
    if (!list || !messageRows.length) return;
    messageAt = Math.max(0, Math.min(messageRows.length - 1, messageAt + by));
    const top = messageAt * lineHeight;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top > list.scrollTop + list.clientHeight - 3 * lineHeight) list.scrollTop = top - list.clientHeight + 3 * lineHeight;
    drawMessages();
    if (list.getBoundingClientRect().top > innerHeight - 80 || list.getBoundingClientRect().bottom < 120) list.scrollIntoView({block: 'center'});
  } else {
    const lines = document.querySelectorAll('#calllist tbody tr');
    callAt = Math.max(0, Math.min(lines.length - 1, callAt + by));
    lines.forEach((l, i) => l.classList.toggle('at', i === callAt));
    if (lines[callAt]) lines[callAt].scrollIntoView({block: 'nearest'});
  }
}
function openChosen() {
  if (lastList === 'messages' && messageAt >= 0) openMessage(messageAt);
  if (lastList === 'calls' && callAt >= 0 && callRows[callAt]) openCall(callRows[callAt].call);
}
function escape(field) {
  const help = document.getElementById('help');
  const message = document.getElementById('message'), call = document.getElementById('call'), shape = document.getElementById('shape');
  if (help.open) help.close();
  else if (document.activeElement === field) field.blur();
  else if (message && message.firstChild && messageRows.length) clear(message);
  else if (call && call.firstChild) clear(call);
  else if (shape && shape.firstChild) clear(shape);
  else clearFilter();
}
function listen() {
  const field = document.getElementById('filter');
  let waits = 0;
  field.addEventListener('input', () => { clearTimeout(waits); waits = setTimeout(() => setFilter(field.value, true), 120); });
  add(document.getElementById('help'), make('h2', {}, 'Keys'), make('table', {}, make('tbody', {}, keyList.map(([k, what]) => make('tr', {}, make('td', {}, make('kbd', {}, k)), make('td', {}, what))))));
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isField = event.target === field || event.target.tagName === 'SELECT';
    const key = event.key;
    if (key === 'Escape') escape(field);
    else if (isField && key === 'Enter') { field.blur(); goTo('messages'); }
    else if (isField) return;
    else if (event.target.id === 'messagelist' && (key === 'ArrowDown' || key === 'ArrowUp')) move(key === 'ArrowDown' ? 1 : -1);
    else if (key === '/') { field.focus(); field.select(); }
    else if (key === 'j' || key === 'k') move(key === 'j' ? 1 : -1);
    else if (key === 'Enter' && !/^(A|BUTTON|SUMMARY)$/.test(event.target.tagName)) openChosen();
    else if (key === ' ' && live.source && event.target === document.body) { live.isPaused = !live.isPaused; showNext(false); }
    else if (key === '?') document.getElementById('help').showModal();
    else if (key >= '1' && key <= '8') { const a = document.querySelectorAll('#nav a')[key - 1]; if (a) goTo(a.getAttribute('href').slice(1)); }
    else return;
    event.preventDefault();
  });
  let isResized = false;
  addEventListener('resize', () => {
    if (!isResized) requestAnimationFrame(() => { isResized = false; refitAll(); drawMessages(); });
    isResized = true;
  });
  isNarrow.addEventListener('change', () => { refitAll(); tellFilter(); });
  const unfolded = [];
  const onPaper = is => {
    if (is) document.documentElement.dataset.paper = 'yes';
    else delete document.documentElement.dataset.paper;
    // Nobody opens what is folded there.
    if (is) unfolded.push(...document.querySelectorAll('.term details:not([open])'));
    unfolded.forEach(e => { e.open = is; });
    if (!is) unfolded.length = 0;
    refitAll();
    repaint(); // in the colours of paper
    drawMessages(); // in order
  };
  addEventListener('beforeprint', () => onPaper(true));
  addEventListener('afterprint', () => onPaper(false));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => repaint());
  const here = () => {
    const marks = [...document.querySelectorAll('#nav a')];
    let now = marks[0];
    for (const a of marks) { const part = document.getElementById(a.getAttribute('href').slice(1)); if (part && part.getBoundingClientRect().top < 140) now = a; }
    marks.forEach(a => a.classList.toggle('here', a === now));
  };
  addEventListener('scroll', () => requestAnimationFrame(here), {passive: true});
  here();
}
