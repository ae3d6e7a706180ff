// Frames as the page holds them (src/tool/page/page.cpp writes them), decoded when they are shown.
import { Reader, unpack } from './bytes.js';
import { readContacts } from './contacts.js';

export const NEVER = 0, STAYS = 1;  // then 2 + the pass that dropped it

function readTriangles(reader) {
  const part = reader.varint();
  const coarse = reader.byte() === 1;
  const count = reader.varint();
  const of = reader.varint();
  let numbers = null;  // numbers of the triangles in their part; null: all of them
  if (count < of) {
    numbers = new Uint32Array(count);
    for (let i = 0, before = 0; i < count; i++) numbers[i] = before += reader.varint();
  }
  const vertices = reader.varint();
  const { index, loose } = reader.corners(count);
  return { part, coarse, count, of, numbers, vertices, index, loose };
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

const FLAW_STEPS = 2 ** 20;
export const FLAWS = ['open edges', 'non-manifold edges', 'degenerate triangle'];

// Open and non-manifold edges as chains, and triangles without area (src/tool/page/flaws.cpp), with the points in the
// page's space. They count on from the clusters of contacts.
function readFlaws(reader, first, space) {
  const count = reader.at < reader.bytes.length ? reader.varint() : 0;
  if (count === 0) return [];
  const low = [reader.f64(), reader.f64(), reader.f64()], high = [reader.f64(), reader.f64(), reader.f64()];
  const from = space.inside(low), side = space.inside(high).map((x, axis) => x - from[axis]);
  const before = [0, 0, 0];
  return Array.from({ length: count }, (_, i) => {
    const kind = reader.byte(), part = reader.varint(), points = new Float64Array(3 * reader.varint());
    const flaw = { flaw: true, number: first + i, kind, partA: part, partB: part, points, low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
    for (let p = 0; p < points.length; p++) {
      const axis = p % 3;
      before[axis] = reader.difference(before[axis]);
      const x = points[p] = from[axis] + (side[axis] * before[axis]) / FLAW_STEPS;
      flaw.low[axis] = Math.min(flaw.low[axis], x);
      flaw.high[axis] = Math.max(flaw.high[axis], x);
    }
    return flaw;
  });
}

/// The page's own space: the first frame's box about 0, its longest half side 1. In doubles, so that the size and the
/// place of a model do not change the quality of the picture.
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

/// Promises by number; the ones that were used last are kept.
class Recent {
  constructor(room, make) {
    this.room = room;
    this.make = make;
    this.kept = new Map();
  }
  get(number) {
    const found = this.kept.get(number) ?? this.make(number);
    this.kept.delete(number);  // moves it to the end: used last
    this.kept.set(number, found);
    if (this.kept.size > this.room) this.kept.delete(this.kept.keys().next().value);
    return found;
  }
}

/// All frames, decoded on demand. A frame refers to triangles and positions of a bounded number of other frames (page.cpp:
/// kMostReferences). These are unpacked, too, but what they refer to is not.
export class Frames {
  constructor(page) {
    this.page = page;
    this.triangles = [];  // of all frames unpacked so far, by number
    this.unpackings = 0;  // how often bytes were unpacked
    const most = page.frames.reduce((sum, frame) => Math.max(sum, frame.shown), 1);
    const room = Math.max(4, Math.min(64, Math.floor(8e6 / most)));
    this.unpacked = new Recent(room, (number) => this.unpack(number));
    this.decoded = new Recent(room, (number) => this.decode(number));
  }

  get(number) {
    return this.decoded.get(number);
  }

  /// The bytes of a frame, and where the positions of its pieces are. Needs no other frame.
  async unpack(number) {
    this.unpackings++;
    const element = document.getElementById(`frame${number}`);
    const reader = new Reader(await unpack(element.textContent));
    // The text of the only frame is not needed again.
    if (this.page.frames.length === 1) element.remove();
    const fresh = reader.varint();
    for (let i = 0; i < fresh; i++) this.triangles[this.page.frames[number].firstSet + i] = readTriangles(reader);
    const pieces = [];
    for (let i = reader.varint(); i > 0; i--) {
      const piece = { set: reader.varint(), back: reader.varint(), at: 0, bytes: 0 };
      if (piece.back === 0) piece.bytes = reader.varint();
      pieces.push(piece);
    }
    for (const piece of pieces) {
      piece.at = reader.at;
      reader.at += piece.bytes;
    }
    return { reader, pieces, rest: reader.at };
  }

  /// The positions of a piece, from the frame that has them.
  async positions(number, set) {
    const { reader, pieces } = await this.unpacked.get(number);
    const piece = pieces.find((other) => other.set === set && other.back === 0);
    piece.positions ??= reader.from(piece.at).quantised(this.triangles[set].vertices, this.triangles[set].loose);
    return piece.positions;
  }

  async decode(number) {
    const { reader, pieces: table, rest } = await this.unpacked.get(number);
    const pieces = [];
    for (const { set, back } of table) {
      if (!this.triangles[set]) await this.unpacked.get(this.frameWith(set));
      const triangles = this.triangles[set];
      pieces.push({ set, back, triangles, positions: await this.positions(number - back, set) });
    }
    // Independent models have a space each; a model that moves keeps the space of its first frame that is not empty.
    const first = this.page.independent ? number : this.page.frames.findIndex((frame) => frame.triangles > 0);
    const space = first === number || first < 0 ? spaceOf(pieces) : (await this.get(first)).space;
    const tail = reader.from(rest);
    const info = this.page.frames[number];
    const contacts = readContacts(tail, info.listed, pieces, space);
    const dropped = readPruning(tail);
    const flaws = readFlaws(tail, contacts.clusters.length, space);
    return { number, info, pieces, contacts, dropped, flaws, space };
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
