// The marks of contacts: the triangles in contact, from full precision, and the curves where triangles meet. How a
// cluster looks is in a texture, so that a choice changes some bytes and no buffer. Clusters that are hidden are not in
// the buffers at all: ten thousand touching pairs cost nothing until they are shown.
import { BufferAttribute, BufferGeometry, DataTexture, GreaterDepth, LessEqualDepth, NearestFilter, RedFormat, UnsignedByteType } from 'three';
import { FLAW, placeOf, SEVERITY } from './contacts.js';
import { CLUSTERS_IN_ROW, contactSurface, curve, HIDDEN, PLAIN } from './shaders.js';

function split(value, high, low, at) {
  high[at] = value;
  low[at] = value - high[at];
}

export class Marks {
  constructor(stage) {
    this.stage = stage;
    const blended = { transparent: true, depthWrite: false };
    const hiddenPart = { ...blended, depthFunc: GreaterDepth };
    const face = (layer, opacity, more) => stage.material(contactSurface, { layer: { value: layer }, opacity: { value: opacity } }, more);
    const line = (edge, width, grow, opacity, through, more) => stage.material(curve,
      { edge: { value: edge }, width: { value: width }, grow: { value: grow }, opacity: { value: opacity }, through: { value: through } }, more);
    this.faces = new BufferGeometry();
    this.lines = new BufferGeometry();
    this.front = stage.add(this.faces, face(0, 1), 1);
    this.clear = stage.add(this.faces, face(1, 1, blended), 2);
    this.behind = stage.add(this.faces, face(2, 0.28, hiddenPart), 4);
    this.lineBehind = stage.add(this.lines, line(0, 1.6, 0, 0.5, 1, hiddenPart), 4);
    this.haloBehind = stage.add(this.lines, line(1, 1.6, 1, 0, 1, hiddenPart), 3.9);
    this.halo = stage.add(this.lines, line(1, 2.2, 1, 0.75, 0, { ...blended, depthFunc: LessEqualDepth, bias: '0.00005' }), 5);
    this.line = stage.add(this.lines, line(0, 2.2, 0, 1, 0, { ...blended, bias: '0.00006' }), 6);
    this.meshes = [this.front, this.clear, this.behind, this.lineBehind, this.haloBehind, this.halo, this.line];
    this.clusters = 0;
    for (const mesh of this.meshes) mesh.visible = false;
    this.states = new Uint8Array(0);
  }

  /// The contacts of a frame. All clusters are plain.
  setFrame(frame) {
    this.frame = frame;
    const { contacts } = frame;
    const count = contacts.clusters.length + frame.flaws.length;
    const rows = Math.max(1, Math.ceil(count / CLUSTERS_IN_ROW));
    if (!this.texture || this.texture.image.height !== rows) {
      this.texture?.dispose();
      this.texture = new DataTexture(new Uint8Array(rows * CLUSTERS_IN_ROW), CLUSTERS_IN_ROW, rows, RedFormat, UnsignedByteType);
      this.texture.minFilter = this.texture.magFilter = NearestFilter;
      this.stage.shared.clusters.value = this.texture;
    }
    this.states = this.texture.image.data;
    this.states.fill(PLAIN);
    this.texture.needsUpdate = true;
    this.within = null;  // clusters that are in the buffers
  }

  /// `stateOf(cluster)` is one of the states of shaders.js.
  paint(stateOf) {
    const clusters = [...this.frame.contacts.clusters, ...this.frame.flaws];
    let same = this.within !== null;
    const within = new Uint8Array(clusters.length);
    clusters.forEach((cluster, i) => {
      this.states[i] = stateOf(cluster);
      within[i] = this.states[i] === HIDDEN ? 0 : 1;
      if (same && within[i] !== this.within[i]) same = false;
    });
    this.texture.needsUpdate = true;
    if (same) return;
    this.within = within;
    this.fillLines();
    this.fillTriangles(this.frame.contacts, this.stage.model);
  }

  // ---- triangles in contact: each once for each shown cluster that it is in, coloured near that one; the first of them
  // fills in the rest.

  fillTriangles(contacts, model) {
    const { triangles } = contacts;
    // Triangles of shown clusters; all others are drawn with the model.
    const place = new Int32Array(triangles.number.length).fill(-1), own = [], touched = new Map();
    for (let i = 0; i < contacts.count; i++)
      if (this.within[contacts.clusterOf[i]] === 1) place[triangles.sides[2 * i]] = place[triangles.sides[2 * i + 1]] = 0;
    place.forEach((shown, i) => {
      if (shown < 0) return;
      place[i] = own.push(i) - 1;
      const list = touched.get(triangles.part[i]);
      if (list) list.push(triangles.number[i]); else touched.set(triangles.part[i], [triangles.number[i]]);
    });
    model.setTouched(touched);
    const firsts = own.length;
    const entries = { part: own.map((i) => triangles.part[i]), cluster: new Array(firsts).fill(-1), from: Array.from({ length: firsts }, (_, i) => i), place };
    const { low, high, kind } = this.entriesOf(contacts, entries);
    const count = entries.part.length;
    const list = this.triangles = { count: firsts, part: Uint32Array.from(entries.part), cluster: Int32Array.from(entries.cluster), number: own.map((i) => triangles.number[i]), corners: new Float64Array(9 * count) };
    own.forEach((from, i) => { for (let k = 0; k < 9; k++) list.corners[9 * i + k] = contacts.corners[9 * from + k]; });
    for (let i = firsts; i < count; i++) list.corners.copyWithin(9 * i, 9 * entries.from[i], 9 * entries.from[i] + 9);
    const high32 = new Float32Array(9 * count), low32 = new Float32Array(9 * count), what = new Float32Array(9 * count);
    const spot = new Float32Array(12 * count), normals = new Int8Array(12 * count);
    for (let i = 0; i < 9 * count; i++) split(list.corners[i], high32, low32, i);
    for (let i = 0; i < count; i++) {
      const piece = model.pieceOf.get(list.part[i]) ?? model.pieces.length;
      for (let k = 0; k < 3; k++) {
        what[9 * i + 3 * k] = kind[i] ?? 0;
        what[9 * i + 3 * k + 1] = piece;
        what[9 * i + 3 * k + 2] = list.cluster[i];
      }
      this.setSpot(spot, i, low, high, i < firsts ? 1 : -1);
      this.setNormals(normals, i, model.pieces[piece], list.number[entries.from[i]]);
    }
    const geometry = this.faces;
    geometry.dispose();
    geometry.setAttribute('position', new BufferAttribute(high32, 3));
    geometry.setAttribute('low', new BufferAttribute(low32, 3));
    geometry.setAttribute('what', new BufferAttribute(what, 3));
    geometry.setAttribute('spot', new BufferAttribute(spot, 4));
    geometry.setAttribute('normal', new BufferAttribute(normals, 4, true));
    geometry.setDrawRange(0, 3 * count);
    this.entries = count;
  }

  /// The normals of the model became smooth.
  refine(model) {
    const attribute = this.faces.getAttribute('normal');
    for (let i = 0; i < this.triangles.count; i++) this.setNormals(attribute.array, i, model.pieces[model.pieceOf.get(this.triangles.part[i])], this.triangles.number[i]);
    attribute.needsUpdate = true;
  }

  setNormals(normals, i, piece, number) {
    if (!piece?.smooth || piece.coarse) return;
    const at = placeOf(piece.data.triangles, number);
    if (at < 0) return;
    for (let k = 0; k < 3; k++) {
      const vertex = 4 * piece.smooth.index[3 * at + k];
      for (let axis = 0; axis < 3; axis++) normals[12 * i + 4 * k + axis] = piece.smooth.normals[vertex + axis];
    }
  }

  // The box of the contacts and the most serious kind of each entry; adds the entries of further clusters.
  entriesOf(contacts, entries) {
    const { points, outlines, clusterOf } = contacts;
    const more = new Map();
    const low = [], high = [], kind = [];
    const clusters = contacts.clusters.length;
    for (let i = 0; i < contacts.count; i++) {
      if (this.within[clusterOf[i]] !== 1) continue;
      for (let side = 0; side < 2; side++) {
        const first = entries.place[contacts.triangles.sides[2 * i + side]], cluster = clusterOf[i];
        let entry = first;
        if (entries.cluster[first] < 0) entries.cluster[first] = cluster;
        else if (entries.cluster[first] !== cluster) {
          const other = first * clusters + cluster;
          entry = more.get(other);
          if (entry === undefined) {
            more.set(other, entry = entries.part.length);
            entries.part.push(entries.part[first]);
            entries.cluster.push(cluster);
            entries.from.push(first);
          }
        }
        if (kind[entry] === undefined || SEVERITY.indexOf(contacts.kind[i]) < SEVERITY.indexOf(kind[entry])) kind[entry] = contacts.kind[i];
        for (let p = 3 * points[i]; p < 3 * points[i + 1]; p++) {
          const k = 3 * entry + (p % 3);
          if (!(outlines[p] >= low[k])) low[k] = outlines[p];
          if (!(outlines[p] <= high[k])) high[k] = outlines[p];
        }
      }
    }
    return { low, high, kind };
  }

  // For each corner: where it lies from the middle of the contacts, and how far they reach.
  setSpot(spot, i, low, high, sign) {
    const { corners } = this.triangles;
    let reach = 0, edge = 0;
    for (let axis = 0; axis < 3; axis++) {
      const k = 3 * i + axis, c = 9 * i + axis;
      const known = low[k] <= high[k];
      const middle = known ? low[k] / 2 + high[k] / 2 : corners[c];
      reach += known ? ((high[k] - low[k]) / 2) ** 2 : 0;
      edge = Math.max(edge, Math.abs(corners[c] - corners[c + 3]), Math.abs(corners[c] - corners[c + 6]));
      for (let corner = 0; corner < 3; corner++) spot[12 * i + 4 * corner + axis] = corners[c + 3 * corner] - middle;
    }
    for (let corner = 0; corner < 3; corner++) spot[12 * i + 4 * corner + 3] = sign * Math.max(Math.sqrt(reach), 0.06 * edge, 1e-30);
  }

  // ---- curves: four corners a segment, each with both ends. Instances would hold this once, but where the CPU draws,
  // each instance is a call of its own.

  fillLines() {
    const { contacts } = this.frame, { outlines, points, kind, clusterOf } = contacts;
    const segments = (size) => (size < 3 ? Math.min(size, 1) : size);
    let count = 0;
    for (let i = 0; i < contacts.count; i++) if (this.within[clusterOf[i]] === 1) count += segments(points[i + 1] - points[i]);
    const flaws = this.frame.flaws.filter((flaw) => this.within[flaw.number] === 1);
    for (const { points: own } of flaws) count += own.length / 3 - 1;
    const arrays = ['startHigh', 'startLow', 'endHigh', 'endLow'].map(() => new Float32Array(12 * count));
    const [startHigh, startLow, endHigh, endLow] = arrays;
    const corner = new Int8Array(16 * count), index = new Uint32Array(6 * count), labels = new Float32Array(4 * count);
    let at = 0;
    const put = (array, from, to, what, label) => {
      for (let v = 4 * at; v < 4 * at + 4; v++) {
        for (let axis = 0; axis < 3; axis++) {
          split(array[from + axis], startHigh, startLow, 3 * v + axis);
          split(array[to + axis], endHigh, endLow, 3 * v + axis);
        }
        const which = v - 4 * at;
        corner[4 * v] = which === 1 || which === 2 ? 1 : 0;
        corner[4 * v + 1] = which < 2 ? -1 : 1;
        corner[4 * v + 2] = what;
        labels[v] = label;
      }
      const v = 4 * at, to6 = 6 * at++;
      index[to6] = index[to6 + 3] = v;
      index[to6 + 1] = v + 1;
      index[to6 + 2] = index[to6 + 4] = v + 2;
      index[to6 + 5] = v + 3;
    };
    for (let i = 0; i < contacts.count; i++) {
      if (this.within[clusterOf[i]] !== 1) continue;
      const first = points[i], size = points[i + 1] - first, number = segments(size);
      for (let k = 0; k < number; k++) put(outlines, 3 * (first + k), 3 * (first + (size === 1 ? 0 : (k + 1) % size)), kind[i], clusterOf[i]);
    }
    for (const { points: own, number } of flaws) for (let k = 0; k + 3 < own.length; k += 3) put(own, k, k + 3, FLAW, number);
    const geometry = this.lines;
    geometry.dispose();
    geometry.setAttribute('position', new BufferAttribute(corner, 4));
    ['startHigh', 'startLow', 'endHigh', 'endLow'].forEach((name, i) => geometry.setAttribute(name, new BufferAttribute(arrays[i], 3)));
    geometry.setAttribute('cluster', new BufferAttribute(labels, 1));
    geometry.setIndex(new BufferAttribute(index, 1));
    geometry.setDrawRange(0, index.length);
    this.segments = count;
  }

  /// `few`: only curves, and triangles where they are few.
  show({ passes, through, chosen, few, hasClear }) {
    const faces = this.entries > 0 && !passes, lines = this.segments > 0 && !passes;
    this.front.visible = faces;
    this.clear.visible = faces && hasClear;
    this.behind.visible = faces && through && !few;
    this.lineBehind.visible = lines && (through || chosen) && !few;
    this.haloBehind.visible = lines && chosen && !few;
    this.halo.visible = lines && !few;
    this.line.visible = lines;
  }

  hide() {
    for (const mesh of this.meshes) mesh.visible = false;
  }
}
