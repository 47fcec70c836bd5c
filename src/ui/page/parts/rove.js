// rove.js - pictures by keys: of all that opens in one, tab reaches one, arrows go on from there, enter
// or space opens. What is in focus says what it is, and shows it.

// stop makes of an element of a picture what keys can come to. label is read aloud; key is what it is
// of, by which it is found again in a picture that is drawn anew.
function stop(g, label, key) {
  return g.attr('class', 'goes').attr('role', 'link').attr('tabindex', -1).attr('aria-label', label).attr('data-stop', key);
}

// rove lets keys go through the stops of a picture, in the order in which they were made. columns, where
// they are a grid, is how many stand beside each other; else up and down are left and right.
function rove(picture, columns) {
  const stops = [...picture.querySelectorAll('[data-stop]')];
  const wide = columns || stops.length || 1;
  const first = stops.find(s => s.classList.contains('goes'));
  if (first) first.setAttribute('tabindex', 0);
  const target = (key, i, isFar) => {
    const column = i % wide, row = i - column;
    if (key === 'ArrowRight' && column < wide - 1) return i + 1;
    if (key === 'ArrowLeft' && column > 0) return i - 1;
    if (key === 'ArrowDown') return columns ? i + wide : i + 1;
    if (key === 'ArrowUp') return columns ? i - wide : i - 1;
    if (key === 'Home') return isFar ? 0 : row;
    if (key === 'End') return isFar ? stops.length - 1 : row + wide - 1;
    return i;
  };
  picture.addEventListener('keydown', event => {
    const i = stops.indexOf(event.target);
    if (i < 0 || event.altKey || event.metaKey) return;
    if (event.key === 'Enter' || event.key === ' ') event.target.dispatchEvent(new MouseEvent('click', {bubbles: true}));
    else if (/^(Arrow|Home|End)/.test(event.key)) {
      const to = stops[target(event.key, i, event.ctrlKey)];
      if (to) to.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  picture.addEventListener('focusin', event => {
    if (!stops.includes(event.target)) return;
    stops.forEach(s => { if (s.getAttribute('tabindex') === '0') s.setAttribute('tabindex', -1); });
    event.target.setAttribute('tabindex', 0);
    if (event.target.matches(':focus-visible')) tipBeside(event.target);
  });
  picture.addEventListener('focusout', hideTip);
  return picture;
}
function tipBeside(e) {
  const r = e.getBoundingClientRect();
  showTip({clientX: r.left, clientY: r.bottom - 8}, e.getAttribute('aria-label'));
}

// What was in focus is so again after the page was drawn anew.
function focused() {
  const e = document.activeElement, part = e && e.closest('#page section');
  if (!part) return null;
  return {part: part.id, tag: e.tagName, stop: e.dataset.stop, number: [...part.querySelectorAll(e.tagName)].indexOf(e)};
}
function focusAgain(was) {
  const part = was && document.getElementById(was.part);
  if (!part) return;
  const e = was.stop === undefined ? part.matches(was.tag) ? part : part.querySelectorAll(was.tag)[was.number]
    : [...part.querySelectorAll('[data-stop]')].find(s => s.dataset.stop === was.stop);
  if (e) e.focus({preventScroll: true});
}
