// The list: pairs of parts, their clusters, and the contacts of the chosen cluster. Only rows in sight are elements, so a
// cluster of a hundred thousand contacts scrolls as well as one of ten.
import { saveBcf } from './bcf.js';
import { KINDS, SEVERITY } from './contacts.js';
import { button, counted, glyph, h, icon, interval, length, number } from './dom.js';
import { boxOf, CLASSES, classOf, depthOf, describe, placeText } from './pairs.js';

const PAIR = 58, CLUSTER = 58, CONTACT = 30, NOTE = 44;
// Where there are more pairs than this, their clusters are listed only when a pair is opened.
const FEW_PAIRS = 12;
const ORDERS = { severity: 'most serious', depth: 'deepest', volume: 'most overlap', size: 'largest', contacts: 'most contacts', name: 'by name' };

export class ContactList {
  constructor(element, app) {
    this.app = app;
    this.element = element;
    this.inner = h('div', { class: 'rows' });
    element.append(this.inner);
    this.items = [];
    this.expanded = -1;       // the cluster whose contacts are listed
    this.open = new Set();    // keys of pairs whose clusters are listed, or are not (where all are at first)
    this.search = h('input', { type: 'search', placeholder: 'Find', 'aria-label': 'Find in the list', oninput: () => this.layout() });
    this.sort = h('select', { 'aria-label': 'Order of the list', onchange: () => this.layout() },
      ...Object.entries(ORDERS).map(([value, text]) => h('option', { value }, text)));
    this.tools = h('div', { class: 'find' }, this.search, this.sort, button('save', 'Save the list as CSV', () => app.saveList()),
      app.page.command === 'clash' && button('topics', 'Save the listed pairs as BCF', () => saveBcf(app)));
    element.addEventListener('scroll', () => this.show());
    new ResizeObserver(() => this.show()).observe(element);
    element.addEventListener('click', (event) => this.clicked(event));
  }

  /// Rebuilds the list for a frame.
  fill(frame) {
    this.frame = frame;
    this.expanded = -1;
    this.open.clear();
    this.sort.querySelector('[value=depth]').hidden = !this.pairs.some((pair) => pair.depth);
    this.sort.querySelector('[value=volume]').hidden = !this.pairs.some((pair) => pair.volume > 0);
    this.layout();
    this.element.scrollTop = 0;
  }

  get pairs() { return this.app.pairs().list; }

  isOpen(pair) {
    return this.pairs.length <= FEW_PAIRS ? !this.open.has(pair.key) : this.open.has(pair.key);
  }

  toggle(pair) {
    if (this.open.has(pair.key)) this.open.delete(pair.key); else this.open.add(pair.key);
    this.layout();
  }

  clustersOf(pair) {
    const { app } = this, { onlyNew } = app;
    return pair.clusters.filter((cluster) => app.isKindShown(cluster) && (!onlyNew || cluster.fresh > 0));
  }

  /// Pairs that the filters leave, in order, and how many of which class they hide.
  shownPairs() {
    const { app } = this, { onlyNew, hiddenClasses } = app;
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const named = (pair) => {
      const text = `${app.nameOf(pair.a)} ${app.nameOf(pair.b)} ${classOf(pair) ?? ''} ${pair.relation ?? ''} ${app.review.textOf(pair)}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const hidden = {}, shown = [];
    for (const pair of this.pairs) {
      const clusters = this.clustersOf(pair);
      if (onlyNew && !pair.fresh && clusters.length === 0) continue;
      if (!pair.relation && clusters.length === 0) continue;
      if (pair.clusters.length > 0 && clusters.length === 0 && !onlyNew) continue;  // of hidden kinds
      if (words.length > 0 && app.severalParts() && !named(pair)) continue;
      const name = classOf(pair);
      if (name && hiddenClasses.has(name)) hidden[name] = (hidden[name] ?? 0) + 1;
      else shown.push({ pair, clusters });
    }
    return { shown: this.sorted(shown), hidden };
  }

  sorted(list) {
    const rank = ({ pair }) => (pair.relation ? CLASSES.indexOf(classOf(pair)) : CLASSES.length);
    const thick = ({ pair }) => pair.thickness ?? 0, deep = ({ pair }) => depthOf(pair), volume = ({ pair }) => pair.volume ?? 0;
    const severity = (x, y) => rank(x) - rank(y) || deep(y) - deep(x) || thick(y) - thick(x) || (x.pair.gap ?? 0) - (y.pair.gap ?? 0) || y.pair.found - x.pair.found || x.pair.a - y.pair.a || x.pair.b - y.pair.b;
    const name = ({ pair }) => `${this.app.nameOf(pair.a)} ${this.app.nameOf(pair.b)}`;
    const orders = {
      severity, depth: (x, y) => deep(y) - deep(x) || severity(x, y), volume: (x, y) => volume(y) - volume(x) || severity(x, y), size: (x, y) => y.pair.size - x.pair.size || severity(x, y), contacts: (x, y) => y.pair.found - x.pair.found || severity(x, y),
      name: (x, y) => name(x).localeCompare(name(y), 'en', { numeric: true }) || severity(x, y),
    };
    const clusterOrders = { size: (x, y) => y.diagonal - x.diagonal, contacts: (x, y) => y.size - x.size };
    const byCluster = clusterOrders[this.sort.value];
    if (byCluster) for (const item of list) item.clusters = [...item.clusters].sort(byCluster);
    return list.sort(orders[this.sort.value] ?? severity);
  }

  layout() {
    if (!this.frame) return;
    const { info } = this.frame;
    this.items = [];
    let top = 0;
    const put = (item, height) => {
      this.items.push({ ...item, top, height });
      top += height;
    };
    const several = this.app.severalParts();
    const { shown, hidden } = this.shownPairs();
    const words = this.search.value.toLowerCase();
    for (const { pair, clusters } of shown) {
      const headed = several || pair.relation !== null;
      if (headed) put({ type: 'pair', pair, clusters, openable: clusters.length > 0 }, PAIR);
      if (headed && !this.isOpen(pair)) continue;
      for (const cluster of clusters) {
        if (!headed && words && !this.clusterText(cluster).toLowerCase().includes(words)) continue;
        put({ type: 'cluster', cluster, pair }, CLUSTER + (cluster.number === this.expanded ? CONTACT * cluster.count : 0));
      }
    }
    for (const [name, count] of Object.entries(hidden))
      put({ type: 'hidden', name, text: `${counted(count, 'pair')} hidden: ${name}.` }, NOTE);
    for (const flaw of this.app.flawItems()) put({ type: 'flaw', flaw }, CLUSTER);
    if (info.listed < info.found)
      put({ type: 'note', text: `Lists ${number(info.listed)} of ${counted(info.found, 'contact')}.${this.newText()}` }, NOTE);
    if (info.pairCount > info.pairs.length)
      put({ type: 'note', text: `Lists ${number(info.pairs.length)} of ${counted(info.pairCount, 'pair')}.` }, NOTE);
    this.inner.style.height = `${top}px`;
    this.show();
  }

  /// How many of the new contacts a cut list has.
  newText() {
    const { info, contacts } = this.frame;
    if (!info.baseline || info.baseline.new === 0) return '';
    const left = info.baseline.new - contacts.fresh.reduce((sum, one) => sum + one, 0);
    return left > 0 ? ` ${number(left)} of ${number(info.baseline.new)} new ones are not listed.` : ' All new ones are listed.';
  }

  /// The stops of "next" and "previous": pairs, and listed clusters of pairs that have several.
  stops() {
    const headed = this.items.some((item) => item.type === 'pair');
    return this.items.filter((item) => item.type === 'pair' || item.type === 'flaw' || (item.type === 'cluster' && (!headed || item.pair.clusters.length > 1)));
  }

  /// Whether the choice is at this stop.
  isHere({ type, pair, cluster, flaw }) {
    const { app } = this;
    if (type === 'flaw') return app.flaw === flaw;
    if (type === 'cluster') return cluster.number === app.selected;
    return app.pair === pair && (app.selected < 0 || pair.clusters.length === 1 || !this.isOpen(pair));
  }

  isChosen(item) {
    const { app } = this;
    if (item.type === 'cluster') return item.cluster.number === app.selected;
    if (item.type === 'flaw') return item.flaw === app.flaw;
    return item.type === 'pair' && app.pair === item.pair && (app.selected < 0 || !this.isOpen(item.pair));
  }

  show() {
    const { scrollTop, clientHeight } = this.element;
    const from = scrollTop - 100, to = scrollTop + clientHeight + 100;
    let low = 0, high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.items[middle].top + this.items[middle].height < from) low = middle + 1; else high = middle;
    }
    const rows = [];
    for (let i = low; i < this.items.length && this.items[i].top < to; i++) this.rowsOf(this.items[i], from, to, rows);
    // One row is reached by Tab: the chosen one, or the first.
    const focused = this.inner.contains(document.activeElement) ? document.activeElement.id : null;
    const options = rows.filter((row) => row.getAttribute('role') === 'option');
    const first = options.find((row) => row.getAttribute('aria-selected') === 'true') ?? options[0];
    for (const row of options) row.setAttribute('tabindex', row === first ? '0' : '-1');
    this.inner.replaceChildren(...rows);
    if (focused) (document.getElementById(focused) ?? first)?.focus({ preventScroll: true });
  }

  rowsOf(item, from, to, rows) {
    const at = (row, top) => { row.style.top = `${top}px`; rows.push(row); };
    if (item.type === 'note') return at(h('div', { class: 'row note' }, item.text), item.top);
    if (item.type === 'hidden') return at(h('div', { class: 'row note', role: 'option', 'aria-selected': 'false', id: `hidden-${item.name}`, 'data-class': item.name }, h('span', {}, item.text), h('u', {}, 'Show')), item.top);
    if (item.type === 'flaw') return at(this.flawRow(item.flaw), item.top);
    if (item.type === 'pair') return at(this.pairRow(item), item.top);
    const { cluster } = item;
    if (item.top + CLUSTER > from) at(this.clusterRow(item), item.top);
    if (cluster.number !== this.expanded) return undefined;
    const first = Math.max(0, Math.floor((from - item.top - CLUSTER) / CONTACT));
    for (let k = first; k < cluster.count && item.top + CLUSTER + k * CONTACT < to; k++)
      at(this.contactRow(cluster.first + k), item.top + CLUSTER + k * CONTACT);
    return undefined;
  }

  get extent() { return 2 * Math.max(...this.frame.space.half); }

  clusterPlace(cluster) {
    const box = boxOf([cluster], this.frame.space);
    return box ? `at ${placeText(box.low.map((x, i) => x / 2 + box.high[i] / 2), this.extent)}` : '';
  }

  clusterText(cluster) {
    const { name, size } = describe(cluster, this.frame.space, this.app.unit);
    return `${name} ${size} ${this.clusterPlace(cluster)} ${cluster.kinds.map((count, kind) => (count > 0 ? KINDS[kind] : '')).join(' ')}`;
  }

  /// What a pair is: size and place.
  pairText(pair) {
    const { app } = this, { space } = this.frame, { unit } = app;
    const parts = [];
    if (pair.relation === 'contains') parts.push(`${app.nameOf(pair.inner)} is inside`);
    if (pair.gap > 0) parts.push(`gap ${length(pair.gap)} ${unit}`);
    if (pair.tolerated) parts.push('clash within the tolerance');
    if (pair.depth) parts.push(`depth ${interval(pair.depth)} ${unit}`);
    if ((pair.relation === 'clash' || pair.tolerated) && pair.volume > 0) parts.push(`overlap ${length(pair.volume)} ${app.unitOf(3)}`);
    else if (pair.clusters.length === 1) {
      const { name, size } = describe(pair.clusters[0], space, unit);
      parts.push(pair.relation === 'touch' ? `${name} ${size}`.trim() : size);
    } else if (pair.size > 0) parts.push(`${length(pair.size)} ${unit} across`);
    const at = app.placeOf(pair);
    if (at) parts.push(`at ${placeText(at, this.extent)}`);
    return parts.filter(Boolean).join(' · ');
  }

  pairRow({ pair, openable }) {
    const { app } = this, { a, b, relation, fresh } = pair;
    const names = a === b ? [h('b', {}, app.nameOf(a)), h('i', {}, 'with itself')]
      : [h('b', {}, app.nameOf(a)), h('i', {}, '×'), h('b', {}, app.nameOf(b))];
    const chosen = this.isChosen({ type: 'pair', pair });
    const text = this.pairText(pair), status = app.review.statusOf(pair);
    const title = a === b ? app.nameOf(a) : `${app.nameOf(a)} × ${app.nameOf(b)}`;
    return h('div', { class: `row group${chosen ? ' chosen' : ''}`, role: 'option', 'aria-selected': String(chosen), id: `pair-${a}-${b}`, 'data-pair': pair.key, title: `${title}\n${text}` },
      openable ? h('span', { class: `more${this.isOpen(pair) ? ' open' : ''}`, 'data-toggle': '1', 'aria-hidden': 'true' }, icon('next')) : h('span', { class: 'more', 'aria-hidden': 'true' }),
      h('span', { class: 'what' }, h('span', { class: 'names', dir: 'auto' }, ...names), h('span', { class: 'also' }, text)),
      fresh && h('span', { class: 'fresh', title: 'Not in the baseline, or with another relation' }, 'new'),
      status !== 'open' && h('span', { class: `status ${status}` }, status),
      pair.shallow && h('span', { class: 'relation shallow', title: 'The overlap is thin' }, 'shallow'),
      relation && h('span', { class: `relation ${relation}` }, relation));
  }

  clusterRow({ cluster }) {
    const chosen = cluster.number === this.app.selected;
    const kinds = SEVERITY.filter((kind) => cluster.kinds[kind] > 0);
    const { name, size } = describe(cluster, this.frame.space, this.app.unit);
    const several = kinds.map((kind) => (kinds.length > 1 ? `${number(cluster.kinds[kind])} ${KINDS[kind]}` : KINDS[kind])).join(', ');
    const place = this.clusterPlace(cluster);
    return h('div', {
      class: `row cluster${chosen ? ' chosen' : ''}`, role: 'option', 'aria-selected': String(chosen), id: `cluster${cluster.number + 1}`,
      'data-cluster': String(cluster.number), title: `${name} ${size} ${place}\n${counted(cluster.size, 'triangle pair')}: ${several}`,
    },
      h('span', { class: `badge ${KINDS[cluster.worst]}` }, glyph(KINDS[cluster.worst])),
      h('span', { class: 'what' }, h('span', { class: 'title' }, h('b', {}, name), size && ` ${size}`), h('span', {}, `${place} · ${counted(cluster.size, 'triangle pair')}`)),
      cluster.fresh > 0 && h('span', { class: 'fresh', title: 'Not in the baseline' }, cluster.fresh < cluster.size ? `${number(cluster.fresh)} new` : 'new'),
      h('span', { class: 'more', 'aria-hidden': 'true' }, icon('next')));
  }

  flawRow(flaw) {
    const { app } = this, { space } = this.frame;
    let size = 0;
    for (let k = 3; k < flaw.points.length; k += 3) size += Math.hypot(...[0, 1, 2].map((axis) => flaw.points[k + axis] - flaw.points[k + axis - 3]));
    const edges = flaw.points.length / 3 - 1, place = space.outside(flaw.low.map((x, i) => (x + flaw.high[i]) / 2));
    const name = flaw.kind === 2 ? 'degenerate triangle' : `${counted(edges, `${flaw.kind === 0 ? 'open' : 'non-manifold'} edge`)}`;
    const chosen = app.flaw === flaw;
    return h('div', { class: `row cluster${chosen ? ' chosen' : ''}`, role: 'option', 'aria-selected': String(chosen), id: `flaw${flaw.number}`, 'data-flaw': String(this.frame.flaws.indexOf(flaw)) },
      h('span', { class: 'badge flaw' }, glyph('flaw')),
      h('span', { class: 'what' }, h('span', { class: 'title' }, h('b', {}, name), size > 0 && ` ${length(size * space.scale)} ${app.unit} long`),
        h('span', {}, `at ${placeText(place, this.extent)}${app.severalParts() ? ` · ${app.nameOf(flaw.partA)}` : ''}`)));
  }

  contactRow(i) {
    const { contacts } = this.frame;
    const { app } = this;
    const kind = KINDS[contacts.kind[i]];
    return h('div', { class: `row contact${i === app.contact ? ' chosen' : ''}`, 'data-contact': String(i), title: kind },
      glyph(kind), h('span', {}, `${number(contacts.a[i])} × ${number(contacts.b[i])}`),
      contacts.fresh[i] === 1 && h('span', { class: 'fresh' }, 'new'), h('em', {}, kind));
  }

  clicked(event) {
    const row = event.target.closest('.row');
    if (!row) return;
    const { cluster, contact, pair, flaw, class: name } = row.dataset;
    if (cluster !== undefined) {
      const number = Number(cluster);
      if (number === this.app.selected) this.expand(this.expanded === number ? -1 : number);
      this.app.select(number);
    } else if (contact !== undefined) {
      this.app.selectContact(Number(contact));
    } else if (pair !== undefined) {
      const chosen = this.pairs.find((one) => one.key === pair);
      if (event.target.closest('[data-toggle]')) this.toggle(chosen);
      else this.app.selectPair(chosen);
    } else if (flaw !== undefined) this.app.selectFlaw(Number(flaw));
    else if (name !== undefined) this.app.toggleClass(name);
  }

  expand(number) {
    if (this.expanded === number) return;
    this.expanded = number;
    this.layout();
  }

  /// Scrolls the chosen row into sight.
  reveal() {
    const item = this.items.find((other) => this.isChosen(other));
    if (item) {
      let { top } = item;
      if (item.type === 'cluster' && this.app.contact >= 0 && this.expanded === item.cluster.number) top += CLUSTER + CONTACT * (this.app.contact - item.cluster.first);
      const { scrollTop, clientHeight } = this.element;
      if (top < scrollTop + PAIR || top + CLUSTER > scrollTop + clientHeight) this.element.scrollTop = top - clientHeight / 3;
    }
    this.show();
  }
}
