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

/// All frames; decodes on demand and keeps the frames that were decoded last.
export class Frames {
  constructor(page) {
    this.page = page;
    this.triangles = [];       // of all frames decoded so far, by number
    this.decoded = new Map();  // frame → promise
  }

  get(number) {
    let frame = this.decoded.get(number);
    if (frame) {
      this.decoded.delete(number);  // moves it to the end: used last
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
      if (piece.back === 0) piece.positions = reader.quantised(piece.triangles.vertices, piece.triangles.loose);
    }
    for (const piece of pieces) {
      if (piece.positions) continue;
      const from = await this.get(number - piece.back);
      piece.positions = from.pieces.find((other) => other.set === piece.set).positions;
    }
    // Independent models have a space each; a model that moves keeps the space of its first frame that is not empty.
    const first = this.page.independent ? number : this.page.frames.findIndex((frame) => frame.triangles > 0);
    const space = first === number || first < 0 ? spaceOf(pieces) : (await this.get(first)).space;
    const contacts = readContacts(reader, info.listed, pieces, space);
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
