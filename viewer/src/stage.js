// The picture: surfaces (model.js), marks of contacts (marks.js), occlusion (ambient.js). Draws only when something
// changed.
import {
  Box3, Color, DoubleSide, GLSL3, LinearSRGBColorSpace, Mesh, PerspectiveCamera, RawShaderMaterial, Scene, Sphere, Vector2, Vector3, Vector4,
  WebGLRenderer,
} from 'three';
import { Ambient } from './ambient.js';
import { KINDS } from './contacts.js';
import { Marks } from './marks.js';
import { CROWD, Model } from './model.js';
import { Overlay } from './overlay.js';
import { Section } from './section.js';
import { CHOSEN, DIM, HIDDEN, PLAIN } from './shaders.js';

const FIELD_OF_VIEW = 35;
// Where the CPU draws, more triangles than this are drawn coarsely while the view moves, and in full when it rests.
const MANY = 150000, FEW = 10000, REST = 180;
// And more than this many, or a crowd of parts, have no occlusion: their depth takes as long as the picture.
const MOST_OCCLUDED = 400000;
// And more ghosts than this are left out while the view moves.
const MANY_GHOSTS = 100;
// Nearer than this share of the model the coarse copy would be too coarse.
const NEAR = 0.3;
// Opacity of parts that have nothing to do with the chosen pair, and of a part around another one.
const GHOST = 0.07, AROUND = 0.2, CASE = 0.35;

// Colours are those of the screen: nothing is converted on the way.
const set = (colour, hex) => colour.setStyle(hex, LinearSRGBColorSpace);
const channels = (hex) => set(new Color(), hex).toArray();

function sphereAbout(box, least) {
  const { center, radius } = box.getBoundingSphere(new Sphere());
  return { center, radius: Math.max(radius, least) };
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
    this.renderer = new WebGLRenderer({ canvas, antialias: !this.software, stencil: true, powerPreference: 'high-performance' });
    this.camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
    this.scene = new Scene();
    this.scene.matrixWorldAutoUpdate = false;
    this.hidden = new Set();      // parts
    this.isolated = null;         // or a Set of parts
    this.opacity = 1;
    this.through = true;          // contacts behind surfaces shine through
    this.outer = new Set();       // parts around others, which are seen through them
    this.choice = null;           // or { a, b, inner, clusters }: the parts and clusters that are explained
    this.lookOf = () => PLAIN;    // the state of a cluster where nothing is chosen (shaders.js)
    this.hiddenKinds = [0, 0, 0, 0, 0];  // the last: flaws of meshes
    this.cut = null;              // or { normal: [x, y, z], at: along it }
    this.pass = null;             // or the number of a pass to show
    this.frame = null;
    this.parts = 1;
    this.shift = null;            // or { part, by }: a part that is drawn moved, without its contacts
    this.target = new Vector3();
    this.box = { low: [0, 0, 0], high: [0, 0, 0] };  // of all frames
    this.coarsely = false;
    this.restless = false;        // the view moves, and what takes long is left out
    this.shared = {
      cut: { value: new Vector4() }, cutting: { value: 0 }, back: { value: new Color() },
      eyeHigh: { value: new Vector3() }, eyeLow: { value: new Vector3() }, kinds: { value: [...KINDS, 'flaw'].map(() => new Color()) },
      hiddenKinds: { value: this.hiddenKinds }, size: { value: new Vector2() }, near: { value: 0.01 }, probing: { value: 0 },
      ink: { value: new Color() }, halo: { value: new Color() }, rim: { value: new Color() }, pieces: { value: null }, clusters: { value: null },
    };
    this.model = new Model(this);
    this.marks = new Marks(this);
    this.ambient = new Ambient(this);
    this.section = new Section(this);
    this.isClosed = () => false;  // whether a part is closed
    this.overlay = new Overlay();
    this.setTheme(theme);
  }

  get pieces() { return this.model.pieces; }
  get contactTriangles() { return this.marks.triangles; }

  material(shader, own, more = {}) {
    const { shared } = this;
    const { bias = '0.0', ...options } = more;
    const put = (text) => text.replaceAll('BIAS', bias);
    return new RawShaderMaterial({
      glslVersion: GLSL3, side: DoubleSide, vertexShader: put(shader.vertexShader), fragmentShader: put(shader.fragmentShader),
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

  setTheme(theme) {
    this.theme = theme;
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    this.background = set(new Color(), theme.background);
    this.renderer.setClearColor(this.background, 1);
    set(this.shared.back.value, theme.back);
    [...KINDS, 'flaw'].forEach((kind, i) => set(this.shared.kinds.value[i], theme[kind]));
    for (const name of ['ink', 'halo', 'rim']) set(this.shared[name].value, theme[name]);
    this.tones = (this.parts > 1 ? theme.tones : [theme.mesh]).map(channels);
    this.chosenTones = [theme.first, theme.second].map(channels);
    this.coarseTone = channels(theme.coarse);
    this.planeTone = channels(theme.touching);
    if (this.frame) this.paint();
  }

  /// Shows a decoded frame. `moves`: it is one of several states of one model.
  setFrame(frame, another = false, moves = false) {
    const sameModel = this.frame !== null && !another;
    if (!sameModel) this.wholeSphere = null;
    this.frame = frame;
    this.space = frame.space;
    this.shift = null;
    this.model.pass = this.pass;
    this.model.setFrame(frame, moves);
    this.marks.setFrame(frame);
    this.paint();
    this.model.refine(() => {
      this.marks.refine(this.model);
      this.section.forget();
      this.draw();
    });
    if (!sameModel) this.fitNow();
  }

  // ---- looks

  isShown(part) {
    return this.isolated ? this.isolated.has(part) : !this.hidden.has(part);
  }

  look(part, coarse) {
    const own = this.tones[Math.max(0, part) % this.tones.length];
    const colour = coarse && this.parts === 1 ? this.coarseTone : own;
    if (part >= 0 && !this.isShown(part)) return { colour, opacity: 0 };
    const { choice } = this;
    if (part < 0 || this.parts === 1) return { colour, opacity: this.opacity };
    if (!choice) return { colour, opacity: Math.min(this.opacity, this.outer.has(part) ? CASE : 1) };
    if (part !== choice.a && part !== choice.b) return { colour, opacity: Math.min(GHOST, this.opacity) };
    if (choice.a === choice.b) return { colour: this.chosenTones[0], opacity: this.opacity };
    const outer = choice.inner >= 0 && part !== choice.inner;
    return { colour: this.chosenTones[part === choice.a ? 0 : 1], opacity: Math.min(this.opacity, outer ? AROUND : 1) };
  }

  stateOf(cluster) {
    if (this.shift && (cluster.partA === this.shift.part || cluster.partB === this.shift.part)) return HIDDEN;
    if (this.choice?.clusters.has(cluster.number)) return CHOSEN;
    const state = this.lookOf(cluster);
    if (state === HIDDEN || (!this.isShown(cluster.partA) && !this.isShown(cluster.partB))) return HIDDEN;
    return this.choice ? DIM : state;
  }

  /// Colours and opacities of parts and clusters.
  paint() {
    this.section.forget();
    this.model.paint((part, coarse) => this.look(part, coarse));
    this.model.paintPasses(this.theme, this.opacity, channels);
    this.marks.paint((cluster) => this.stateOf(cluster));
    this.unsettle();
  }

  setOpacity(opacity) {
    this.opacity = opacity;
    if (this.frame) this.paint();
  }

  /// null, or how many passes are done less one; -1 is before the first.
  setPass(pass) {
    this.pass = pass;
    this.model.setPass(pass);
    this.draw();
  }

  setShift(shift) {
    for (const [piece, { low, high }] of this.shift?.from ?? []) Object.assign(piece, { low, high });
    this.shift = shift && { ...shift, from: new Map() };
    for (const piece of this.pieces)
      if (piece.part === shift?.part) {
        this.shift.from.set(piece, { low: piece.low, high: piece.high });
        for (const end of ['low', 'high']) piece[end] = piece[end].map((x, axis) => x + shift.by[axis]);
      }
    this.paint();
  }

  setChoice(choice) {
    this.choice = choice;
    if (this.frame) this.paint();
  }

  // ---- where things are

  /// Sphere about what is shown, in the page's space.
  sphere(parts = null) {
    const box = this.boxOfParts(parts);
    return box.isEmpty() ? { center: new Vector3(), radius: 1 } : sphereAbout(box, 1e-9);
  }

  boxOfParts(parts = null) {
    const box = new Box3();
    for (const piece of this.pieces)
      if (parts ? parts.has(piece.part) : this.isShown(piece.part)) box.union(new Box3(new Vector3(...piece.low), new Vector3(...piece.high)));
    return box;
  }

  /// Sphere about everything that any frame shows: parts that fly away must not be cut off.
  reach() {
    const { low, high } = this.box;
    return sphereAbout(new Box3(new Vector3(...this.space.inside(low)), new Vector3(...this.space.inside(high))), 1);
  }

  /// How far the eye must be for a sphere to fill the smaller side of the picture.
  distanceFor(radius) {
    const half = (FIELD_OF_VIEW * Math.PI) / 360;
    const narrow = Math.atan(Math.tan(half) * Math.min(1, this.camera.aspect));
    return radius / Math.sin(narrow);
  }

  /// Where the eye must be for a box to fill the picture from this direction, and what it then looks at.
  frameBox(box, direction, margin = 1.08) {
    if (box.isEmpty()) return { eye: direction.clone().multiplyScalar(this.distanceFor(1)), target: new Vector3() };
    const forward = direction.clone().negate().normalize();
    const right = new Vector3().crossVectors(forward, this.camera.up).normalize();
    if (right.lengthSq() < 0.5) right.set(1, 0, 0);
    const up = new Vector3().crossVectors(right, forward);
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z));
    const tangent = Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
    const target = box.getCenter(new Vector3());
    let distance = 0;
    // The middle of what is seen depends on the distance, and the distance on the middle: some rounds are enough.
    for (let round = 0; round < 6; round++) {
      const eye = target.clone().addScaledVector(forward, -(distance || this.distanceFor(box.getBoundingSphere(new Sphere()).radius)));
      const sides = [[right, tangent * this.camera.aspect], [up, tangent]].map(([axis, wide]) => {
        let low = Infinity, high = -Infinity;
        for (const corner of corners) {
          const to = corner.clone().sub(eye), slope = to.dot(axis) / Math.max(1e-12, to.dot(forward)) / wide;
          low = Math.min(low, slope);
          high = Math.max(high, slope);
        }
        return { axis, wide, low, high };
      });
      const away = target.distanceTo(eye);
      for (const { axis, wide, low, high } of sides) target.addScaledVector(axis, ((low + high) / 2) * wide * away);
      distance = Math.max(0, ...corners.flatMap((corner) => {
        const to = corner.clone().sub(target), depth = to.dot(forward);
        return [[right, tangent * this.camera.aspect], [up, tangent]].map(([axis, wide]) => Math.abs(to.dot(axis)) / wide * margin - depth);
      }));
      distance = Math.max(distance, 1e-9);
    }
    return { eye: target.clone().addScaledVector(forward, -distance), target };
  }

  fitNow() {
    const { eye, target } = this.frameBox(this.boxOfParts(), this.home ?? new Vector3(0.55, -0.75, 0.42).normalize());
    this.target.copy(target);
    this.camera.position.copy(eye);
    this.camera.lookAt(target);
  }

  resize(width, height, ratio) {
    this.ratio = ratio;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.shared.size.value.set(width, height);
    this.ambient.resize(Math.floor(width * ratio), Math.floor(height * ratio));
    this.draw();
  }

  // ---- drawing

  /// The view moves: draws soon; where that takes long, coarsely until the view rests.
  moved() {
    const many = this.software && this.pass === null && this.model.count > MANY;
    this.coarsely = many && this.camera.position.distanceTo(this.target) > NEAR * this.sphere().radius;
    if (this.coarsely) for (const batch of this.model.batches) batch.prepareQuick();
    this.unsettle();
  }

  /// Draws soon; where the CPU draws, without what takes long until nothing changes for a while.
  unsettle() {
    clearTimeout(this.restTimer);
    this.restless = this.software;
    if (this.restless) this.restTimer = setTimeout(() => { this.coarsely = this.restless = false; this.draw(); }, REST);
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
    // Crowds of parts hide each other, and each is drawn: with fewer pixels until the view rests.
    const ratio = this.restless && this.pieces.length > CROWD ? this.ratio / 2 : this.ratio;
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    this.prepare(this.camera, this.target);
    // Many ghosts lie behind each other: they come back when the view rests.
    const hasClear = this.model.hasClear && !(this.restless && this.model.ghosts > MANY_GHOSTS);
    if (!hasClear) this.model.hide((mesh, batch) => mesh === batch.clear || mesh === batch.quick[1]);
    this.section.prepare(this.camera.position.toArray(), this.planeTone);
    this.ambient.overlay.visible = false;
    if (!passes && !this.restless && !(this.software && (this.model.count > MOST_OCCLUDED || this.pieces.length > CROWD))) {
      this.marks.hide();
      this.marks.front.visible = this.marks.entries > 0;
      this.model.hide((mesh, batch) => mesh !== batch.opaque);
      this.section.frame.visible = false;
      this.ambient.prepare(this.camera, 0.12 * this.wholeSphere.radius);
      this.model.show();
      if (!hasClear) this.model.hide((mesh, batch) => mesh === batch.clear || mesh === batch.quick[1]);
      this.section.frame.visible = this.cut !== null;
    }
    // While the view moves, only the curves are drawn if there are many contacts: the rest takes as long as the model.
    this.marks.show({ passes, through: this.through, chosen: this.choice !== null, few: this.coarsely, hasClear });
    if (this.coarsely && this.marks.entries >= FEW) this.marks.front.visible = false;
    this.renderer.render(this.scene, this.camera);
    this.overlay.update(this.camera, this.shared.size.value.x, this.shared.size.value.y);
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
    this.model.place(eye);
    this.model.show();
  }

  /// The curves of the choice in white and all else in black, from another place.
  probe(into, eye, target, withRest) {
    const camera = this.probeCamera ??= new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
    camera.up.copy(this.camera.up);
    camera.position.copy(eye);
    camera.lookAt(target);
    this.prepare(camera, target);
    this.shared.probing.value = 1;
    this.ambient.overlay.visible = false;
    this.marks.hide();
    this.marks.front.visible = this.marks.entries > 0 && withRest;
    this.marks.line.visible = this.marks.segments > 0;
    this.section.show(false);
    this.model.hide((mesh, batch) => !withRest || this.opacity < 1 || mesh === batch.clear || mesh === batch.quick[1]);
    const size = this.shared.size.value.clone();
    this.shared.size.value.set(into.width, into.height);
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
