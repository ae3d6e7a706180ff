// Frames as the page holds them (src/page/page.cpp writes them), decoded when they are looked at.
import { Reader, unpack } from './bytes.js';

export const KINDS = ['touching', 'crossing', 'coplanar', 'duplicate'];
/// The most serious first, as everywhere in Sightline.
export const SEVERITY = [1, 2, 3, 0];
const RANK = SEVERITY.reduce((rank, kind, i) => { rank[kind] = 4 - i; return rank; }, [0, 0, 0, 0]);

const NEVER = 0, STAYS = 1;  // then 2 + the pass that dropped it
export { NEVER, STAYS };

function readTriangles(reader) {
  const part = reader.varint();
  const coarse = reader.byte() === 1;
  const count = reader.varint();
  const of = reader.varint();
  let numbers = null;  // of the triangles in their part; null: all of them
  if (count < of) {
    numbers = new Uint32Array(count);
    for (let i = 0, before = 0; i < count; i++) numbers[i] = before += reader.varint();
  }
  const vertices = reader.varint();
  const { index } = reader.corners(count);
  return { part, coarse, count, of, numbers, vertices, index };
}

/// The place of triangle `number` of a part among those shown, or -1.
export function placeOf(triangles, number) {
  const { numbers } = triangles;
  if (numbers === null) return number < triangles.count ? number : -1;
  let low = 0, high = numbers.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] === number) return middle;
    if (numbers[middle] < number) low = middle + 1; else high = middle - 1;
  }
  return -1;
}

// Clusters, contacts as columns, and the points in doubles.
function readContacts(reader, listed) {
  const clusters = [];
  const count = reader.varint();
  const frameLow = [reader.f64(), reader.f64(), reader.f64()], frameHalf = reader.f64();
  const place = (low) => low + frameHalf * ((reader.u32() / 4294967295) * 2);
  const partA = new Uint32Array(listed), partB = new Uint32Array(listed);
  const a = new Uint32Array(listed), b = new Uint32Array(listed);
  const kind = new Uint8Array(listed), points = new Uint32Array(listed + 1);
  const clusterOf = new Uint32Array(listed);
  const triangles = { part: [], number: [], corners: [], cluster: [] };
  const outlineBoxes = [], cornerBoxes = [];
  let n = 0, base = 0, lastA = 0, lastB = 0, lastTa = 0, lastTb = 0;
  for (let i = 0; i < count; i++) {
    const cluster = { number: i, size: reader.varint(), first: n, count: reader.varint(), kinds: [0, 0, 0, 0], worst: 0 };
    for (let k = 0; k < cluster.count; k++, n++) {
      partA[n] = lastA = reader.difference(lastA);
      partB[n] = lastB = reader.difference(lastB);
      a[n] = lastTa = reader.difference(lastTa);
      b[n] = lastTb = reader.difference(lastTb);
      const byte = reader.byte();
      kind[n] = byte & 3;
      points[n + 1] = points[n] + (byte >> 2);
      clusterOf[n] = i;
      cluster.kinds[kind[n]]++;
    }
    cluster.worst = SEVERITY.find((k) => cluster.kinds[k] > 0) ?? 0;
    cluster.partA = partA[cluster.first];
    cluster.partB = partB[cluster.first];
    const box = (items) => ({ middle: frameLow.map(place), half: reader.floats(1)[0] * frameHalf, count: items });
    outlineBoxes.push(box(points[n] - points[cluster.first]));
    let vertices = 0;
    const own = reader.varint();
    for (let k = 0, part = 0, number = 0; k < own; k++) {
      triangles.part.push(part = reader.difference(part));
      triangles.number.push(number = reader.difference(number));
      triangles.cluster.push(i);
      for (let corner = 0; corner < 3; corner++) {
        const code = reader.varint();
        triangles.corners.push(base + (code === 0 ? vertices++ : vertices - code));
      }
    }
    cornerBoxes.push(box(vertices));
    base += vertices;
    clusters.push(cluster);
  }
  return { clusters, partA, partB, a, b, kind, points, clusterOf, triangles, outlineBoxes, cornerBoxes, count: n };
}

// Shares of boxes to coordinates in the page's own space.
function placed(reader, boxes, space) {
  const total = boxes.reduce((sum, box) => sum + box.count, 0);
  const shares = reader.floats(3 * total);
  const out = new Float64Array(3 * total);
  let at = 0;
  for (const { middle, half, count } of boxes) {
    const m = space.inside(middle), h = half / space.scale;
    for (let i = 0; i < count; i++)
      for (let axis = 0; axis < 3; axis++, at++) out[at] = m[axis] + shares[at] * h;
  }
  return out;
}

function readPruning(reader) {
  const dropped = new Map();
  for (let parts = reader.varint(); parts > 0; parts--) {
    const part = reader.varint();
    const values = new Uint16Array(reader.varint());
    for (let at = 0; at < values.length;) {
      const value = reader.varint(), run = reader.varint();
      values.fill(value, at, at += run);
    }
    dropped.set(part, values);
  }
  return dropped;
}

/// The page's own space: the first frame's box about 0, its longest half side 1. Doubles, so a model of any size and any
/// place is drawn as well as any other.
export class Space {
  constructor(low, high) {
    this.center = low.map((x, i) => x / 2 + high[i] / 2);
    this.half = low.map((x, i) => high[i] / 2 - x / 2);
    this.scale = Math.max(...this.half) || 1;
  }
  inside(p) {
    return p.map((x, i) => (x - this.center[i]) / this.scale);
  }
  outside(p) {
    return p.map((x, i) => x * this.scale + this.center[i]);
  }
}

/// All frames; decodes on demand and keeps what was decoded last.
export class Frames {
  constructor(page) {
    this.page = page;
    this.triangles = [];       // of all frames decoded so far, by number
    this.decoded = new Map();  // frame → promise
  }

  get(number) {
    let frame = this.decoded.get(number);
    if (frame) {
      this.decoded.delete(number);  // to the end: used last
    } else {
      frame = this.decode(number);
      while (this.decoded.size >= this.room) this.decoded.delete(this.decoded.keys().next().value);
    }
    this.decoded.set(number, frame);
    return frame;
  }

  get room() {
    const most = this.page.frames.reduce((sum, frame) => Math.max(sum, frame.shown), 1);
    return Math.max(4, Math.min(64, Math.floor(8e6 / most)));
  }

  async decode(number) {
    const element = document.getElementById(`frame${number}`);
    const bytes = await unpack(element.textContent);
    // The text of the only frame is not needed again.
    if (this.page.frames.length === 1) element.remove();
    const reader = new Reader(bytes);
    const info = this.page.frames[number];
    const fresh = reader.varint();
    for (let i = 0; i < fresh; i++) this.triangles[info.firstSet + i] = readTriangles(reader);

    const pieces = [];
    for (let i = reader.varint(); i > 0; i--)
      pieces.push({ set: reader.varint(), back: reader.varint(), positions: null });
    for (const piece of pieces) {
      if (!this.triangles[piece.set]) await this.get(this.frameWith(piece.set));
      piece.triangles = this.triangles[piece.set];
      if (piece.back === 0) piece.positions = reader.quantised(piece.triangles.vertices);
    }
    for (const piece of pieces) {
      if (piece.positions) continue;
      const from = await this.get(number - piece.back);
      piece.positions = from.pieces.find((other) => other.set === piece.set).positions;
    }
    // Independent models have a space each; one that moves keeps that of its first frame.
    const space = this.page.independent || number === 0 ? spaceOf(pieces) : (await this.get(0)).space;
    const contacts = readContacts(reader, info.listed);
    contacts.outlines = placed(reader, contacts.outlineBoxes, space);
    contacts.corners = placed(reader, contacts.cornerBoxes, space);
    const dropped = readPruning(reader);
    return { number, info, pieces, contacts, dropped, space };
  }

  /// The frame whose bytes have this set of triangles.
  frameWith(set) {
    const { frames } = this.page;
    let number = frames.length - 1;
    while (number > 0 && frames[number].firstSet > set) number--;
    return number;
  }
}

function spaceOf(pieces) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const { positions } of pieces)
    for (let axis = 0; axis < 3; axis++) {
      low[axis] = Math.min(low[axis], positions.low[axis]);
      high[axis] = Math.max(high[axis], positions.high[axis]);
    }
  return pieces.length > 0 ? new Space(low, high) : new Space([-1, -1, -1], [1, 1, 1]);
}

/// For each triangle in contact its kind: the most serious of its contacts.
export function kindsOf(contacts) {
  const kinds = new Map();
  const add = (part, number, kind) => {
    let own = kinds.get(part);
    if (!own) kinds.set(part, (own = new Map()));
    const before = own.get(number);
    if (before === undefined || RANK[before] < RANK[kind]) own.set(number, kind);
  };
  for (let i = 0; i < contacts.count; i++) {
    add(contacts.partA[i], contacts.a[i], contacts.kind[i]);
    add(contacts.partB[i], contacts.b[i], contacts.kind[i]);
  }
  return kinds;
}
