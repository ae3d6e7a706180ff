// The parts: names, sizes, shown or hidden. Only rows in sight are elements.
import { counted, h, icon } from './dom.js';

const ROW = 46;

export class PartList {
  constructor(element, app) {
    this.app = app;
    this.search = h('input', { type: 'search', placeholder: 'Find a part', 'aria-label': 'Find a part', oninput: () => this.filter() });
    this.all = h('button', { type: 'button', onclick: () => app.showAll() }, 'Show all');
    this.scroll = h('div', { class: 'scroll', role: 'list' });
    this.rows = h('div', { class: 'rows' });
    this.scroll.append(this.rows);
    element.append(h('div', { class: 'find' }, this.search, this.all), this.scroll);
    this.scroll.addEventListener('scroll', () => this.show());
    new ResizeObserver(() => this.show()).observe(this.scroll);
    this.contacts = new Map();
    this.found = app.page.parts.map((_, i) => i);
  }

  fill(frame) {
    this.contacts = new Map(frame.info.partContacts);  // stored where not all contacts are listed
    const add = (part) => this.contacts.set(part, (this.contacts.get(part) ?? 0) + 1);
    const { partA, partB, count } = frame.contacts;
    if (!frame.info.partContacts) for (let i = 0; i < count; i++) {
      add(partA[i]);
      if (partB[i] !== partA[i]) add(partB[i]);
    }
    this.filter();
  }

  filter() {
    const wanted = this.search.value.toLowerCase();
    this.found = this.app.page.parts.map((_, i) => i).filter((i) => this.app.nameOf(i).toLowerCase().includes(wanted));
    this.rows.style.height = `${this.found.length * ROW}px`;
    this.show();
  }

  show() {
    const { app, scroll } = this;
    const first = Math.max(0, Math.floor(scroll.scrollTop / ROW) - 3);
    const last = Math.min(this.found.length, first + Math.ceil((scroll.clientHeight || 600) / ROW) + 6);
    const rows = [];
    for (let i = first; i < last; i++) {
      const row = this.row(this.found[i]);
      row.style.top = `${i * ROW}px`;
      rows.push(row);
    }
    this.rows.replaceChildren(...rows);
    this.all.disabled = app.stage ? app.stage.hidden.size === 0 && !app.stage.isolated : true;
  }

  row(part) {
    const { app } = this;
    const info = app.page.parts[part];
    const shown = app.stage.isShown(part), contacts = this.contacts.get(part) ?? 0;
    const facts = [counted(info.triangles, 'triangle'), info.vertices > 0 && (info.closed ? 'closed' : 'open'), contacts > 0 && counted(contacts, 'contact')];
    return h('div', { class: `row part${shown ? '' : ' off'}`, role: 'listitem' },
      h('button', { type: 'button', class: 'name', title: `${app.nameOf(part)}\n${info.file}`, onclick: () => app.flyToParts(new Set([part])) },
        h('b', { dir: 'auto' }, app.nameOf(part)), h('span', {}, facts.filter(Boolean).join(' · '))),
      h('button', { type: 'button', class: 'toggle', 'aria-label': `${shown ? 'Hide' : 'Show'} ${app.nameOf(part)}`, 'aria-pressed': String(shown), onclick: () => app.setHidden(part, shown) }, icon(shown ? 'eye' : 'hidden')));
  }
}

