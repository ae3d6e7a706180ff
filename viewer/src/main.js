// The page: reads the data that the tool wrote into it, and builds stage, panel, toolbar and timeline.
import { Vector3 } from 'three';
import { unpack } from './bytes.js';
import { withChoosing } from './choosing.js';
import { Controls } from './controls.js';
import { h, icon } from './dom.js';
import { Frames } from './frame.js';
import { helpDialog } from './help.js';
import * as link from './link.js';
import { CLASSES, pairsOf } from './pairs.js';
import { withPanel } from './panel.js';
import { pick } from './pick.js';
import { Review, Source } from './review.js';
import { Stage } from './stage.js';
import { THEMES, Theme } from './theme.js';
import { Passes, Timeline } from './timeline.js';
import { withToolbar } from './toolbar.js';

class App extends withPanel(withToolbar(withChoosing(Object))) {
  constructor(page) {
    super();
    this.page = page;
    this.frames = new Frames(page);
    this.frame = 0;
    this.pass = null;
    this.pair = null;      // the chosen pair of parts (pairs.js)
    this.selected = -1;    // the chosen cluster of it
    this.contact = -1;     // the chosen contact of that
    this.hiddenClasses = new Set();  // of pairs
    this.review = new Review(this);
    this.up = page.up;
    this.cutState = null;
    this.onlyNew = false;  // of a comparison with a baseline
  }

  severalParts() {
    return this.page.parts.length > 1 && !this.page.independent;
  }

  /// What the page has of each model where it has several, else of all.
  ofModel(name) {
    return this.current?.info[name] ?? this.page[name];
  }

  /// Of lengths.
  get unit() { return this.ofModel('unit') || 'file units'; }
  /// Of areas (2) and volumes (3).
  unitOf(power) {
    return `${this.unit}${power === 2 ? '²' : '³'}`;
  }

  pairs() {
    return pairsOf(this.current);
  }

  nameOf(part) {
    const info = this.page.parts[part];
    return info?.name || info?.file?.split('/').at(-1) || `part ${part}`;
  }

  fileOf(part) {
    return this.page.parts[part]?.file?.split('/').at(-1) ?? '';
  }

  build() {
    const { page } = this;
    this.canvas = h('canvas', { id: 'view', tabindex: '0', 'aria-label': 'The model' });
    this.theme = new Theme((colours) => {
      this.stage?.setTheme(colours);
      this.timeline?.draw();
      this.themeButton?.replaceChildren(icon(this.theme.name === 'dark' ? 'sun' : 'moon'));
      this.remember();
    });
    document.documentElement.dataset.theme = this.theme.name;
    this.stage = new Stage(this.canvas, THEMES[this.theme.name]);
    this.stage.parts = this.severalParts() ? page.parts.length : 1;
    this.stage.setTheme(THEMES[this.theme.name]);
    this.stage.lookOf = (cluster) => this.lookOf(cluster);
    this.stage.isClosed = (part) => page.parts[part]?.closed === true;
    this.stage.box = page;
    this.controls = new Controls(this.canvas, this.stage, () => this.remember());
    this.up = this.keptUp() ?? this.up;
    this.controls.setUp(this.up);
    this.setHome();
    this.controls.onTap = (x, y) => this.tapped(x, y);
    this.controls.onDoubleTap = (x, y) => this.focusAt(x, y);

    this.chip = h('div', { class: 'chip', hidden: true, role: 'status' });
    this.toastBox = h('div', { class: 'toast', hidden: true, role: 'status' });
    this.pager = this.makePager();
    this.timelineBox = h('section', { class: 'timeline', 'aria-label': 'Timeline' });
    this.passesBox = h('section', { class: 'passes', 'aria-label': 'Passes of the method' });
    const view = h('div', { class: 'view' }, this.canvas, this.stage.overlay.element, this.makeToolbar(), this.chip, this.toastBox, this.pager);
    this.panel = this.makePanel();
    document.getElementById('app').replaceChildren(this.panel, h('div', { class: 'stage' }, view, this.passesBox, this.timelineBox));
    this.timeline = new Timeline(this.timelineBox, this);
    this.passes = new Passes(this.passesBox, this);
    this.help = helpDialog(page);
    document.body.append(this.help);
    new ResizeObserver(() => this.resize()).observe(view);
    this.view = view;
    this.resize();
    addEventListener('keydown', (event) => this.key(event));
    addEventListener('hashchange', () => { if (location.hash !== this.lastHash) this.restore(location.hash); });
    this.canvas.addEventListener('webglcontextlost', (event) => { event.preventDefault(); this.toast('The connection to the graphics card was lost; it should return in a moment.'); });
    this.canvas.addEventListener('webglcontextrestored', () => this.stage.draw());
  }

  // From the front, a little to the right and above, whichever axis is up.
  setHome() {
    const home = this.up === 2 ? [0.55, -0.78, 0.42] : this.up === 1 ? [0.55, 0.42, 0.78] : [0.42, 0.78, 0.55];
    this.stage.home = new Vector3(...home).normalize();
  }

  resize() {
    const { clientWidth, clientHeight } = this.view;
    if (clientWidth > 0 && clientHeight > 0) this.stage.resize(clientWidth, clientHeight, this.stage.software ? 1 : Math.min(devicePixelRatio || 1, 2));
  }

  // ---- parts

  updateVisibility() {
    this.isolateButton.setAttribute('aria-pressed', String(this.stage.isolated !== null));
    this.stage.paint();
    this.partList.show();
    this.remember();
  }

  isolate() {
    if (this.stage.isolated) this.stage.isolated = null;
    else if (this.pair) this.stage.isolated = new Set([this.pair.a, this.pair.b]);
    else return this.toast('Choose a contact first');
    return this.updateVisibility();
  }

  setHidden(part, hide) {
    if (this.stage.isolated) {  // all other parts become hidden, as by their own buttons
      this.page.parts.forEach((_, i) => (this.stage.isolated.has(i) ? this.stage.hidden.delete(i) : this.stage.hidden.add(i)));
      this.stage.isolated = null;
    }
    if (hide) this.stage.hidden.add(part); else this.stage.hidden.delete(part);
    this.updateVisibility();
  }

  showAll() {
    this.stage.isolated = null;
    this.stage.hidden.clear();
    this.updateVisibility();
  }

  tapped(x, y) {
    if (this.measured) {
      this.measureAt(x, y);
      return;
    }
    const found = pick(this.stage, x, y, this.canvas.clientWidth, this.canvas.clientHeight);
    this.pop(this.glassBox, this.glassButton, false);
    if (!found) {
      if (this.pair || this.flaw) this.choose(-1);
      this.chip.hidden = true;
      return;
    }
    if (found.cluster >= 0) {
      this.choose(found.cluster);
      if (!this.severalParts()) return;
    }
    this.pickedPart = found.part;
    this.chip.replaceChildren(h('span', { dir: 'auto' }, this.nameOf(found.part)));
    if (this.severalParts())
      this.chip.append(h('button', { type: 'button', onclick: () => { this.setHidden(found.part, true); this.chip.hidden = true; } }, 'Hide'));
    this.chip.hidden = !this.severalParts();
  }

  focusAt(x, y) {
    const found = pick(this.stage, x, y, this.canvas.clientWidth, this.canvas.clientHeight);
    if (!found) return this.fit();
    const offset = this.controls.eye.clone().sub(this.controls.target).multiplyScalar(0.5);
    return this.controls.fly(found.point.clone().add(offset), found.point);
  }

  // ---- frames and passes

  async showFrame(wanted, view = null) {
    const to = Math.max(0, Math.min(this.page.frames.length - 1, wanted));
    this.wanted = to;
    const frame = await this.frames.get(to);
    if (this.wanted !== to) return;
    const changed = this.current !== frame;
    this.frame = to;
    this.current = frame;
    if (changed) {
      if (this.pass !== null && !frame.info.pruning) this.setPass(null);
      if (frame.info.pruning && this.pass !== null) this.pass = Math.min(this.pass, frame.info.pruning.passes.length - 1);
      this.stage.pass = this.pass;
      this.pair = null;
      this.selected = this.contact = -1;
      this.stage.choice = null;
      this.chooseClasses();
      this.stage.outer = this.outerParts();
      if (this.page.independent) this.setUp(this.keptUp() ?? frame.info.up);
      this.stage.setFrame(frame, this.page.independent, this.page.frames.length > 1 && !this.page.independent);
      this.fillPanel(frame);
      this.passes.fill();
    }
    this.timeline.update();
    this.meshTable.update();
    if (!view) this.remember();
    // Decodes the next frames in advance.
    for (let i = 1; i <= 2; i++)
      if (this.timeline.playing && to + i < this.page.frames.length) this.frames.get(to + i);
  }

  setPass(pass) {
    this.pass = pass;
    this.stage.setPass(pass);
    this.passes.update();
    this.updatePager();
    this.remember();
  }

  // ---- the link

  viewNow() {
    const { stage } = this;
    return {
      eye: this.controls.eye.toArray(), target: this.controls.target.toArray(), up: this.up, defaultUp: this.ofModel('up'),
      selected: this.selected, pair: this.selected < 0 && this.pair ? this.pair : null, contact: this.contact, classes: this.classesChosen ? this.hiddenClasses : null, frame: this.frame, pass: this.pass, hidden: stage.hidden,
      isolated: stage.isolated, opacity: stage.opacity, cut: this.cutState, hiddenKinds: stage.hiddenKinds, onlyNew: this.onlyNew, theme: this.theme.chosen,
    };
  }

  remember() {
    if (!this.ready) return;
    clearTimeout(this.rememberTimer);
    this.rememberTimer = setTimeout(() => this.rememberNow(), 250);
  }

  rememberNow() {
    clearTimeout(this.rememberTimer);
    this.lastHash = link.write(this.viewNow());
    try {
      history.replaceState(null, '', this.lastHash);
    } catch {
      // Some browsers refuse this for files; the link is then made by the Link button.
    }
  }

  async restore(hash) {
    const view = link.read(hash, this.page.parts.length);
    this.controls.flight = null;
    if (view.theme) this.theme.choose(view.theme);
    const { stage } = this;
    this.classesChosen = view.classes !== undefined;
    if (view.classes) this.hiddenClasses = new Set(view.classes.filter((name) => CLASSES.includes(name)));
    await this.showFrame(view.frame ?? 0, view);
    if (view.up !== undefined) this.setUp(view.up);
    stage.outer = this.outerParts();
    stage.hidden = view.hidden ?? new Set();
    stage.isolated = view.isolated ?? null;
    [...(view.hiddenKinds ?? [0, 0, 0, 0]), 0].slice(0, 5).forEach((off, kind) => { if (off !== stage.hiddenKinds[kind]) this.toggleKind(kind); });
    this.setOnlyNew(view.onlyNew ?? false);
    this.setOpacity(view.opacity ?? 1);
    this.setCut(view.cut ?? null);
    this.updateVisibility();
    const { contacts } = this.current;
    if (view.contact >= 0 && view.contact < contacts.count) {
      this.list.expand(contacts.clusterOf[view.contact]);
      this.choose(contacts.clusterOf[view.contact], view.contact);
    } else if (view.selected >= 0 && view.selected < contacts.clusters.length) this.choose(view.selected);
    else if (view.pair && this.pairs().of(...view.pair)) this.choose(-1, -1, this.pairs().of(...view.pair));
    else this.choose(-1);
    if (view.pass !== undefined && this.current.info.pruning) this.setPass(Math.min(view.pass, this.current.info.pruning.passes.length - 1));
    if (view.isolated) { stage.isolated = view.isolated; this.updateVisibility(); }
    if (view.eye && view.target) {
      this.controls.eye.fromArray(view.eye);
      this.controls.target.fromArray(view.target);
    } else {
      stage.fitNow();
    }
    this.controls.look();
  }

  // ---- keys

  /// Chooses the row that has the focus, or opens and closes what is chosen.
  enter(event) {
    const row = event.target.closest?.('.row[role=option]');
    if (row && row.getAttribute('aria-selected') !== 'true') return row.click();
    if (this.selected >= 0 && this.list.items.some((item) => item.cluster?.number === this.selected)) return this.list.expand(this.list.expanded === this.selected ? -1 : this.selected);
    if (this.pair?.clusters.length > 0) this.list.toggle(this.pair);
    return undefined;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    const typing = event.target.matches?.('input[type=search], input[type=text], textarea, select');
    if (typing) { if (event.key === 'Escape') event.target.blur(); return; }
    if (event.target.matches?.('input[type=range]') && event.key.startsWith('Arrow')) return;
    if (event.target.matches?.('button') && (event.key === ' ' || event.key === 'Enter')) return;
    const actions = {
      n: () => this.go(1), p: () => this.go(-1), j: () => this.go(1), k: () => this.go(-1),
      ArrowDown: () => this.goContact(1), ArrowUp: () => this.goContact(-1), ArrowRight: () => this.go(1), ArrowLeft: () => this.go(-1),
      Enter: () => this.enter(event),
      i: () => this.isolate(), f: () => this.fit(), a: () => this.showAll(), t: () => this.theme.toggle(), l: () => this.copyLink(),
      x: () => this.setOpacity(this.stage.opacity < 1 ? 1 : 0.25), c: () => this.toggleCut(), u: () => this.turnUp(),
      h: () => { if (this.pickedPart >= 0 && this.page.parts.length > 1) this.setHidden(this.pickedPart, true); },
      b: () => { this.stage.through = !this.stage.through; this.stage.draw(); },
      1: () => this.lookAlong((this.up + 1) % 3, this.up === 1 ? 1 : -1), 2: () => this.lookAlong((this.up + 2) % 3, 1), 3: () => this.lookAlong(this.up, 1),
      '+': () => this.controls.zoom(0.8), '=': () => this.controls.zoom(0.8), '-': () => this.controls.zoom(1.25),
      '?': () => this.help.showModal(), ' ': () => this.timeline.toggle(), '.': () => this.timeline.step(1), ',': () => this.timeline.step(-1),
      w: () => this.setOnlyNew(!this.onlyNew), m: () => this.toggleMeasure(), d: () => this.togglePart(),
      s: () => this.passes.toggle(), ']': () => this.passes.step(1), '[': () => this.passes.step(-1),
      Escape: () => {
        if (!this.glassBox.hidden || !this.cutBox.hidden || !this.upBox.hidden) this.pop(null, null, false);
        else if (this.measured) this.toggleMeasure();
        else if (this.stage.shift) this.togglePart();
        else if (this.stage.isolated) this.isolate();
        else this.choose(-1);
      },
    };
    const action = actions[event.key] ?? (event.key.length === 1 ? actions[event.key.toLowerCase()] : undefined);
    if (!action) return;
    event.preventDefault();
    action();
  }
}

function fail(error) {
  const app = document.getElementById('app');
  const text = error.message || String(error);
  app.replaceChildren(h('div', { class: 'failed', role: 'alert' }, h('h1', {}, 'This report cannot be shown'), h('p', {}, text),
    h('p', {}, 'It needs a browser with WebGL 2 and DecompressionStream (2023 or newer), with graphics acceleration switched on.')));
  app.setAttribute('aria-busy', 'false');
  console.error(error);
}

async function start() {
  const source = new Source();
  const page = JSON.parse(new TextDecoder().decode(await unpack(document.getElementById('page').textContent)));
  document.title = `${page.title} — Sightline`;
  const app = new App(page);
  app.source = source;
  app.build();
  globalThis.sightline = app;  // for tests and for the browser's console
  if (location.hash.length > 1) await app.restore(location.hash);
  else await app.showFrame(0);
  app.ready = true;
  app.stage.drawNow();
  document.getElementById('app').setAttribute('aria-busy', 'false');
  app.firstFrame = performance.now();
  // Programs that the first picture does not need, before a key needs them.
  setTimeout(() => app.stage.renderer.compile(app.stage.scene, app.stage.camera), 200);
}

start().catch(fail);
