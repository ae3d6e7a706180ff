// What people decide about pairs: a status and a comment for each. They are kept in the page's own file: "Save" downloads
// the page with them. `sightline --ignore page.html` leaves out pairs that were accepted, and `--baseline page.html`
// compares with the pairs of the page.
import { csv, download } from './files.js';
import { h } from './dom.js';

export const STATUSES = ['open', 'accepted', 'to fix', 'fixed'];
// A name that several parts have does not identify one: its cell is empty, and the number does.
const COLUMNS = ['name_a', 'name_b', 'part_a', 'part_b', 'label_a', 'label_b', 'relation', 'status', 'comment'];
const HEAD = `# sightline review 1\r\n`;

// Cells of a CSV text after RFC 4180.
function parse(text) {
  const rows = [[]];
  let value = '', quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') value += c;
      else if (text[i + 1] === '"') value += c, i++;
      else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === ',') rows.at(-1).push(value), value = '';
    else if (c === '\n') rows.at(-1).push(value.replace(/\r$/, '')), rows.push([]), value = '';
    else value += c;
  }
  return rows.filter((row) => row.length > 1);
}

export class Review {
  constructor(app) {
    this.app = app;
    this.entries = new Map();  // by the pair's key: { status, comment }
    this.changed = false;
    this.status = h('select', { 'aria-label': 'Status of this pair', onchange: () => this.edit() }, ...STATUSES.map((value) => h('option', { value }, value)));
    this.comment = h('textarea', { rows: '2', maxlength: '2000', placeholder: 'Comment', 'aria-label': 'Comment on this pair', oninput: () => this.edit() });
    this.saveButton = h('button', { type: 'button', onclick: () => this.save(), title: 'Downloads this page with all statuses and comments' }, 'Save page');
    this.element = h('section', { class: 'review', hidden: true, 'aria-label': 'Review' }, h('div', {}, this.status, this.saveButton), this.comment);
    this.read();
  }

  of(pair) { return this.entries.get(pair.key); }
  statusOf(pair) { return this.of(pair)?.status ?? 'open'; }
  commentOf(pair) { return this.of(pair)?.comment ?? ''; }
  textOf(pair) { return `${this.statusOf(pair)} ${this.commentOf(pair)}`; }

  read() {
    const [header, ...rows] = parse(document.getElementById('review')?.textContent.replace(/^#.*\r?\n/, '') ?? '');
    if (!header) return;
    const at = Object.fromEntries(COLUMNS.map((name) => [name, header.indexOf(name)]));
    for (const row of rows) {
      const status = row[at.status], comment = row[at.comment] ?? '';
      if (STATUSES.includes(status) && (status !== 'open' || comment)) this.entries.set(`${row[at.part_a]} ${row[at.part_b]}`, { status, comment });
    }
  }

  show() {
    const { pair } = this.app;
    this.element.hidden = !pair || !this.app.severalParts();
    if (this.element.hidden) return;
    this.status.value = this.statusOf(pair);
    this.comment.value = this.commentOf(pair);
  }

  edit() {
    const { pair } = this.app;
    if (!pair) return;
    this.entries.set(pair.key, { status: this.status.value, comment: this.comment.value });
    this.changed = true;
    this.saveButton.classList.add('on');
    this.app.list.show();
  }

  /// All pairs of the page with their status, as a list that `--ignore` and `--baseline` read.
  asCsv() {
    const { app } = this;
    const pairs = app.pairs().list.filter((pair) => pair.relation || this.of(pair));
    const names = app.page.parts.map((part) => part.name), counts = new Map();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    const unique = (part) => (counts.get(names[part]) === 1 ? names[part] : '');
    return HEAD + csv([COLUMNS, ...pairs.map((pair) => [unique(pair.a), unique(pair.b), pair.a, pair.b, names[pair.a], names[pair.b], pair.relation ?? '', this.statusOf(pair), this.commentOf(pair)])], (text) => text);
  }

  save() {
    download(new Blob(this.app.source.with(this.asCsv()), { type: 'text/html' }), this.app.fileName('.html'));
    this.changed = false;
    this.saveButton.classList.remove('on');
  }
}

/// The page as it was opened, from which it can be written again. Blobs, so that the text need not be in memory.
export class Source {
  constructor() {
    const script = [...document.scripts].at(-1);
    this.head = `<!doctype html>\n<html lang="en">\n${document.head.outerHTML}\n<body>\n<main id="app" aria-busy="true">${document.getElementById('app').innerHTML}</main>\n`;
    this.data = [...document.querySelectorAll('script[type="application/octet-stream"]')].map((element) => new Blob([`<script type="application/octet-stream" id="${element.id}">`, element.textContent, '</script>\n']));
    this.tail = `<script>${script.textContent}</script>\n</body>\n</html>\n`;
  }

  with(review) {
    const escaped = review.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
    return [this.head, ...this.data, `<pre id="review" hidden>\n${escaped}</pre>\n`, this.tail];
  }
}
