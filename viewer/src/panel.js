// The panel: summary, warnings, legends, tabs and the list below them.
import { FLAW, KINDS, SEVERITY } from './contacts.js';
import { counted, duration, glyph, h, icon, length, number } from './dom.js';
import { ContactList } from './list.js';
import { MeshTable } from './meshes.js';
import { CLASSES, classOf, relationText } from './pairs.js';
import { PartList } from './parts.js';
import { HIDDEN, PLAIN, QUIET } from './shaders.js';

export const withPanel = (Base) => class extends Base {
  makePanel() {
    const { page } = this;
    this.summary = h('p', { class: 'summary' });
    this.warnings = h('div', { class: 'warnings' });
    this.legend = h('div', { class: 'legend', role: 'group', 'aria-label': 'Kinds of contact' });
    this.listBox = h('div', { class: 'list', role: 'listbox', 'aria-label': this.severalParts() ? 'Pairs of parts and their contacts' : 'Contacts in clusters' });
    this.classes = h('div', { class: 'legend classes', role: 'group', 'aria-label': 'Relations of pairs' });
    this.partsBox = h('div', { class: 'parts', hidden: true });
    this.list = new ContactList(this.listBox, this);
    this.partList = new PartList(this.partsBox, this);
    const tab = (name, text) => h('button', { type: 'button', role: 'tab', 'data-tab': name, 'aria-selected': 'false', onclick: () => this.openTab(name) }, text, h('span', {}));
    this.meshTable = new MeshTable(this);
    this.tabs = h('div', { class: 'tabs', role: 'tablist', hidden: !this.severalParts() }, tab('contacts', page.command === 'clash' ? 'Pairs' : 'Contacts'), tab('parts', 'Parts'));
    this.empty = h('div', { class: 'empty', hidden: true });
    const grip = h('button', { type: 'button', class: 'grip', 'aria-label': 'Larger or smaller', onclick: () => this.panel.classList.toggle('low') });
    return h('aside', { class: 'panel', 'aria-label': 'Report' }, grip,
      h('header', {}, h('h1', { dir: 'auto', title: page.title }, page.title), this.summary, this.warnings),
      this.meshTable.element, this.classes, this.legend, this.tabs, this.empty, this.list.tools, this.listBox, this.partsBox, this.review.element,
      h('footer', {}, h('span', {}, `sightline ${page.command}`, page.version && ` ${page.version}`), h('button', { type: 'button', onclick: () => this.help.showModal() }, 'Keys and help')));
  }

  openTab(name) {
    for (const tab of this.tabs.children) tab.setAttribute('aria-selected', String(tab.dataset.tab === name));
    this.partsBox.hidden = name !== 'parts';
    const nothing = !this.empty.dataset.on;
    this.listBox.hidden = name !== 'contacts' || (!nothing && this.list.items.length === 0);
    this.list.tools.hidden = this.listBox.hidden;
    this.empty.hidden = name !== 'contacts' || nothing;
    this.tab = name;
    if (name === 'parts') this.partList.show(); else this.list.show();
  }

  fillPanel(frame) {
    const { info } = frame;
    const checked = `${counted(info.triangles, 'triangle')}${info.parts > 1 ? ` in ${counted(info.parts, 'part')}` : ''}${info.milliseconds > 0 ? `, ${duration(info.milliseconds)}` : ''}`;
    const relations = relationText(this.relationCounts(info));
    const contacts = `${counted(info.found, 'contact')} in ${counted(info.clusters, 'cluster')}`;
    this.summary.replaceChildren(...(relations ? [h('b', {}, relations), h('span', {}, [info.found > 0 && contacts, checked].filter(Boolean).join(' · '))]
      : info.found > 0 ? [h('b', {}, counted(info.found, 'contact')), ` in ${counted(info.clusters, 'cluster')}`, h('span', {}, checked)] : []));
    this.chooseClasses();
    this.fillWarnings(info);
    this.legend.replaceChildren(...SEVERITY.filter((kind) => info.counts[kind] > 0).map((kind) =>
      h('button', { type: 'button', class: KINDS[kind], 'aria-pressed': String(!this.stage.hiddenKinds[kind]), title: `Show or hide ${KINDS[kind]} contacts`, onclick: () => this.toggleKind(kind) },
        glyph(KINDS[kind]), h('span', {}, KINDS[kind]), h('b', {}, number(info.counts[kind])))));
    if (info.baseline) this.legend.append(h('button', { type: 'button', class: 'only-new', 'aria-pressed': String(this.onlyNew), title: 'List only what is not in the baseline (w)', onclick: () => this.setOnlyNew(!this.onlyNew) },
      h('span', {}, 'only new'), h('b', {}, number(info.baseline.new))));
    const { flaws } = frame;
    if (flaws.length > 0)
      this.legend.append(h('button', { type: 'button', class: 'flaw', 'aria-pressed': String(!this.stage.hiddenKinds[FLAW]), title: 'Show or hide open, non-manifold and degenerate places', onclick: () => this.toggleKind(FLAW) },
        glyph('flaw'), h('span', {}, 'flaws'), h('b', {}, number(flaws.length))));
    this.legend.hidden = info.found === 0 && flaws.length === 0;
    this.fillClasses();
    this.fillEmpty(info);
    const tabs = this.tabs.children;
    tabs[0].lastChild.textContent = number(this.severalParts() && info.pairsKnown ? info.pairCount : info.clusters);
    tabs[1].lastChild.textContent = number(this.page.parts.length);
    this.list.fill(frame);
    this.partList.fill(frame);
    this.openTab(this.tab ?? 'contacts');
    this.updatePager();
  }

  relationCounts(info) {
    const counts = { ...info.relations };
    if (!info.relations) for (const [, , relation] of info.pairs) counts[relation] = (counts[relation] ?? 0) + 1;
    return counts;
  }

  /// Many touching pairs are not listed at first, nor are their contacts drawn.
  chooseClasses() {
    if (this.classesChosen) return;
    this.hiddenClasses.clear();
    if (this.pairs().manyTouch) this.hiddenClasses.add('touch');
  }

  /// Parts that contain others, unless such pairs are hidden.
  outerParts() {
    const pairs = this.hiddenClasses.has('contains') ? [] : this.pairs().list.filter((pair) => pair.inner >= 0);
    return new Set(pairs.map((pair) => (pair.inner === pair.a ? pair.b : pair.a)));
  }

  fillClasses() {
    const counts = {};
    for (const pair of this.pairs().list) if (pair.relation) counts[classOf(pair)] = (counts[classOf(pair)] ?? 0) + 1;
    const present = CLASSES.filter((name) => counts[name] > 0);
    this.classes.hidden = present.length < 2 && !present.some((name) => this.hiddenClasses.has(name));
    this.classes.replaceChildren(...present.map((name) =>
      h('button', { type: 'button', 'data-class': name, 'aria-pressed': String(!this.hiddenClasses.has(name)), title: `List or hide: ${name}`, onclick: () => this.toggleClass(name) },
        h('span', {}, name), h('b', {}, number(counts[name])))));
  }

  toggleClass(name) {
    this.classesChosen = true;
    if (this.hiddenClasses.has(name)) this.hiddenClasses.delete(name); else this.hiddenClasses.add(name);
    this.applyClasses();
  }

  applyClasses() {
    this.fillClasses();
    this.list.layout();
    this.updatePager();
    this.stage.outer = this.outerParts();
    this.stage.paint();
    this.remember();
  }

  /// How a cluster is drawn while nothing is chosen.
  lookOf(cluster) {
    if (cluster.flaw) return PLAIN;
    if (!this.severalParts()) return PLAIN;
    const pairs = this.pairs(), pair = pairs.of(cluster.partA, cluster.partB), name = classOf(pair);
    if (name && this.hiddenClasses.has(name)) return HIDDEN;
    if (name === 'touch' && pairs.manyTouch) return HIDDEN;
    return name === 'shallow' ? QUIET : PLAIN;
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
    const none = info.found === 0 && info.pairs.length === 0;  // pairs without contacts are no clean answer
    const failed = info.error || (this.page.errors.length > 0 && info.triangles === 0);
    this.empty.dataset.on = none ? '1' : '';
    if (!none) return;
    const sure = !failed && info.complete && !info.canMiss;
    const checked = `Checked ${counted(info.triangles, 'triangle')}${info.milliseconds > 0 ? ` in ${duration(info.milliseconds)}` : ''}.`;
    this.empty.classList.toggle('sure', sure);
    this.empty.replaceChildren(icon(sure ? 'check' : 'warn'), h('h2', {}, failed ? 'Not checked' : sure ? 'No contacts' : 'No contacts found'),
      h('p', {}, failed ? 'The reason is shown above.' : checked));
  }

  isKindShown(cluster) {
    return cluster.kinds.some((count, kind) => count > 0 && !this.stage.hiddenKinds[kind]);
  }

  toggleKind(kind) {
    this.stage.hiddenKinds[kind] = this.stage.hiddenKinds[kind] ? 0 : 1;
    [...this.legend.children].filter((button) => !button.classList.contains('only-new')).forEach((button) => {
      const own = [...KINDS, 'flaw'].findIndex((name) => button.classList.contains(name));
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
};
