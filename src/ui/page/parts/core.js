// core.js - elements made without ever reading markup: what peers said is only ever text.
const page = document.getElementById('page');

// make('td', {class: 'bad', title: '...', on: {click: f}}, child, ...): children are texts or elements.
function make(tag, what, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(what || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === 'on') for (const [type, f] of Object.entries(value)) e.addEventListener(type, f);
    else e.setAttribute(key, value === true ? '' : String(value));
  }
  add(e, ...children);
  return e;
}
function add(e, ...children) {
  for (const c of children.flat()) if (c !== null && c !== undefined && c !== false) e.append(c);
  return e;
}
function clear(e) { while (e.firstChild) e.firstChild.remove(); return e; }

// view is what somebody has chosen to see, where that outlives a page that is drawn anew.
const view = {times: 'messages', heat: 'all calls', by: 'label', open: new Set(), follows: true, top: null};

// section is a part of the page, with its place in the menu.
function section(id, name, title, lead, isLong, hint) {
  const body = make('section', {id, class: isLong ? 'long' : '', tabindex: -1},
    make('h2', {}, title), lead ? make('p', {class: 'lead'}, lead, hint ? make('span', {class: 'hint'}, ' ' + hint) : null) : null);
  page.append(body);
  addToMenu(id, name);
  return body;
}
function addToMenu(id, name) {
  const menu = document.getElementById('nav');
  if (!menu.querySelector('[href="#' + id + '"]')) menu.append(make('a', {href: '#' + id}, name));
}
const isNarrow = matchMedia('screen and (max-width: 760px)');
// nothing says why a part has nothing to show.
function nothing(body, why) {
  const hint = body.querySelector('.hint');
  if (hint) hint.remove();
  return add(body, empty(why));
}
function empty(why) { return make('p', {class: 'empty'}, why); }
function button(text, f, what) { return make('button', {type: 'button', on: {click: f}, ...what}, text); }

// table: columns are {name, left, title, show(row)}; show returns a text, an element or a list of both.
// So many rows at first, then a button.
function table(columns, rows, options = {}) {
  const body = make('tbody', {role: 'rowgroup'}); // said, as on a phone they are blocks
  const key = columns.map(c => c.name).join();
  const first = view.open.has(key) ? rows.length : options.first || 12;
  const line = row => {
    const on = options.open ? {click: event => { if (!event.target.closest('a, button')) options.open(row); },
      keydown: event => { if (event.key === 'Enter' && event.target.tagName === 'TR') { event.stopPropagation(); options.open(row); } }} : {};
    return make('tr', {class: options.open ? 'goes' : '', role: 'row', tabindex: options.open ? 0 : null, on},
      columns.map(c => {
        const shown = [c.show(row)].flat();
        const isNone = shown.every(x => x === '-' || x === '');
        return make('td', {class: [c.left ? 'left' : '', c.wide ? 'wide' : '', c.whole ? 'whole' : '', c.lines ? 'lines' : '', c.sides ? 'sides' : '', isNone ? 'none' : '', c.bad && c.bad(row) ? 'bad' : ''].join(' ').trim(),
          role: 'cell', 'data-name': c.name}, shown);
      }));
  };
  rows.slice(0, first).forEach(row => body.append(line(row)));
  const all = make('div', {}, make('div', {class: 'scroll'}, make('table', {role: 'table'},
    make('thead', {role: 'rowgroup'}, make('tr', {role: 'row'}, columns.map(c => make('th', {class: c.left ? 'left' : '', role: 'columnheader', title: c.title}, c.name)))), body)));
  if (rows.length > first) {
    const more = make('p', {class: 'more-rows'}, button('show ' + count(rows.length - first) + ' more', () => {
      view.open.add(key);
      rows.slice(first).forEach(row => body.append(line(row)));
      more.remove();
    }), make('span', {class: 'paper'}, counted(rows.length - first, 'lines') + ' more are on the screen.'));
    all.append(more);
  }
  return all;
}

// choices is a row of buttons of which one is pressed.
function choices(list, chosen, f) {
  const buttons = list.map(([value, text]) => button(text, () => {
    buttons.forEach((b, i) => b.setAttribute('aria-pressed', String(list[i][0] === value)));
    f(value);
  }, {'aria-pressed': String(value === chosen)}));
  return buttons;
}

const tip = document.getElementById('tip');
function showTip(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const r = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - r.width - 8)) + 'px';
  tip.style.top = Math.max(4, Math.min(event.clientY + 16, innerHeight - r.height - 8)) + 'px';
}
function hideTip() { tip.hidden = true; }

// fit draws a picture as wide as there is room, and again where the room changes: what is written in it
// is as large as elsewhere, on a phone and on paper too.
const fitted = [], paper = 640;
function fit(place, draw) {
  const picture = {place, draw, width: -1};
  fitted.push(picture);
  refit(picture);
}
function refit(picture) {
  const css = getComputedStyle(picture.place);
  const room = document.documentElement.dataset.paper ? paper : Math.floor(picture.place.clientWidth - parseFloat(css.paddingLeft) - parseFloat(css.paddingRight));
  if (room <= 0 || room === picture.width) return;
  picture.width = room;
  picture.draw(room);
}
function refitAll() {
  fitted.splice(0, fitted.length, ...fitted.filter(p => p.place.isConnected));
  fitted.forEach(refit);
}
// drawAgain is for one whose content has changed.
function drawAgain(place) { fitted.filter(p => p.place === place).forEach(p => p.draw(p.width)); }

// command is what shows the same in a terminal.
function command(filter) {
  const text = 'distsniff -r CAPTURE -Y \'' + filter + '\'';
  const copy = button('copy', () => {
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => { copy.textContent = 'copied'; }, () => {});
  });
  return make('div', {class: 'command'}, make('code', {}, text), copy);
}
function download(name, text, type) {
  const a = make('a', {href: URL.createObjectURL(new Blob([text], {type})), download: name});
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}
