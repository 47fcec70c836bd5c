// data.js - what the page is about, once it has been unpacked.
let data = null;
const calls = new Map();    // by number: the slowest, and those that went wrong
const children = new Map(); // of a call: those that are here
let messages = [];          // in order: {packet, conn, at, fromNode, from, toNode, to, verb, label, call, size, text}

async function unpack(text) {
  const binary = atob(text), packed = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) packed[i] = binary.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  data = JSON.parse(await new Response(stream).text());
  calls.clear();
  children.clear();
  for (const c of [...data.calls.slowest, ...data.calls.failed]) {
    c.span = Number(c.span);
    calls.set(c.call, c);
  }
  for (const c of calls.values()) {
    if (c.parent === undefined || !calls.has(c.parent)) continue;
    if (!children.has(c.parent)) children.set(c.parent, []);
    children.get(c.parent).push(c);
  }
  for (const list of children.values()) list.sort((a, b) => a.start - b.start || a.call - b.call);
  // One by one: there may be a hundred thousand.
  const rows = data.messages.map(({m}) => ({packet: m[0], conn: m[1], at: m[2], fromNode: m[3], from: m[4], toNode: m[5], to: m[6],
    verb: m[7], label: m[8], call: m[9], size: m[10], text: m[11], all: undefined}));
  messages = rows.slice(0, data.rows.first).concat(rows.slice(data.rows.first).reverse());
  data.messages = null;
}
function who(node, process) { return process ? process + ' @ ' + node : node; }
