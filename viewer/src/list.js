// The list of contacts: groups by pair of parts, clusters, and the contacts of the chosen one. Only rows in sight are
// elements, so a cluster of a hundred thousand contacts scrolls as well as one of ten.
import { KINDS, SEVERITY } from './contacts.js';
import { counted, glyph, h, icon, length, number } from './dom.js';

const GROUP = 44, CLUSTER = 58, CONTACT = 30, NOTE = 44;
const RELATIONS = ['clash', 'contains', 'touch', 'near'];

export class ContactList {
  constructor(element, app) {
    this.app = app;
    this.element = element;
    this.inner = h('div', { class: 'rows' });
    element.append(this.inner);
    this.items = [];
    this.expanded = -1;
    element.addEventListener('scroll', () => this.show());
    new ResizeObserver(() => this.show()).observe(element);
    element.addEventListener('click', (event) => this.clicked(event));
  }

  /// Rebuilds the list for a frame.
  fill(frame) {
    this.frame = frame;
    this.expanded = -1;
    this.layout();
    this.element.scrollTop = 0;
  }

  groups() {
    const { clusters } = this.frame.contacts;
    const groups = new Map();
    const of = (a, b) => {
      const key = `${a} ${b}`;
      if (!groups.has(key)) groups.set(key, { a, b, relation: null, gap: null, inner: null, fresh: false, clusters: [], contacts: 0 });
      return groups.get(key);
    };
    const { onlyNew } = this.app;
    for (const [a, b, relation, inner, gap, , fresh] of this.frame.info.pairs) if (fresh || !onlyNew) Object.assign(of(a, b), { relation, inner, gap, fresh });
    for (const cluster of clusters) {
      if (!this.app.isKindShown(cluster) || (onlyNew && cluster.fresh === 0)) continue;
      const group = of(cluster.partA, cluster.partB);
      group.clusters.push(cluster);
      group.contacts += cluster.size;
    }
    const rank = (group) => (group.relation ? RELATIONS.indexOf(group.relation) : 4);
    return [...groups.values()].sort((x, y) => rank(x) - rank(y) || y.contacts - x.contacts || x.a - y.a || x.b - y.b);
  }

  layout() {
    const { info } = this.frame;
    this.items = [];
    let top = 0;
    const put = (item, height) => {
      this.items.push({ ...item, top, height });
      top += height;
    };
    const several = this.app.severalParts();
    for (const group of this.groups()) {
      if (several || group.relation) put({ type: 'group', group }, GROUP);
      for (const cluster of group.clusters)
        put({ type: 'cluster', cluster }, CLUSTER + (cluster.number === this.expanded ? CONTACT * cluster.count : 0));
    }
    if (info.listed < info.found)
      put({ type: 'note', text: `Lists ${number(info.listed)} of ${counted(info.found, 'contact')}.${this.newText()}` }, NOTE);
    if (info.pairCount > info.pairs.length)
      put({ type: 'note', text: `Lists ${number(info.pairs.length)} of ${counted(info.pairCount, 'pair')}.` }, NOTE);
    this.inner.style.height = `${top}px`;
    this.show(true);
  }

  /// How many of the new contacts a cut list has.
  newText() {
    const { info, contacts } = this.frame;
    if (!info.baseline || info.baseline.new === 0) return '';
    const left = info.baseline.new - contacts.fresh.reduce((sum, one) => sum + one, 0);
    return left > 0 ? ` ${number(left)} of ${number(info.baseline.new)} new ones are not listed.` : ' All new ones are listed.';
  }

  order() {
    return this.items.filter((item) => item.type === 'cluster').map((item) => item.cluster);
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
    this.inner.replaceChildren(...rows);
  }

  rowsOf(item, from, to, rows) {
    const at = (row, top) => { row.style.top = `${top}px`; rows.push(row); };
    if (item.type === 'note') return at(h('div', { class: 'row note' }, item.text), item.top);
    if (item.type === 'group') return at(this.groupRow(item.group), item.top);
    const { cluster } = item;
    if (item.top + CLUSTER > from) at(this.clusterRow(cluster), item.top);
    if (cluster.number !== this.expanded) return undefined;
    const first = Math.max(0, Math.floor((from - item.top - CLUSTER) / CONTACT));
    for (let k = first; k < cluster.count && item.top + CLUSTER + k * CONTACT < to; k++)
      at(this.contactRow(cluster.first + k), item.top + CLUSTER + k * CONTACT);
    return undefined;
  }

  groupRow({ a, b, relation, gap, inner, fresh }) {
    const { app } = this;
    const names = a === b ? [h('b', {}, app.nameOf(a)), h('i', {}, 'with itself')]
      : [h('b', {}, app.nameOf(a)), h('i', {}, '×'), h('b', {}, app.nameOf(b))];
    const also = relation === 'contains' ? `${app.nameOf(inner)} is inside` : gap ? `gap ${length(gap)}` : '';
    return h('div', { class: 'row group', 'data-pair': `${a} ${b}`, title: a === b ? app.nameOf(a) : `${app.nameOf(a)} × ${app.nameOf(b)}` },
      h('span', { class: 'names', dir: 'auto' }, ...names),
      also && h('span', { class: 'also' }, also),
      fresh && h('span', { class: 'fresh', title: 'Not in the baseline, or with another relation' }, 'new'),
      relation && h('span', { class: `relation ${relation}` }, relation));
  }

  clusterRow(cluster) {
    const { app } = this;
    const chosen = cluster.number === app.selected;
    const kinds = SEVERITY.filter((kind) => cluster.kinds[kind] > 0);
    const detail = kinds.map((kind) => (kinds.length > 1 ? `${number(cluster.kinds[kind])} ${KINDS[kind]}` : KINDS[kind])).join(' · ');
    return h('div', {
      class: `row cluster${chosen ? ' chosen' : ''}`, role: 'option', 'aria-selected': String(chosen), id: `cluster${cluster.number + 1}`,
      'data-cluster': String(cluster.number),
    },
      h('span', { class: `badge ${KINDS[cluster.worst]}` }, glyph(KINDS[cluster.worst])),
      h('span', { class: 'what' }, h('b', {}, counted(cluster.size, 'contact')), h('span', {}, detail)),
      cluster.fresh > 0 && h('span', { class: 'fresh', title: 'Not in the baseline' }, cluster.fresh < cluster.size ? `${number(cluster.fresh)} new` : 'new'),
      h('span', { class: 'size', title: 'Diagonal of the box around it' }, cluster.diagonal > 0 ? length(cluster.diagonal) : 'point'),
      h('span', { class: 'more', 'aria-hidden': 'true' }, icon('next')));
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
    const { cluster, contact, pair } = row.dataset;
    if (cluster !== undefined) {
      const number = Number(cluster);
      if (number === this.app.selected) this.expand(this.expanded === number ? -1 : number);
      this.app.select(number);
    } else if (contact !== undefined) {
      this.app.selectContact(Number(contact));
    } else if (pair !== undefined) {
      this.app.showPair(...pair.split(' ').map(Number));
    }
  }

  expand(number) {
    if (this.expanded === number) return;
    this.expanded = number;
    this.layout();
  }

  /// Scrolls the chosen row into sight.
  reveal() {
    const item = this.items.find((other) => other.type === 'cluster' && other.cluster.number === this.app.selected);
    if (item) {
      let { top } = item;
      if (this.app.contact >= 0 && this.expanded === item.cluster.number) top += CLUSTER + CONTACT * (this.app.contact - item.cluster.first);
      const { scrollTop, clientHeight } = this.element;
      if (top < scrollTop + GROUP || top + CLUSTER > scrollTop + clientHeight) this.element.scrollTop = top - clientHeight / 3;
      this.element.setAttribute('aria-activedescendant', `cluster${item.cluster.number + 1}`);
    } else {
      this.element.removeAttribute('aria-activedescendant');
    }
    this.show();
  }
}
