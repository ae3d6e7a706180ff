// The surfaces of all parts in few buffers: a page of a thousand cubes is one draw call. What differs from part to part
// (place, colour, opacity) is in a texture with some texels for each piece.
import { BufferAttribute, BufferGeometry, DataTexture, DoubleSide, FloatType, FrontSide, NearestFilter, RGBAFormat, Vector4 } from 'three';
import { placeOf } from './contacts.js';
import { NEVER, STAYS } from './frame.js';
import { smoothNormals } from './normals.js';
import { coarseIndex } from './quick.js';
import { PIECES_IN_ROW, surface, TEXELS } from './shaders.js';

const GHOSTLY = 0.1;
export const CROWD = 200;    // parts
const MOST_PIECES = 65536;   // of one buffer: the number of a piece has 16 bits there
// Above this many triangles normals are made after the first picture; above it in an animation, not at all.
const AT_ONCE = 250000, MOVING = 60000;

// New values for an attribute or the index of a geometry; the buffer is used again where its length is the same.
function refill(geometry, name, values, size, normalized = false) {
  const old = name === 'index' ? geometry.getIndex() : geometry.getAttribute(name);
  if (old && old.array.length === values.length) {
    if (old.array === values) return;
    old.array = values;
    old.needsUpdate = true;
    return;
  }
  if (old) geometry.dispose();
  const made = new BufferAttribute(values, size, normalized);
  if (name === 'index') geometry.setIndex(made); else geometry.setAttribute(name, made);
}

class Batch {
  constructor(model, first) {
    Object.assign(this, { model, first, pieces: [], geometry: new BufferGeometry(), quickGeometry: new BufferGeometry(), quickReady: false });
    const { stage } = model;
    const mesh = (layer, order, options, paint) => {
      const own = { layer: { value: layer }, first: { value: first }, paint: { value: paint ?? new Vector4(0, 0, 0, 0) } };
      return stage.add(this.geometry, stage.material(surface, own, options), order);
    };
    const clear = { transparent: true, depthWrite: false };
    this.opaque = mesh(0, 0, {});
    this.clear = mesh(1, 2, clear);
    // In the view of passes: what was dropped before, what this pass drops, what is in the set.
    this.passes = [mesh(2, 2, clear), mesh(2, 0, {}), mesh(2, 0, {})];
    this.passes.forEach((one) => {
      one.range = [0, 0];
      one.onBeforeRender = () => this.geometry.setDrawRange(...one.range);
    });
    this.opaque.onBeforeRender = this.clear.onBeforeRender = () => this.geometry.setDrawRange(0, this.count);
    this.quick = [stage.add(this.quickGeometry, this.opaque.material, 0), stage.add(this.quickGeometry, this.clear.material, 2)];
    this.meshes = [this.opaque, this.clear, ...this.passes, ...this.quick];
  }

  remove() {
    for (const mesh of this.meshes) {
      this.model.stage.scene.remove(mesh);
      mesh.material.dispose();
    }
    this.quickGeometry.deleteAttribute('position');  // goes with the other geometry
    this.quickGeometry.dispose();
    this.geometry.dispose();
  }

  /// Vertices of all pieces; order() makes their triangles. A piece that is alone and flat is used as it is.
  fill(smooth) {
    const { pieces, geometry } = this;
    for (const piece of pieces) {
      const { positions, triangles } = piece.data;
      if (smooth && !positions.smooth) positions.smooth = smoothNormals(positions.values, triangles.index, piece.side);
      piece.smooth = smooth ? positions.smooth : null;
      piece.corners = piece.smooth ? piece.smooth.index : triangles.index;
      piece.vertices = piece.smooth ? piece.smooth.from.length : positions.values.length / 4;
    }
    let vertices = 0;
    for (const piece of pieces) {
      piece.base = vertices;
      vertices += piece.vertices;
    }
    const alone = pieces.length === 1 && !pieces[0].smooth;
    const values = alone ? pieces[0].data.positions.values : new Uint16Array(4 * vertices);
    const normals = smooth ? new Int8Array(4 * vertices) : null;
    if (!alone) pieces.forEach((piece, number) => copyVertices(piece, number, values, normals));
    refill(geometry, 'position', values, 4);
    if (normals) refill(geometry, 'normal', normals, 4, true);
    else if (geometry.getAttribute('normal')) {
      geometry.dispose();
      geometry.deleteAttribute('normal');
    }
    this.quickReady = false;
  }

  // Triangles in contact are drawn from full precision and left out here; in the view of passes all are here, in the
  // order in which passes dropped them.
  order() {
    const { pieces, model } = this, { frame } = model;
    this.bounds = null;
    let index;
    if (model.pass !== null) index = this.byPass(frame);
    else {
      let count = 0;
      for (const piece of pieces) {
        piece.skip = model.touchedOf(piece);
        piece.from = count;
        count += piece.corners.length - 3 * (piece.skip?.count ?? 0);
      }
      const only = pieces.length === 1 && !pieces[0].skip;
      index = only ? pieces[0].corners : new Uint32Array(count);
      if (!only) for (const piece of pieces) copyCorners(piece, index);
    }
    refill(this.geometry, 'index', index, 1);
    this.count = index.length;
    this.range();
  }

  byPass(frame) {
    const passes = frame.info.pruning.passes.length;
    const place = (value) => (value === NEVER ? 0 : value === STAYS ? passes + 1 : value - 1);
    const start = new Uint32Array(passes + 3);
    const slots = this.pieces.map(({ data: { triangles } }) => {
      const dropped = triangles.coarse ? null : frame.dropped.get(triangles.part);
      const slot = new Uint16Array(triangles.count);
      if (dropped) for (let i = 0; i < triangles.count; i++) slot[i] = place(dropped[triangles.numbers ? triangles.numbers[i] : i]);
      for (let i = 0; i < triangles.count; i++) start[slot[i] + 1]++;
      return slot;
    });
    for (let i = 1; i < start.length; i++) start[i] += start[i - 1];
    this.bounds = start.slice();
    const next = start.slice(), index = new Uint32Array(3 * start[passes + 2]);
    this.pieces.forEach(({ corners, base, data: { triangles } }, number) => {
      for (let i = 0; i < triangles.count; i++) {
        const to = 3 * next[slots[number][i]]++;
        for (let k = 0; k < 3; k++) index[to + k] = base + corners[3 * i + k];
      }
    });
    return index;
  }

  range() {
    const { bounds, model: { pass } } = this;
    if (!bounds || pass === null) return;
    const from = 3 * bounds[Math.min(pass + 1, bounds.length - 2)], to = 3 * bounds[Math.min(pass + 2, bounds.length - 2)];
    this.passes[0].range = [0, from];
    this.passes[1].range = [from, to - from];
    this.passes[2].range = [to, this.count - to];
  }

  prepareQuick() {
    if (this.quickReady) return;
    const { quickGeometry: geometry } = this;
    // The positions are those of the batch itself: if they were disposed of here, their buffer would be gone from both.
    geometry.deleteAttribute('position');
    geometry.dispose();
    geometry.setAttribute('position', this.geometry.getAttribute('position'));
    const parts = this.pieces.map((piece) => coarseIndex(piece.data.positions, piece.data.triangles.index, piece));
    const index = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) index.set(part, at), at += part.length;
    geometry.setIndex(new BufferAttribute(index, 1));
    this.quickReady = true;
  }

  show(stage, hasClear) {
    const passes = stage.pass !== null && this.bounds;
    const { coarsely } = stage;
    this.opaque.visible = !passes && !coarsely && this.count > 0;
    this.clear.visible = this.opaque.visible && hasClear;
    this.passes.forEach((mesh) => { mesh.visible = passes !== null && passes !== false && mesh.range[1] > 0; });
    this.quick[0].visible = coarsely;
    this.quick[1].visible = coarsely && hasClear;
  }
}

function copyVertices(piece, number, values, normals) {
  const { values: own } = piece.data.positions, { smooth, base, vertices } = piece;
  if (!smooth) values.set(own, 4 * base);
  else {
    for (let i = 0, to = 4 * base; i < vertices; i++, to += 4) {
      const at = 4 * smooth.from[i];
      values[to] = own[at];
      values[to + 1] = own[at + 1];
      values[to + 2] = own[at + 2];
    }
    normals.set(smooth.normals, 4 * base);
  }
  if (number > 0 || smooth) for (let i = 0, to = 4 * base + 3; i < vertices; i++, to += 4) values[to] = number;
}

function copyCorners({ corners, skip, base, from }, index) {
  for (let i = 0, to = from; i < corners.length; i += 3) {
    if (skip && skip.of[i / 3] === 1) continue;
    index[to++] = base + corners[i];
    index[to++] = base + corners[i + 1];
    index[to++] = base + corners[i + 2];
  }
}

export class Model {
  constructor(stage) {
    this.stage = stage;
    this.pieces = [];
    this.batches = [];
    this.pass = null;
    this.hasClear = false;
  }

  makeTexture(pieces) {
    const rows = Math.ceil((pieces + 1) / PIECES_IN_ROW);
    if (this.texture?.image.height === rows) return;
    this.texture?.dispose();
    const texture = new DataTexture(new Float32Array(4 * TEXELS * PIECES_IN_ROW * rows), TEXELS * PIECES_IN_ROW, rows, RGBAFormat, FloatType);
    texture.minFilter = texture.magFilter = NearestFilter;
    this.texture = texture;
    this.stage.shared.pieces.value = texture;
  }

  /// The pieces of a frame. `moves`: other frames of the same model follow.
  setFrame(frame, moves) {
    this.frame = frame;
    this.touched = new Map();
    const { space } = frame;
    this.pieces = frame.pieces.map((data) => {
      const { low, high } = data.positions;
      const a = space.inside(low), b = space.inside(high), side = b.map((x, i) => x - a[i]);
      return { part: data.triangles.part, coarse: data.triangles.coarse, data, low: a, high: b, side, shown: true, colour: [0.5, 0.5, 0.5], opacity: 1 };
    });
    this.outward = undefined;
    this.pieceOf = new Map();  // the piece whose look a part has
    this.pieces.forEach((piece, i) => { if (!piece.coarse || !this.pieceOf.has(piece.part)) this.pieceOf.set(piece.part, i); });
    this.makeTexture(this.pieces.length);
    const chunks = Math.ceil(this.pieces.length / MOST_PIECES);
    while (this.batches.length > chunks) this.batches.pop().remove();
    while (this.batches.length < chunks) this.batches.push(new Batch(this, this.batches.length * MOST_PIECES));
    this.batches.forEach((batch, i) => { batch.pieces = this.pieces.slice(i * MOST_PIECES, (i + 1) * MOST_PIECES); });
    this.count = this.pieces.reduce((sum, piece) => sum + piece.data.triangles.count, 0);
    const smooth = this.count <= (moves ? MOVING : AT_ONCE);
    for (const batch of this.batches) batch.fill(smooth);
    clearTimeout(this.later);
    this.smoothLater = !smooth && !moves;
  }

  /// Normals of a large model, after its first picture.
  refine(done) {
    if (!this.smoothLater) return;
    this.smoothLater = false;
    this.later = setTimeout(() => {
      for (const batch of this.batches) {
        batch.fill(true);
        batch.order();
      }
      done();
    }, 300);
  }

  /// The triangles that are drawn by the marks (marks.js), and not here: numbers by part.
  setTouched(touched) {
    this.touched = touched;
    for (const batch of this.batches) batch.order();
  }

  touchedOf(piece) {
    const { triangles } = piece.data;
    const numbers = triangles.coarse ? undefined : this.touched.get(piece.part);
    if (!numbers) return null;
    const of = new Uint8Array(triangles.count);
    let count = 0;
    for (const number of numbers) {
      const at = placeOf(triangles, number);
      if (at >= 0 && of[at] === 0) of[at] = 1, count++;
    }
    return count > 0 ? { of, count } : null;
  }

  setPass(pass) {
    const changed = (pass === null) !== (this.pass === null);
    this.pass = pass;
    for (const batch of this.batches) if (changed) batch.order(); else batch.range();
  }

  paintPasses(theme, opacity, set) {
    for (const { passes } of this.batches)
      [[theme.mesh, Math.min(opacity, 0.25)], [theme.dropped, 1], [theme.inside, 1]].forEach(([hex, w], i) => {
        const [r, g, b] = set(hex);
        passes[i].material.uniforms.paint.value.set(r, g, b, w);
      });
  }

  /// The look of each piece: `look(part, coarse)` returns { colour: [r, g, b], opacity }.
  paint(look) {
    const { data } = this.texture.image;
    this.hasClear = false;
    this.ghosts = 0;
    const put = (i, { colour, opacity }) => {
      data.set(colour, 4 * (TEXELS * i + 2));
      data[4 * (TEXELS * i + 2) + 3] = opacity;
    };
    this.pieces.forEach((piece, i) => {
      const { colour, opacity } = look(piece.part, piece.coarse);
      Object.assign(piece, { colour, opacity, shown: opacity > 0 });
      if (opacity > 0 && opacity < 1) this.hasClear = true;
      if (opacity > 0 && opacity < GHOSTLY) this.ghosts++;
      put(i, piece);
    });
    put(this.pieces.length, { colour: look(-1, false).colour, opacity: 1 });
    this.texture.needsUpdate = true;
  }

  /// Places relative to the eye.
  place(eye) {
    const { data } = this.texture.image;
    this.pieces.forEach(({ low, side, coarse }, i) => {
      const at = 4 * TEXELS * i;
      for (let axis = 0; axis < 3; axis++) {
        data[at + axis] = low[axis] - eye[axis];
        data[at + 4 + axis] = side[axis] / 65535;
      }
      data[at + 7] = coarse ? 1 : 0;
    });
    this.texture.needsUpdate = true;
  }

  show() {
    // Of a crowd of closed parts only the outsides are drawn: half of what lies behind each other.
    const outsides = this.pieces.length > CROWD && !this.stage.cut && (this.outward ??= this.pieces.every((piece) => this.isOutward(piece)));
    for (const batch of this.batches) {
      batch.opaque.material.side = outsides ? FrontSide : DoubleSide;
      batch.show(this.stage, this.hasClear);
    }
  }

  /// Whether a piece is closed and its triangles run counterclockwise as seen from outside: the volume is positive.
  isOutward({ part, coarse, side, data: { positions: { values }, triangles: { index } } }) {
    if (coarse || !this.stage.isClosed(part)) return false;
    let volume = 0;
    for (let i = 0; i < index.length; i += 3) {
      const p = 4 * index[i], q = 4 * index[i + 1], r = 4 * index[i + 2];
      volume += values[p] * (values[q + 1] * values[r + 2] - values[q + 2] * values[r + 1]) + values[p + 1] * (values[q + 2] * values[r] - values[q] * values[r + 2]) + values[p + 2] * (values[q] * values[r + 1] - values[q + 1] * values[r]);
    }
    return volume > 0 && side.every((x) => x > 0);
  }

  hide(which) {
    for (const batch of this.batches) for (const mesh of batch.meshes) if (which(mesh, batch)) mesh.visible = false;
  }
}
