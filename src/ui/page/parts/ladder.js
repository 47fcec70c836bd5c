// ladder.js - one call: its ladder, lanes for who takes part and arrows for what was asked and answered,
// with the calls made in its service; and its tree, time across and depth down.
const mostSteps = 200, mostInTree = 400;

// family is the tree a call stands in, the outermost first, each with its depth. Nothing here calls
// itself: what peers nest is theirs to choose.
function family(call) {
  let root = call;
  for (let i = 0; i < mostInTree && root.parent !== undefined && calls.has(root.parent); i++) root = calls.get(root.parent);
  const list = [], open = [[root, 0]], seen = new Set();
  while (open.length && list.length < mostInTree) {
    const [c, depth] = open.pop();
    if (seen.has(c.call)) continue;
    seen.add(c.call);
    list.push({call: c, depth});
    (children.get(c.call) || []).slice().reverse().forEach(k => open.push([k, depth + 1]));
  }
  return list;
}
function endOf(c) { return c.start + c.span / 1e3; }
function isBad(c) { return c.failed; }
function nodeOf(party) { const m = party.match(/<([^<>]*)\.\d+\.\d+>/) || party.match(/@ ?([^\s<>]+@[^\s<>]+)$/) || party.match(/([^\s<>@]+@[^\s<>]+)$/); return m ? m[1] : party; }

function ladderSteps(members) {
  const steps = [];
  // A process that does nothing but answer one call has no lane of its own: its node or name has.
  const callers = new Set(members.map(m => m.call.caller));
  const laneOf = c => callers.has(c.callee) ? c.callee : c.by_callee;
  for (const {call: c} of members) {
    const callee = laneOf(c);
    steps.push({at: c.start, from: c.caller, to: callee, text: '#' + c.call + ' ' + c.what.split(' => ')[0], call: c});
    const answer = c.what.includes(' => ') ? c.what.slice(c.what.indexOf(' => ') + 4) : c.outcome;
    steps.push({at: endOf(c), from: callee, to: c.caller, text: '#' + c.call + ' ' + (c.outcome === 'ok' ? answer : c.outcome + (answer !== c.outcome ? ' ' + answer : '')) + ' after ' + span(c.span), call: c, isBack: true, isBad: isBad(c), none: !c.has_end});
  }
  return steps.sort((a, b) => a.at - b.at || (a.isBack ? 1 : 0) - (b.isBack ? 1 : 0)).slice(0, mostSteps);
}

function ladder(members, isTrue) {
  const steps = ladderSteps(members);
  const lanes = [...new Set(steps.flatMap(s => [s.from, s.to]))].slice(0, 12);
  const isPaper = document.documentElement.dataset.paper, num = Math.max(1, lanes.length - 1);
  const gap = isPaper ? Math.max(90, (paper - 240) / num) : Math.max(230, Math.min(460, 700 / num)), left = isPaper ? 150 : 190, top = 58;
  const first = steps[0].at, last = steps[steps.length - 1].at;
  const height = isTrue ? Math.max(260, steps.length * 16) : steps.length * 34;
  const y = (s, i) => top + 18 + (isTrue && last > first ? (s.at - first) / (last - first) * height : i * 34);
  const width = left + gap * (lanes.length - 1) + (isPaper ? 90 : 170), all = top + 40 + (isTrue ? height : (steps.length - 1) * 34);
  const x = lane => left + gap * lanes.indexOf(lane);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${all}`).attr('width', width).attr('xmlns', 'http://www.w3.org/2000/svg').attr('role', 'group').attr('aria-label', 'ladder of the call');
  const room = Math.floor(Math.min(gap, 2 * (isPaper ? 90 : 170)) / 7.6);
  for (const lane of lanes) {
    svg.append('line').attr('class', 'lane').attr('x1', x(lane)).attr('x2', x(lane)).attr('y1', top - 8).attr('y2', all);
    svg.append('circle').attr('cx', x(lane)).attr('cy', top - 14).attr('r', 5).attr('fill', hue(nodeOf(lane)));
    const m = lane.match(/^(.*?)\s*(<.*)$/);
    svg.append('text').attr('class', 'term strong').attr('x', x(lane)).attr('y', 16).attr('text-anchor', 'middle').text(cut(m && m[1] ? m[1] : lane, room)).append('title').text(lane);
    if (m && m[1]) svg.append('text').attr('class', 'term').attr('x', x(lane)).attr('y', 32).attr('text-anchor', 'middle').text(cut(m[2], room));
  }
  // Who is at work, and for how long.
  for (const {call: c} of members) {
    const begin = steps.findIndex(s => s.call === c && !s.isBack), end = steps.findIndex(s => s.call === c && s.isBack);
    if (begin < 0 || end < 0 || !lanes.includes(steps[begin].to)) continue;
    svg.append('rect').attr('class', 'busy').attr('x', x(steps[begin].to) - 4).attr('width', 8).attr('y', y(steps[begin], begin)).attr('height', Math.max(2, y(steps[end], end) - y(steps[begin], begin)));
  }
  steps.forEach((s, i) => {
    if (!lanes.includes(s.from) || !lanes.includes(s.to)) return;
    const x1 = x(s.from), x2 = x(s.to), at = y(s, i), css = (s.isBack ? ' back' : '') + (s.isBad ? ' bad' : '');
    const g = stop(svg.append('g'), clock(s.at) + ', ' + s.from + ' to ' + s.to + ': ' + s.text, 'step ' + i).on('click', () => openCall(s.call.call));
    if (s.none) {
      g.append('text').attr('class', 'term').attr('x', x2 + 10).attr('y', at + 4).attr('fill', 'var(--error)').text(cut(s.text, 60));
      return;
    }
    if (x1 === x2) {
      g.append('path').attr('class', 'arrow' + css).attr('d', `M${x1 + 4},${at - 5}h26v10h-24`);
      g.append('text').attr('class', 'term').attr('x', x1 + 38).attr('y', at + 4).text(cut(s.text, 40));
    } else {
      const to = x2 > x1 ? x2 - 5 : x2 + 5, dir = x2 > x1 ? 1 : -1;
      g.append('line').attr('class', 'arrow' + css).attr('x1', x1 + 5 * dir).attr('x2', to - 4 * dir).attr('y1', at).attr('y2', at);
      g.append('path').attr('class', 'head' + css).attr('d', `M${to},${at}l${-8 * dir},-4v8z`);
      g.append('text').attr('class', 'term').attr('x', Math.min(x1, x2) + 12).attr('y', at - 5).text(cut(s.text, Math.max(18, Math.floor((Math.abs(x2 - x1) - 24) / 6.9))));
    }
    g.append('title').text(clock(s.at) + '  ' + s.from + ' > ' + s.to + '\n' + s.text);
    svg.append('text').attr('x', 0).attr('y', at + 4).text(i === 0 ? clock(s.at).slice(0, 15) : '+' + span((s.at - first) * 1e3));
  });
  return rove(svg.node());
}

function icicle(members, chosen, width) {
  const root = members[0].call, high = 24;
  const depth = Math.max(...members.map(m => m.depth)) + 1;
  const end = Math.max(...members.map(m => endOf(m.call)), root.start + 1);
  const x = d3.scaleLinear().domain([root.start, end]).range([0, width]);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${depth * high + 20}`).attr('role', 'group').attr('aria-label', 'tree of calls by time');
  for (const {call: c, depth: d} of members) {
    const w = Math.max(2, x(endOf(c)) - x(c.start));
    const g = stop(svg.append('g'), '#' + c.call + ' ' + c.label + ' ' + c.outcome + ', ' + span(c.span) + ', ' + c.what, 'call ' + c.call).on('click', () => openCall(c.call));
    g.append('rect').attr('x', x(c.start)).attr('y', d * high).attr('width', w).attr('height', high - 2).attr('rx', 2).attr('fill', isBad(c) ? 'var(--error)' : 'var(--much)').attr('fill-opacity', c === chosen ? 0.55 : 0.22);
    if (w > 60) g.append('text').attr('class', 'term').attr('x', Math.max(0, x(c.start)) + 6).attr('y', d * high + 15).text(cut('#' + c.call + ' ' + span(c.span) + '  ' + c.what.split(' => ')[0], Math.floor((w - 10) / 6.9)));
    g.append('title').text('#' + c.call + ' ' + c.label + ' ' + c.outcome + ', ' + span(c.span) + '\n' + c.caller + ' > ' + c.callee + '\n' + c.what);
  }
  [0, 0.5, 1].forEach(k => svg.append('text').attr('x', k * width).attr('y', depth * high + 14).attr('text-anchor', k === 0 ? 'start' : k === 1 ? 'end' : 'middle').text(k === 0 ? '0' : span((end - root.start) * k * 1e3)));
  return rove(svg.node());
}

function mermaid(members) {
  const steps = ladderSteps(members);
  const lanes = [...new Set(steps.flatMap(s => [s.from, s.to]))];
  // Mermaid reads these as its own: they become what it shows for them.
  const safe = text => Array.from(text).map(c => /[A-Za-z0-9 _.,()\[\]+*=@/|-]/.test(c) ? c : '#' + c.codePointAt(0) + ';').join('');
  return 'sequenceDiagram\n' + lanes.map((l, i) => '    participant p' + i + ' as ' + safe(l) + '\n').join('') +
    steps.map(s => '    p' + lanes.indexOf(s.from) + (s.isBack ? '-->>' : '->>') + 'p' + lanes.indexOf(s.to) + ': ' + safe(cut(s.text, 120)) + '\n').join('');
}

// svgText is the picture as a file, with the colours that it has here.
function svgText(svg) {
  const copy = svg.cloneNode(true), from = [svg, ...svg.querySelectorAll('*')], to = [copy, ...copy.querySelectorAll('*')];
  from.forEach((e, i) => {
    const css = getComputedStyle(e);
    for (const key of ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'font-family', 'font-size', 'font-weight'])
      if (css.getPropertyValue(key)) to[i].setAttribute(key, css.getPropertyValue(key));
    for (const key of ['class', 'tabindex', 'role', 'data-stop']) to[i].removeAttribute(key);
  });
  return new XMLSerializer().serializeToString(copy);
}
