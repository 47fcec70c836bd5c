"""measures.py - measurements of a page in a browser: scripts, each an expression whose value is a list
of the faults, or a few numbers."""

# Each visible text, with its contrast to its background (WCAG 2.1, 1.4.3).
CONTRAST = '''(() => {
  const rgb = c => { const m = c.match(/[\\d.]+/g).map(Number); return {r: m[0], g: m[1], b: m[2], a: m.length > 3 ? m[3] : 1}; };
  const light = ({r, g, b}) => [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.a > 0.99) return c; }
    return rgb(getComputedStyle(document.body).backgroundColor); };
  const found = new Map();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.getClientRects().length || e.closest('script, style, .unseen, .skip, [aria-hidden]')) continue;
    const style = getComputedStyle(e), isSvg = e instanceof SVGElement;
    const ink = rgb(isSvg ? style.fill : style.color);
    if (isSvg && style.fill === 'none') continue;
    let under = ground(e);
    const cell = e.getAttribute('class') === 'figure' && e.previousElementSibling; // of the matrix: paint on an empty cell
    if (cell) {
      const paint = rgb(getComputedStyle(cell).fill), much = Number(cell.getAttribute('fill-opacity'));
      const none = rgb(getComputedStyle(e.closest('svg').querySelector('.cell')).fill);
      under = {r: paint.r * much + none.r * (1 - much), g: paint.g * much + none.g * (1 - much), b: paint.b * much + none.b * (1 - much)};
    }
    const a = light(ink), b = light(under), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 600);
    const key = e.tagName + '.' + (e.getAttribute('class') || '');
    if (ratio < (isLarge ? 3 : 4.5) && !found.has(key)) found.set(key, ratio.toFixed(2) + ' ' + walk.currentNode.data.trim().slice(0, 30));
  }
  return [...found].map(([k, v]) => k + ' ' + v);
})()'''

NAMELESS = '''[...document.querySelectorAll('input, select, button, canvas, svg, a')].filter(e => e.getClientRects().length &&
  !e.closest('[aria-hidden], svg svg') && !(e.getAttribute('aria-label') || e.textContent.trim() && !/^(svg|SELECT|CANVAS)$/.test(e.tagName) ||
  e.getAttribute('aria-labelledby') || (e.labels && e.labels.length) || (e.parentElement.closest('svg') && e.tagName !== 'a') ||
  e.getAttribute('title'))).map(e => e.tagName + '.' + (e.getAttribute('class') || '') + '#' + e.id + ' in ' + (e.closest('section') || {}).id)'''

# Elements that open by a click: they, or elements around them, can be reached by keys.
BY_MOUSE_ALONE = '''[...document.querySelectorAll('main *, header *')].filter(e => e.getClientRects().length &&
  getComputedStyle(e).cursor === 'pointer' && !e.closest('a[href], button, select, input, summary, label, [tabindex], [role="listbox"]'))
  .map(e => e.tagName + '.' + (e.getAttribute('class') || '') + ' in ' + (e.closest('section') || {}).id)'''

# Elements that overflow the page on either side, unless an element around them scrolls.
OUTSIDE = '''(() => {
  const wide = document.documentElement.clientWidth, found = [];
  if (document.documentElement.scrollWidth > wide) found.push('the page: ' + document.documentElement.scrollWidth);
  for (const e of document.querySelectorAll('body *')) {
    const r = e.getBoundingClientRect();
    if (!r.width || !r.height || e.closest('.unseen, .skip, .tip, defs')) continue;
    let box = e.parentElement;
    while (box && !/auto|scroll|hidden|clip/.test(getComputedStyle(box).overflowX)) box = box.parentElement;
    if (box && box !== document.body && box !== document.documentElement) continue;
    if (r.right > wide + 1 || r.left < -1) found.push(e.tagName + '.' + (e.getAttribute('class') || '') + ' in ' +
      (e.closest('section') || {}).id + ' from ' + Math.round(r.left) + ' to ' + Math.round(r.right) + ' ' + e.textContent.slice(0, 30));
  }
  return found.slice(0, 20);
})()'''

# Elements that overflow their picture.
OUTSIDE_PICTURES = '''[...document.querySelectorAll('main svg text')].filter(e => {
  const r = e.getBoundingClientRect(), all = e.closest('svg').getBoundingClientRect();
  return r.width && (r.left < all.left - 2 || r.right > all.right + 2 || r.top < all.top - 4 || r.bottom > all.bottom + 4);
}).map(e => e.textContent.slice(0, 30) + ' in ' + e.closest('section').id).slice(0, 12)'''

# Text smaller than that many pixels on the screen: pictures may be scaled.
SMALL = '''(least => {
  const found = new Map(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.getClientRects().length || e.closest('script, style, title, .unseen, .skip, [aria-hidden]')) continue;
    const m = e.getScreenCTM ? e.getScreenCTM() : null;
    const size = parseFloat(getComputedStyle(e).fontSize) * (m ? Math.hypot(m.a, m.b) : 1);
    if (size < least - 0.05) found.set(e.tagName + '.' + (e.getAttribute('class') || '') + ' in ' + (e.closest('section') || {}).id,
      size.toFixed(1) + ' ' + walk.currentNode.data.trim().slice(0, 20));
  }
  return [...found].map(([k, v]) => k + ' ' + v);
})'''

# Targets that are too small for a finger. Marks of pictures are left out: a row leads to the same.
TARGETS = '''(least => [...document.querySelectorAll('a[href], button, select, input, summary, tr.goes, .line')].filter(e => {
  const r = e.getBoundingClientRect();
  return r.width && r.height && !e.closest('.unseen, .skip, svg') && (r.width < least - 0.5 || r.height < least - 0.5);
}).map(e => e.tagName + '.' + (e.getAttribute('class') || '') + ' in ' + (e.closest('section') || {}).id + ' ' +
  Math.round(e.getBoundingClientRect().width) + 'x' + Math.round(e.getBoundingClientRect().height) + ' ' + e.textContent.slice(0, 20)).slice(0, 12))'''

# Text that is partly hidden.
CUT = '''[...document.querySelectorAll('main *')].filter(e => e.getClientRects().length && !(e instanceof SVGElement) &&
  getComputedStyle(e).overflowX !== 'visible' && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1) && e.clientWidth)
  .map(e => e.tagName + '.' + (e.getAttribute('class') || '') + ' in ' + (e.closest('section') || {}).id + ' ' + e.scrollWidth + ' of ' + e.clientWidth)'''
