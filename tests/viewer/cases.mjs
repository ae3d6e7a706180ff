// What must hold of a report page, each looked at in the browser as a reader would.
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { count, decode, different, middle, open } from './browser.mjs';
import { clearest, contrast } from './colours.mjs';
import { interval } from '../../viewer/src/dom.js';
import { THEMES } from '../../viewer/src/theme.js';

const KINDS = ['touching', 'crossing', 'coplanar', 'duplicate'];
const quiet = (page) => assert.deepEqual(page.noise, []);
const state = (page) => page.evaluate(() => {
  const app = globalThis.sightline, { stage } = app;
  return {
    eye: app.controls.eye.toArray(), target: app.controls.target.toArray(), selected: app.selected, contact: app.contact, frame: app.frame, pass: app.pass,
    hidden: [...stage.hidden], isolated: stage.isolated && [...stage.isolated], opacity: stage.opacity, cut: app.cutState, theme: document.documentElement.dataset.theme,
    hiddenKinds: [...stage.hiddenKinds], up: app.up,
  };
});
/// The page, opened again if its first frame came late: other programs use this machine, too. The limit is 3 s.
async function openInTime(browser, path, options) {
  for (let left = 4; ; left--) {
    const page = await open(browser, path, options), first = await page.evaluate(() => globalThis.sightline.firstFrame);
    if (first < 3000 || left === 0) return { page, first };
    await page.context().close();
  }
}
const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
/// The address after a moment: the page writes it when the view has come to rest.
const settled = async (page) => { await page.waitForTimeout(400); return page.evaluate(() => location.hash); };

function crcOf(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let k = 0; k < 8; k++) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1));
  }
  const crc = Buffer.alloc(4);
  crc.writeInt32LE(~sum);
  return crc;
}

/// A zip file with one entry, which is not compressed.
function zipped(name, text) {
  const bytes = Buffer.from(text), crc = crcOf(bytes);
  const words = (...values) => Buffer.concat(values.map(([size, value]) => { const out = Buffer.alloc(size); out.writeUIntLE(value, 0, size); return out; }));
  const facts = Buffer.concat([words([2, 20], [2, 0], [2, 0], [2, 0], [2, 0x21]), crc, words([4, bytes.length], [4, bytes.length], [2, name.length])]);
  const entry = Buffer.concat([words([4, 0x04034b50]), facts, words([2, 0]), Buffer.from(name), bytes]);
  const listed = Buffer.concat([words([4, 0x02014b50], [2, 20]), facts, words([2, 0], [2, 0], [2, 0], [2, 0], [4, 0], [4, 0]), Buffer.from(name)]);
  return Buffer.concat([entry, listed, words([4, 0x06054b50], [2, 0], [2, 0], [2, 1], [2, 1], [4, listed.length], [4, entry.length], [2, 0])]);
}

/// The entries of a zip file without compression, by its directory; checksums are compared.
function unzipped(zip) {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1'), entries = new Map();
  let at = zip.readUInt32LE(end + 16);
  for (let i = 0; i < zip.readUInt16LE(end + 10); i++) {
    assert.equal(zip.toString('latin1', at, at + 4), 'PK\x01\x02');
    assert.equal(zip.readUInt16LE(at + 10), 0, 'stored');
    const size = zip.readUInt32LE(at + 24), label = zip.readUInt16LE(at + 28), head = zip.readUInt32LE(at + 42);
    const name = zip.toString('utf8', at + 46, at + 46 + label);
    const from = head + 30 + zip.readUInt16LE(head + 26) + zip.readUInt16LE(head + 28), bytes = zip.subarray(from, from + size);
    assert.equal(zip.toString('utf8', head + 30, head + 30 + zip.readUInt16LE(head + 26)), name);
    assert.deepEqual(crcOf(bytes), zip.subarray(at + 16, at + 20), name);
    entries.set(name, bytes);
    at += 46 + label + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

// All rows of the list, by scrolling through it, with every cluster opened in turn.
async function listed(page) {
  return page.evaluate(() => {
    const app = globalThis.sightline, { list } = app, rows = new Map(), groups = new Map(), clusters = new Map();
    const walk = () => {
      for (let y = 0; ; y += list.element.clientHeight / 2) {
        list.element.scrollTop = y;
        list.show();
        for (const row of list.inner.children) {
          if (row.dataset.pair) groups.set(row.dataset.pair, row.textContent);
          if (row.dataset.cluster) clusters.set(row.dataset.cluster, row.textContent);
          if (row.dataset.contact) rows.set(row.dataset.contact, [row.querySelector('span').textContent, row.querySelector('em').textContent]);
        }
        if (y > list.element.scrollHeight) break;
      }
    };
    walk();
    for (const { number } of app.current.contacts.clusters) {
      list.expand(number);
      walk();
    }
    const { partA, partB } = app.current.contacts;
    return { contacts: [...rows].map(([i, [pair, kind]]) => [partA[i], partB[i], pair, kind]), groups: [...groups], clusters: [...clusters] };
  });
}

export const cases = {
  async loads({ path, tool, browser }) {
    tool(['generate', 'tube', 'tube.stl']);
    tool(['check', 'tube.stl', '--report', 'tube.html']);
    const page = await open(await browser(), path('tube.html'));
    assert.equal(await page.title(), 'tube.stl — Sightline');
    assert.match(await page.textContent('.summary'), /^230 contacts in 1 cluster4,004 triangles, /);
    const picture = await middle(page);
    const background = picture.at(0, 0);
    assert.ok(count(picture, (r, g, b) => Math.abs(r - background[0]) + Math.abs(g - background[1]) + Math.abs(b - background[2]) > 12) > 10000, 'the model is drawn');
    assert.ok(count(picture, (r, g, b) => r > 150 && g < 130 && b < 60) > 100, 'crossings are vermilion');
    assert.match(await page.content(), /three\.js authors/);
    quiet(page);
  },

  async policy({ path, tool, browser }) {
    tool(['generate', 'tube', 'tube.stl']);
    tool(['check', 'tube.stl', '--report', 'tube.html']);
    const page = await open(await browser(), path('tube.html'));
    quiet(page);
    // Nothing else may run, be drawn in, or be asked for.
    const tried = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.broken = true';
      document.body.append(script);
      const button = document.createElement('button');
      button.setAttribute('onclick', 'globalThis.broken = true');
      document.body.append(button);
      button.click();
      let fetched = true;
      try { await fetch('https://example.org/'); } catch { fetched = false; }
      return { broken: globalThis.broken === true, fetched };
    });
    assert.deepEqual(tried, { broken: false, fetched: false });
    // A page whose script was changed by one byte must not run at all: the hash covers it.
    const text = readFileSync(path('tube.html'), 'utf8').replace("'use strict'", "'use strict '").replace('"use strict"', '"use strict" ').replace(/<script>\/\*/, '<script>/* ');
    writeFileSync(path('changed.html'), text);
    const changed = await open(await browser(), path('changed.html'), { wait: false });
    await changed.waitForTimeout(500);
    assert.equal(await changed.getAttribute('#app', 'aria-busy'), 'true');
    assert.ok(changed.noise.some((line) => line.includes('Content Security Policy')));
  },

  // The mesh in the page is the mesh in the file, to half a step of 1/65535 of its box; also where a file repeats vertices.
  async mesh({ path, tool, browser }) {
    const chromium = await browser();
    for (const [scene, ending] of [['sphere', 'obj'], ['tube', 'obj'], ['tube', 'stl']]) {
      tool(['generate', scene, `${scene}.obj`]);
      tool(['generate', scene, `${scene}.stl`]);
      tool(['check', `${scene}.${ending}`, '--report', 'm.html']);
      const page = await open(chromium, path('m.html'));
      const decoded = await page.evaluate(() => {
        const { pieces: [{ triangles, positions: { values, low, high } }], space } = globalThis.sightline.current;
        const place = (vertex, axis) => { const share = values[4 * vertex + axis] / 65535; return low[axis] * (1 - share) + high[axis] * share; };
        return Array.from(triangles.index, (vertex) => space.outside(space.inside([0, 1, 2].map((axis) => place(vertex, axis)))));
      });
      const lines = readFileSync(path(`${scene}.obj`), 'utf8').split('\n').map((line) => line.split(/\s+/));
      const points = lines.filter(([word]) => word === 'v').map(([, ...xyz]) => xyz.slice(0, 3).map(Number));
      const corners = lines.filter(([word]) => word === 'f').flatMap(([, ...three]) => three.slice(0, 3).map((text) => points[parseInt(text, 10) - 1]));
      assert.equal(decoded.length, corners.length);
      const size = Math.max(...[0, 1, 2].map((axis) => Math.max(...points.map((p) => p[axis])) - Math.min(...points.map((p) => p[axis]))));
      decoded.forEach((p, i) => p.forEach((x, axis) => assert.ok(Math.abs(x - corners[i][axis]) <= (0.51 * size) / 65535, `${scene}.${ending}, corner ${i}: ${p} is not ${corners[i]}`)));
      quiet(page);
    }
  },

  async list({ path, tool, browser }) {
    const chromium = await browser();
    tool(['generate', 'assembly', 'assembly.obj']);
    tool(['clash', 'assembly.obj', '--clearance', '0.1', '--self', '--report', 'a.html', '--json', 'a.json']);
    const page = await open(chromium, path('a.html'));
    const json = JSON.parse(readFileSync(path('a.json'), 'utf8'));
    const rows = await listed(page);
    const sorted = (list) => list.map((row) => JSON.stringify(row)).sort();
    assert.deepEqual(sorted(rows.contacts), sorted(json.contacts.map((c) => [c.part_a, c.part_b, `${c.a.toLocaleString('en-US')} × ${c.b.toLocaleString('en-US')}`, c.kind])));
    assert.deepEqual(rows.groups.map(([pair]) => pair).sort(), json.pairs.map((p) => `${p.part_a} ${p.part_b}`).sort());
    for (const [pair, text] of rows.groups) {
      const [a, b] = pair.split(' ').map(Number), told = json.pairs.find((p) => p.part_a === a && p.part_b === b);
      assert.ok(text.startsWith(`${json.parts[a].name}×${json.parts[b].name}`) && text.endsWith(told.relation), text);
    }
    for (const kind of KINDS) {
      const shown = await page.locator(`.legend button.${kind} b`).allTextContents();
      assert.deepEqual(shown, json.counts[kind] > 0 ? [String(json.counts[kind])] : []);
    }
    quiet(page);

    tool(['generate', 'cloth', 'cloth.ply']);
    tool(['check', 'cloth.ply', '--report', 'c.html', '--json', 'c.json']);
    const cloth = await open(chromium, path('c.html'));
    const [mesh] = JSON.parse(readFileSync(path('c.json'), 'utf8')).meshes;
    const all = await listed(cloth);
    assert.ok(all.contacts.length > 500);
    assert.deepEqual(sorted(all.contacts), sorted(mesh.contacts.map((c) => [0, 0, `${c.a.toLocaleString('en-US')} × ${c.b.toLocaleString('en-US')}`, c.kind])));
    // The points are those of the JSON, to the precision that the page promises.
    const points = await cloth.evaluate(() => {
      const { contacts: c, space } = globalThis.sightline.current;
      return Array.from({ length: c.count }, (_, i) => [c.a[i], c.b[i], Array.from({ length: c.points[i + 1] - c.points[i] }, (_, k) => space.outside([...c.outlines.subarray(3 * (c.points[i] + k), 3 * (c.points[i] + k) + 3)]))]);
    });
    const size = Math.max(...mesh.contacts.flatMap((c) => c.points.flat().map(Math.abs)));
    const of = new Map(mesh.contacts.map((c) => [`${c.a} ${c.b}`, c.points]));
    for (const [a, b, got] of points) {
      const told = of.get(`${a} ${b}`);
      assert.equal(got.length, told.length);
      got.forEach((p, i) => assert.ok(distance(p, told[i]) < 1e-6 * size, `${p} is not ${told[i]}`));
    }
    quiet(cloth);
  },

  // What a baseline does not have is marked, and the list can show it alone.
  async baseline({ path, tool, browser }) {
    const chromium = await browser();
    tool(['generate', 'assembly', 'assembly.obj']);
    tool(['clash', 'assembly.obj', '--json', 'old.json', '-q']);
    // Without the contacts of one pair, and with one that is not there any more.
    const old = JSON.parse(readFileSync(path('old.json'), 'utf8')), [first] = old.contacts;
    const taken = old.contacts.filter((c) => c.part_a === first.part_a && c.part_b === first.part_b);
    old.contacts = old.contacts.filter((c) => !taken.includes(c));
    old.contacts.push({ ...old.contacts.at(-1), a: 9999, b: 9998, points: [[99, 99, 99]] });
    old.pairs = old.pairs.filter((p) => p.part_a !== first.part_a || p.part_b !== first.part_b);
    writeFileSync(path('old.json'), JSON.stringify(old));
    tool(['clash', 'assembly.obj', '--baseline', 'old.json', '--report', 'a.html', '--json', 'new.json'], [1]);
    const { baseline } = JSON.parse(readFileSync(path('new.json'), 'utf8'));
    assert.deepEqual([baseline.new, baseline.gone], [taken.length, 1]);
    const page = await open(chromium, path('a.html'));
    assert.match(await page.textContent('.warnings'), new RegExp(`Against old\\.json: ${taken.length} new, ${baseline.stayed} stayed, 1 gone\\.`));
    const fresh = await page.evaluate(() => { const { contacts: c } = globalThis.sightline.current; return Array.from({ length: c.count }, (_, i) => i).filter((i) => c.fresh[i]).map((i) => `${c.partA[i]} ${c.partB[i]} ${c.a[i]} ${c.b[i]}`); });
    assert.deepEqual(fresh.sort(), taken.map((c) => `${c.part_a} ${c.part_b} ${c.a} ${c.b}`).sort());
    const all = await page.locator('.row.cluster').count();
    assert.equal(await page.locator('.row.group .fresh').count(), 1);
    await page.click('.only-new');
    assert.ok(await page.locator('.row.cluster').count() < all);
    assert.equal(await page.locator('.row.cluster .fresh').count(), await page.locator('.row.cluster').count());
    assert.equal(await page.locator('.row.group').count(), 1);
    const hash = await settled(page);
    assert.match(hash, /new=1/);
    await page.keyboard.press('w');
    assert.equal(await page.locator('.row.cluster').count(), all);
    const again = await open(chromium, path('a.html'), { hash });
    assert.equal(await again.locator('.row.group').count(), 1);
    quiet(page);
    quiet(again);
  },

  // Where the list is cut, what is new is listed first, and counts are of what was found.
  async compared({ path, samples, browser }) {
    samples();
    const page = await open(await browser(), path('compared.html'));
    for (const frame of [0, 1]) {
      if (frame > 0) {
        await page.keyboard.press('.');
        await page.waitForFunction((f) => globalThis.sightline.frame === f, frame);
      }
      const { info, fresh, clusters, parts } = await page.evaluate(() => {
        const { current: { info, contacts }, partList } = globalThis.sightline;
        return { info, fresh: [...contacts.fresh], clusters: contacts.clusters, parts: [...partList.contacts] };
      });
      const sum = (list) => list.reduce((all, one) => all + one, 0);
      assert.ok(info.listed === 1000 && info.found > 2000, JSON.stringify([info.listed, info.found]));
      assert.ok(frame === 0 ? info.baseline.new < 1000 : info.baseline.new > 1000);
      assert.equal(sum(fresh), Math.min(1000, info.baseline.new), 'what is new is listed');
      assert.deepEqual(parts, [[0, info.found], [1, info.found]]);
      const without = clusters.findIndex((cluster) => cluster.fresh === 0);
      assert.ok(without < 0 || clusters.slice(without).every((cluster) => cluster.fresh === 0), 'clusters with new ones first');
      assert.ok(clusters.some((cluster) => cluster.count < cluster.size));
      let first = 0;
      for (const cluster of clusters) {
        assert.equal(sum(cluster.kinds), cluster.size);
        const own = fresh.slice(first, first += cluster.count);
        assert.equal(cluster.first, first - cluster.count);
        assert.ok(sum(own) === cluster.fresh || (frame === 1 && sum(own) === own.length), 'the number of new ones is that of all');
        if (cluster.count < cluster.size) assert.deepEqual(own, own.slice().sort((x, y) => y - x), 'new ones first');
      }
      if (frame === 0) assert.equal(sum(clusters.map((cluster) => cluster.fresh)), info.baseline.new);
      await page.evaluate(() => { const { list } = globalThis.sightline; list.element.scrollTop = 1e9; list.show(); });
      const number = (value) => value.toLocaleString('en-US');
      const told = frame === 0 ? 'All new ones are listed.' : `${number(info.baseline.new - 1000)} of ${number(info.baseline.new)} new ones are not listed.`;
      assert.equal(await page.textContent('.row.note'), `Lists 1,000 of ${number(info.found)} contacts. ${told}`);
    }
    quiet(page);
  },

  // Curves are where they are, however thin a triangle is, and wherever a vertex is that no triangle uses.
  async precise({ path, tool, browser }) {
    const chromium = await browser();
    const x = 1 / 3 + 3e-6, s = 1e-6;
    writeFileSync(path('needle.obj'), `v 0 0 0\nv 1 0 0\nv 1 1e-8 0\nv ${x} ${-s} ${-s}\nv ${x + s} ${-s} ${s}\nv ${x + 0.3 * s} ${2 * s} ${s}\nf 1 2 3\nf 4 5 6\n`);
    writeFileSync(path('stray.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -0.5\nv 0.3 0.2 0.5\nv 0.2 0.3 0.5\nv 1e18 -1e18 1e18\nf 1 2 3\nf 4 5 6\n');
    for (const [name, most] of [['needle', 1e-9], ['stray', 1e-4]]) {
      tool(['check', `${name}.obj`, '--report', `${name}.html`, '--json', `${name}.json`], [1]);
      const [{ contacts: [{ points }] }] = JSON.parse(readFileSync(path(`${name}.json`), 'utf8')).meshes;
      const page = await open(chromium, path(`${name}.html`));
      const [shown, high] = await page.evaluate(() => {
        const { current: { contacts: c, space }, page: { high } } = globalThis.sightline;
        return [Array.from({ length: c.points[1] }, (_, k) => space.outside([...c.outlines.subarray(3 * k, 3 * k + 3)])), high];
      });
      assert.equal(shown.length, points.length);
      shown.forEach((p, i) => assert.ok(distance(p, points[i]) < most, `${name}: ${p} is not ${points[i]}`));
      assert.ok(Math.max(...high) <= 1, `${name}: the box of the model ends at ${high}`);
      quiet(page);
    }
  },

  // The first frame cannot be read: the page shows the others as well as if they were all.
  async late({ path, tool, browser }) {
    writeFileSync(path('f_0.obj'), 'f 1 2 3\n');
    for (const frame of [1, 2]) {
      const at = (px, py, pz) => `v ${1e6 + px} ${1e6 + py} ${0.1 * frame + pz}\n`;
      writeFileSync(path(`f_${frame}.obj`), `${at(0, 0, 0)}${at(4, 0, 0)}${at(0, 4, 0)}${at(0, 0, 4)}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n`);
    }
    tool(['check', 'f_%d.obj', '--report', 's.html'], [2]);
    const page = await open(await browser(), path('s.html'));
    assert.match(await page.textContent('.warnings'), /This frame was not checked: /);
    for (const frame of [1, 2]) {
      await page.keyboard.press('.');
      await page.waitForFunction((f) => globalThis.sightline.frame === f, frame);
      const picture = await middle(page), background = (await middle(page, 1)).at(3, 3);
      const drawn = count(picture, (r, g, b) => Math.abs(r - background[0]) + Math.abs(g - background[1]) + Math.abs(b - background[2]) > 12);
      assert.ok(drawn > 10000, `frame ${frame}: ${drawn} pixels of the model`);
    }
    quiet(page);
  },

  // A click on each of the first clusters: the camera moves, and the contact is among the pixels in the middle.
  async fly({ path, tool, browser }) {
    const chromium = await browser();
    tool(['generate', 'cloth', 'cloth.ply']);
    tool(['check', 'cloth.ply', '--report', 'c.html']);
    tool(['generate', 'assembly', 'assembly.obj']);
    tool(['clash', 'assembly.obj', '--report', 'a.html']);
    for (const file of ['c.html', 'a.html']) {
      const page = await open(chromium, path(file));
      const rows = Math.min(6, await page.locator('.row.cluster').count());
      for (let i = 0; i < rows; i++) {
        const before = await state(page);
        await page.locator('.row.cluster').nth(i).click();
        const after = await state(page);
        assert.ok(distance(before.eye, after.eye) > 1e-3, 'the camera moved');
        assert.equal(await page.locator('.row.cluster.chosen').count(), 1);
        // Exactly the curves of this cluster are taken away: the picture must change where one looks.
        const own = await page.evaluate(() => {
          const { stage, selected, current: { contacts } } = globalThis.sightline, { first, count } = contacts.clusters[selected];
          const inView = Array.from({ length: contacts.points[first + count] - contacts.points[first] }, (_, k) => 3 * (contacts.points[first] + k))
            .filter((at) => { const p = stage.target.clone().fromArray(contacts.outlines, at).project(stage.camera); return Math.abs(p.x) < 1 && Math.abs(p.y) < 1 && p.z < 1; });
          return inView.length / (contacts.points[first + count] - contacts.points[first]);
        });
        assert.equal(own, 1, 'all of it is inside the picture');
        const shown = await middle(page);
        await page.evaluate(() => { const { stage } = globalThis.sightline; stage.marks.lines.setDrawRange(0, 0); stage.draw(); });
        const without = await middle(page);
        await page.evaluate(() => { const { stage } = globalThis.sightline; stage.marks.fillLines(); stage.draw(); });
        assert.ok(different(shown, without) > 150, `${file}, cluster ${i}: only ${different(shown, without)} pixels of it are to be seen`);
      }
      quiet(page);
    }
  },

  async keys({ path, tool, browser }) {
    tool(['generate', 'assembly', 'assembly.obj']);
    tool(['clash', 'assembly.obj', '--clearance', '0.1', '--report', 'a.html']);
    const page = await open(await browser(), path('a.html'));
    const after = async (key) => { await page.keyboard.press(key); return state(page); };
    const first = (await after('n')).selected;
    const second = (await after('n')).selected;
    assert.notEqual(first, second);
    assert.equal((await after('p')).selected, first);
    assert.equal((await after('ArrowRight')).selected, second);
    assert.equal((await after('ArrowLeft')).selected, first);
    assert.equal((await after('ArrowDown')).contact, await page.evaluate(() => globalThis.sightline.current.contacts.clusters[globalThis.sightline.selected].first));
    assert.ok(await page.locator('.row.contact.chosen').count() === 1);
    await after('Enter');
    assert.equal(await page.locator('.row.contact').count(), 0);
    assert.equal((await after('i')).isolated.length, 2);
    const alone = await middle(page, 1);
    assert.equal((await after('i')).isolated, null);
    assert.ok(different(alone, await middle(page, 1)) > 500, 'isolating takes the others away');
    assert.equal((await after('x')).opacity, 0.25);
    assert.equal((await after('x')).opacity, 1);
    const whole = await middle(page, 1);
    assert.notEqual((await after('c')).cut, null);
    assert.ok(different(whole, await middle(page, 1)) > 500, 'the cut is to be seen');
    await page.keyboard.press('Escape');
    assert.equal((await after('c')).cut, null);
    assert.equal((await state(page)).theme, 'light');
    assert.equal((await after('t')).theme, 'dark');
    assert.equal((await after('T')).theme, 'light');
    const near = await state(page), out = await after('f');
    assert.ok(distance(out.eye, out.target) > distance(near.eye, near.target));
    assert.ok(distance((await after('+')).eye, out.target) < distance(out.eye, out.target));
    assert.equal((await after('u')).up, 0);
    for (const key of ['1', '2', '3']) await after(key);
    await after('?');
    assert.ok(await page.locator('dialog.help').evaluate((dialog) => dialog.open));
    await page.keyboard.press('Escape');
    assert.ok(!(await page.locator('dialog.help').evaluate((dialog) => dialog.open)));
    assert.equal((await after('Escape')).selected, -1);
    // Keys that other things need are left alone.
    await page.keyboard.press('Control+l');
    quiet(page);
  },

  async link({ path, tool, browser }) {
    const chromium = await browser();
    tool(['generate', 'assembly', 'assembly.obj']);
    tool(['clash', 'assembly.obj', '--report', 'a.html']);
    const page = await open(chromium, path('a.html'));
    for (const key of ['n', 'n', 'x', 'c', 't']) await page.keyboard.press(key);
    await page.evaluate(() => globalThis.sightline.setHidden(3, true));
    await page.keyboard.press('ArrowDown');
    const box = await page.locator('#view').boundingBox();
    await page.mouse.move(box.x + 300, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(box.x + 380, box.y + 340, { steps: 4 });
    await page.mouse.up();
    await page.mouse.wheel(0, -120);
    const hash = await settled(page);
    const before = await state(page), picture = await middle(page, 0.6);
    assert.match(hash, /eye=.*at=.*cluster=.*hide=3/);
    const again = await open(chromium, path('a.html'), { hash });
    const after = await state(again);
    assert.ok(distance(before.eye, after.eye) < 1e-8 && distance(before.target, after.target) < 1e-8);
    for (const what of ['eye', 'target']) { delete before[what]; delete after[what]; }
    assert.deepEqual(after, before);
    assert.ok(different(picture, await middle(again, 0.6)) < 200, 'the same picture');
    // An address that somebody made up changes nothing and breaks nothing.
    for (const odd of ['#eye=NaN,1,2&at=x&cluster=99999&hide=-5-9999999999&cut=q&opacity=7&kinds=22&theme=pink&pass=3&frame=77', '#%3Cscript%3E', '#<img src=x onerror=alert(1)>', '#only=0-1&eye=1,2']) {
      const other = await open(chromium, path('a.html'), { hash: odd });
      await other.keyboard.press('n');
      assert.ok((await state(other)).eye.every(Number.isFinite));
      quiet(other);
    }
    // A link opened in a page that is already open.
    await again.evaluate(() => { location.hash = '#cluster=2'; });
    await again.waitForFunction(() => globalThis.sightline.selected === 1);
    quiet(page);
    quiet(again);
  },

  async parts({ path, tool, browser }) {
    tool(['generate', 'assembly', 'assembly.obj']);
    tool(['clash', 'assembly.obj', '--report', 'a.html', '--json', 'a.json']);
    const { parts } = JSON.parse(readFileSync(path('a.json'), 'utf8'));
    const page = await open(await browser(), path('a.html'));
    await page.click('[data-tab=parts]');
    assert.deepEqual(await page.locator('.part .name b').allTextContents(), parts.map((part) => part.name));
    const before = await middle(page, 1);
    await page.locator('.part .toggle').first().click();
    assert.deepEqual((await state(page)).hidden, [0]);
    assert.ok(different(before, await middle(page, 1)) > 1000, 'hiding a part is to be seen');
    await page.click('text=Show all');
    assert.ok(different(before, await middle(page, 1)) < 100);
    await page.fill('.parts input[type=search]', parts[1].name.toUpperCase());
    assert.deepEqual(await page.locator('.part .name b').allTextContents(), [parts[1].name]);
    // What is typed is no command.
    await page.fill('.parts input[type=search]', '');
    await page.locator('.parts input[type=search]').press('x');
    assert.equal((await state(page)).opacity, 1);
    await page.fill('.parts input[type=search]', '');
    await page.locator('.part .name').first().click();
    quiet(page);
  },

  async hostile({ path, samples, tool, browser }) {
    samples();
    const chromium = await browser();
    const page = await open(chromium, path('hostile.html'));
    const json = await page.evaluate(() => globalThis.sightline.page);
    const normal = await page.evaluate(() => ({ scripts: document.querySelectorAll('script').length, images: document.querySelectorAll('img, svg:not(.icon):not(.glyph):not(.over), b b, h1 *').length }));
    assert.deepEqual(normal, { scripts: 2, images: 0 });  // the text and the program; the frame's bytes are gone once they are read
    assert.equal(await page.locator('h1').textContent(), '</title><script>alert(6)</script>');
    assert.equal(await page.title(), '</title><script>alert(6)</script> — Sightline');
    await page.click('[data-tab=parts]');
    const names = await page.locator('.part .name b').allTextContents();
    assert.equal(names[0], '<script>alert(1)</script>');
    assert.equal(names[1], '"><img src=x onerror=alert(2)>');
    assert.equal(names[2], '</script><script>alert(3)</script>');
    assert.equal(names[4].length, 5000 + '<b>end</b>'.length);
    assert.deepEqual(names, json.parts.slice(0, names.length).map((part) => part.name));
    assert.ok((await page.locator('.warnings').textContent()).includes('<img src=x onerror=alert(7)>'));
    await page.click('[data-tab=contacts]');
    for (let i = 0; i < 9; i++) await page.keyboard.press('n');
    const group = await page.locator('.group').first();
    await group.click();
    // A long name must not push anything off the page.
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    const wide = await page.locator('.row.group').evaluateAll((rows) => rows.every((row) => row.scrollWidth <= row.clientWidth + 1));
    assert.ok(wide);
    quiet(page);
    // The same through the tool: names from a file, and a file's own name.
    const name = 'a<script>alert(1)<b>&amp;"\'.obj';
    const box = (z) => ['0 0', '1 0', '1 1', '0 1'].flatMap((p) => [`v ${p} ${z}`]).join('\n');
    writeFileSync(path(name), `o <img/src=x/onerror=alert(1)>\n${box(0)}\nf 1 2 3\nf 1 3 4\no </script><script>alert(2)</script>\nv .5 .5 -1\nv .6 .5 1\nv .5 .6 1\nf 5 6 7\n`);
    tool(['clash', name, '--report', 'n.html']);
    const other = await open(chromium, path('n.html'));
    assert.equal(await other.locator('h1').textContent(), name);
    assert.ok((await other.locator('.row.group').first().textContent()).startsWith('<img/src=x/onerror=alert(1)>×</script><script>alert(2)</script>'));
    quiet(other);
  },

  async empty({ path, tool, samples, browser }) {
    const chromium = await browser();
    tool(['generate', 'sphere', 'sphere.stl']);
    tool(['check', 'sphere.stl', '--report', 's.html', '--json', 's.json'], [0]);
    const [mesh] = JSON.parse(readFileSync(path('s.json'), 'utf8')).meshes;
    const page = await open(chromium, path('s.html'));
    assert.match(await page.textContent('.empty'), new RegExp(`^No contactsChecked ${mesh.triangles.toLocaleString('en-US')} triangles in [0-9.]+ m?s\\.$`));
    assert.ok(await page.locator('.legend').first().isHidden());
    assert.ok(await page.locator('.pager').isHidden());
    for (const key of ['n', 'p', 'ArrowDown', 'i', 'Enter', 'Escape', ' ', '.', 's', ']']) await page.keyboard.press(key);
    quiet(page);
    // No contacts, but not clear: one part inside the other is no clean answer.
    const box = (name, x, size, n) => [`o ${name}`, ...[0, 1, 2, 3, 4, 5, 6, 7].map((i) => `v ${[i & 1, (i >> 1) & 1, i >> 2].map((k) => x + size * k).join(' ')}`), ...['1 3 2', '2 3 4', '5 6 7', '6 8 7', '1 2 5', '2 6 5', '3 7 4', '4 7 8', '1 5 3', '3 5 7', '2 4 6', '4 8 6'].map((f) => `f ${f.split(' ').map((k) => Number(k) + 8 * n).join(' ')}`)].join('\n');
    writeFileSync(path('crate.obj'), `${box('crate', 0, 4, 0)}\n${box('stone', 1, 1, 1)}\n`);
    tool(['clash', 'crate.obj', '--report', 'i.html'], [1]);
    const inside = await open(chromium, path('i.html'));
    assert.ok(await inside.locator('.empty').isHidden(), 'no check mark');
    assert.match(await inside.textContent('.summary'), /^1 contains/);
    assert.match(await inside.textContent('.row.group'), /^crate×stonestone is inside/);
    const seen = await middle(inside);
    await inside.evaluate(() => globalThis.sightline.setHidden(1, true));
    assert.ok(different(seen, await middle(inside)) > 3000, 'the inner part is seen at once');
    quiet(inside);
    // A method that can miss does not look like a clean answer.
    tool(['check', 'sphere.stl', '--method', 'self-cullide', '--precision', 'image', '--report', 'm.html']);
    const unsure = await open(chromium, path('m.html'));
    assert.match(await unsure.textContent('.empty'), /^No contacts found/);
    assert.match(await unsure.textContent('.warnings'), /can miss/);
    // Nothing was checked at all.
    samples();
    const nothing = await open(chromium, path('nothing.html'));
    assert.match(await nothing.textContent('.empty'), /^Not checked/);
    assert.match(await nothing.textContent('.warnings'), /gone\.stl: cannot be read/);
    quiet(nothing);
  },

  async touch({ path, tool, browser }) {
    tool(['generate', 'assembly', 'assembly.obj']);
    tool(['clash', 'assembly.obj', '--report', 'a.html']);
    const page = await open(await browser(), path('a.html'), { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    // All that one must hit is large enough for a finger.
    const small = await page.locator('.toolbar button:visible, .pager button:visible, .row.cluster').evaluateAll((all) => all.filter((e) => Math.min(e.offsetWidth, e.offsetHeight) < 40).length);
    assert.equal(small, 0);
    const start = await state(page);
    await page.locator('.row.cluster').nth(1).tap();
    const chosen = await state(page);
    assert.ok(chosen.selected >= 0 && distance(start.eye, chosen.eye) > 1e-3);
    await page.locator('.pager button').last().tap();
    assert.notEqual((await state(page)).selected, chosen.selected);
    const client = await page.context().newCDPSession(page);
    const box = await page.locator('#view').boundingBox();
    const finger = (x, y, id) => ({ x: box.x + x, y: box.y + y, id });
    const send = (type, touchPoints) => client.send('Input.dispatchTouchEvent', { type, touchPoints });
    const before = await state(page);
    await send('touchStart', [finger(150, 150, 0)]);
    for (let i = 1; i <= 5; i++) await send('touchMove', [finger(150 + 12 * i, 150, 0)]);
    await send('touchEnd', []);
    const turned = await state(page);
    assert.ok(distance(before.eye, turned.eye) > 1e-3 && Math.abs(distance(before.eye, before.target) - distance(turned.eye, turned.target)) < 1e-9, 'one finger turns');
    await send('touchStart', [finger(150, 150, 0), finger(250, 150, 1)]);
    for (let i = 1; i <= 5; i++) await send('touchMove', [finger(150 - 10 * i, 150, 0), finger(250 + 10 * i, 150, 1)]);
    await send('touchEnd', []);
    const pinched = await state(page);
    assert.ok(distance(pinched.eye, pinched.target) < 0.7 * distance(turned.eye, turned.target), 'two fingers apart come nearer');
    // The sheet goes down and up again.
    const tall = await page.locator('.panel').evaluate((e) => e.offsetHeight);
    await page.locator('.grip').tap();
    await page.waitForTimeout(400);
    assert.ok(await page.locator('.panel').evaluate((e) => e.offsetHeight) < tall / 2);
    await page.keyboard.press('f');
    const view = await page.locator('#view').boundingBox();
    await page.touchscreen.tap(view.x + view.width / 2, view.y + view.height / 2);
    quiet(page);
  },

  // So many triangles that software draws them coarsely while the view moves: the copy for that takes nothing away.
  async turned({ path, tool, browser }) {
    const wide = 330, deep = 240;
    for (let frame = 0; frame < 4; frame++) {
      const points = new Float32Array(3 * (wide + 1) * (deep + 1)), faces = Buffer.alloc(26 * wide * deep);
      for (let j = 0; j <= deep; j++) for (let i = 0; i <= wide; i++) {
        const x = (2 * i) / wide - 1, y = (2 * j) / deep - 1;
        points.set([x, y, 0.5 * Math.sin(1.5 * frame + 4 * x)], 3 * (j * (wide + 1) + i));
      }
      let at = 0;
      for (let j = 0; j < deep; j++) for (let i = 0; i < wide; i++) {
        const a = j * (wide + 1) + i, d = a + wide + 2;
        for (const corners of [[a, a + 1, d], [a, d, d - 1]]) {
          at = faces.writeUInt8(3, at);
          for (const corner of corners) at = faces.writeInt32LE(corner, at);
        }
      }
      const header = `ply\nformat binary_little_endian 1.0\nelement vertex ${points.length / 3}\nproperty float x\nproperty float y\nproperty float z\nelement face ${2 * wide * deep}\nproperty list uchar int vertex_indices\nend_header\n`;
      writeFileSync(path(`f_${frame}.ply`), Buffer.concat([Buffer.from(header), Buffer.from(points.buffer), faces]));
    }
    tool(['check', 'f_%d.ply', '--report', 's.html']);
    const chromium = await browser();
    const step = async (page) => { const from = (await state(page)).frame; await page.keyboard.press('.'); await page.waitForFunction((f) => globalThis.sightline.frame !== f, from); };
    // There and back again, so that the picture is the same as if it had not been turned; also while it moves something is seen.
    const turn = async (page, by) => {
      const coarsely = await page.evaluate((angle) => { const { controls, stage } = globalThis.sightline; controls.turn(angle, 0); stage.drawNow(); return stage.coarsely; }, by);
      assert.ok(coarsely, 'drawn coarsely while it moves');
      await page.waitForFunction(() => !globalThis.sightline.stage.coarsely);
    };
    const straight = await open(chromium, path('s.html')), turned = await open(chromium, path('s.html'));
    for (let i = 0; i < 3; i++) {
      await turn(turned, 0.3);
      await turn(turned, -0.3);
      const [a, b] = [await middle(straight), await middle(turned)];
      const background = (await middle(straight, 1)).at(3, 3);
      assert.ok(count(a, (r, g, b2) => Math.abs(r - background[0]) + Math.abs(g - background[1]) + Math.abs(b2 - background[2]) > 12) > 10000, `frame ${i} is drawn`);
      assert.ok(different(a, b) < 0.01 * a.width * a.height, `frame ${i}: ${different(a, b)} pixels differ after turns`);
      await step(straight);
      await step(turned);
    }
    quiet(straight);
    quiet(turned);
  },

  async frames({ path, samples, browser }) {
    samples();
    const chromium = await browser();
    const page = await open(chromium, path('frames.html'));
    const { frames } = await page.evaluate(() => globalThis.sightline.page);
    assert.equal(frames.length, 12);
    assert.ok(await page.locator('.timeline').isVisible());
    const label = async () => `${await page.textContent('.timeline .frame')} ${await page.textContent('.timeline .label')}`;
    assert.equal(await label(), '1 / 12 t = 0.00 s');
    const go = async (key) => { const from = (await state(page)).frame; await page.keyboard.press(key); await page.waitForFunction((f) => globalThis.sightline.frame !== f, from); };
    const pictures = [await middle(page)];
    for (let i = 1; i < frames.length; i++) {
      await go('.');
      const clusters = await page.locator('.row.cluster').count();
      assert.equal(frames[i].clusters > 0, clusters > 0);
      const shown = await page.textContent('.timeline .count');
      assert.ok(i === 9 ? shown === 'not checked' : shown.startsWith(`${frames[i].found.toLocaleString('en-US')} contact`), shown);
      pictures.push(await middle(page));
      assert.ok(different(pictures[i - 1], pictures[i]) > 300, `frame ${i} looks different from the one before`);
    }
    assert.ok(Math.max(...frames.map((frame) => frame.found)) > 20);
    await go('.');
    assert.equal((await state(page)).frame, 0, 'after the last comes the first');
    assert.ok(different(pictures[0], await middle(page)) < 50);
    await go(',');
    assert.equal((await state(page)).frame, 11);
    // The plot is highest where most contacts are.
    await page.evaluate(() => globalThis.sightline.showFrame(0));  // its playhead at the edge
    const plot = page.locator('.plot canvas');
    const heights = await plot.evaluate((canvas, n) => {
      const c = canvas.getContext('2d'), { width, height } = canvas;
      const pixels = c.getImageData(0, 0, width, height).data, pad = 8 * devicePixelRatio;
      return Array.from({ length: n }, (_, i) => {
        const x = Math.round(pad + (i * (width - 2 * pad)) / (n - 1));
        let sum = 0;
        for (let y = 0; y < height - 3; y++) { const k = 4 * (y * width + x); if (pixels[k + 3] > 100) sum++; }
        return sum;
      });
    }, frames.length);
    heights[0] = heights[9] = 0;  // the playhead, and the bar of a frame that was not checked
    const most = frames.map((frame) => frame.found).indexOf(Math.max(...frames.map((frame) => frame.found)));
    assert.equal(heights.indexOf(Math.max(...heights)), most, `${heights}`);
    // Dragging on the plot, playing, and jumping into the middle of an unread page.
    const box = await page.locator('.plot').boundingBox();
    await page.mouse.click(box.x + box.width * 0.5, box.y + 20);
    await page.waitForFunction(() => [5, 6].includes(globalThis.sightline.frame));
    await page.locator('#view').focus();
    await page.keyboard.press(' ');
    await page.waitForFunction(() => globalThis.sightline.frame >= 10, undefined, { timeout: 15000 });
    await page.keyboard.press(' ');
    await page.waitForTimeout(200);
    const stopped = (await state(page)).frame;
    await page.waitForTimeout(300);
    assert.equal((await state(page)).frame, stopped);
    await page.evaluate(() => globalThis.sightline.showFrame(6));
    const hash = await settled(page);
    assert.match(hash, /frame=7/);
    const later = await open(chromium, path('frames.html'), { hash: '#frame=12' });
    assert.equal((await state(later)).frame, 11);
    // Whatever frame one came to, nothing of any other is beyond the far plane.
    assert.ok(await later.evaluate(() => { const { stage, page: { low, high } } = globalThis.sightline; return [low, high].every((p) => stage.target.clone().fromArray(stage.space.inside(p)).distanceTo(stage.camera.position) < stage.camera.far); }));
    const passing = await open(chromium, path('frames.html'), { hash });
    assert.ok(different(pictures[6], await middle(passing)) < 50, 'frame 7 is the same whether reached by play or by link');
    assert.match(await passing.textContent('.summary'), new RegExp(`^${frames[6].found} contacts`));
    quiet(page);
    quiet(later);
    quiet(passing);
  },

  // The set shrinks pass by pass: less green, and what the pass has just dropped is orange.
  // A method's passes are on the pages of check and clash, too; of two meshes each has its own.
  // Any frame is reached by unpacking few others, in any order: kMostReferences of page.cpp, the frame itself and the first.
  async jump({ path, tool, samples, browser }) {
    samples();
    tool(['demo', 'snow', '--frames', '60', '--report', 'snow.html']);
    tool(['demo', 'breaking', '--frames', '60', '--report', 'breaking.html']);
    const files = ['resting.html', 'snow.html', 'breaking.html'];
    // All other demos, small: how far frames refer back depends on what moves, not on the number of triangles.
    const names = tool(['demo']).stdout.split('\n').map((line) => line.match(/^ {2}([a-z-]+) /)?.[1]).filter((name) => name && name !== 'snow' && name !== 'breaking');
    assert.ok(names.length >= 8, `${names}`);
    for (const name of names) {
      tool(['demo', name, '--triangles', '1000', '--frames', '50', '-q', '--report', `${name}.html`]);
      files.push(`${name}.html`);
    }
    const truth = JSON.parse(readFileSync(path('resting.json'), 'utf8'));
    const chromium = await browser();
    for (const file of files) {
      const page = await open(chromium, path(file));
      const last = await page.evaluate(() => globalThis.sightline.page.frames.length - 1);
      assert.ok(last > 45, `${file} has ${last + 1} frames`);
      for (const to of [last, last >> 1, last - 1, 1]) {
        const { unpackings, low } = await page.evaluate(async (number) => {
          const { frames } = globalThis.sightline, before = frames.unpackings;
          const frame = await frames.get(number);
          return { unpackings: frames.unpackings - before, low: frame.pieces.map(({ positions }) => positions.low[1]) };
        }, to);
        assert.ok(unpackings <= 18, `${file}: ${unpackings} frames were unpacked for frame ${to}`);
        if (file === 'resting.html') assert.deepEqual(low, truth[to]);
      }
      quiet(page);
      await page.close();
    }
  },

  async pruned({ path, tool, browser }) {
    const chromium = await browser();
    tool(['generate', 'two-cows', 'cows.ply']);
    tool(['generate', 'tube', 'tube.stl']);
    tool(['generate', 'bunny-dragon', 'bd.obj']);
    tool(['check', 'cows.ply', 'tube.stl', '--method', 'self-cullide', '--report', 'c.html', '--json', 'c.json']);
    tool(['clash', 'bd.obj', '--method', 'quick-cullide', '--report', 'q.html', '--json', 'q.json']);
    const { meshes } = JSON.parse(readFileSync(path('c.json'), 'utf8')), clash = JSON.parse(readFileSync(path('q.json'), 'utf8'));
    for (const [file, frame, method] of [['c.html', 0, meshes[0].method], ['c.html', 1, meshes[1].method], ['q.html', 0, clash.method]]) {
      const page = await open(chromium, path(file), { hash: `#frame=${frame + 1}` });
      await page.keyboard.press('s');
      const told = await page.evaluate(() => {
        const { current: { info, dropped } } = globalThis.sightline;
        const values = [...dropped.values()].flatMap((part) => [...part]);
        // 0 never, 1 stays, then 2 + the pass
        return { passes: info.pruning.passes.map(([, before, after]) => [before, after]), left: values.filter((value) => value === 1).length, all: values.length, parts: [...dropped.keys()] };
      });
      assert.ok(told.passes.length > 1);
      assert.equal(told.passes.length, method.passes.length);
      assert.equal(told.left, told.passes.at(-1)[1], `${file}, frame ${frame}: what is left after the last pass`);
      assert.ok(told.left < told.all);
      assert.deepEqual(told.parts, file === 'q.html' ? [0, 1] : [frame]);
      await page.keyboard.press(']');
      const green = count(await middle(page), (r, g, b) => g > r + 40 && g > b + 10);
      assert.ok(green > 500, `${file}, frame ${frame}: ${green} pixels are in the set`);
      quiet(page);
    }
  },

  async passes({ path, samples, browser }) {
    samples();
    const page = await open(await browser(), path('frames.html'), { hash: '#frame=4' });
    assert.ok(await page.locator('.passes').isVisible());
    await page.keyboard.press('s');
    assert.equal((await state(page)).pass, -1);
    const green = (r, g, b) => g > r + 40 && g > b + 10, orange = (r, g, b) => r > g + 20 && g > b + 60;
    const seen = [];
    for (let pass = -1; pass < 4; pass++) {
      const picture = await middle(page);
      seen.push([count(picture, green), count(picture, orange)]);
      if (pass >= 0) assert.match(await page.textContent('.passes .text'), new RegExp(`pass ${pass + 1} of 4, triangles, view -z: [0-9,]+ → [0-9,]+`));
      if (pass < 3) await page.keyboard.press(']');
    }
    assert.ok(seen[0][0] > 2000 && seen[0][1] === 0, `${seen}`);
    assert.ok(seen[4][0] < 0.95 * seen[0][0], `less is left: ${seen}`);
    assert.ok(seen.slice(1).some(([, dropped]) => dropped > 100), `${seen}`);
    await page.keyboard.press('[');
    assert.equal((await state(page)).pass, 2);
    await page.keyboard.press('.');
    await page.waitForFunction(() => globalThis.sightline.frame === 4);
    assert.equal((await state(page)).pass, 2, 'the next frame shows the same pass');
    await page.keyboard.press('s');
    assert.equal((await state(page)).pass, null);
    assert.equal(count(await middle(page), green), 0);
    quiet(page);
  },

  async reduced({ path, samples, browser }) {
    samples();
    const page = await open(await browser(), path('reduced.html'));
    const { frames: [frame] } = await page.evaluate(() => globalThis.sightline.page);
    assert.ok(frame.shown < frame.triangles && frame.shown > 1000 && frame.within > 0);
    assert.match(await page.textContent('.warnings'), /Shows [0-9,]+ of [0-9,]+ triangles: all within [0-9.e-]+ of a contact\. The rest is drawn coarsely\./);
    assert.equal(frame.listed, 1000);
    await page.evaluate(() => { const { list } = globalThis.sightline; list.element.scrollTop = 1e9; list.show(); });
    assert.match(await page.textContent('.row.note'), new RegExp(`Lists 1,000 of ${frame.found.toLocaleString('en-US')} contacts`));
    // The claim is true: every triangle of the model that is that near is there, and so is every one in contact.
    const pieces = await page.evaluate(() => globalThis.sightline.current.pieces.map(({ triangles }) => [triangles.coarse, triangles.count, triangles.of]));
    assert.equal(pieces.length, 2);
    assert.ok(pieces[1][0] && pieces[1][1] > 500, `${pieces}`);
    assert.ok(pieces[0][1] + pieces[1][1] <= 30000);
    assert.ok(await page.evaluate(() => globalThis.sightline.stage.contactTriangles.count > 500));
    await page.keyboard.press('n');
    quiet(page);
  },

  // Contacts are listed and drawn where they are also where their triangles found no room in the mesh.
  async crowded({ path, samples, browser }) {
    samples();
    const page = await open(await browser(), path('crowded.html'));
    const { told, missing } = await page.evaluate(() => {
      const { contacts: c, space, pieces } = globalThis.sightline.current, { numbers } = pieces.find((piece) => !piece.triangles.coarse).triangles;
      const kept = new Set(numbers);
      return {
        missing: c.triangles.number.filter((number) => !kept.has(number)).length,
        told: Array.from({ length: c.count }, (_, i) => [c.a[i], c.b[i], ...Array.from({ length: c.points[i + 1] - c.points[i] }, (_, k) => space.outside([...c.outlines.subarray(3 * (c.points[i] + k), 3 * (c.points[i] + k) + 3)]))]),
      };
    });
    assert.ok(missing > 100, `${missing} triangles are not in the mesh`);
    assert.equal(told.length, 1000);
    const of = new Map(JSON.parse(readFileSync(path('crowded.json'), 'utf8')).map(([a, b, ...points]) => [`${a} ${b}`, points]));
    for (const [a, b, ...points] of told) {
      const exact = of.get(`${a} ${b}`);
      assert.equal(points.length, exact.length);
      points.forEach((p, i) => assert.ok(distance(p, exact[i]) < 2e-5, `triangles ${a} and ${b}: ${p} is not ${exact[i]}`));
    }
    await page.keyboard.press('n');
    quiet(page);
  },

  // The same model far from the origin, huge, and tiny: the picture is the same.
  async far({ path, samples, browser }) {
    samples();
    const chromium = await browser();
    const pictures = [];
    for (const file of ['far.html', 'huge.html', 'tiny.html']) {
      const page = await open(chromium, path(file));
      pictures.push(await middle(page));
      await page.keyboard.press('n');
      pictures.push(await middle(page));
      quiet(page);
    }
    for (let i = 2; i < pictures.length; i++) assert.ok(different(pictures[i % 2], pictures[i]) < 300, `picture ${i}: ${different(pictures[i % 2], pictures[i])}`);
    assert.ok(count(pictures[0], (r, g, b) => r > 150 && g < 130 && b < 60) > 100);
  },

  // Several meshes of one command, one of which cannot be read.
  async several({ path, tool, browser }) {
    tool(['generate', 'tube', 'tube.stl']);
    tool(['generate', 'sphere', 'sphere.obj']);
    writeFileSync(path('bad.stl'), 'solid\nfacet normal\n');
    tool(['check', 'tube.stl', 'bad.stl', 'sphere.obj', '--report', 's.html', '--ply', 's.ply'], [2]);
    const page = await open(await browser(), path('s.html'));
    assert.equal(await page.locator('h1').textContent(), '3 meshes');
    // Unrelated meshes are no timeline, but a table.
    assert.ok(await page.locator('.timeline').isHidden());
    const rows = () => page.locator('.meshes tbody tr').evaluateAll((all) => all.map((row) => [...[...row.cells].map((cell) => cell.textContent), row.getAttribute('aria-current')]));
    const { triangles } = await page.evaluate(() => globalThis.sightline.page.frames[2]);
    assert.deepEqual(await rows(), [['tube.stl', '4,004', '230 contacts', 'true'], ['bad.stl', '', 'not checked', null], ['sphere.obj', triangles.toLocaleString('en-US'), 'clean', null]]);
    await page.click('.meshes tbody tr:nth-child(3) button');
    await page.waitForFunction(() => globalThis.sightline.frame === 2);
    assert.deepEqual((await rows()).map((row) => row[3]), [null, null, 'true']);
    await page.evaluate(() => globalThis.sightline.showFrame(0));
    assert.match(await page.textContent('.summary'), /^230 contacts/);
    const next = async (n) => { await page.keyboard.press('.'); await page.waitForFunction((to) => globalThis.sightline.frame === to, n); };
    await next(1);
    assert.match(await page.textContent('.warnings'), /bad\.stl/);
    assert.match(await page.textContent('.empty'), /^Not checked/);
    await next(2);
    assert.match(await page.textContent('.empty'), /^No contacts/);
    const picture = await middle(page);
    const corner = picture.at(0, 0);
    assert.ok(count(picture, (r, g, b) => Math.abs(r - corner[0]) + Math.abs(g - corner[1]) + Math.abs(b - corner[2]) > 12) > 20000, 'each mesh fills the view');
    // Each mesh has its own up axis and unit.
    tool(['generate', 'machine', 'machine.obj']);
    writeFileSync(path('lying.obj'), readFileSync(path('machine.obj'), 'utf8').replace(/^v (\S+) (\S+) (\S+)/gm, (_, x, y, z) => `v ${x} ${z} ${-Number(y)}`));
    const model = '<model unit="inch" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources><object id="1"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/></vertices><triangles><triangle v1="0" v2="1" v3="2"/><triangle v1="0" v2="1" v3="3"/></triangles></mesh></object></resources><build><item objectid="1"/></build></model>';
    writeFileSync(path('t.3MF'), zipped('3D/3dmodel.model', model));
    tool(['check', 'machine.obj', 'lying.obj', 't.3MF', '--report', 'u.html']);
    const axes = await open(await browser(), path('u.html'));
    const facts = async (n) => { await axes.evaluate((to) => globalThis.sightline.showFrame(to), n); return axes.evaluate(() => [globalThis.sightline.up, globalThis.sightline.unit]); };
    assert.deepEqual([(await facts(0))[0], (await facts(1))[0], (await facts(2))[0]], [2, 1, 2]);
    assert.deepEqual((await facts(1))[1], 'file units');
    assert.deepEqual((await facts(2))[1], 'in');
    await facts(1);
    assert.equal(await axes.textContent('.toolbar .axis'), 'Y');
    assert.doesNotMatch(await settled(axes), /up=/);
    await axes.keyboard.press('u');
    assert.match(await settled(axes), /up=z/);
    assert.deepEqual([(await facts(0))[0], (await facts(1))[0]], [2, 2], 'a choice is kept for its mesh');
    tool(['check', 't.3MF', '--report', 'one.html']);
    const one = await open(await browser(), path('one.html'));
    assert.equal(await one.evaluate(() => globalThis.sightline.unit), 'in');
    quiet(axes);
    // An output that cannot be written is told before any work; nothing is left behind.
    assert.match(tool(['check', 'tube.stl', '--report', 'no/such/folder/r.html'], [2]).stderr, /no\/such\/folder\/r\.html: cannot write/);
    assert.match(tool(['check', 'tube.stl', '--report', 'tube.stl'], [2]).stderr, /is an input/);
    assert.match(tool(['check', 'tube.stl', '--report', '-'], [2]).stderr, /only --json/);
    quiet(page);
  },

  // Follows the system, can be switched, and can be read by people who see colours differently.
  async themes({ path, tool, browser }) {
    tool(['generate', 'tube', 'tube.stl']);
    tool(['check', 'tube.stl', '--report', 'tube.html']);
    const chromium = await browser();
    for (const scheme of ['light', 'dark']) {
      const page = await open(chromium, path('tube.html'), { colorScheme: scheme });
      assert.equal((await state(page)).theme, scheme);
      const css = await page.evaluate(() => Object.fromEntries(['--panel', '--ground', '--text', '--faint', '--focus', '--soft', '--chosen', '--warn', '--sure', ...['crossing', 'coplanar', 'duplicate', 'touching'].flatMap((k) => [`--${k}`, `--on-${k}`])]
        .map((name) => [name, getComputedStyle(document.documentElement).getPropertyValue(name).trim()])));
      for (const [text, ground] of [['--text', '--panel'], ['--faint', '--panel'], ['--faint', '--soft'], ['--focus', '--panel'], ['--text', '--chosen'], ['--faint', '--chosen'], ['--warn', '--soft'], ['--sure', '--panel']])
        assert.ok(contrast(css[text], css[ground]) >= 4.5, `${scheme}: ${text} on ${ground} ${contrast(css[text], css[ground]).toFixed(2)}`);
      for (const kind of KINDS) {
        assert.ok(contrast(css[`--on-${kind}`], css[`--${kind}`]) >= 3, `${scheme}: sign on ${kind}`);
        assert.equal(css[`--${kind}`], THEMES[scheme][kind], 'list and model have the same colours');
      }
      const { worst, pair } = clearest(THEMES[scheme], [...KINDS, 'mesh']);
      console.log(`${scheme}: least difference of kinds and mesh for any kind of sight: ${worst.toFixed(1)} (${pair})`);
      assert.ok(worst > 10, `${scheme}: ${pair} differ by ${worst.toFixed(1)} only`);
      quiet(page);
    }
    const page = await open(chromium, path('tube.html'));
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');  // it follows while it is open
    await page.click('[aria-label^="Dark or light"]');
    assert.equal((await state(page)).theme, 'light');
  },

  // Without WebGL, and with data that was cut: a sentence, not an empty page.
  async failure({ path, tool, browser }) {
    tool(['generate', 'tube', 'tube.stl']);
    tool(['check', 'tube.stl', '--report', 'tube.html']);
    const page = await open(await browser(['--no-sandbox', '--disable-gpu', '--disable-webgl', '--disable-3d-apis']), path('tube.html'));
    assert.match(await page.textContent('.failed'), /cannot be shown.*WebGL 2/s);
    const text = readFileSync(path('tube.html'), 'utf8').replace(/(id="frame0">.{2000})[^<]*/, '$1 ');
    writeFileSync(path('cut.html'), text);
    const cut = await open(await browser(), path('cut.html'));
    assert.match(await cut.textContent('.failed'), /cannot be shown/);
  },

  // Loose triangles take the most bytes: under 30 each, and what is drawn is as fine as the triangles are small. One triangle
  // is as large as the model, and small ones stand on it: the page looks at those from near.
  async soup({ path, tool, browser }) {
    tool(['generate', 'soup', 'soup.obj', '--triangles', '30000']);
    const vertices = 3 * 30000, small = [];
    for (let i = 0; i < 40; i++) {
      const [x, y, z, r] = [(i % 8) / 9 - 0.4, Math.floor(i / 8) / 9 - 0.3, 0.7, 10 ** -(2 + (i % 5))];
      small.push(`v ${x} ${y} ${z - r}`, `v ${x + r} ${y} ${z + r}`, `v ${x} ${y + r} ${z + r}`, `f ${[1, 2, 3].map((k) => vertices + 3 + 3 * i + k).join(' ')}`);
    }
    writeFileSync(path('soup.obj'), `${readFileSync(path('soup.obj'), 'utf8')}v -1 -1 0.7\nv 3 -1 0.7\nv -1 3 0.7\nf ${[1, 2, 3].map((k) => vertices + k).join(' ')}\n${small.join('\n')}\n`);
    tool(['check', 'soup.obj', '--report', 's.html', '--json', 's.json']);
    const [mesh] = JSON.parse(readFileSync(path('s.json'), 'utf8')).meshes;
    const data = readFileSync(path('s.html'), 'utf8').match(/<script type="application[^<]*/g).reduce((sum, text) => sum + text.length, 0);
    const page = await open(await browser(), path('s.html'));
    console.log(`${mesh.triangles} loose triangles, ${mesh.found} contacts: ${(data / mesh.triangles).toFixed(2)} bytes a triangle`);
    assert.ok(data < 30 * mesh.triangles);
    assert.ok(mesh.found > 7000);
    const told = await page.evaluate(() => {
      const { contacts: c, space } = globalThis.sightline.current;
      const outside = (array, at) => space.outside([...array.subarray(at, at + 3)]);
      return Array.from({ length: c.count }, (_, i) => ({
        a: c.a[i], b: c.b[i], kind: c.kind[i],
        corners: [0, 1].map((side) => [0, 3, 6].map((k) => outside(c.corners, 9 * c.triangles.sides[2 * i + side] + k))),
        points: Array.from({ length: c.points[i + 1] - c.points[i] }, (_, k) => outside(c.outlines, 3 * (c.points[i] + k))),
      }));
    });
    assert.equal(told.length, mesh.found);
    const lines = readFileSync(path('soup.obj'), 'utf8').split('\n').filter((line) => line.startsWith('v ')).map((line) => line.split(' ').slice(1, 4).map(Number));
    const of = new Map(mesh.contacts.map((c) => [`${c.a} ${c.b}`, c]));
    let tiny = 0;
    for (const { a, b, kind, corners, points } of told) {
      const exact = of.get(`${a} ${b}`);
      assert.equal(KINDS[kind], exact.kind);
      const sides = [a, b].map((number) => [0, 1, 2].map((k) => lines[3 * number + k]));
      const edges = sides.map((side) => Math.max(...[0, 1, 2].map((k) => distance(side[k], side[(k + 1) % 3]))));
      const near = Math.min(...edges) / 4000;
      if (Math.min(...edges) < 1e-5) tiny++;
      sides.forEach((side, s) => side.forEach((p, k) => assert.ok(distance(p, corners[s][k]) < near, `triangles ${a} and ${b}: ${corners[s][k]} is not ${p}`)));
      assert.equal(points.length, exact.points.length);
      points.forEach((p, i) => assert.ok(distance(p, exact.points[i]) < near, `triangles ${a} and ${b}: ${p} is not ${exact.points[i]}`));
    }
    assert.equal(tiny, 8);
    await page.keyboard.press('n');
    quiet(page);
  },

  // A chosen pair explains itself: its two parts in two colours, all else faint, its curves thick and drawn through; a part
  // inside another is seen through it; a gap is a line with its length.
  async explains({ path, tool, browser }) {
    tool(['generate', 'assembly', 'assembly.obj']);
    tool(['clash', 'assembly.obj', '--clearance', '0.1', '--report', 'a.html', '--json', 'a.json']);
    const page = await open(await browser(), path('a.html'));
    const json = JSON.parse(readFileSync(path('a.json'), 'utf8'));
    const key = (relation) => { const { part_a: a, part_b: b } = json.pairs.find((pair) => pair.relation === relation); return `${a} ${b}`; };
    const blue = (r, g, b) => b > r + 35 && b > g + 12, green = (r, g, b) => g > r + 18 && g > b + 18, yellow = (r, g, b) => r > 150 && g > 130 && b < 110;
    const strong = (r, g, b) => Math.max(r, g, b) < 60;
    const whole = await middle(page, 1);
    assert.ok(count(whole, yellow) > 500, 'the face that is shared is yellow at first');
    const rowOf = (relation) => page.locator(`.row.group[data-pair="${key(relation)}"]`);
    await rowOf('clash').click();
    const clash = await middle(page, 1);
    assert.ok(count(clash, blue) > 20000 && count(clash, green) > 500, `two colours: ${count(clash, blue)}, ${count(clash, green)}`);
    assert.equal(count(clash, yellow), 0, 'other contacts are dimmed');
    const framed = () => page.evaluate(() => {
      const { stage, pair } = globalThis.sightline, box = stage.boxOfParts(new Set([pair.a, pair.b])), out = [];
      for (let i = 0; i < 8; i++) out.push(stage.target.clone().set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).project(stage.camera));
      return [Math.max(...out.map((p) => Math.max(Math.abs(p.x), Math.abs(p.y)))), stage.pieces.map(({ part, opacity }) => [part, opacity])];
    });
    const [reach, looks] = await framed();
    assert.ok(reach < 1 && reach > 0.7, `both parts fill the picture: ${reach}`);
    const parts = key('clash').split(' ').map(Number);
    for (const [part, opacity] of looks) assert.equal(opacity, parts.includes(part) ? 1 : 0.07);
    // The curves are thick, and to be seen although the plate is in front of some of them.
    const shown = await middle(page, 1);
    await page.evaluate(() => { const { stage } = globalThis.sightline; stage.marks.lines.setDrawRange(0, 0); stage.draw(); });
    const without = await middle(page, 1);
    await page.evaluate(() => { const { stage } = globalThis.sightline; stage.marks.fillLines(); stage.draw(); });
    assert.ok(count(shown, strong) - count(without, strong) > 250, `${count(shown, strong) - count(without, strong)} pixels of thick curves`);
    const below = await page.evaluate(() => { const { stage, controls } = globalThis.sightline; controls.turn(0, 1.2); return stage.camera.position.toArray(); });
    assert.ok(below);
    const turned = await middle(page, 1);
    assert.ok(count(turned, strong) > 150, 'drawn through');

    // A part inside another, by keyboard alone; one row is chosen.
    const chosen = () => page.locator('.row[aria-selected=true]').evaluateAll((rows) => rows.map((row) => row.dataset.pair ?? `cluster ${row.dataset.cluster}`));
    const press = async (name) => { await page.keyboard.press(name); return chosen(); };
    await page.keyboard.press('Escape');
    assert.deepEqual(await chosen(), []);
    const seen = [];
    for (let i = 0; i < 6; i++) seen.push((await press('n'))[0]);
    assert.deepEqual([seen.includes(key('contains')), seen.includes(key('near'))], [true, true], `${seen}`);
    for (const relation of ['contains', 'near', 'clash', 'touch']) {
      const row = rowOf(relation);
      assert.equal(await row.getAttribute('role'), 'option');
      assert.match(await row.getAttribute('tabindex'), /^(0|-1)$/);
    }
    await page.keyboard.press('Escape');
    await rowOf('contains').focus();
    assert.deepEqual(await press('Enter'), [key('contains')]);
    const contains = await middle(page, 1);
    assert.ok(count(contains, green) > 15000, `${count(contains, green)} pixels of the inner part through the outer one`);
    assert.deepEqual(await page.evaluate(() => { const { stage, pair } = globalThis.sightline; return stage.pieces.filter(({ part }) => [pair.a, pair.b].includes(part)).map(({ opacity }) => opacity).sort(); }), [0.2, 1]);
    await rowOf('near').focus();
    assert.deepEqual(await press('Enter'), [key('near')], 'the row before is not chosen any more');
    await middle(page);
    const { gap, points, text, line } = await page.evaluate(() => {
      const { pair, stage: { overlay } } = globalThis.sightline;
      const box = overlay.element.querySelector('polyline.gap').getBoundingClientRect();
      return { gap: pair.gap, points: pair.nearest, text: overlay.element.textContent, line: Math.hypot(box.width, box.height) };
    });
    assert.ok(Math.abs(distance(...points) - gap) < 1e-12 * gap, `${distance(...points)} is not ${gap}`);
    assert.match(text, /^0\.0654 file units$/);
    assert.ok(line > 3, `the line has ${line} pixels`);
    assert.match(await rowOf('near').textContent(), /^pin×ringgap 0\.0654 file units · at \(.*\)near$/);
    quiet(page);
  },

  // Depth, tolerance, the arrow from the deepest point to the other surface; BCF follows its schema, in meters.
  async measures({ path, tool, browser }) {
    const box = (name, [x, y, z], [u, v, w], first) => `o ${name}\n${[0, 1, 2, 3, 4, 5, 6, 7].map((i) => `v ${i & 1 ? u : x} ${i & 2 ? v : y} ${i & 4 ? w : z}\n`).join('')}${['0 2 1', '1 2 3', '4 5 6', '5 7 6', '0 1 4', '1 5 4', '2 6 3', '3 6 7', '0 4 2', '2 4 6', '1 3 5', '3 7 5'].map((t) => `f ${t.split(' ').map((i) => first + Number(i)).join(' ')}\n`).join('')}`;
    // b is 0.5 deep in a, c is 0.25 deep and of larger overlap, d is 0.0625 deep.
    writeFileSync(path('m.obj'), box('a', [0, 0, 0], [8, 8, 8], 1) + box('b', [3, 3, 7.5], [5, 5, 9], 9) + box('c', [-3, 0.5, 0.5], [0.25, 7, 7], 17) + box('d', [3, 7.9375, 3], [5, 9, 5], 25));
    tool(['clash', 'm.obj', '--depth', '--volume', '--separation', '--tolerance', '0.125', '--report', 'm.html', '--json', 'm.json'], [1]);
    const json = JSON.parse(readFileSync(path('m.json'), 'utf8')), [b, c, d] = json.pairs;
    assert.deepEqual(json.pairs.map((pair) => [pair.relation, pair.tolerated ?? false]), [['clash', false], ['clash', false], ['touch', true]]);
    assert.deepEqual([[0.5, 0.5], [0.00191, 0.00549], [0, 1], [2, null], [99.96, 100.04]].map(interval), ['0.5', '0.0019 to 0.0055', '0 to 1', 'above 2', '100']);
    const chromium = await browser(), page = await open(chromium, path('m.html'));
    const rows = () => page.locator('.row.group').allTextContents();
    const [first, second, third] = await rows();
    assert.match(first, /^a×bdepth 0\.5 file units · overlap 2 file units³ · at /, 'the deepest first');
    assert.match(second, /^a×cdepth 0\.25 file units · overlap 10\.6 file units³ · at /);
    assert.match(third, /^a×dclash within the tolerance · depth 0\.0625 file units · overlap 0\.25 file units³ · at .*touch$/);
    const order = async (value) => { await page.selectOption('select[aria-label="Order of the list"]', value); return (await rows()).map((text) => text.slice(0, 3)); };
    assert.deepEqual(await order('volume'), ['a×c', 'a×b', 'a×d']);
    assert.deepEqual(await order('depth'), ['a×b', 'a×c', 'a×d']);
    // The arrow.
    await page.locator('.row.group').first().click();
    await middle(page);
    const arrow = await page.evaluate(() => {
      const { stage: { overlay, camera }, current: { space }, canvas } = globalThis.sightline;
      const [item] = overlay.items, head = overlay.element.querySelector('polygon.depth').points, screen = (p) => { const at = camera.position.clone().fromArray(space.inside(p)).project(camera); return [(at.x / 2 + 0.5) * canvas.clientWidth, (0.5 - at.y / 2) * canvas.clientHeight]; };
      return { points: item.points.map((p) => space.outside(p)), text: overlay.element.textContent, tip: [head[0].x, head[0].y], dot: [...overlay.element.querySelectorAll('circle.depth')].map((dot) => [Number(dot.getAttribute('cx')), Number(dot.getAttribute('cy'))]), at: item.points.map((p) => screen(space.outside(p))) };
    });
    assert.ok(distance(arrow.points[0], b.deepest) < 1e-6 && distance(arrow.points[1], b.surface) < 1e-6, JSON.stringify([arrow.points, b]));
    assert.match(arrow.text, /^depth 0\.5 file unitsmove a by 0\.5[0-9]* file units$/);
    assert.ok(arrow.dot.length === 1 && Math.hypot(arrow.dot[0][0] - arrow.at[0][0], arrow.dot[0][1] - arrow.at[0][1]) < 1, 'the dot is at the deepest point');
    assert.ok(Math.hypot(arrow.tip[0] - arrow.at[1][0], arrow.tip[1] - arrow.at[1][1]) < 1, 'the tip is on the other surface');
    // The way on which a leaves b, and a moved along it; nothing of this is left for the next choice.
    const shift = () => page.evaluate(() => {
      const { stage, current: { space }, pair } = globalThis.sightline, box = stage.boxOfParts(new Set([pair.a]));
      return { low: space.outside(box.min.toArray()), shown: stage.marks.within.filter((one) => one === 1).length, way: stage.overlay.items.find(({ kind }) => kind === 'way').points.map((p) => space.outside(p)), pressed: globalThis.sightline.apartButton.getAttribute('aria-pressed') };
    });
    const rests = await shift(), still = await middle(page, 1);
    await page.keyboard.press('d');
    const moved = await shift(), apart = await middle(page, 1);
    assert.ok(distance(moved.low.map((x, i) => x - rests.low[i]), b.separation.translation) < 1e-6, `${moved.low}`);
    assert.ok(distance(rests.way[1].map((x, i) => x - rests.way[0][i]), b.separation.translation) < 1e-6, `${rests.way}`);
    assert.deepEqual([rests.pressed, moved.pressed, moved.shown], ['false', 'true', 0], 'all contacts of a are hidden');
    assert.ok(different(still, apart) > 500, 'the part is drawn elsewhere');
    await page.keyboard.press('Escape');
    assert.deepEqual((await shift()).low, rests.low);
    assert.equal(different(still, await middle(page, 1)), 0);
    await page.click('[aria-label^="Move the first part"]');
    await page.keyboard.press('n');
    assert.deepEqual([(await shift()).low, (await shift()).pressed], [rests.low, 'false']);
    await page.locator('.row.group').first().click();
    const vermilion = (r, g, bl) => r > 180 && g < 120 && bl < 60;
    await page.evaluate(() => { const { stage } = globalThis.sightline; stage.setOpacity(0); });
    const with_arrow = count(await middle(page, 1), vermilion);
    await page.evaluate(() => { const { stage } = globalThis.sightline; stage.overlay.set([]); });
    const without = count(await middle(page, 1), vermilion);
    assert.ok(with_arrow > without + 40, `${with_arrow} and ${without} pixels`);
    // A page without depths does not offer their order.
    tool(['clash', 'm.obj', '--report', 'plain.html'], [1]);
    const plain = await open(chromium, path('plain.html'));
    assert.ok(await plain.locator('option[value=depth]').evaluate((option) => option.hidden));
    assert.ok(await plain.locator('[aria-label^="Move the first part"]').isHidden());
    assert.equal(await plain.evaluate(() => globalThis.sightline.list.items.some(({ pair }) => pair?.depth)), false);
    // The list as CSV.
    const save = async (of, label) => { const [file] = await Promise.all([of.waitForEvent('download', { timeout: 120000 }), of.click(`[aria-label="${label}"]`)]); await file.saveAs(path(file.suggestedFilename())); return readFileSync(path(file.suggestedFilename())); };
    const [header, ...lines] = (await save(page, 'Save the list as CSV')).toString().trim().split('\r\n').map((line) => line.split(','));
    const cells = (line) => Object.fromEntries(header.map((title, i) => [title, line[i]]));
    const listed = cells(lines[0]);
    assert.deepEqual([listed.separation_x, listed.separation_y, listed.separation_z].map(Number), b.separation.translation);
    assert.deepEqual([listed.depth_low, listed.depth_high, listed.depth_x, listed.depth_y, listed.depth_z].map(Number), [b.depth.low, b.depth.high, ...b.deepest]);
    assert.deepEqual(lines.map((line) => cells(line).tolerated), ['0', '0', '1']);
    assert.ok(c && d);
    // BCF of the page: the schema's order and range of the field of view, the unit in words, the eye in meters.
    const topics = unzipped(await save(page, 'Save the listed pairs as BCF'));
    const texts = [...topics].filter(([name]) => !name.endsWith('.png')).map(([name, bytes]) => [name, bytes.toString()]);
    const trees = await page.evaluate((all) => all.map(([name, text]) => {
      const tree = (node) => [node.localName, ...[...node.children].map(tree)];
      const { documentElement } = new DOMParser().parseFromString(text, 'text/xml');
      return [name, tree(documentElement), [...documentElement.querySelectorAll('[Guid]'), documentElement].map((node) => node.getAttribute('Guid')).filter(Boolean)];
    }), texts);
    const vector = (name) => [name, ['X'], ['Y'], ['Z']], component = ['Component', ['OriginatingSystem'], ['AuthoringToolId']];
    for (const [name, tree, guids] of trees) {
      for (const guid of guids) assert.match(guid, /^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}$/);
      if (name.endsWith('.bcf')) assert.deepEqual(tree, ['Markup', ['Header', ['File', ['Filename']]], ['Topic', ['Title'], ['Index'], ['Labels'], ['CreationDate'], ['CreationAuthor'], ['Description']], ['Viewpoints', ['Viewpoint'], ['Snapshot']]]);
      if (name.endsWith('.bcfv')) assert.deepEqual(tree, ['VisualizationInfo', ['Components', ['Selection', component, component], ['Visibility']], ['PerspectiveCamera', vector('CameraViewPoint'), vector('CameraDirection'), vector('CameraUpVector'), ['FieldOfView']]]);
    }
    for (const [name, text] of texts.filter(([one]) => one.endsWith('.bcfv'))) {
      const angle = Number(/<FieldOfView>([^<]*)</.exec(text)[1]);
      assert.ok(angle >= 45 && angle <= 60, `${name}: ${angle}`);
    }
    const words = texts.map(([, text]) => /<Description>([^<]*)</.exec(text)?.[1]).filter(Boolean);
    assert.match(words[0], /^a and b overlap\. Pairs of triangles in contact: \d+\. Depth: 0\.5 file units\. Volume of the overlap: 2 file units³\. Moving a by \([-\d., e]+\) file units ends the contact\. Place: .* file units\. The files do not define one unit for all parts: the viewpoint takes a file unit as a meter\.$/);
    assert.match(words[2], /^a and d overlap, and the overlap is within the tolerance\./);
    // The same in millimeters: the eye is a thousandth as far away.
    const eyeOf = (zip) => ['X', 'Y', 'Z'].map((axis) => Number(new RegExp(`<CameraViewPoint>.*?<${axis}>([^<]*)<`).exec([...unzipped(zip)].find(([name]) => name.endsWith('.bcfv'))[1].toString())[1]));
    const millimeters = await open(chromium, path('m.html'));
    await millimeters.evaluate(() => { globalThis.sightline.page.unit = 'mm'; });
    const file_units = await open(chromium, path('m.html'));
    const near = eyeOf(await save(millimeters, 'Save the listed pairs as BCF')), far = eyeOf(await save(file_units, 'Save the listed pairs as BCF'));
    near.forEach((x, axis) => assert.ok(Math.abs(1000 * x - far[axis]) < 1e-6, `${near} and ${far}`));
    quiet(page);
  },

  // Names with signs of patterns, and those that a spreadsheet takes as formulas: what the page writes stands for them alone.
  async names({ path, tool, browser }) {
    const names = ['a*', 'b', 'abc', '=1+1', "'x", '-3'];
    const object = (name, i) => `o ${name}\n${[0, 1, 2, 3].map((k) => `v ${0.1 * i + (k === 1 ? 1 : 0)} ${(k === 2 ? 1 : 0) + 0.01 * i} ${(k === 3 ? 1 : 0) + 0.02 * i}\n`).join('')}${['0 2 1', '0 1 3', '1 2 3', '0 3 2'].map((t) => `f ${t.split(' ').map((k) => 4 * i + 1 + Number(k)).join(' ')}\n`).join('')}`;
    writeFileSync(path('n.obj'), names.map(object).join(''));
    tool(['clash', 'n.obj', '--report', 'n.html', '--json', 'n.json'], [1]);
    const all = JSON.parse(readFileSync(path('n.json'), 'utf8')).pairs.length;
    assert.equal(all, 15);
    const page = await open(await browser(), path('n.html'));
    const accept = (a, b) => page.evaluate(([x, y]) => { const app = globalThis.sightline, pair = app.pairs().list.find((one) => app.nameOf(one.a) === x && app.nameOf(one.b) === y); app.selectPair(pair); app.review.status.value = 'accepted'; app.review.edit(); }, [a, b]);
    const left = (list) => { tool(['clash', 'n.obj', '--ignore', list, '--json', 'i.json', '-q'], [0, 1]); return JSON.parse(readFileSync(path('i.json'), 'utf8')).pairs.length; };
    const save = async (selector) => { const [file] = await Promise.all([page.waitForEvent('download'), page.click(selector)]); await file.saveAs(path(file.suggestedFilename())); return file.suggestedFilename(); };
    await accept('a*', 'b');
    for (const selector of ['text=Save page', '[aria-label="Save the list as CSV"]']) assert.equal(left(await save(selector)), all - 1, selector);
    await accept('=1+1', "'x");
    await accept('b', '=1+1');
    await accept("'x", '-3');
    for (const selector of ['text=Save page', '[aria-label="Save the list as CSV"]']) assert.equal(left(await save(selector)), all - 4, selector);
    quiet(page);
  },

  // A machine whose bores and shafts overlap by a hair: the eleven clashes in earnest come first and are what one sees.
  async machine({ path, tool, browser }) {
    tool(['generate', 'machine', 'machine.obj']);
    tool(['clash', 'machine.obj', '--report', 'm.html', '--json', 'm.json']);
    const json = JSON.parse(readFileSync(path('m.json'), 'utf8'));
    assert.deepEqual([json.parts.length, json.pairs.filter((pair) => pair.relation === 'clash').length], [67, 80]);
    const page = await open(await browser(), path('m.html'));
    assert.match(await page.textContent('.summary'), /^80 clashes/);
    const rows = await page.evaluate(() => globalThis.sightline.list.items.filter((item) => item.type === 'pair').map(({ pair }) => [globalThis.sightline.nameOf(pair.a), globalThis.sightline.nameOf(pair.b), pair.shallow]));
    assert.equal(rows.length, 80);
    const deep = rows.filter(([, , shallow]) => !shallow);
    assert.deepEqual(rows.slice(0, 11), deep, 'shallow pairs are last');
    assert.ok(deep.every(([a, b]) => /liner/.test(a) && /bracket|pipe/.test(b)), `${deep}`);
    assert.equal(await page.locator('.row.cluster').count(), 0, 'pairs, not hundreds of clusters');
    assert.deepEqual(await page.locator('.classes button').allTextContents(), ['clash11', 'shallow69']);
    // Not a wall of orange: next to the parts in earnest little is vermilion.
    const orange = (r, g, b) => r > 150 && g < 130 && b < 70 && r > g + 60;
    const picture = await middle(page, 1), model = count(picture, (r, g, b) => Math.abs(r - 244) + Math.abs(g - 245) + Math.abs(b - 247) > 20);
    const share = count(picture, orange) / model;
    assert.ok(model > 60000, `${model} pixels of the model`);
    assert.ok(share > 0.0005 && share < 0.12, `${(100 * share).toFixed(1)} % of the model is orange`);
    await page.keyboard.press('n');
    const blue = (r, g, b) => b > r + 35 && b > g + 12, green = (r, g, b) => g > r + 18 && g > b + 18;
    const chosen = await middle(page, 1);
    assert.ok(count(chosen, blue) > 3000 && count(chosen, green) > 3000, `${count(chosen, blue)} and ${count(chosen, green)} pixels of the two parts`);
    assert.ok(count(chosen, orange) < 0.02 * model, 'the other clashes are dimmed');
    await page.click('.classes button[data-class=shallow]');
    assert.equal(await page.evaluate(() => globalThis.sightline.list.items.filter((item) => item.type === 'pair').length), 11);
    quiet(page);
  },

  // Numbers for people: pairs first, one shared face instead of dozens of contacts, sizes with units, places.
  async words({ path, tool, browser }) {
    const chromium = await browser();
    const cube = (x, n) => [`o ${'ab'[n]}`, ...[0, 1, 2, 3, 4, 5, 6, 7].map((i) => `v ${x + (i & 1)} ${(i >> 1) & 1} ${i >> 2}`), ...['1 3 2', '2 3 4', '5 6 7', '6 8 7', '1 2 5', '2 6 5', '3 7 4', '4 7 8', '1 5 3', '3 5 7', '2 4 6', '4 8 6'].map((f) => `f ${f.split(' ').map((k) => Number(k) + 8 * n).join(' ')}`)].join('\n');
    writeFileSync(path('two.obj'), `${cube(0, 0)}\n${cube(1, 1)}\n`);
    tool(['clash', 'two.obj', '--report', 't.html', '--json', 't.json'], [1]);
    const { found } = JSON.parse(readFileSync(path('t.json'), 'utf8'));
    assert.ok(found > 40, `${found} contacts`);
    const page = await open(chromium, path('t.html'));
    assert.match(await page.textContent('.summary'), new RegExp(`^1 touch${found} contacts in 1 cluster · 24 triangles in 2 parts`));
    assert.equal(await page.locator('.row.group').textContent(), 'a×bshared face 1 × 1 file units · at (1, 0.5, 0.5)touch');
    assert.equal(await page.locator('.row.cluster').textContent(), `shared face 1 × 1 file unitsat (1, 0.5, 0.5) · ${found} triangle pairs`);
    // The chosen parts have two colours and no stains of a third.
    await page.keyboard.press('n');
    const stains = count(await middle(page, 1), (r, g, b) => g > r + 40 && Math.abs(g - b) < 16);
    assert.ok(stains < 500, `${stains} pixels have neither colour`);
    quiet(page);
    // A file whose format defines the unit.
    tool(['generate', 'assembly', 'a.obj']);
    const lines = readFileSync(path('a.obj'), 'utf8').split('\n').map((line) => line.split(/\s+/));
    const parts = [];
    let points = [];
    for (const [word, ...rest] of lines) {
      if (word === 'o') parts.push({ name: rest.join(' '), faces: [] });
      if (word === 'v') points.push(rest.map(Number));
      if (word === 'f') parts.at(-1).faces.push(...rest.map((text) => parseInt(text, 10) - 1));
    }
    const positions = Buffer.from(new Float32Array(points.flat()).buffer), index = Buffer.from(new Uint32Array(parts.flatMap((part) => part.faces)).buffer);
    let at = positions.length;
    const accessors = [{ bufferView: 0, componentType: 5126, count: points.length, type: 'VEC3' }], views = [{ buffer: 0, byteOffset: 0, byteLength: positions.length }];
    for (const part of parts) {
      views.push({ buffer: 0, byteOffset: at, byteLength: 4 * part.faces.length });
      accessors.push({ bufferView: views.length - 1, componentType: 5125, count: part.faces.length, type: 'SCALAR' });
      at += 4 * part.faces.length;
    }
    writeFileSync(path('a.gltf'), JSON.stringify({
      asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: parts.map((_, i) => i) }], nodes: parts.map(({ name }, i) => ({ name, mesh: i })), accessors, bufferViews: views,
      meshes: parts.map(({ name }, i) => ({ name, primitives: [{ attributes: { POSITION: 0 }, indices: i + 1 }] })), buffers: [{ byteLength: at, uri: `data:application/octet-stream;base64,${Buffer.concat([positions, index]).toString('base64')}` }],
    }));
    tool(['clash', 'a.gltf', '--clearance', '0.1', '--report', 'g.html'], [1]);
    const metres = await open(chromium, path('g.html'));
    assert.match(await metres.textContent('.summary'), /^1 clash, 1 contains, 1 touch, 1 near42 contacts in 3 clusters/);
    const rows = await metres.locator('.row.group').allTextContents();
    assert.ok(rows.length === 4 && rows.every((row) => /[\d.]+ m³? · at \([-\d.]+, [-\d.]+, [-\d.]+\)(clash|contains|touch|near)$/.test(row)), rows.join('\n'));
    quiet(metres);
    // 3MF: the unit that the model names.
    const object = (id, x) => `<object id="${id}" name="${'ab'[id - 1]}"><mesh><vertices>${[0, 1, 2, 3, 4, 5, 6, 7].map((i) => `<vertex x="${x + (i & 1)}" y="${(i >> 1) & 1}" z="${i >> 2}"/>`).join('')}</vertices><triangles>${['0 2 1', '1 2 3', '4 5 6', '5 7 6', '0 1 4', '1 5 4', '2 6 3', '3 6 7', '0 4 2', '2 4 6', '1 3 5', '3 7 5'].map((t) => t.split(' ')).map(([a, b, c]) => `<triangle v1="${a}" v2="${b}" v3="${c}"/>`).join('')}</triangles></mesh></object>`;
    writeFileSync(path('two.3mf'), zipped('3D/3dmodel.model', `<model unit="inch" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>${object(1, 0)}${object(2, 1)}</resources><build><item objectid="1"/><item objectid="2"/></build></model>`));
    tool(['clash', 'two.3mf', '--report', 'i.html'], [1]);
    const inches = await open(chromium, path('i.html'));
    assert.equal(await inches.locator('.row.group').textContent(), 'a×bshared face 1 × 1 in · at (1, 0.5, 0.5)touch');
    quiet(inches);
  },

  // The page looks like the pictures: parts in their tones, round things round, creases dark, the model as large as the view;
  // the up axis is the likely one, can be changed, and is remembered.
  async looks({ path, tool, browser }) {
    const chromium = await browser();
    tool(['generate', 'machine', 'machine.obj']);
    tool(['clash', 'machine.obj', '--report', 'm.html']);
    const page = await open(chromium, path('m.html'));
    // How much of the view the model takes, at least along one side.
    const extent = (picture) => {
      const box = [1e9, 1e9, 0, 0];
      for (let y = 0; y < picture.height; y++) for (let x = 0; x < picture.width; x++) {
        const [r, g, b] = picture.at(x, y);
        if (Math.abs(r - 244) + Math.abs(g - 245) + Math.abs(b - 247) > 24 && y > 70 && y < picture.height - 70) { box[0] = Math.min(box[0], x); box[1] = Math.min(box[1], y); box[2] = Math.max(box[2], x); box[3] = Math.max(box[3], y); }
      }
      return Math.max((box[2] - box[0]) / picture.width, (box[3] - box[1]) / picture.height);
    };
    const whole = await middle(page, 1);
    assert.ok(extent(whole) > 0.78, `the model takes ${extent(whole)} of the view`);
    const hue = (r, g, b) => (b > r + 14 ? 'blue' : g > r + 12 && g > b + 8 ? 'green' : r > b + 20 && r > g + 4 ? 'tan' : 'grey');
    const hues = {};
    count(whole, (r, g, b) => { if (r + g + b < 690) hues[hue(r, g, b)] = (hues[hue(r, g, b)] ?? 0) + 1; return false; });
    for (const name of ['blue', 'green', 'tan', 'grey']) assert.ok(hues[name] > 2000, `${name}: ${hues[name]} pixels of parts (${JSON.stringify(hues)})`);
    quiet(page);

    // A cylinder of 24 sides has no facets: across it the light changes in small steps. A cube keeps its edges.
    const sides = 24, lines = [];
    for (let i = 0; i < sides; i++) for (const z of [0, 4]) lines.push(`v ${Math.cos((2 * Math.PI * i) / sides)} ${Math.sin((2 * Math.PI * i) / sides)} ${z}`);
    for (let i = 0; i < sides; i++) { const a = 2 * i + 1, b = 2 * ((i + 1) % sides) + 1; lines.push(`f ${a} ${b} ${b + 1}`, `f ${a} ${b + 1} ${a + 1}`); if (i > 0 && i + 1 < sides) lines.push(`f 1 ${b} ${a}`, `f 2 ${a + 1} ${b + 1}`); }
    writeFileSync(path('round.obj'), `${lines.join('\n')}\n`);
    tool(['check', 'round.obj', '--report', 'r.html']);
    const round = await open(chromium, path('r.html'));
    await round.keyboard.press('1');
    const across = await middle(round, 0.2);
    let worst = 0;
    for (let x = 1; x < across.width; x++) worst = Math.max(worst, Math.abs(across.at(x, across.height >> 1)[0] - across.at(x - 1, across.height >> 1)[0]));
    assert.ok(worst <= 4, `the light jumps by ${worst} from one side to the next`);
    quiet(round);

    // Occlusion: the floor is darker beside a wall than away from it.
    const box = (n, [x, y, z, X, Y, Z]) => [`o p${n}`, ...[0, 1, 2, 3, 4, 5, 6, 7].map((i) => `v ${i & 1 ? X : x} ${i & 2 ? Y : y} ${i & 4 ? Z : z}`), ...['1 3 2', '2 3 4', '5 6 7', '6 8 7', '1 2 5', '2 6 5', '3 7 4', '4 7 8', '1 5 3', '3 5 7', '2 4 6', '4 8 6'].map((f) => `f ${f.split(' ').map((k) => Number(k) + 8 * n).join(' ')}`)].join('\n');
    writeFileSync(path('corner.obj'), `${box(0, [0, 0, -1, 10, 10, 0])}\n${box(1, [4, 9, 0, 6, 10, 5])}\n`);
    tool(['clash', 'corner.obj', '--report', 'c.html']);
    const corner = await open(chromium, path('c.html'));
    const light = (at) => corner.evaluate((p) => { const { stage, current: { space } } = globalThis.sightline; const q = stage.target.clone().fromArray(space.inside(p)).project(stage.camera); return [(q.x + 1) / 2, (1 - q.y) / 2]; }, at);
    await corner.evaluate(() => { globalThis.sightline.stage.through = false; globalThis.sightline.toggleKind(0); globalThis.sightline.toggleKind(2); });
    const shot = await middle(corner, 1);
    const [near, far] = await Promise.all([[5, 8.85, 0], [5, 5, 0]].map(light));
    const tone = ([x, y]) => shot.at(Math.round(x * shot.width), Math.round(y * shot.height))[0];
    assert.ok(tone(near) < tone(far) - 12, `beside the wall ${tone(near)}, away from it ${tone(far)}`);

    // The up axis: a machine that lies on its side in the file stands, on the page and in the picture.
    tool(['generate', 'machine', 'up.obj']);
    const text = readFileSync(path('up.obj'), 'utf8').replace(/^v (\S+) (\S+) (\S+)/gm, (_, x, y, z) => `v ${x} ${z} ${-Number(y)}`);
    writeFileSync(path('lying.obj'), text);
    tool(['clash', 'lying.obj', '--report', 'l.html']);
    const lying = await open(chromium, path('l.html'));
    assert.equal((await state(lying)).up, 1);
    assert.equal(await lying.textContent('.toolbar .axis'), 'Y');
    await lying.click('[aria-label^="Which axis"]');
    await lying.click('[aria-label="Z is up"]');
    assert.equal((await state(lying)).up, 2);
    assert.match(await settled(lying), /up=z/);
    await lying.evaluate(() => { history.replaceState(null, '', location.pathname); });
    await lying.reload();
    await lying.waitForSelector('#app[aria-busy=false]');
    assert.equal((await state(lying)).up, 2, 'it is remembered');
    quiet(lying);
  },

  // The cut goes through the choice, is filled where it is inside a part, and can be seen.
  async section({ path, tool, browser }) {
    tool(['generate', 'assembly', 'assembly.obj']);
    tool(['clash', 'assembly.obj', '--report', 'a.html', '--json', 'a.json']);
    const page = await open(await browser(), path('a.html'));
    const { pairs: [{ part_a: a, part_b: b }] } = { pairs: JSON.parse(readFileSync(path('a.json'), 'utf8')).pairs.filter((pair) => pair.relation === 'clash') };
    await page.click(`.row.group[data-pair="${a} ${b}"]`);
    await page.keyboard.press('c');
    const place = await page.evaluate(() => { const { stage: { cut }, current: { space }, pair, placeOf } = globalThis.sightline; const axis = cut.normal.findIndex((x) => x !== 0); return [space.outside([0, 0, 0].map((_, i) => (i === axis ? cut.normal[axis] * cut.at : 0)))[axis], globalThis.sightline.placeOf(pair)[axis]]; });
    assert.ok(Math.abs(place[0] - place[1]) < 1e-6, `the plane is at ${place[0]}, the contact at ${place[1]}`);
    await page.keyboard.press('Escape');
    // Look along the axis of the cut at the cut faces: they are filled, with hatching, in the colours of both parts.
    await page.evaluate(() => { const app = globalThis.sightline; app.lookAlong(0, 1); });
    const picture = await middle(page, 1);
    const blue = (r, g, c) => c > r + 30 && c > g + 10, green = (r, g, c) => g > r + 15 && g > c + 15;
    const filled = [count(picture, blue), count(picture, green)];
    await page.evaluate(() => { const { stage } = globalThis.sightline; stage.section.groups.forEach(({ cap }) => { cap.material.visible = false; }); stage.draw(); });
    const hollow = await middle(page, 1);
    const changed = different(picture, hollow);
    assert.ok(changed > 4000, `${changed} pixels are filled`);
    assert.ok(filled[0] > 4000 && filled[1] > 1000, `${filled}`);
    await page.evaluate(() => { const { stage } = globalThis.sightline; stage.section.frame.material.visible = false; stage.draw(); });
    assert.ok(different(hollow, await middle(page, 1)) > 800, 'the plane itself can be seen');
    // It follows the choice.
    const before = (await state(page)).cut.share;
    await page.evaluate(() => { const { list, pairs } = globalThis.sightline; globalThis.sightline.selectPair(globalThis.sightline.pairs().list.find((pair) => pair.relation === 'touch')); });
    assert.ok(Math.abs((await state(page)).cut.share - before) > 0.05);
    quiet(page);
  },

  // Find, order, measure; statuses and comments that are saved in the page and read by the tool; files for others.
  async review({ path, tool, browser }) {
    tool(['generate', 'machine', 'machine.obj']);
    tool(['clash', 'machine.obj', '--report', 'm.html', '--json', 'm.json', '-q'], [1]);
    const chromium = await browser();
    const page = await open(chromium, path('m.html'));
    const rows = () => page.evaluate(() => globalThis.sightline.list.items.filter((item) => item.type === 'pair').map(({ pair }) => `${globalThis.sightline.nameOf(pair.a)} × ${globalThis.sightline.nameOf(pair.b)}`));
    await page.fill('input[aria-label="Find in the list"]', 'bracket liner');
    assert.deepEqual((await rows()).sort(), [1, 2, 3, 4, 5, 6].map((i) => `liner ${i} × bracket`));
    await page.selectOption('select[aria-label="Order of the list"]', 'name');
    assert.equal((await rows())[0], 'liner 1 × bracket');
    await page.fill('input[aria-label="Find in the list"]', '');
    await page.selectOption('select[aria-label="Order of the list"]', 'contacts');
    const counts = await page.evaluate(() => globalThis.sightline.list.items.filter((item) => item.type === 'pair').map(({ pair }) => pair.found));
    assert.deepEqual(counts, [...counts].sort((x, y) => y - x));
    await page.selectOption('select[aria-label="Order of the list"]', 'severity');
    const save = async (action) => { const [file] = await Promise.all([page.waitForEvent('download', { timeout: 120000 }), action()]); await file.saveAs(path(file.suggestedFilename())); return file.suggestedFilename(); };
    // A decision for two pairs.
    await page.evaluate(() => { const app = globalThis.sightline; app.selectPair(app.pairs().list.find(({ a, b }) => app.nameOf(a) === 'liner 1' && app.nameOf(b) === 'bracket')); });
    await page.selectOption('select[aria-label="Status of this pair"]', 'accepted');
    await page.fill('textarea', 'is welded, <b>see</b> "drawing" & </pre><script>alert(1)</script>, ok');
    await page.evaluate(() => { const app = globalThis.sightline; app.selectPair(app.pairs().list.find(({ a, b }) => app.nameOf(a) === 'liner 2' && app.nameOf(b) === 'bracket')); });
    await page.selectOption('select[aria-label="Status of this pair"]', 'to fix');
    assert.equal(await page.locator('.row.group .status').count() > 0, true);
    const name = await save(() => page.click('text=Save page'));
    assert.equal(name, 'machine.obj.html');
    const saved = await open(chromium, path(name));
    const states = await saved.evaluate(() => { const app = globalThis.sightline; return app.pairs().list.filter((pair) => app.review.statusOf(pair) !== 'open').map((pair) => [app.nameOf(pair.a), app.nameOf(pair.b), app.review.statusOf(pair), app.review.commentOf(pair)]); });
    assert.deepEqual(states, [['liner 1', 'bracket', 'accepted', 'is welded, <b>see</b> "drawing" & </pre><script>alert(1)</script>, ok'], ['liner 2', 'bracket', 'to fix', '']]);
    assert.ok(different(await middle(page), await middle(saved)) < Infinity);
    quiet(saved);
    // The tool reads it: one pair is ignored; against the page as a baseline nothing is new.
    tool(['clash', 'machine.obj', '--ignore', name, '--json', 'i.json', '-q'], [1]);
    const before = JSON.parse(readFileSync(path('m.json'), 'utf8')), ignored = JSON.parse(readFileSync(path('i.json'), 'utf8'));
    assert.equal(ignored.pairs.length, before.pairs.length - 1);
    assert.ok(!ignored.pairs.some((pair) => ignored.parts[pair.part_a].name === 'liner 1' && ignored.parts[pair.part_b].name === 'bracket'));
    tool(['clash', 'machine.obj', '--baseline', name, '-q'], [0]);
    writeFileSync(path('moved.obj'), readFileSync(path('machine.obj'), 'utf8').replace(/o pipe\n(v .*\n)+/, (text) => text.replace(/^v (\S+) (\S+)/gm, (_, x, y) => `v ${x} ${Number(y) - 5}`)));
    tool(['clash', 'moved.obj', '--baseline', name, '-q'], [0]);
    tool(['clash', 'machine.obj', '--clearance', '0.5', '--baseline', name, '-q'], [1]);
    assert.match(tool(['clash', 'machine.obj', '--ignore', 'm.html'], [2]).stderr, /m\.html: is a page without a review/);
    // The list and the view as files.
    const csv = readFileSync(path(await save(() => page.click('[aria-label="Save the list as CSV"]'))), 'utf8').trim().split('\r\n');
    assert.equal(csv[0], 'part_a,part_b,name_a,name_b,relation,shallow,gap,tolerated,depth_low,depth_high,depth_x,depth_y,depth_z,separation_x,separation_y,separation_z,overlap_volume,size,x,y,z,contacts,status,comment');
    assert.equal(csv.length, 81);
    assert.equal(csv.filter((line) => line.includes(',no,')).length, 11);
    // BCF: the topics of the listed pairs have the ids that the tool gives them, and what was decided.
    tool(['clash', 'machine.obj', '--bcf', 'tool.bcf', '-q'], [1]);
    const own = unzipped(readFileSync(path('tool.bcf')));
    await page.fill('input[aria-label="Find in the list"]', 'bracket liner');
    const view = await state(page);
    const bcf = unzipped(readFileSync(path(await save(() => page.click('[aria-label="Save the listed pairs as BCF"]')))));
    const after = await state(page);
    assert.ok(distance(view.eye, after.eye) < 1e-9 && after.selected === view.selected, 'the view is as it was');
    const topics = [...bcf.keys()].filter((entry) => entry.endsWith('/markup.bcf'));
    assert.equal(topics.length, 6);
    assert.equal(bcf.size, 1 + 3 * 6);
    assert.ok(topics.every((entry) => own.has(entry)), `${topics}`);
    assert.match(bcf.get('bcf.version').toString(), /<Version VersionId="2\.1">/);
    const markups = topics.map((entry) => bcf.get(entry).toString());
    const welded = markups.find((text) => text.includes('<Title>liner 1 and bracket: clash</Title>'));
    assert.match(welded, /TopicType="Clash" TopicStatus="Accepted"/);
    assert.ok(welded.includes('<Comment>is welded, &#60;b&#62;see&#60;/b&#62; &#34;drawing&#34; &#38; &#60;/pre&#62;&#60;script&#62;alert(1)&#60;/script&#62;, ok</Comment>'), welded);
    assert.deepEqual(markups.map((text) => text.match(/TopicStatus="([^"]*)"/)[1]).sort(), ['Accepted', 'Open', 'Open', 'Open', 'Open', 'To fix']);
    // All files are XML, and the camera is one.
    const xml = await page.evaluate((texts) => texts.map((text) => new DOMParser().parseFromString(text, 'text/xml').documentElement.nodeName), [...bcf].filter(([entry]) => !entry.endsWith('.png')).map(([, bytes]) => bytes.toString()));
    assert.deepEqual([...new Set(xml)].sort(), ['Markup', 'Version', 'VisualizationInfo']);
    for (const topic of topics) {
      const camera = bcf.get(topic.replace('markup.bcf', 'viewpoint.bcfv')).toString();
      const read = (name) => camera.match(new RegExp(`<${name}><X>(.*?)</X><Y>(.*?)</Y><Z>(.*?)</Z></${name}>`)).slice(1).map(Number);
      const d = read('CameraDirection'), u = read('CameraUpVector'), eye = read('CameraViewPoint');
      const dot = (p, q) => p.reduce((sum, x, i) => sum + x * q[i], 0);
      assert.ok(Math.abs(dot(d, d) - 1) < 1e-9 && Math.abs(dot(u, u) - 1) < 1e-9 && Math.abs(dot(d, u)) < 1e-9 && eye.every(Number.isFinite), camera);
      const picture = decode(bcf.get(topic.replace('markup.bcf', 'snapshot.png')));
      assert.ok(count(picture, (r, g, b) => b > r + 35 && b > g + 12) > 1000, 'the picture shows the chosen pair');
    }
    await page.fill('input[aria-label="Find in the list"]', '');
    const png = readFileSync(path(await save(() => page.click('[aria-label="Save this view as PNG"]'))));
    assert.equal(png.toString('latin1', 1, 4), 'PNG');
    assert.ok(png.length > 20000);
    quiet(page);

    // Two corners of a box: the length of its edge.
    writeFileSync(path('box.obj'), 'v 0 0 0\nv 3 0 0\nv 0 2 0\nv 3 2 0\nv 0 0 1\nv 3 0 1\nv 0 2 1\nv 3 2 1\nf 1 3 2\nf 2 3 4\nf 5 6 7\nf 6 8 7\nf 1 2 5\nf 2 6 5\nf 3 7 4\nf 4 7 8\nf 1 5 3\nf 3 5 7\nf 2 4 6\nf 4 8 6\n');
    tool(['check', 'box.obj', '--report', 'b.html']);
    const box = await open(chromium, path('b.html'));
    const at = (p) => box.evaluate((q) => { const { stage, current: { space }, canvas } = globalThis.sightline; const v = stage.target.clone().fromArray(space.inside(q)).project(stage.camera), rect = canvas.getBoundingClientRect(); return [rect.x + ((v.x + 1) / 2) * rect.width, rect.y + ((1 - v.y) / 2) * rect.height]; }, p);
    await box.keyboard.press('m');
    for (const p of [[0.02, 0.02, 1], [2.98, 0.02, 1]]) await box.mouse.click(...await at(p), { delay: 30 });
    await middle(box);
    assert.equal(await box.textContent('.over'), '3 file units');
    await box.keyboard.press('Escape');
    assert.equal(await box.textContent('.over'), '');
    quiet(box);
  },

  // Open, non-manifold and degenerate places are listed and drawn.
  async flaws({ path, tool, browser }) {
    // A box without its lid, a fin on an edge, and a triangle without area.
    writeFileSync(path('f.obj'), 'v 0 0 0\nv 3 0 0\nv 0 2 0\nv 3 2 0\nv 0 0 1\nv 3 0 1\nv 0 2 1\nv 3 2 1\nv 0 -1 -1\nv 5 0 0\nv 6 0 0\nv 7 0 0\nf 1 3 2\nf 2 3 4\nf 1 2 5\nf 2 6 5\nf 3 7 4\nf 4 7 8\nf 1 5 3\nf 3 5 7\nf 2 4 6\nf 4 8 6\nf 1 2 9\nf 10 11 12\n');
    tool(['check', 'f.obj', '--report', 'f.html']);
    const page = await open(await browser(), path('f.html'));
    const texts = await page.locator('.row[data-flaw]').allTextContents();
    assert.deepEqual(texts.map((text) => text.replace(/ [\d.e-]+ file units long.*/, '')).sort(), ['1 non-manifold edge', '4 open edges', 'degenerate triangle', '3 open edges'].sort(), `${texts}`);
    const purple = (r, g, b) => b > g + 60 && r > g + 20;
    const drawn = count(await middle(page, 1), purple);
    assert.ok(drawn > 150, `${drawn} pixels of flaws`);
    await page.locator('.row[data-flaw]').first().click();
    assert.equal(await page.locator('.row[aria-selected=true]').count(), 1);
    await page.click('.legend .flaw');
    assert.equal(await page.locator('.row[data-flaw]').count(), 0);
    assert.equal(count(await middle(page, 1), purple), 0);
    quiet(page);
  },

  // What axe-core finds wrong for people who use a screen reader, a keyboard or high contrast: nothing, on any state of a page.
  async accessible({ path, tool, samples, browser, modules }) {
    samples();
    tool(['generate', 'assembly', 'assembly.obj']);
    tool(['clash', 'assembly.obj', '--clearance', '0.1', '--report', 'a.html']);
    tool(['generate', 'tube', 'tube.stl']);
    tool(['generate', 'sphere', 'sphere.obj']);
    writeFileSync(path('open.obj'), 'v 0 0 0\nv 3 0 0\nv 0 2 0\nv 5 0 0\nv 6 0 0\nv 7 0 0\nf 1 2 3\nf 4 5 6\n');
    tool(['check', 'tube.stl', 'sphere.obj', 'open.obj', '--report', 's.html']);
    const axe = readFileSync(createRequire(join(modules, 'package.json')).resolve('axe-core/axe.min.js'), 'utf8');
    const chromium = await browser();
    const wrong = async (page) => {
      await middle(page);
      await page.evaluate(axe);
      const { violations, passes } = await page.evaluate(() => globalThis.axe.run(document));
      assert.ok(passes.length > 15, `${passes.length} rules apply`);
      return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
    };
    const click = (selector) => (page) => page.click(selector);
    const key = (name) => (page) => page.keyboard.press(name);
    const states = [
      ['a.html', 'as opened', []], ['a.html', 'a pair', [key('n')]], ['a.html', 'a contact', [key('n'), key('ArrowDown')]], ['a.html', 'the parts', [click('[data-tab=parts]')]],
      ['a.html', 'the keys', [key('?')]], ['a.html', 'the cut', [click('[aria-label^="Cut"]')]], ['a.html', 'the axes', [click('[aria-label^="Which axis"]')]],
      ['s.html', 'several meshes', []], ['s.html', 'a clean one', [key('.')]], ['s.html', 'flaws', [key(','), key('n')]], ['frames.html', 'frames', [key('.')]], ['frames.html', 'passes', [key('s')]], ['nothing.html', 'an error', []],
    ];
    for (const colorScheme of ['light', 'dark'])
      for (const [file, name, steps] of colorScheme === 'light' ? states : states.filter(([, what]) => ['a pair', 'a clean one', 'passes'].includes(what))) {
        const page = await open(chromium, path(file), { colorScheme, bypassCSP: true });
        for (const step of steps) await step(page);
        assert.deepEqual(await wrong(page), [], `${file}, ${name}, ${colorScheme}`);
        await page.close();
      }
    // The check can fail: a button without a name, and grey on grey.
    const page = await open(chromium, path('a.html'), { bypassCSP: true });
    await page.evaluate(() => { const row = document.createElement('button'); row.style.width = row.style.height = '30px'; document.querySelector('footer').append(row); });
    assert.match((await wrong(page)).join(), /button-name/);
  },

  // A thousand cubes that touch: the page opens at once and answers at once, and touching pairs are hidden until they are
  // wanted.
  async crowds({ path, tool, browser }) {
    const side = 10, lines = [];
    const faces = ['1 3 2', '2 3 4', '5 6 7', '6 8 7', '1 2 5', '2 6 5', '3 7 4', '4 7 8', '1 5 3', '3 5 7', '2 4 6', '4 8 6'];
    for (let n = 0; n < side ** 3; n++) {
      const at = [n % side, Math.floor(n / side) % side, Math.floor(n / side ** 2)];
      lines.push(`o cube ${n}`, ...Array.from({ length: 8 }, (_, i) => `v ${at.map((x, axis) => x + ((i >> axis) & 1)).join(' ')}`));
      lines.push(...faces.map((face) => `f ${face.split(' ').map((k) => Number(k) - 9).join(' ')}`));
    }
    writeFileSync(path('cubes.obj'), `${lines.join('\n')}\n`);
    tool(['clash', 'cubes.obj', '--report', 'c.html']);
    const { page, first } = await openInTime(await browser(), path('c.html'));
    assert.match(await page.textContent('.summary'), /^10,476 touch403,596 contacts in 10,476 clusters/);
    assert.equal(await page.locator('.row.group').count(), 0, 'touching pairs are hidden');
    assert.equal(await page.textContent('.row.note'), '10,476 pairs hidden: touch.Show');
    const { segments, calls, hidden } = await page.evaluate(() => { const { stage, hiddenClasses } = globalThis.sightline; stage.drawNow(); return { segments: stage.marks.segments, calls: stage.renderer.info.render.calls, hidden: [...hiddenClasses] }; });
    assert.deepEqual([segments, hidden], [0, ['touch']]);
    assert.ok(calls < 20, `${calls} draw calls`);
    const grey = await middle(page);
    // From the key to the pixels.
    const press = (key) => page.evaluate((which) => {
      const { stage } = globalThis.sightline, gl = stage.renderer.getContext(), pixel = new Uint8Array(4), start = performance.now();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: which, bubbles: true }));
      stage.drawNow();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
      return performance.now() - start;
    }, key);
    const compiled = await press('n');  // the first picture of a program takes the compiler's time, too
    assert.ok(await page.locator('.row.group').count() > 5, 'a key shows what was hidden if there is nothing else');
    assert.equal(await page.locator('.row.cluster').count(), 0, 'one row for each pair');
    const words = await page.locator('.row.group').first().textContent();
    assert.match(words, /^cube 0×cube 1shared face 1 × 1 file units · at \(1, 0\.5, 0\.5\)touch$/);
    assert.ok(different(grey, await middle(page)) > 5000);
    assert.equal(await page.evaluate(() => globalThis.sightline.stage.marks.segments > 0 && globalThis.sightline.stage.marks.segments < 500), true, 'only the chosen pair is drawn');
    // Each key some times, and its best time: other programs use this machine, too. A key over the limit is tried again.
    const best = {}, slow = () => Object.values(best).some((time) => time >= 200);
    for (let round = 0; round < 4 || (slow() && round < 40); round++)
      for (const key of ['n', 'ArrowDown', 'p', 'f', 'Escape', 'x', 'x', 'c', 'c']) {
        best[key] = Math.min(best[key] ?? Infinity, await press(key));
        await page.waitForTimeout(250);
      }
    console.log(`1,000 touching cubes: first frame ${(first / 1000).toFixed(2)} s after opening; the first key answered in ${compiled.toFixed(0)} ms, all others in ${Object.entries(best).map(([key, time]) => `${key} ${time.toFixed(0)}`).join(', ')} ms`);
    for (const [key, time] of Object.entries(best)) assert.ok(time < 200, `${key} took ${time} ms`);
    assert.ok(first < 3000, `first frame after ${first} ms`);
    quiet(page);
  },

  async million({ path, tool, browser }) {
    tool(['generate', 'cloth', 'cloth.ply', '--triangles', '1000000']);
    tool(['check', 'cloth.ply', '--report', 'c.html', '--json', 'c.json']);
    const [mesh] = JSON.parse(readFileSync(path('c.json'), 'utf8')).meshes;
    const size = statSync(path('c.html')).size / mesh.triangles;
    const { page, first } = await openInTime(await browser(), path('c.html'), { viewport: { width: 800, height: 600 } });
    const measure = (coarsely) => page.evaluate((coarse) => {
      const { controls, stage } = globalThis.sightline, gl = stage.renderer.getContext(), pixel = new Uint8Array(4);
      const turn = () => { controls.turn(0.02, 0); stage.coarsely &&= coarse; stage.drawNow(); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); };
      turn();
      const start = performance.now();
      let frames = 0;
      while (performance.now() - start < 3000) turn(), frames++;
      return (1000 * frames) / (performance.now() - start);
    }, coarsely);
    const fine = await measure(false), rate = await measure(true);
    // While it moves the model is drawn coarsely, and as it is when it rests.
    assert.ok(rate > fine, `${rate} frames a second coarsely, ${fine} as it is`);
    assert.ok(await page.evaluate(() => { const { controls, stage } = globalThis.sightline; controls.turn(0.1, 0); return stage.coarsely; }));
    const moving = await middle(page, 0.5, false);
    await page.waitForFunction(() => !globalThis.sightline.stage.coarsely);
    const resting = await middle(page);
    assert.ok(different(moving, resting) < 0.5 * moving.width * moving.height, 'the coarse picture looks like the other');
    console.log(`${mesh.triangles} triangles, ${mesh.found} contacts: ${size.toFixed(2)} bytes a triangle, first frame ${(first / 1000).toFixed(2)} s after opening, ` +
      `${fine.toFixed(1)} frames a second at 800x600 on software GL, ${rate.toFixed(1)} while it moves`);
    assert.ok(size < 30);
    assert.ok(first < 3000, `first frame after ${first} ms`);
    assert.equal(await page.evaluate(() => globalThis.sightline.current.contacts.count), mesh.contacts.length);
    const box = await page.locator('#view').boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.keyboard.press('Escape');  // a contact may have been there
    await page.keyboard.press('n');
    assert.equal((await state(page)).selected, 0);
    quiet(page);
  },
};
