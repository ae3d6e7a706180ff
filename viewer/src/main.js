// The page: reads the data that the tool wrote into it, and builds stage, panel, toolbar and timeline.
import { Box3, Sphere, Vector3 } from 'three';
import { Controls } from './controls.js';
import { button, counted, duration, glyph, h, icon, length, number } from './dom.js';
import { unpack } from './bytes.js';
import { KINDS, SEVERITY } from './contacts.js';
import { Frames } from './frame.js';
import { helpDialog } from './help.js';
import * as link from './link.js';
import { ContactList } from './list.js';
import { PartList } from './parts.js';
import { pick } from './pick.js';
import { Stage } from './stage.js';
import { THEMES, Theme } from './theme.js';
import { Passes, Timeline } from './timeline.js';
import { bestDirection } from './viewpoint.js';

class App {
  constructor(page) {
    this.page = page;
    this.frames = new Frames(page);
    this.frame = 0;
    this.pass = null;
    this.selected = -1;
    this.contact = -1;
    this.up = page.up;
    this.cutState = null;
    this.onlyNew = false;  // of a comparison with a baseline
  }

  severalParts() {
    return this.page.parts.length > 1 && !this.page.independent;
  }

  nameOf(part) {
    const info = this.page.parts[part];
    return info?.name || info?.file?.split('/').at(-1) || `part ${part}`;
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
    this.stage.box = page;
    this.controls = new Controls(this.canvas, this.stage, () => this.remember());
    this.controls.setUp(this.up);
    this.setHome();
    this.controls.onTap = (x, y) => this.tapped(x, y);
    this.controls.onDoubleTap = (x, y) => this.focusAt(x, y);

    this.chip = h('div', { class: 'chip', hidden: true, role: 'status' });
    this.toastBox = h('div', { class: 'toast', hidden: true, role: 'status' });
    this.pager = this.makePager();
    this.timelineBox = h('section', { class: 'timeline', 'aria-label': 'Timeline' });
    this.passesBox = h('section', { class: 'passes', 'aria-label': 'Passes of the method' });
    const view = h('div', { class: 'view' }, this.canvas, this.makeToolbar(), this.chip, this.toastBox, this.pager);
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

  // ---- panel

  makePanel() {
    const { page } = this;
    this.summary = h('p', { class: 'summary' });
    this.warnings = h('div', { class: 'warnings' });
    this.legend = h('div', { class: 'legend', role: 'group', 'aria-label': 'Kinds of contact' });
    this.listBox = h('div', { class: 'list', role: 'listbox', tabindex: '0', 'aria-label': 'Contacts in clusters' });
    this.partsBox = h('div', { class: 'parts', hidden: true });
    this.list = new ContactList(this.listBox, this);
    this.partList = new PartList(this.partsBox, this);
    const tab = (name, text) => h('button', { type: 'button', role: 'tab', 'data-tab': name, 'aria-selected': 'false', onclick: () => this.openTab(name) }, text, h('span', {}));
    this.tabs = h('div', { class: 'tabs', role: 'tablist', hidden: !this.severalParts() }, tab('contacts', 'Contacts'), tab('parts', 'Parts'));
    this.empty = h('div', { class: 'empty', hidden: true });
    const grip = h('button', { type: 'button', class: 'grip', 'aria-label': 'Larger or smaller', onclick: () => this.panel.classList.toggle('low') });
    return h('aside', { class: 'panel', 'aria-label': 'Report' }, grip,
      h('header', {}, h('h1', { dir: 'auto', title: page.title }, page.title), this.summary, this.warnings),
      this.legend, this.tabs, this.empty, this.listBox, this.partsBox,
      h('footer', {}, h('span', {}, `sightline ${page.command}`, page.version && ` ${page.version}`), h('button', { type: 'button', onclick: () => this.help.showModal() }, 'Keys and help')));
  }

  openTab(name) {
    for (const tab of this.tabs.children) tab.setAttribute('aria-selected', String(tab.dataset.tab === name));
    this.partsBox.hidden = name !== 'parts';
    const nothing = !this.empty.dataset.on;
    this.listBox.hidden = name !== 'contacts' || (!nothing && this.list.items.length === 0);
    this.empty.hidden = name !== 'contacts' || nothing;
    this.tab = name;
    if (name === 'parts') this.partList.show(); else this.list.show();
  }

  fillPanel(frame) {
    const { info } = frame;
    const checked = `${counted(info.triangles, 'triangle')}${info.parts > 1 ? ` in ${counted(info.parts, 'part')}` : ''}${info.milliseconds > 0 ? `, ${duration(info.milliseconds)}` : ''}`;
    this.summary.replaceChildren(...(info.found > 0
      ? [h('b', {}, counted(info.found, 'contact')), ` in ${counted(info.clusters, 'cluster')}`, h('span', {}, checked)]
      : []));
    this.fillWarnings(info);
    this.legend.replaceChildren(...SEVERITY.filter((kind) => info.counts[kind] > 0).map((kind) =>
      h('button', { type: 'button', class: KINDS[kind], 'aria-pressed': String(!this.stage.hiddenKinds[kind]), title: `Show or hide ${KINDS[kind]} contacts`, onclick: () => this.toggleKind(kind) },
        glyph(KINDS[kind]), h('span', {}, KINDS[kind]), h('b', {}, number(info.counts[kind])))));
    if (info.baseline) this.legend.append(h('button', { type: 'button', class: 'only-new', 'aria-pressed': String(this.onlyNew), title: 'List only what is not in the baseline (w)', onclick: () => this.setOnlyNew(!this.onlyNew) },
      h('span', {}, 'only new'), h('b', {}, number(info.baseline.new))));
    this.legend.hidden = info.found === 0;
    this.fillEmpty(info);
    const [contacts, parts] = this.tabs.children;
    contacts.lastChild.textContent = number(info.clusters);
    parts.lastChild.textContent = number(this.page.parts.length);
    this.list.fill(frame);
    this.partList.fill(frame);
    this.openTab(this.tab ?? 'contacts');
    this.updatePager();
  }

  fillWarnings(info) {
    const lines = [];
    if (info.error) lines.push(['warn', `This frame was not checked: ${info.error}`]);
    for (const error of this.page.errors) lines.push(['warn', error]);
    if (info.canMiss) lines.push(['warn', 'The method that answered can miss contacts.']);
    else if (!info.complete && !info.error) lines.push(['warn', 'The query was ended before all contacts were found, or its list was cut.']);
    if (info.shown < info.triangles) {
      const near = info.within !== null ? (info.within > 0 ? `all within ${length(info.within)} of a contact` : 'those at the contacts') : info.found > 0 ? 'triangles in contact only' : '';
      lines.push(['note', `Shows ${number(info.shown)} of ${counted(info.triangles, 'triangle')}${near ? `: ${near}` : ''}. The rest is drawn coarsely.`]);
    }
    if (info.baseline) lines.push(['note', `Against ${this.page.baseline}: ${number(info.baseline.new)} new, ${number(info.baseline.stayed)} stayed, ${number(info.baseline.gone)} gone.`]);
    for (const note of this.page.notes) lines.push(['note', note]);
    this.warnings.replaceChildren(...lines.map(([kind, text]) => h('p', { class: kind, dir: 'auto' }, kind === 'warn' && icon('warn'), h('span', {}, text))));
  }

  fillEmpty(info) {
    const none = info.found === 0;
    const failed = info.error || (this.page.errors.length > 0 && info.triangles === 0);
    this.empty.dataset.on = none ? '1' : '';
    if (!none) return;
    const sure = !failed && info.complete && !info.canMiss;
    const checked = `Checked ${counted(info.triangles, 'triangle')}${info.milliseconds > 0 ? ` in ${duration(info.milliseconds)}` : ''}.`;
    const also = info.pairs.length > 0 ? ` ${counted(info.pairCount, 'pair')} of parts ${info.pairCount === 1 ? 'is' : 'are'} not clear all the same.` : '';
    this.empty.classList.toggle('sure', sure);
    this.empty.replaceChildren(icon(sure ? 'check' : 'warn'), h('h2', {}, failed ? 'Not checked' : sure ? 'No contacts' : 'No contacts found'),
      h('p', {}, failed ? 'The reason is shown above.' : checked + also));
  }

  isKindShown(cluster) {
    return cluster.kinds.some((count, kind) => count > 0 && !this.stage.hiddenKinds[kind]);
  }

  toggleKind(kind) {
    this.stage.hiddenKinds[kind] = this.stage.hiddenKinds[kind] ? 0 : 1;
    [...this.legend.children].filter((button) => !button.classList.contains('only-new')).forEach((button) => {
      const own = KINDS.findIndex((name) => button.classList.contains(name));
      button.setAttribute('aria-pressed', String(!this.stage.hiddenKinds[own]));
    });
    this.list.layout();
    this.updatePager();
    this.stage.draw();
    this.remember();
  }

  setOnlyNew(on) {
    if (!this.page.baseline) return;
    this.onlyNew = on;
    this.legend.querySelector('.only-new')?.setAttribute('aria-pressed', String(on));
    this.list.layout();
    this.updatePager();
    this.remember();
  }

  // ---- toolbar

  makeToolbar() {
    this.isolateButton = button('isolate', 'Only the two parts of this contact (i)', () => this.isolate(), { 'aria-pressed': 'false' });
    this.isolateButton.hidden = !this.severalParts();
    this.opacityInput = h('input', { type: 'range', min: '0', max: '100', value: '100', 'aria-label': 'Opacity', oninput: () => this.setOpacity(Number(this.opacityInput.value) / 100) });
    this.glassButton = button('glass', 'Transparency (x)', () => this.pop(this.glassBox, this.glassButton), { 'aria-expanded': 'false' });
    this.glassBox = h('div', { class: 'pop', hidden: true }, h('label', {}, h('span', {}, 'Opacity'), this.opacityInput));
    this.cutButton = button('cut', 'Cut plane (c)', () => this.toggleCut(), { 'aria-expanded': 'false' });
    this.cutInput = h('input', { type: 'range', min: '0', max: '1000', value: '500', 'aria-label': 'Place of the cut', oninput: () => this.setCut({ ...this.cutState, share: Number(this.cutInput.value) / 1000 }) });
    this.cutAxes = ['X', 'Y', 'Z'].map((name, axis) => h('button', { type: 'button', 'aria-label': `Cut along ${name}`, onclick: () => this.setCut({ ...this.cutState, axis }) }, name));
    this.cutBox = h('div', { class: 'pop', hidden: true }, h('div', { class: 'choice', role: 'group', 'aria-label': 'Direction' }, ...this.cutAxes,
      h('button', { type: 'button', onclick: () => this.setCut({ ...this.cutState, flip: !this.cutState.flip }) }, 'Flip'),
      h('button', { type: 'button', onclick: () => this.toggleCut() }, 'Off')), this.cutInput);
    this.themeButton = button(this.theme.name === 'dark' ? 'sun' : 'moon', 'Dark or light (t)', () => this.theme.toggle());
    return h('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'View' },
      button('fit', 'Show all (f)', () => this.fit()), this.isolateButton, this.glassButton, this.glassBox, this.cutButton, this.cutBox,
      button('link', 'Copy a link to this view (l)', () => this.copyLink()), this.themeButton, button('help', 'Keys and help (?)', () => this.help.showModal()));
  }

  pop(box, button, open = box.hidden) {
    for (const [other, its] of [[this.glassBox, this.glassButton], [this.cutBox, this.cutButton]]) {
      other.hidden = other !== box || !open;
      its.setAttribute('aria-expanded', String(!other.hidden));
    }
    if (open) box.querySelector('input').focus();
  }

  setOpacity(opacity) {
    this.opacityInput.value = String(Math.round(opacity * 100));
    this.glassButton.classList.toggle('on', opacity < 1);
    this.stage.setOpacity(opacity);
    this.remember();
  }

  toggleCut() {
    if (this.cutState) {
      this.setCut(null);
      this.pop(this.cutBox, this.cutButton, false);
    } else {
      this.setCut({ axis: (this.up + 1) % 3, flip: false, share: 0.5 });
      this.pop(this.cutBox, this.cutButton, true);
    }
  }

  // Through the box of the first frame.
  setCut(cut) {
    this.cutState = cut;
    this.cutButton.classList.toggle('on', cut !== null);
    if (cut === null) {
      this.stage.cut = null;
      if (!this.cutBox.hidden) this.pop(this.cutBox, this.cutButton, false);
    } else {
      const half = this.current.space.half[cut.axis] / this.current.space.scale * 1.001;
      const at = (2 * cut.share - 1) * half, sign = cut.flip ? -1 : 1;
      this.stage.cut = { normal: [0, 1, 2].map((axis) => (axis === cut.axis ? sign : 0)), at: sign * at };
      this.cutInput.value = String(Math.round(cut.share * 1000));
      this.cutAxes.forEach((button, axis) => button.setAttribute('aria-pressed', String(axis === cut.axis)));
    }
    this.stage.draw();
    this.remember();
  }

  toast(text) {
    this.toastBox.textContent = text;
    this.toastBox.hidden = false;
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => { this.toastBox.hidden = true; }, 2600);
  }

  async copyLink() {
    this.rememberNow();
    try {
      await navigator.clipboard.writeText(location.href);
      this.toast('Link copied');
    } catch {
      this.toast('The link is in the address bar');
    }
  }

  // ---- choosing

  makePager() {
    this.pagerText = h('span', {});
    return h('div', { class: 'pager', hidden: true }, button('previous', 'Previous cluster (p)', () => this.go(-1)), this.pagerText, button('next', 'Next cluster (n)', () => this.go(1)));
  }

  updatePager() {
    const order = this.list.order();
    this.pager.hidden = order.length === 0 || this.pass !== null;
    const at = order.findIndex((cluster) => cluster.number === this.selected);
    this.pagerText.textContent = at < 0 ? counted(order.length, 'cluster') : `${number(at + 1)} / ${number(order.length)}`;
  }

  go(by) {
    const order = this.list.order();
    if (order.length === 0) return;
    const at = order.findIndex((cluster) => cluster.number === this.selected);
    const to = at < 0 ? (by > 0 ? 0 : order.length - 1) : (at + by + order.length) % order.length;
    this.select(order[to].number);
  }

  goContact(by) {
    const cluster = this.current?.contacts.clusters[this.selected];
    if (!cluster) return this.go(by);
    if (this.list.expanded !== cluster.number) this.list.expand(cluster.number);
    const to = this.contact < 0 ? (by > 0 ? 0 : cluster.count - 1) : (this.contact - cluster.first + by + cluster.count) % cluster.count;
    return this.selectContact(cluster.first + to);
  }

  choose(cluster, contact = -1) {
    this.selected = cluster;
    this.contact = contact;
    this.stage.setSelected(cluster);
    this.list.reveal();
    this.updatePager();
    this.chip.hidden = true;
    if (this.stage.isolated && cluster >= 0) this.isolateParts(cluster);
    this.remember();
  }

  select(cluster, time) {
    this.choose(cluster);
    if (cluster < 0) return;
    const { clusters, points, outlines } = this.current.contacts;
    const { first, count } = clusters[cluster];
    this.flyTo(sphereOf(outlines, points[first], points[first + count]), cluster, time);
  }

  selectContact(contact, time) {
    const { clusterOf, points, outlines } = this.current.contacts;
    this.choose(clusterOf[contact], contact);
    this.flyTo(sphereOf(outlines, points[contact], points[contact + 1]), clusterOf[contact], time);
  }

  flyTo({ center, radius }, cluster, time) {
    // A point has no size of its own: the surroundings give one.
    const least = this.smallestEdge(cluster) * 0.6;
    const room = Math.max(radius * 2, least, 1e-9);
    const distance = this.stage.distanceFor(room);
    const direction = bestDirection(this.stage, center, distance, room, cluster);
    this.controls.fly(center.clone().addScaledVector(direction, distance), center, time);
  }

  smallestEdge(cluster) {
    const { cluster: of, corners } = this.stage.contactTriangles;
    let least = Infinity;
    for (let i = 0; i < of.length; i++) {
      if (of[i] !== cluster) continue;
      for (let k = 0; k < 3; k++) {
        const p = 9 * i + 3 * k, q = 9 * i + 3 * ((k + 1) % 3);
        const edge = Math.hypot(corners[p] - corners[q], corners[p + 1] - corners[q + 1], corners[p + 2] - corners[q + 2]);
        if (edge > 0) least = Math.min(least, edge);
      }
    }
    return Number.isFinite(least) ? least : 0.01;
  }

  showPair(a, b) {
    const group = this.current.contacts.clusters.find((cluster) => cluster.partA === a && cluster.partB === b);
    this.stage.isolated = new Set([a, b]);
    this.updateVisibility();
    if (group) this.select(group.number);
    else this.flyToParts(this.stage.isolated);
  }

  flyToParts(parts) {
    const { center, radius } = this.stage.sphere(parts);
    const direction = this.controls.eye.clone().sub(this.controls.target).normalize();
    this.controls.fly(center.clone().addScaledVector(direction, this.stage.distanceFor(radius * 1.05)), center);
  }

  fit() {
    const { center, radius } = this.stage.sphere();
    this.controls.fly(center.clone().addScaledVector(this.stage.home, this.stage.distanceFor(radius) * 1.02), center);
  }

  lookAlong(axis, sign) {
    const { center, radius } = this.stage.sphere();
    const direction = new Vector3(axis === 0 ? sign : 0, axis === 1 ? sign : 0, axis === 2 ? sign : 0);
    // Never exactly along the up axis: the picture would have no up.
    if (axis === this.up) direction.addScaledVector(this.stage.home, 0.03).normalize();
    this.controls.fly(center.clone().addScaledVector(direction, this.stage.distanceFor(radius) * 1.02), center);
  }

  turnUp() {
    this.up = (this.up + 1) % 3;
    this.controls.setUp(this.up);
    this.setHome();
    this.fit();
    this.toast(`${'XYZ'[this.up]} is up`);
  }

  // ---- parts

  updateVisibility() {
    this.isolateButton.setAttribute('aria-pressed', String(this.stage.isolated !== null));
    this.stage.applyVisibility();
    this.partList.show();
    this.remember();
  }

  isolateParts(cluster) {
    const { partA, partB } = this.current.contacts.clusters[cluster];
    this.stage.isolated = new Set([partA, partB]);
    this.updateVisibility();
  }

  isolate() {
    if (this.stage.isolated) {
      this.stage.isolated = null;
      this.updateVisibility();
    } else if (this.selected >= 0) {
      this.isolateParts(this.selected);
    } else {
      this.toast('Choose a contact first');
    }
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
    const found = pick(this.stage, x, y, this.canvas.clientWidth, this.canvas.clientHeight);
    this.pop(this.glassBox, this.glassButton, false);
    if (!found) {
      if (this.selected >= 0) this.choose(-1);
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
      this.selected = this.contact = -1;
      this.stage.selected = -1;
      this.stage.setFrame(frame, this.page.independent);
      this.fillPanel(frame);
      this.passes.fill();
    }
    this.timeline.update();
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
      eye: this.controls.eye.toArray(), target: this.controls.target.toArray(), up: this.up, defaultUp: this.page.up,
      selected: this.selected, contact: this.contact, frame: this.frame, pass: this.pass, hidden: stage.hidden,
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
    if (view.up !== undefined) {
      this.up = view.up;
      this.controls.setUp(this.up);
      this.setHome();
    }
    const { stage } = this;
    await this.showFrame(view.frame ?? 0, view);
    stage.hidden = view.hidden ?? new Set();
    stage.isolated = view.isolated ?? null;
    (view.hiddenKinds ?? [0, 0, 0, 0]).forEach((off, kind) => { if (off !== stage.hiddenKinds[kind]) this.toggleKind(kind); });
    this.setOnlyNew(view.onlyNew ?? false);
    this.setOpacity(view.opacity ?? 1);
    this.setCut(view.cut ?? null);
    this.updateVisibility();
    const { contacts } = this.current;
    if (view.contact >= 0 && view.contact < contacts.count) {
      this.list.expand(contacts.clusterOf[view.contact]);
      this.choose(contacts.clusterOf[view.contact], view.contact);
    } else if (view.selected >= 0 && view.selected < contacts.clusters.length) this.choose(view.selected);
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

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    const typing = event.target.matches?.('input[type=search], input[type=text]');
    if (typing) { if (event.key === 'Escape') event.target.blur(); return; }
    if (event.target.matches?.('input[type=range]') && event.key.startsWith('Arrow')) return;
    if (event.target.matches?.('button') && (event.key === ' ' || event.key === 'Enter')) return;
    const actions = {
      n: () => this.go(1), p: () => this.go(-1), j: () => this.go(1), k: () => this.go(-1),
      ArrowDown: () => this.goContact(1), ArrowUp: () => this.goContact(-1), ArrowRight: () => this.go(1), ArrowLeft: () => this.go(-1),
      Enter: () => { if (this.selected >= 0) this.list.expand(this.list.expanded === this.selected ? -1 : this.selected); },
      i: () => this.isolate(), f: () => this.fit(), a: () => this.showAll(), t: () => this.theme.toggle(), l: () => this.copyLink(),
      x: () => this.setOpacity(this.stage.opacity < 1 ? 1 : 0.25), c: () => this.toggleCut(), u: () => this.turnUp(),
      h: () => { if (this.pickedPart >= 0 && this.page.parts.length > 1) this.setHidden(this.pickedPart, true); },
      b: () => { this.stage.through = !this.stage.through; this.stage.draw(); },
      1: () => this.lookAlong((this.up + 1) % 3, this.up === 1 ? 1 : -1), 2: () => this.lookAlong((this.up + 2) % 3, 1), 3: () => this.lookAlong(this.up, 1),
      '+': () => this.controls.zoom(0.8), '=': () => this.controls.zoom(0.8), '-': () => this.controls.zoom(1.25),
      '?': () => this.help.showModal(), ' ': () => this.timeline.toggle(), '.': () => this.timeline.step(1), ',': () => this.timeline.step(-1),
      w: () => this.setOnlyNew(!this.onlyNew),
      s: () => this.passes.toggle(), ']': () => this.passes.step(1), '[': () => this.passes.step(-1),
      Escape: () => {
        if (!this.glassBox.hidden || !this.cutBox.hidden) this.pop(null, null, false);
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

const sphereOf = (points, from, to) =>
  new Box3().setFromArray(points.subarray(3 * from, 3 * to)).getBoundingSphere(new Sphere());

function fail(error) {
  const app = document.getElementById('app');
  const text = error.message || String(error);
  app.replaceChildren(h('div', { class: 'failed', role: 'alert' }, h('h1', {}, 'This report cannot be shown'), h('p', {}, text),
    h('p', {}, 'It needs a browser with WebGL 2 and DecompressionStream (2023 or newer), with graphics acceleration switched on.')));
  app.setAttribute('aria-busy', 'false');
  console.error(error);
}

async function start() {
  const page = JSON.parse(new TextDecoder().decode(await unpack(document.getElementById('page').textContent)));
  document.title = `${page.title} — Sightline`;
  const app = new App(page);
  app.build();
  globalThis.sightline = app;  // for tests and for the browser's console
  if (location.hash.length > 1) await app.restore(location.hash);
  else await app.showFrame(0);
  app.ready = true;
  app.stage.drawNow();
  document.getElementById('app').setAttribute('aria-busy', 'false');
  app.firstFrame = performance.now();
}

start().catch(fail);
