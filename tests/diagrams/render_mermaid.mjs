// Draws diagrams with the real Mermaid in a headless browser, and checks that every text in the
// picture is the text that was meant. By hand:
//
//   npm install mermaid puppeteer-core
//   node render_mermaid.mjs FILE.mmd ...        writes FILE.mmd.png
//
// CHROMIUM names the browser, /usr/bin/chromium by default.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const require = createRequire(path.join(process.cwd(), 'package.json'));
const puppeteer = require('puppeteer-core');
const mermaid = path.join(process.cwd(), 'node_modules/mermaid/dist/mermaid.min.js');

// What a line of the source means: entity codes are characters.
function plain(text) {
    return text.replace(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}

// Spaces at the ends and in a row do not show.
function shown(text) {
    return text.replace(/\s+/g, ' ').trim();
}

function meant(source) {
    const messages = [], lanes = [], notes = [];
    for (const line of source.split('\n')) {
        let match;
        if ((match = /^    participant L\d+ as (.*)$/.exec(line)))
            lanes.push(...match[1].split('<br/>').map(plain));
        else if ((match = /^    L\d+--?>>L\d+: (.*)$/.exec(line)))
            messages.push(plain(match[1]));
        else if ((match = /^    Note over L\d+(?:,L\d+)?: (.*)$/.exec(line)))
            notes.push(plain(match[1]));
        else if (!['', 'sequenceDiagram', '    autonumber'].includes(line))
            throw new Error(`a line of no known kind: ${line}`);
    }
    return { messages, lanes, notes };
}

const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
});
let failed = false;
for (const file of process.argv.slice(2)) {
    const source = fs.readFileSync(file, 'utf8');
    const page = await browser.newPage();
    await page.setViewport({ width: 1600, height: 900, deviceScaleFactor: 1 });
    await page.setContent('<html><body style="background: white"></body></html>');
    await page.addScriptTag({ path: mermaid });
    const drawn = await page.evaluate(async text => {
        window.mermaid.initialize({ startOnLoad: false, maxTextSize: 10000000 });
        try {
            const { svg } = await window.mermaid.render('diagram', text);
            document.body.innerHTML = svg;
        } catch (error) {
            return { error: String(error) };
        }
        const texts = what => [...document.querySelectorAll(what)].map(e => e.textContent);
        return {
            messages: texts('.messageText'),
            lanes: texts('text.actor tspan'),
            notes: texts('.noteText'),
            scripts: document.querySelectorAll('svg script, svg iframe, svg img, svg a').length,
        };
    }, source);
    const expected = meant(source);
    const complaints = [];
    if (drawn.error !== undefined) {
        complaints.push(drawn.error);
    } else {
        for (const what of ['messages', 'notes']) {
            const a = expected[what].map(shown), b = drawn[what].map(shown);
            if (a.length !== b.length)
                complaints.push(`${a.length} ${what} meant, ${b.length} drawn`);
            const i = a.findIndex((text, at) => text !== b[at]);
            if (i >= 0)
                complaints.push(`meant: ${a[i]}\n  drawn: ${b[i]}`);
        }
        const lanes = new Set(drawn.lanes.map(shown));
        for (const lane of expected.lanes)
            if (!lanes.has(shown(lane)))
                complaints.push(`no lane ${lane}`);
        if (drawn.scripts !== 0)
            complaints.push('there is foreign HTML in the picture');
        const picture = await page.$('svg');
        await picture.screenshot({ path: `${file}.png` });
    }
    console.log(`${complaints.length === 0 ? 'ok' : 'FAILED'}: ${file}: ` +
                `${expected.messages.length} messages, ${expected.lanes.length} lanes`);
    for (const complaint of complaints)
        console.log(`  ${complaint}`);
    failed ||= complaints.length !== 0;
    await page.close();
}
await browser.close();
process.exit(failed ? 1 : 0);
