// Bundles the viewer and writes it as a C++ file: node build.mjs MODULES OUT
// MODULES is the folder with node_modules, OUT where shell.cpp, viewer.js and viewer.css go.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const modules = resolve(process.argv[2] ?? here);
const out = resolve(process.argv[3] ?? join(here, 'out'));
const esbuild = createRequire(join(modules, 'package.json'))('esbuild');
mkdirSync(out, { recursive: true });

const three = JSON.parse(readFileSync(join(modules, 'node_modules/three/package.json'), 'utf8'));
const licence = readFileSync(join(modules, 'node_modules/three/LICENSE'), 'utf8').trim();
const notice = `Sightline's viewer (MIT), with three.js ${three.version}:\n${licence}`;
if (notice.includes('*/')) throw new Error('the licence text would end its comment');

const bundle = (entry, more) => esbuild.buildSync({
  entryPoints: [join(here, 'src', entry)], bundle: true, minify: true, write: false, legalComments: 'none',
  nodePaths: [join(modules, 'node_modules')], target: ['es2022'], charset: 'ascii', logLevel: 'warning', ...more,
}).outputFiles[0].text;

const script = `/*\n${notice}\n*/\n` + bundle('main.js', { format: 'iife' });
const style = bundle('style.css', {});
if (/<\/script|<!--/i.test(script)) throw new Error('the script would end its own element');
if (/<\/style/i.test(style)) throw new Error('the style would end its own element');

// Nothing runs but this script, nothing is fetched. A hash covers the text between the tags to the byte.
const hash = (text) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; ` +
  "base-uri 'none'; form-action 'none'";
const page = readFileSync(join(here, 'src/page.html'), 'utf8').replace('%POLICY%', () => policy)
  .replace('%STYLE%', () => style).replace('%SCRIPT%', () => script);
const parts = page.split(/%TITLE%|%DATA%\n/);
if (parts.length !== 3) throw new Error('page.html must have one %TITLE% and one %DATA%');

// String literals of some thousand bytes: compilers take those quickly.
const literal = (text) => {
  const bytes = Buffer.from(text, 'utf8');
  const pieces = [];
  for (let begin = 0; begin < bytes.length; begin += 8192) {
    let piece = '';
    for (const byte of bytes.subarray(begin, begin + 8192)) {
      const c = String.fromCharCode(byte);
      piece += c === '"' || c === '\\' || c === '?' ? '\\' + c
        : byte >= 32 && byte < 127 ? c : '\\' + byte.toString(8).padStart(3, '0');
    }
    pieces.push(`"${piece}"`);
  }
  return `{${pieces.join('\n    ')},\n    ${bytes.length}}`;
};
writeFileSync(join(out, 'viewer.js'), script);
writeFileSync(join(out, 'viewer.css'), style);
writeFileSync(join(out, 'shell.cpp'), `// Made by viewer/build.mjs.
#include "viewer/shell.h"

namespace sightline::viewer {
namespace {

const report::PageShell kShell = {
    .before_title = ${literal(parts[0])},
    .before_data = ${literal(parts[1])},
    .after_data = ${literal(parts[2])}};

}  // namespace

const report::PageShell* shell() { return &kShell; }

}  // namespace sightline::viewer
`);
