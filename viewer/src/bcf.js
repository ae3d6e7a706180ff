// The pairs of the list in the BIM Collaboration Format 2.1, with statuses, comments and pictures. Topics have the ids
// that `sightline --bcf` gives them.
import { Vector3 } from 'three';
import { download } from './files.js';
import { interval, length } from './dom.js';

/// Pictures take time and space: a longer list has none after this many.
const MOST_PICTURES = 100;
const bytesOf = (text) => new TextEncoder().encode(text);

// A checksum for each byte value, as zip has it.
const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/// A zip file; entries are stored, not compressed.
export function zip(entries) {
  const body = [], list = [];
  let at = 0, listed = 0;
  const fields = (...values) => {
    const view = new DataView(new ArrayBuffer(values.reduce((sum, [size]) => sum + size, 0)));
    let to = 0;
    for (const [size, value] of values) {
      if (size === 2) view.setUint16(to, value, true); else view.setUint32(to, value, true);
      to += size;
    }
    return new Uint8Array(view.buffer);
  };
  for (const [name, bytes] of entries) {
    let crc = ~0;
    for (const byte of bytes) crc = CRC[(crc ^ byte) & 255] ^ (crc >>> 8);
    const label = bytesOf(name), utf8 = 1 << 11, day = (1 << 5) | 1;  // 1 January 1980, the first day that zip has
    const facts = [[2, 20], [2, utf8], [2, 0], [2, 0], [2, day], [4, ~crc >>> 0], [4, bytes.length], [4, bytes.length], [2, label.length], [2, 0]];
    const head = fields([4, 0x04034b50], ...facts);
    const entry = fields([4, 0x02014b50], [2, 20], ...facts, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]);
    body.push(head, label, bytes);
    list.push(entry, label);
    at += head.length + label.length + bytes.length;
    listed += entry.length + label.length;
  }
  return new Blob([...body, ...list, fields([4, 0x06054b50], [2, 0], [2, 0], [2, entries.length], [2, entries.length], [4, listed], [4, at], [2, 0])], { type: 'application/octet-stream' });
}

/// As guid() of bcf.cpp.
export function guid(text) {
  const mask = (1n << 64n) - 1n;
  const [a, rest] = [0xcbf29ce484222325n, 0x84222325cbf29ce4n].map((start) => {
    let h = start;
    for (const byte of bytesOf(text)) h = ((h ^ BigInt(byte)) * 0x100000001b3n) & mask;
    return h;
  });
  const high = (a & ~0xf000n) | 0x8000n, low = ((rest ^ (rest >> 29n)) & ~(3n << 62n)) | (1n << 63n);
  const hex = high.toString(16).padStart(16, '0') + low.toString(16).padStart(16, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const safe = (text) => String(text).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
  .replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const element = (name, contents, attributes = {}) =>
  `<${name}${Object.entries(attributes).map(([key, value]) => ` ${key}="${safe(value)}"`).join('')}>${contents}</${name}>`;
const textElement = (name, text, attributes) => element(name, safe(text), attributes);
const file = (root) => bytesOf(`<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`);
const vector = (name, v) => element(name, ['X', 'Y', 'Z'].map((axis, i) => textElement(axis, v[i])).join(''));

const WORDS = { clash: 'overlap', touch: 'touch', near: 'are close' };
/// BCF is in meters. A file unit that is not known is taken as one, and each topic states it.
const METERS = { um: 1e-6, mm: 1e-3, cm: 1e-2, m: 1, in: 0.0254, ft: 0.3048 };
const metersOf = (app) => METERS[app.page.unit] ?? 1;
/// The schema allows 45 to 60 degrees.
const FIELD_OF_VIEW = 45;

function markup(app, pair, number, { topic, view, date, picture }) {
  const [a, b] = [app.nameOf(pair.a), app.nameOf(pair.b)], comment = app.review.commentOf(pair), status = app.review.statusOf(pair);
  const author = `sightline ${app.page.version}`, at = app.placeOf(pair);
  const what = pair.relation === 'contains' ? `${app.nameOf(pair.inner)} lies inside ${app.nameOf(pair.inner === pair.a ? pair.b : pair.a)}.` : `${a} and ${b} ${pair.tolerated ? 'overlap, and the overlap is within the tolerance' : WORDS[pair.relation]}.`;
  const description = [what, pair.found > 0 && `Pairs of triangles in contact: ${pair.found}.`, pair.gap > 0 && `Gap: ${length(pair.gap)} ${app.unit}.`, pair.depth && `Depth: ${interval(pair.depth)} ${app.unit}.`,
    pair.volume > 0 && `Volume of the overlap: ${length(pair.volume)} ${app.unitOf(3)}.`,
    pair.way && `Moving ${a} by (${pair.way.map(length).join(', ')}) ${app.unit} ends the contact.`, at && `Place: ${at.map(length).join(', ')} ${app.unit}.`,
    !(app.page.unit in METERS) && 'The files do not define one unit for all parts: the viewpoint takes a file unit as a meter.'].filter(Boolean).join(' ');
  const files = [...new Set([pair.a, pair.b].map((part) => app.fileOf(part)))].sort();
  return file(element('Markup', [
    element('Header', files.map((name) => element('File', textElement('Filename', name))).join('')),
    element('Topic', [textElement('Title', `${a} and ${b}: ${pair.relation}`), textElement('Index', number), textElement('Labels', pair.relation), textElement('CreationDate', date), textElement('CreationAuthor', author),
      textElement('Description', description)].join(''), { Guid: topic, TopicType: pair.relation === 'clash' ? 'Clash' : 'Issue', TopicStatus: status[0].toUpperCase() + status.slice(1) }),
    comment && element('Comment', [textElement('Date', date), textElement('Author', author), textElement('Comment', comment), element('Viewpoint', '', { Guid: view })].join(''), { Guid: guid(`${topic} comment`) }),
    element('Viewpoints', [textElement('Viewpoint', 'viewpoint.bcfv'), picture && textElement('Snapshot', 'snapshot.png')].filter(Boolean).join(''), { Guid: view }),
  ].filter(Boolean).join('')));
}

/// The camera as it is, but for its field of view: the eye is as much nearer.
function viewpoint(app, pair, view) {
  const { stage: { camera, target }, current: { space } } = app;
  const direction = target.clone().sub(camera.position).normalize(), right = direction.clone().cross(camera.up).normalize();
  const share = Math.tan((camera.fov * Math.PI) / 360) / Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
  const eye = space.outside(target.clone().addScaledVector(camera.position.clone().sub(target), share).toArray()).map((x) => x * metersOf(app));
  const ifc = (name) => (/^[0-9A-Za-z_$]{22}$/.test(name) ? { IfcGuid: name } : {});
  const parts = [pair.a, pair.b].map((part) => element('Component', textElement('OriginatingSystem', app.fileOf(part)) + textElement('AuthoringToolId', app.nameOf(part)), ifc(app.nameOf(part))));
  return file(element('VisualizationInfo', [
    element('Components', element('Selection', parts.join('')) + element('Visibility', '', { DefaultVisibility: 'true' })),
    element('PerspectiveCamera', vector('CameraViewPoint', eye) + vector('CameraDirection', direction.toArray()) +
      vector('CameraUpVector', new Vector3().crossVectors(right, direction).toArray()) + textElement('FieldOfView', FIELD_OF_VIEW)),
  ].join(''), { Guid: view }));
}

/// Chooses each pair in turn, for its picture and its camera; then the view is as it was.
export async function saveBcf(app) {
  const pairs = app.list.shownPairs().shown.map(({ pair }) => pair).filter((pair) => pair.relation);
  if (pairs.length === 0) return app.toast('No pair is listed');
  const date = new Date().toISOString().replace(/\.\d+/, '');
  const before = { selected: app.selected, contact: app.contact, pair: app.pair, cut: app.cutState, eye: app.controls.eye.toArray(), target: app.controls.target.toArray() };
  const entries = [['bcf.version', file(element('Version', textElement('DetailedVersion', '2.1'), { VersionId: '2.1' }))]];
  for (const [number, pair] of pairs.entries()) {
    app.toast(`Topic ${number + 1} of ${pairs.length}`);
    app.selectPair(pair, 0);
    const topic = guid([app.fileOf(pair.a), app.nameOf(pair.a), app.fileOf(pair.b), app.nameOf(pair.b)].join('\n')), view = guid(`${topic} viewpoint`);
    const picture = number < MOST_PICTURES ? await new Promise((done) => { app.pictureOfView().toBlob(done, 'image/png'); }) : null;
    entries.push([`${topic}/markup.bcf`, markup(app, pair, number, { topic, view, date, picture })], [`${topic}/viewpoint.bcfv`, viewpoint(app, pair, view)]);
    if (picture) entries.push([`${topic}/snapshot.png`, new Uint8Array(await picture.arrayBuffer())]);
  }
  app.choose(before.selected, before.contact, before.pair);
  if (before.cut) app.setCut(before.cut);
  app.controls.eye.fromArray(before.eye);
  app.controls.target.fromArray(before.target);
  app.controls.look();
  download(zip(entries), app.fileName('.bcf'));
  return app.toast(pairs.length > MOST_PICTURES ? `${pairs.length} topics; pictures of the first ${MOST_PICTURES}` : `${pairs.length} topics`);
}
