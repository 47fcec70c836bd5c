// messages.js - every message that is kept, in order. Only the lines in sight are in the document, so
// that a hundred thousand scroll as well as ten do.
let messageRows = [], messageAt = -1, drawMessages = () => {};
let lineHeight = 26; // 48 where there is room for one column, as page.css has it

function showMessages() {
  const body = section('messages', 'Messages', 'Messages', null, true);
  const r = data.rows;
  if (!messages.length) return add(body, empty(r.seen ? 'None of ' + counted(r.seen, 'messages') + ' is kept: --max-page-messages or --max-page-bytes is too small.' : 'No message was seen.'));
  const said = make('p', {class: 'lead', id: 'kept'});
  const tall = make('div', {class: 'tall', role: 'presentation'}), detail = make('div', {id: 'message', class: 'detail', tabindex: -1});
  const right = name => make('span', {class: 'right'}, name);
  const list = make('div', {class: 'list', id: 'messagelist', role: 'listbox', tabindex: 0, 'aria-label': 'messages'},
    make('div', {class: 'heads', 'aria-hidden': 'true'}, make('span', {}, 'time'), right('packet'), make('span', {}, 'from > to'), make('span', {}, 'what'), make('span', {}, 'says'), right('bytes')), tall);
  const printed = make('p', {class: 'note paper'});
  add(body, said, list, printed, detail);
  const shown = new Map(); // the lines that are in the document, by number
  let first = -1, last = -1;
  const draw = force => {
    const from = Math.max(0, Math.floor(list.scrollTop / lineHeight) - 8), to = Math.min(messageRows.length, from + Math.ceil(list.clientHeight / lineHeight) + 18);
    if (!force && from === first && to === last) return;
    first = from;
    last = to;
    if (force) {
      clear(tall);
      shown.clear();
    }
    // What stays in sight stays as it is.
    const free = [];
    for (const [i, line] of shown) {
      if (i >= from && i < to) continue;
      free.push(line);
      shown.delete(i);
    }
    for (let i = from; i < to; i++) {
      if (shown.has(i)) continue;
      const line = fillLine(free.pop() || blankLine(), i);
      shown.set(i, line);
      if (!line.e.isConnected) tall.append(line.e);
    }
    free.forEach(line => line.e.remove());
    const chosen = shown.get(messageAt);
    if (chosen) list.setAttribute('aria-activedescendant', chosen.e.id);
    else list.removeAttribute('aria-activedescendant');
    printed.textContent = to - from < messageRows.length ? 'Only the ' + counted(to - from, 'rows') + ' visible on screen are printed.' : '';
  };
  const rowOf = event => { const e = event.target.closest('.line'); return e ? Number(e.dataset.row) : -1; };
  list.addEventListener('click', event => { if (rowOf(event) >= 0) openMessage(rowOf(event)); });
  list.addEventListener('mouseover', event => {
    const m = messageRows[rowOf(event)], span = event.target.closest('.line > span');
    if (m && span) span.title = span.matches(':nth-child(3)') ? who(m.fromNode, m.from) + ' > ' + who(m.toNode, m.to) : span.textContent;
  });
  list.addEventListener('scroll', () => requestAnimationFrame(() => {
    draw(false);
    view.follows = list.scrollTop + list.clientHeight > list.scrollHeight - lineHeight;
    view.top = messageRows[Math.floor(list.scrollTop / lineHeight)];
  }), {passive: true});
  const update = () => {
    messageRows = messages.filter(m => passes(m, m.at));
    messageAt = -1;
    // Browsers have no elements taller than some millions of pixels.
    lineHeight = isNarrow.matches ? 48 : 26;
    tall.style.height = Math.min(messageRows.length * lineHeight, 15e6) + 'px';
    list.style.height = Math.min(480, messageRows.length * lineHeight + 40) + 'px';
    list.scrollTop = 0;
    said.textContent = (messageRows.length === messages.length ? counted(messages.length, 'lines') : count(messageRows.length) + ' of ' + counted(messages.length, 'lines')) +
      ': messages and connection events.' + (r.seen > messages.length ? ' There were ' + count(r.seen) + ': the first ' + count(r.first) + ' and the latest ' + count(messages.length - r.first) + ' are kept; --max-page-messages and --max-page-bytes keep more.' : '') +
      (r.passed ? ' ' + counted(r.passed, 'messages') + ' more came too fast to list: they are only counted.' : '');
    clear(detail);
    if (!messageRows.length) {
      const m = filter.text.match(/^(packet|frame|conn|call):(\d+)$/);
      add(detail, make('div', {class: 'empty'}, 'No row matches the filter.' + (m ? ' It may not be kept in this page, or may not be a message. In a terminal:' : ''),
        m ? command((m[1] === 'packet' ? 'frame' : m[1]) + ' == ' + m[2]) : null));
    }
    draw(true);
    if (messageRows.length === 1) openMessage(0);
  };
  drawMessages = () => draw(true);
  const top = view.top;
  filter.listeners.push(update);
  update();
  // Drawn anew it shows what it showed, or goes on with what comes.
  const again = top ? messageRows.findIndex(m => m.packet === top.packet && m.at === top.at && m.text === top.text) : -1;
  list.scrollTop = data.about.going_on && view.follows ? list.scrollHeight : Math.max(0, again) * lineHeight;
  draw(true);
}

// dot is a node, in its hue.
function dot(node) {
  const e = make('i', {class: 'dot'});
  e.style.background = hue(node);
  return e;
}
// blankLine is a line that fillLine writes a message into: while one scrolls, lines that go out of sight
// are written anew, for to make new ones takes most of the time of a picture.
function blankLine() {
  const parts = [make('span'), make('span', {class: 'right'}), make('span'), make('span'), make('span'), make('span', {class: 'right'})];
  const dots = [make('i', {class: 'dot'}), make('i', {class: 'dot'})], ends = [new Text(), new Text()];
  parts[2].append(dots[0], ends[0], dots[1], ends[1]);
  return {e: make('div', {role: 'option', id: 'line-' + numLines++}, parts), parts, dots, ends, hues: [null, null]};
}
let numLines = 0;
function put(node, text) { if (node.data !== undefined ? node.data !== text : node.textContent !== text) node[node.data !== undefined ? 'data' : 'textContent'] = text; }
function fillLine(line, i) {
  const m = messageRows[i], {e, parts, dots, ends, hues} = line;
  e.className = 'line' + (m.verb ? '' : / missing/.test(m.text) ? ' lacks' : ' happens') + (i === messageAt ? ' at' : '');
  e.dataset.row = i;
  e.setAttribute('aria-selected', i === messageAt);
  e.setAttribute('aria-posinset', i + 1);
  e.setAttribute('aria-setsize', messageRows.length);
  e.style.top = i * lineHeight + 'px';
  put(parts[0], clock(m.at).slice(0, 12));
  put(parts[1], count(m.packet));
  [m.fromNode, m.toNode].forEach((node, k) => {
    if (hues[k] !== hue(node)) dots[k].style.background = hues[k] = hue(node);
  });
  const from = m.from || m.fromNode, to = m.to || m.toNode, room = 29; // letters for both
  put(ends[0], cutName(from, Math.max(14, room - to.length)) + ' > ');
  put(ends[1], cutName(to, Math.max(14, room - from.length)));
  put(parts[3], m.verb || 'conn ' + m.conn);
  put(parts[4], m.text);
  put(parts[5], m.size ? count(m.size) : '');
  return line;
}

function openMessage(i) {
  const m = messageRows[i], detail = clear(document.getElementById('message'));
  messageAt = i;
  drawMessages();
  const item = (name, ...value) => [make('dt', {}, name), make('dd', {}, ...value)];
  const near = act('messages before and after', () => { setFilter(''); setTime(m.at - 5e4, m.at + 5e4); }, 'messages');
  add(detail, make('div', {class: 'panel'}, make('dl', {},
    item('time', clock(m.at) + ' (' + since(m.at) + '), packet ' + count(m.packet)), item('from', dot(m.fromNode), who(m.fromNode, m.from)), item('to', dot(m.toNode), who(m.toNode, m.to)),
    item('what', m.verb || 'connection', m.label ? [', ', findLink(m.label, 'label:' + m.label, 'messages')] : null),
    m.size ? item('size', bytes(m.size)) : null, m.call ? item('call', callLink(m.call)) : null,
    item('connection', connLink(m.conn)), item('near', near)),
    make('h3', {}, 'Content'), m.text ? term(m.text) : make('p', {class: 'note'}, 'no content'),
    command('frame == ' + m.packet)));
}

// term shows the text of a term, with what stands in brackets to be folded where it is long; two levels
// are open. Texts are of bounded length, and may be cut: brackets need not match.
const foldFrom = 40;

// closing finds the bracket that closes the one at i: -1 where there is none.
function closing(text, i) {
  let depth = 0;
  for (let at = i; at < text.length; at++) {
    const c = text[at];
    if (c === '"' || c === '\'') at = quoteEnd(text, at);
    else if (c === '{' || c === '[') depth++;
    else if ((c === '}' || c === ']') && --depth === 0) return at;
  }
  return -1;
}
function quoteEnd(text, i) {
  let end = i + 1;
  while (end < text.length && text[end] !== text[i]) end += text[end] === '\\' ? 2 : 1;
  return end;
}
function term(text) {
  const root = make('pre', {class: 'term'}), open = [];
  let at = root, plain = '';
  const flush = () => { if (plain) at.append(plain); plain = ''; };
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (open.length && i === open[open.length - 1].end) {
      flush();
      at = open.pop().outer;
    }
    plain += c;
    if (c === '"' || c === '\'') {
      const end = quoteEnd(text, i);
      plain += text.slice(i + 1, end + 1);
      i = end;
    } else if (c === '{' || c === '[') {
      const end = closing(text, i);
      if (end - i < foldFrom) continue;
      flush();
      const inner = make('div');
      at.append(make('details', {open: open.length < 2}, make('summary'), inner));
      open.push({outer: at, end});
      at = inner;
    }
  }
  flush();
  return root;
}
