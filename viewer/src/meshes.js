// Several meshes of one command: a table with a row for each.
import { counted, h, number } from './dom.js';

export class MeshTable {
  constructor(app) {
    this.app = app;
    const { frames, independent } = app.page;
    const body = h('tbody', {});
    this.rows = frames.map((frame, i) => {
      const state = frame.error ? 'not checked' : frame.found > 0 ? counted(frame.found, 'contact') : frame.complete && !frame.canMiss ? 'clean' : 'none found';
      const row = h('tr', { class: frame.error ? 'bad' : frame.found > 0 ? 'found' : 'clean', onclick: () => app.showFrame(i) },
        h('td', {}, h('button', { type: 'button', dir: 'auto', title: frame.error || frame.label }, frame.label)), h('td', {}, frame.error ? '' : number(frame.triangles)), h('td', {}, state));
      body.append(row);
      return row;
    });
    this.element = h('div', { class: 'meshes', hidden: !independent || frames.length < 2 },
      h('table', { 'aria-label': 'Meshes' }, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Mesh'), h('th', { scope: 'col' }, 'Triangles'), h('th', { scope: 'col' }, 'Result'))), body));
  }

  update() {
    if (this.element.hidden) return;
    this.rows.forEach((row, i) => { if (i === this.app.frame) row.setAttribute('aria-current', 'true'); else row.removeAttribute('aria-current'); });
    this.rows[this.app.frame]?.scrollIntoView({ block: 'nearest' });
  }
}
