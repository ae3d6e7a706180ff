// The picture: parts, triangles in contact, intersection curves. Draws only when something changed.
import {
  Box3, BufferAttribute, BufferGeometry, Color, DoubleSide, GLSL3, GreaterDepth, LessEqualDepth, LinearSRGBColorSpace, Mesh, PerspectiveCamera,
  RawShaderMaterial, Scene, Sphere, Vector2, Vector3, Vector4, WebGLRenderer,
} from 'three';
import { KINDS, placeOf, SEVERITY } from './contacts.js';
import { NEVER, STAYS } from './frame.js';
import { coarseIndex } from './quick.js';
import { contactSurface, curve, surface } from './shaders.js';

const FIELD_OF_VIEW = 35;
// Opacity of the curves of a cluster that is not the chosen one.
const OTHERS = '0.45';
// Where the CPU draws, more triangles than this are drawn coarsely while the view moves, and in full when it rests.
const MANY = 150000, FEW = 10000, REST = 180;
// Nearer than this share of the model the coarse copy would be too coarse.
const NEAR = 0.3;

// Colours are those of the screen: nothing is converted on the way.
const set = (colour, hex) => colour.setStyle(hex, LinearSRGBColorSpace);

function split(value, high, low, at) {
  high[at] = value;
  low[at] = value - high[at];
}

function sphereAbout(box, least) {
  const { center, radius } = box.getBoundingSphere(new Sphere());
  return { center, radius: Math.max(radius, least) };
}

// New values for an attribute or the index of a geometry; the buffer is used again where its length is the same.
function refill(geometry, old, values, put) {
  if (old && old.array.length === values.length) {
    old.array = values;
    old.needsUpdate = true;
  } else {
    if (old) geometry.dispose();
    put();
  }
}

function drawsInSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return false;
  let name = gl.getParameter(gl.RENDERER);
  if (/webkit|mozilla/i.test(name)) {  // some browsers give it only by the extension
    const more = gl.getExtension('WEBGL_debug_renderer_info');
    if (more) name = gl.getParameter(more.UNMASKED_RENDERER_WEBGL);
  }
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class Stage {
  constructor(canvas, theme) {
    // Where the CPU draws, smooth edges cost more than all else (1,000,000 triangles: 2.8 s a picture instead of 0.8).
    this.software = drawsInSoftware();
    this.renderer = new WebGLRenderer({ canvas, antialias: !this.software, powerPreference: 'high-performance' });
    this.camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
    this.scene = new Scene();
    this.scene.matrixWorldAutoUpdate = false;
    this.pieces = [];
    this.hidden = new Set();      // parts
    this.isolated = null;         // or a Set of parts
    this.opacity = 1;
    this.through = true;          // contacts behind surfaces shine through
    this.selected = -1;
    this.hiddenKinds = [0, 0, 0, 0];
    this.cut = null;              // or { normal: [x, y, z], at: along it }
    this.pass = null;             // or the number of a pass to show
    this.frame = null;
    this.target = new Vector3();
    this.box = { low: [0, 0, 0], high: [0, 0, 0] };  // of all frames
    this.coarsely = false;
    this.shared = {
      cut: { value: new Vector4() }, cutting: { value: 0 }, back: { value: new Color() },
      eyeHigh: { value: new Vector3() }, eyeLow: { value: new Vector3() }, kinds: { value: KINDS.map(() => new Color()) },
      hiddenKinds: { value: this.hiddenKinds }, selected: { value: -1 }, size: { value: new Vector2() },
      near: { value: 0.01 }, probing: { value: 0 },
      plain: { value: new Color() }, ink: { value: new Color() }, halo: { value: new Color() }, rim: { value: new Color() },
    };
    this.makeContactObjects();
    this.setTheme(theme);
  }

  material(shader, own, more = {}) {
    const { shared } = this;
    const { bias = '0.0', ...options } = more;
    const put = (text) => text.replaceAll('OTHERS', OTHERS).replaceAll('BIAS', bias);
    return new RawShaderMaterial({
      glslVersion: GLSL3, side: DoubleSide, vertexShader: put(shader.vertexShader),
      fragmentShader: put(shader.fragmentShader),
      uniforms: { ...shared, ...own }, ...options,
    });
  }

  add(geometry, material, order) {
    const mesh = new Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.matrixAutoUpdate = false;
    mesh.renderOrder = order;
    this.scene.add(mesh);
    return mesh;
  }

  makeContactObjects() {
    const blended = { transparent: true, depthWrite: false };
    const hiddenPart = { ...blended, depthFunc: GreaterDepth };
    const front = this.material(contactSurface, { opacity: { value: 1 } });
    const behind = this.material(contactSurface, { opacity: { value: 0.28 } }, hiddenPart);
    const line = (edge, width, grow, opacity, more) => this.material(curve,
      { edge: { value: edge }, width: { value: width }, grow: { value: grow }, opacity: { value: opacity } }, more);
    const lineHalo = line(1, 2.2, 1, 0.75, { ...blended, depthFunc: LessEqualDepth, bias: '0.00005' });
    const lineFront = line(0, 2.2, 0, 1, { ...blended, bias: '0.00006' });
    const lineBehind = line(0, 1.6, 0, 0.5, hiddenPart);
    this.contactGeometry = new BufferGeometry();
    this.curveGeometry = new BufferGeometry();
    this.contacts = [
      this.add(this.contactGeometry, front, 1), this.add(this.contactGeometry, behind, 4),
      this.add(this.curveGeometry, lineHalo, 5), this.add(this.curveGeometry, lineFront, 6),
      this.add(this.curveGeometry, lineBehind, 4),
    ];
    this.throughContacts = [this.contacts[1], this.contacts[4]];
    this.lineMaterials = [lineHalo, lineFront, lineBehind];
    for (const mesh of this.contacts) mesh.visible = false;
  }

  setTheme(theme) {
    this.theme = theme;
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    this.background = set(new Color(), theme.background);
    this.renderer.setClearColor(this.background, 1);
    set(this.shared.back.value, theme.back);
    KINDS.forEach((kind, i) => set(this.shared.kinds.value[i], theme[kind]));
    for (const name of ['ink', 'halo', 'rim']) set(this.shared[name].value, theme[name]);
    set(this.shared.plain.value, theme.mesh);
    for (const piece of this.pieces) this.paintPiece(piece);
    this.draw();
  }

  /// Shows a decoded frame.
  setFrame(frame, another = false) {
    const sameModel = this.frame !== null && !another;
    if (!sameModel) this.wholeSphere = null;
    this.frame = frame;
    this.space = frame.space;
    this.touched = new Map();  // part → numbers of its triangles in contact
    const { part, number } = frame.contacts.triangles;
    for (let i = 0; i < part.length; i++) {
      if (!this.touched.has(part[i])) this.touched.set(part[i], []);
      this.touched.get(part[i]).push(number[i]);
    }
    const old = new Map(this.pieces.map((piece) => [`${piece.part} ${piece.coarse}`, piece]));
    this.pieces = frame.pieces.map((data) => {
      const key = `${data.triangles.part} ${data.triangles.coarse}`;
      const piece = old.get(key) ?? this.newPiece(data);
      old.delete(key);
      this.fillPiece(piece, data);
      return piece;
    });
    for (const piece of old.values()) this.removePiece(piece);
    this.fillContacts(frame.contacts);
    this.applyVisibility();
    if (!sameModel) this.fitNow();
    this.draw();
  }

  newPiece({ triangles }) {
    const uniforms = () => ({ offset: { value: new Vector3() }, steps: { value: new Vector3() } });
    const shared = uniforms();
    const geometry = new BufferGeometry();
    const piece = { part: triangles.part, coarse: triangles.coarse, geometry, shared, meshes: [], data: null };
    // One mesh, or three in the view of passes: each draws its range of the triangles.
    for (let i = 0; i < 3; i++) {
      // The coarse copy lies a little behind where both are.
      const behind = { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 };
      const material = this.material(surface, { ...shared, colour: { value: new Color() }, opacity: { value: 1 } }, triangles.coarse ? behind : {});
      piece.meshes.push(this.add(geometry, material, 0));
      piece.meshes[i].range = [0, 0];
      piece.meshes[i].onBeforeRender = () => geometry.setDrawRange(...piece.meshes[i].range);
    }
    piece.quick = this.add(new BufferGeometry(), piece.meshes[0].material, 0);
    piece.quick.visible = false;
    return piece;
  }

  removePiece(piece) {
    for (const mesh of piece.meshes) {
      this.scene.remove(mesh);
      mesh.material.dispose();
    }
    this.scene.remove(piece.quick);
    piece.quick.geometry.deleteAttribute('position');  // goes with the piece's own geometry
    piece.quick.geometry.dispose();
    piece.geometry.dispose();
  }

  fillPiece(piece, data) {
    const { geometry } = piece;
    const { values } = data.positions;
    if (piece.data?.positions !== data.positions)
      refill(geometry, geometry.getAttribute('position'), values, () => geometry.setAttribute('position', new BufferAttribute(values, 4)));
    piece.data = data;
    piece.quickReady = false;
    this.orderTriangles(piece);
  }

  /// The view moves: draws soon; where that takes long, coarsely until the view rests.
  moved() {
    const many = this.software && this.pass === null && this.pieces.reduce((sum, piece) => sum + piece.data.triangles.count, 0) > MANY;
    this.coarsely = many && this.camera.position.distanceTo(this.target) > NEAR * this.sphere().radius;
    clearTimeout(this.restTimer);
    if (this.coarsely) {
      for (const piece of this.pieces) this.prepareQuick(piece);
      this.restTimer = setTimeout(() => { this.coarsely = false; this.draw(); }, REST);
    }
    this.draw();
  }

  prepareQuick(piece) {
    if (piece.quickReady) return;
    const { geometry } = piece.quick;
    // The positions are those of the piece itself: if they were disposed of here, their buffer would be gone from both.
    geometry.deleteAttribute('position');
    geometry.dispose();
    geometry.setAttribute('position', piece.geometry.getAttribute('position'));
    geometry.setIndex(new BufferAttribute(coarseIndex(piece.data.positions, piece.data.triangles.index), 1));
    piece.quickReady = true;
  }

  // Triangles in contact are drawn from full precision and left out here; in the view of passes all are here, in the
  // order in which passes dropped them.
  orderTriangles(piece) {
    const { triangles } = piece.data;
    const dropped = this.pass !== null && !triangles.coarse ? this.frame.dropped.get(piece.part) : null;
    let index = triangles.index;
    piece.bounds = null;
    if (dropped) {
      const passes = this.frame.info.pruning.passes.length;
      const place = (value) => (value === NEVER ? 0 : value === STAYS ? passes + 1 : value - 1);
      const start = new Uint32Array(passes + 3);
      const numbers = triangles.numbers;
      const slot = (i) => place(dropped[numbers ? numbers[i] : i]);
      for (let i = 0; i < triangles.count; i++) start[slot(i) + 1]++;
      for (let i = 1; i < start.length; i++) start[i] += start[i - 1];
      piece.bounds = start.slice();
      const next = start.slice();
      index = new Uint32Array(triangles.index.length);
      for (let i = 0; i < triangles.count; i++) {
        const to = 3 * next[slot(i)]++;
        for (let k = 0; k < 3; k++) index[to + k] = triangles.index[3 * i + k];
      }
    } else if (this.pass === null && !triangles.coarse && this.touched.has(piece.part)) {
      const skip = new Uint8Array(triangles.count);
      let skipped = 0;
      for (const number of this.touched.get(piece.part)) {
        const at = placeOf(triangles, number);
        if (at >= 0) skip[at] = 1, skipped++;
      }
      index = new Uint32Array(3 * (triangles.count - skipped));
      for (let i = 0, to = 0; i < triangles.count; i++) {
        if (skip[i] === 1) continue;
        index[to++] = triangles.index[3 * i];
        index[to++] = triangles.index[3 * i + 1];
        index[to++] = triangles.index[3 * i + 2];
      }
    }
    if (piece.index !== index)
      refill(piece.geometry, piece.geometry.getIndex(), index, () => piece.geometry.setIndex(new BufferAttribute(index, 1)));
    piece.index = index;
    this.rangePiece(piece);
    this.paintPiece(piece);
  }

  rangePiece(piece) {
    const [rest, now, inside] = piece.meshes;
    const all = piece.index.length;
    if (piece.bounds && this.pass !== null) {
      const { bounds } = piece;
      const from = 3 * bounds[Math.min(this.pass + 1, bounds.length - 2)], to = 3 * bounds[Math.min(this.pass + 2, bounds.length - 2)];
      rest.range = [0, from];
      now.range = [from, to - from];
      inside.range = [to, all - to];
    } else {
      rest.range = [0, all];
      now.range = inside.range = [0, 0];
    }
  }

  paintPiece(piece) {
    const { theme } = this;
    const passes = this.pass !== null && piece.bounds;
    [piece.coarse ? theme.coarse : theme.mesh, theme.dropped, theme.inside].forEach((hex, i) => {
      const material = piece.meshes[i].material;
      set(material.uniforms.colour.value, hex);
      const opacity = passes && i === 0 ? Math.min(this.opacity, 0.25) : passes ? 1 : this.opacity;
      material.uniforms.opacity.value = opacity;
      const clear = opacity < 1;
      if (material.transparent !== clear) {
        material.transparent = clear;
        material.depthWrite = !clear;
        material.needsUpdate = true;
      }
      piece.meshes[i].renderOrder = clear ? 2 : 0;
    });
    piece.quick.renderOrder = piece.meshes[0].renderOrder;
  }

  fillContacts(contacts) {
    // A triangle once for each cluster that it is in, coloured near that one; the first of them fills in the rest.
    const { triangles } = contacts;
    const firsts = triangles.number.length;
    const entries = { part: [...triangles.part], cluster: [...triangles.cluster], from: Array.from({ length: firsts }, (_, i) => i) };
    const { low, high, kind } = this.entriesOf(contacts, entries);
    const count = entries.part.length;
    const list = this.contactTriangles = { count: firsts, part: Uint32Array.from(entries.part), cluster: Int32Array.from(entries.cluster), corners: new Float64Array(9 * count) };
    list.corners.set(contacts.corners);
    for (let i = firsts; i < count; i++) list.corners.copyWithin(9 * i, 9 * entries.from[i], 9 * entries.from[i] + 9);

    const attributes = { high: new Float32Array(9 * count), low: new Float32Array(9 * count), what: new Float32Array(3 * count), spot: new Float32Array(12 * count) };
    for (let i = 0; i < 9 * count; i++) split(list.corners[i], attributes.high, attributes.low, i);
    for (let i = 0; i < count; i++) {
      attributes.what.fill(kind[i], 3 * i, 3 * i + 3);
      this.setSpot(attributes.spot, i, low, high, i < firsts ? 1 : -1);
    }
    this.contactAttributes = attributes;
    this.contactEntries = count;
    this.fillCurves(contacts);
    this.uploadContacts();
  }

  // The box of the contacts and the most serious kind of each entry; adds the entries of further clusters.
  entriesOf(contacts, entries) {
    const { points, outlines, clusterOf } = contacts;
    const more = new Map();
    const low = [], high = [], kind = [];
    for (let i = 0; i < contacts.count; i++)
      for (let side = 0; side < 2; side++) {
        const first = contacts.triangles.sides[2 * i + side], cluster = clusterOf[i];
        let entry = first;
        if (entries.cluster[first] !== cluster) {
          const other = `${first} ${cluster}`;
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
    return { low, high, kind };
  }

  // For each corner: where it lies from the middle of the contacts, and how far they reach.
  setSpot(spot, i, low, high, sign) {
    const { corners } = this.contactTriangles;
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

  // Hidden parts take their triangles in contact with them; a curve stays while one of its parts is shown.
  uploadContacts() {
    const { high, low, what, spot } = this.contactAttributes;
    const list = this.contactTriangles;
    const shown = [];
    for (let i = 0; i < this.contactEntries; i++) if (this.isShown(list.part[i])) shown.push(i);
    const pick = (array, size) => {
      if (shown.length === this.contactEntries) return array;
      const out = new Float32Array(size * shown.length);
      shown.forEach((i, to) => out.set(array.subarray(size * i, size * (i + 1)), size * to));
      return out;
    };
    const geometry = this.contactGeometry;
    geometry.dispose();
    geometry.setAttribute('position', new BufferAttribute(pick(high, 9), 3));
    geometry.setAttribute('low', new BufferAttribute(pick(low, 9), 3));
    geometry.setAttribute('what', new BufferAttribute(pick(what, 3), 1));
    geometry.setAttribute('spot', new BufferAttribute(pick(spot, 12), 4));
    geometry.setDrawRange(0, 3 * shown.length);
    this.hasTriangles = shown.length > 0;
    this.uploadCurves();
  }

  fillCurves(contacts) {
    const { outlines, points, kind, clusterOf } = contacts;
    const segments = (size) => (size < 3 ? Math.min(size, 1) : size);
    let count = 0;
    for (let i = 0; i < contacts.count; i++) count += segments(points[i + 1] - points[i]);
    const ends = new Float64Array(6 * count), what = new Float32Array(2 * count), contact = new Uint32Array(count);
    let at = 0;
    for (let i = 0; i < contacts.count; i++) {
      const first = points[i], size = points[i + 1] - first;
      for (let k = 0; k < segments(size); k++, at++) {
        const from = 3 * (first + k), to = 3 * (first + (size === 1 ? 0 : (k + 1) % size));
        for (let axis = 0; axis < 3; axis++) {
          ends[6 * at + axis] = outlines[from + axis];
          ends[6 * at + 3 + axis] = outlines[to + axis];
        }
        what[2 * at] = kind[i];
        what[2 * at + 1] = clusterOf[i];
        contact[at] = i;
      }
    }
    this.curves = { count, ends, what, contact };
  }

  uploadCurves() {
    const { ends, what, contact, count } = this.curves;
    const { partA, partB } = this.frame.contacts;
    const shown = [];
    for (let i = 0; i < count; i++)
      if (this.isShown(partA[contact[i]]) || this.isShown(partB[contact[i]])) shown.push(i);
    // Four corners a segment, each with both ends. Instances would hold this once, but where the CPU draws, each instance
    // is a call of its own.
    const arrays = ['startHigh', 'startLow', 'endHigh', 'endLow'].map(() => new Float32Array(12 * shown.length));
    const corner = new Int8Array(16 * shown.length), index = new Uint32Array(6 * shown.length), labels = new Float32Array(4 * shown.length);
    shown.forEach((i, to) => {
      for (let k = 0; k < 4; k++) {
        const vertex = 4 * to + k;
        for (let axis = 0; axis < 3; axis++) {
          split(ends[6 * i + axis], arrays[0], arrays[1], 3 * vertex + axis);
          split(ends[6 * i + 3 + axis], arrays[2], arrays[3], 3 * vertex + axis);
        }
        corner.set([k === 1 || k === 2 ? 1 : 0, k < 2 ? -1 : 1, what[2 * i]], 4 * vertex);
        labels[vertex] = what[2 * i + 1];
      }
      index.set([4 * to, 4 * to + 1, 4 * to + 2, 4 * to, 4 * to + 2, 4 * to + 3], 6 * to);
    });
    const geometry = this.curveGeometry;
    geometry.dispose();
    geometry.setAttribute('position', new BufferAttribute(corner, 4));
    ['startHigh', 'startLow', 'endHigh', 'endLow'].forEach((name, i) => geometry.setAttribute(name, new BufferAttribute(arrays[i], 3)));
    geometry.setAttribute('cluster', new BufferAttribute(labels, 1));
    geometry.setIndex(new BufferAttribute(index, 1));
    geometry.setDrawRange(0, index.length);
    this.hasCurves = shown.length > 0;
  }

  isShown(part) {
    return this.isolated ? this.isolated.has(part) : !this.hidden.has(part);
  }

  applyVisibility() {
    for (const piece of this.pieces) piece.shown = this.isShown(piece.part);
    if (this.frame) this.uploadContacts();
    this.draw();
  }

  setOpacity(opacity) {
    this.opacity = opacity;
    for (const piece of this.pieces) this.paintPiece(piece);
    this.draw();
  }

  /// null, or how many passes are done less one; -1 is before the first.
  setPass(pass) {
    const changed = (pass === null) !== (this.pass === null);
    this.pass = pass;
    for (const piece of this.pieces) {
      if (changed) this.orderTriangles(piece);
      else this.rangePiece(piece), this.paintPiece(piece);
    }
    this.draw();
  }

  setSelected(cluster) {
    this.selected = cluster;
    this.draw();
  }

  /// Sphere about what is shown, in the page's space.
  sphere(parts = null) {
    const box = new Box3();
    for (const piece of this.pieces)
      if (parts ? parts.has(piece.part) : this.isShown(piece.part)) box.union(this.boxOf(piece.data.positions));
    return box.isEmpty() ? { center: new Vector3(), radius: 1 } : sphereAbout(box, 1e-9);
  }

  boxOf({ low, high }) {
    return new Box3(new Vector3(...this.space.inside(low)), new Vector3(...this.space.inside(high)));
  }

  /// Sphere about everything that any frame shows: parts that fly away must not be cut off.
  reach() {
    return sphereAbout(this.boxOf(this.box), 1);
  }

  /// How far the eye must be for a sphere to fill the smaller side of the picture.
  distanceFor(radius) {
    const half = (FIELD_OF_VIEW * Math.PI) / 360;
    const narrow = Math.atan(Math.tan(half) * Math.min(1, this.camera.aspect));
    return radius / Math.sin(narrow);
  }

  fitNow() {
    const { center, radius } = this.sphere();
    this.target.copy(center);
    const direction = this.home ?? new Vector3(0.55, -0.75, 0.42).normalize();
    this.camera.position.copy(center).addScaledVector(direction, this.distanceFor(radius) * 1.02);
    this.camera.lookAt(center);
  }

  resize(width, height, ratio) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.shared.size.value.set(width, height);
    this.draw();
  }

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.drawNow();
    });
  }

  drawNow() {
    if (!this.frame) return;
    const passes = this.pass !== null;
    this.prepare(this.camera, this.target);
    this.shared.selected.value = this.selected;
    for (const mesh of this.contacts) {
      mesh.visible = (mesh.geometry === this.contactGeometry ? this.hasTriangles : this.hasCurves) && !passes;
      if (this.throughContacts.includes(mesh)) mesh.visible &&= this.through;
      // While the view moves, only the curves are drawn if there are many contacts: the rest takes as long as the model.
      if (this.coarsely) mesh.visible &&= mesh === this.contacts[3] || (mesh === this.contacts[0] && this.contactEntries < FEW);
    }
    this.renderer.render(this.scene, this.camera);
  }

  prepare(camera, target) {
    const { shared } = this;
    const whole = this.wholeSphere ??= this.reach();
    const distance = camera.position.distanceTo(target);
    camera.near = Math.max(distance * 0.01, 1e-12);
    camera.far = Math.max(camera.position.distanceTo(whole.center) + whole.radius * 1.01, distance * 2);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    shared.near.value = camera.near;
    const eye = camera.position.toArray();
    const eyeHigh = new Float32Array(eye);
    shared.eyeHigh.value.set(...eyeHigh);
    shared.eyeLow.value.set(...eye.map((x, i) => x - eyeHigh[i]));
    shared.cutting.value = this.cut ? 1 : 0;
    if (this.cut) {
      const { normal, at } = this.cut;
      shared.cut.value.set(...normal, at - normal.reduce((sum, x, i) => sum + x * eye[i], 0));
    }
    for (const piece of this.pieces) {
      const { low, high } = piece.data.positions;
      const a = this.space.inside(low), b = this.space.inside(high);
      piece.shared.offset.value.set(...a.map((x, i) => x - eye[i]));
      piece.shared.steps.value.set(...a.map((x, i) => (b[i] - x) / 65535));
      for (const mesh of piece.meshes) mesh.visible = piece.shown && mesh.range[1] > 0 && !this.coarsely;
      piece.quick.visible = piece.shown && this.coarsely;
    }
  }

  /// The curves of a cluster in white and all else in black, from another place.
  probe(into, eye, target, cluster, withRest) {
    const camera = this.probeCamera ??= new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
    camera.up.copy(this.camera.up);
    camera.position.copy(eye);
    camera.lookAt(target);
    this.prepare(camera, target);
    this.shared.selected.value = cluster;
    this.shared.probing.value = 1;
    for (const mesh of this.contacts) mesh.visible = (mesh === this.contacts[0] && this.hasTriangles && withRest) || (mesh === this.contacts[3] && this.hasCurves);
    const size = this.shared.size.value.clone();
    this.shared.size.value.set(into.width, into.height);
    if (!withRest || this.opacity < 1) for (const piece of this.pieces) for (const mesh of [...piece.meshes, piece.quick]) mesh.visible = false;
    this.renderer.setRenderTarget(into);
    this.renderer.setClearColor(0x000000, 1);
    this.renderer.render(this.scene, camera);
    this.renderer.setRenderTarget(null);
    this.renderer.setClearColor(this.background, 1);
    this.shared.probing.value = 0;
    this.shared.size.value.copy(size);
    this.draw();
  }
}
