// Draws diagrams with the real PlantUML, and checks that every text in the picture is the text
// that was meant. By hand, with plantuml installed:
//
//   node render_plantuml.mjs FILE.puml ...      writes FILE.svg
import fs from 'node:fs';
import { spawnSync } from 'node:child_process';

function plain(text) {
    return text.replace(/<U\+([0-9A-F]+)>/g, (_, code) => String.fromCodePoint(parseInt(code, 16)));
}

function meant(source) {
    const texts = [];
    for (const line of source.split('\n')) {
        let match;
        if ((match = /^participant "(.*)" as L\d+$/.exec(line)))
            texts.push(...match[1].split('\\n').map(plain));
        else if ((match = /^(?:    L\d+ --?> L\d+|note over L\d+(?:,L\d+)?): (.*)$/.exec(line)))
            texts.push(plain(match[1]));
        else if (!['', '@startuml', '@enduml', 'autonumber'].includes(line))
            throw new Error(`a line of no known kind: ${line}`);
    }
    return texts;
}

function drawn(svg) {
    const names = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
    return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(match => match[1]
        .replace(/&#(x?)([0-9A-Fa-f]+);/g, (_, hex, code) =>
            String.fromCodePoint(parseInt(code, hex ? 16 : 10)))
        .replace(/&(\w+);/g, (_, name) => names[name]));
}

// Spaces are drawn as distances.
function squeeze(text) {
    return text.replace(/[\s\u00a0]+/g, '');
}

let failed = false;
for (const file of process.argv.slice(2)) {
    const run = spawnSync('plantuml', ['-Djava.awt.headless=true', '-charset', 'UTF-8', '-tsvg',
                                       file], { encoding: 'utf8' });
    const texts = meant(fs.readFileSync(file, 'utf8'));
    const picture = squeeze(drawn(fs.readFileSync(file.replace(/\.puml$/, '.svg'), 'utf8')).join(''));
    const lost = texts.filter(text => !picture.includes(squeeze(text)));
    console.log(`${run.status === 0 && lost.length === 0 ? 'ok' : 'FAILED'}: ${file}: ` +
                `${texts.length} texts${run.stderr}`);
    for (const text of lost)
        console.log(`  not drawn: ${text}`);
    failed ||= run.status !== 0 || lost.length !== 0;
}
process.exit(failed ? 1 : 0);
