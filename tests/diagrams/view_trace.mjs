// Opens traces in the viewer of chrome://tracing, and checks that it finds in them what was
// meant: tracks, slices, instants and arrows, by name and time. By hand:
//
//   npm install traceviewer puppeteer-core
//   node view_trace.mjs FILE.json ...           writes FILE.json.png
//
// CHROMIUM names the browser, /usr/bin/chromium by default. The viewer is of 2015: browsers
// have dropped what it builds on since, so a polyfill comes with it.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';

const require = createRequire(path.join(process.cwd(), 'package.json'));
const puppeteer = require('puppeteer-core');
const viewer = path.join(process.cwd(), 'node_modules/traceviewer/tracing');

const polyfill = `${viewer}/third_party/components/webcomponentsjs/webcomponents.js`;
const begin = `<script src="file://${polyfill}"></script>
    <script>window.WebKitMutationObserver = window.MutationObserver;</script>`;
const html = fs.readFileSync(`${viewer}/bin/trace_viewer_full.html`, 'utf8')
    .replace(/<head[^>]*>/, head => head + begin);

// What a trace says: the texts of each kind, sorted.
function meant(trace) {
    const found = { nodes: [], tracks: [], slices: [], instants: [], arrows: [] };
    const names = new Map();
    for (const event of trace)
        if (event.ph === 'M' && event.name === 'process_name')
            names.set(event.pid, event.args.name);
    // An instant of a whole node is drawn across its tracks: that of its own stays away.
    const used = new Set(trace.filter(e => e.ph === 'X' || e.s === 't').map(e => e.tid));
    const ends = new Map(trace.filter(e => e.ph === 'f').map(e => [e.id, names.get(e.pid)]));
    for (const event of trace) {
        const node = names.get(event.pid);
        if (event.ph === 'M' && event.name === 'process_name')
            found.nodes.push(node);
        else if (event.ph === 'M' && event.name === 'thread_name' && used.has(event.tid))
            found.tracks.push(`${node}: ${event.args.name}`);
        else if (event.ph === 'X')
            found.slices.push(`${node}: ${event.name}, ${event.dur.toFixed(3)} us`);
        else if (event.ph === 'i')
            found.instants.push(`${node}: ${event.name}`);
        else if (event.ph === 's')
            found.arrows.push(`${node} to ${ends.get(event.id)}`);
    }
    return found;
}

// This runs in the page: the viewer loads a trace, shows it, and says what it found.
async function view(text) {
    const container = document.createElement('track-view-container');
    container.id = 'track_view_container';
    const timeline = document.createElement('tr-ui-timeline-view');
    timeline.track_view_container = container;
    timeline.globalMode = true;
    timeline.appendChild(container);
    timeline.id = 'trace-viewer';
    document.body.appendChild(timeline);
    const { tr } = window, model = new tr.Model();
    await new tr.importer.Import(model).importTracesWithProgressDialog([text]);
    try {
        timeline.model = model;
    } catch {
        // When all is drawn it stumbles over what it remembers of the model before.
    }

    const found = { nodes: [], tracks: [], slices: [], instants: [], arrows: [] };
    const node_of = slice => slice.parentContainer.parent.name;
    for (const process of Object.values(model.processes)) {
        found.nodes.push(process.name);
        for (const event of process.instantEvents)
            found.instants.push(`${process.name}: ${event.title}`);
        for (const thread of Object.values(process.threads)) {
            found.tracks.push(`${process.name}: ${thread.name}`);
            for (const slice of thread.sliceGroup.slices) {
                if (slice.category === 'call')
                    found.slices.push(`${process.name}: ${slice.title}, ` +
                                      `${(slice.duration * 1000).toFixed(3)} us`);
                else
                    found.instants.push(`${process.name}: ${slice.title}`);
            }
        }
    }
    for (const arrow of model.flowEvents)
        found.arrows.push(`${node_of(arrow.startSlice)} to ${node_of(arrow.endSlice)}`);
    return { found, warnings: model.importWarnings.map(w => `${w.type}: ${w.message}`) };
}

const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
});
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'view_trace-'));
fs.writeFileSync(`${dir}/viewer.html`, html);
let failed = false;
for (const file of process.argv.slice(2)) {
    const source = fs.readFileSync(file, 'utf8');
    const expected = meant(JSON.parse(source));
    const page = await browser.newPage();
    await page.setViewport({ width: 1600, height: 900, deviceScaleFactor: 1 });
    await page.goto(`file://${dir}/viewer.html`);
    const complaints = [];
    try {
        const { found, warnings } = await page.evaluate(view, source);
        complaints.push(...warnings);
        for (const what of Object.keys(expected)) {
            const a = expected[what].sort(), b = found[what].sort();
            if (a.length !== b.length)
                complaints.push(`${a.length} ${what} meant, ${b.length} found`);
            const i = a.findIndex((text, at) => text !== b[at]);
            if (i >= 0)
                complaints.push(`meant: ${a[i]}\n  found: ${b[i]}`);
        }
        await page.evaluate(() => new Promise(done => setTimeout(done, 1000)));
        await page.screenshot({ path: `${file}.png` });
    } catch (error) {
        complaints.push(String(error));
    }
    console.log(`${complaints.length === 0 ? 'ok' : 'FAILED'}: ${file}: ` +
                Object.entries(expected).map(([what, all]) => `${all.length} ${what}`).join(', '));
    for (const complaint of complaints)
        console.log(`  ${complaint}`);
    failed ||= complaints.length !== 0;
    await page.close();
}
await browser.close();
fs.rmSync(dir, { recursive: true });
process.exit(failed ? 1 : 0);
