// The cut: closed parts are filled where the plane cuts them, and the plane itself can be seen. Back faces count up and
// front faces down in the stencil buffer; where the count is not zero, the plane is inside the part.
import {
  AlwaysStencilFunc, BackSide, BufferAttribute, BufferGeometry, DecrementWrapStencilOp, DynamicDrawUsage, FrontSide, IncrementWrapStencilOp,
  KeepStencilOp, NotEqualStencilFunc, Vector3, ZeroStencilOp,
} from 'three';
import { plainSurface } from './shaders.js';

// With more parts than this all are filled together, in one colour.
const MOST_GROUPS = 100;

const plane = {
  vertexShader: `
precision highp float;
in vec3 position;
in vec2 uv;
uniform mat4 viewMatrix, projectionMatrix;
out vec2 vAt;
void main() {
  vAt = uv;
  gl_Position = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0);
}`,
  fragmentShader: `
precision highp float;
uniform vec3 colour;
uniform float frame;  // 1: the plane itself, 0: a part that it cuts
in vec2 vAt;
out vec4 result;
void main() {
  if (frame > 0.5) {
    vec2 wide = fwidth(vAt) * 1.5, edge = min(vAt, 1.0 - vAt);
    bool border = edge.x < wide.x || edge.y < wide.y;
    result = vec4(colour, border ? 0.9 : 0.07);
    return;
  }
  bool hatch = mod(gl_FragCoord.x + gl_FragCoord.y, 11.0) < 1.6;
  result = vec4(colour * (hatch ? 0.62 : 0.92), 1.0);
}`,
};

export class Section {
  constructor(stage) {
    this.stage = stage;
    this.groups = [];
    this.geometry = new BufferGeometry();
    this.quad = new BufferGeometry();
    this.corners = new BufferAttribute(new Float32Array(12), 3).setUsage(DynamicDrawUsage);
    this.quad.setAttribute('position', this.corners);
    this.quad.setAttribute('uv', new BufferAttribute(new Float32Array([0, 0, 1, 0, 1, 1, 0, 1]), 2));
    this.quad.setIndex([0, 1, 2, 0, 2, 3]);
    this.frame = stage.add(this.quad, stage.material(plane, { colour: { value: new Vector3() }, frame: { value: 1 } }, { transparent: true, depthWrite: false }), 3);
    const count = (side, op) => stage.material(plainSurface, { layer: { value: 2 }, first: { value: 0 } }, {
      side, colorWrite: false, depthWrite: false, depthTest: false, stencilWrite: true, stencilFunc: AlwaysStencilFunc, stencilZPass: op, stencilFail: KeepStencilOp, stencilZFail: op,
    });
    this.counters = [count(BackSide, IncrementWrapStencilOp), count(FrontSide, DecrementWrapStencilOp)];
    this.frame.visible = false;
    this.stale = true;
  }

  /// Another model, or other parts are shown.
  forget() { this.stale = true; }

  clear() {
    for (const { meshes } of this.groups)
      for (const mesh of meshes) this.stage.scene.remove(mesh);
    for (const { cap } of this.groups) cap.material.dispose();
    this.groups = [];
  }

  rebuild() {
    this.stale = false;
    this.clear();
    const { model } = this.stage;
    if (model.batches.length !== 1) return;
    const solid = model.pieces.filter((piece) => piece.opacity >= 1 && !piece.coarse && piece.data.triangles.numbers === null && this.stage.isClosed(piece.part));
    if (solid.length === 0) return;
    const index = new Uint32Array(solid.reduce((sum, piece) => sum + piece.corners.length, 0));
    let at = 0;
    const ranges = solid.map((piece) => {
      const from = at;
      for (const corner of piece.corners) index[at++] = piece.base + corner;
      return { from, count: piece.corners.length, colour: piece.colour };
    });
    this.geometry.deleteAttribute('position');  // it belongs to the model
    this.geometry.dispose();
    this.geometry.setAttribute('position', model.batches[0].geometry.getAttribute('position'));
    this.geometry.setIndex(new BufferAttribute(index, 1));
    const together = solid.length > MOST_GROUPS ? [{ from: 0, count: index.length, colour: solid[0].colour }] : ranges;
    this.groups = together.map((range, i) => this.group(range, -100 + i * 0.1));
  }

  group({ from, count, colour }, order) {
    const { stage } = this;
    const meshes = this.counters.map((material, k) => {
      const mesh = stage.add(this.geometry, material, order + 0.01 * k);
      mesh.onBeforeRender = () => this.geometry.setDrawRange(from, count);
      return mesh;
    });
    const cap = stage.add(this.quad, stage.material(plane, { colour: { value: new Vector3(...colour) }, frame: { value: 0 } }, {
      stencilWrite: true, stencilRef: 0, stencilFunc: NotEqualStencilFunc, stencilFail: ZeroStencilOp, stencilZFail: ZeroStencilOp, stencilZPass: ZeroStencilOp,
    }), order + 0.03);
    return { meshes: [...meshes, cap], cap };
  }

  show(visible) {
    this.frame.visible = visible;
    for (const { meshes } of this.groups) for (const mesh of meshes) mesh.visible = visible;
  }

  /// Before a picture: the plane where it is now, a little beyond the model.
  prepare(eye, colour) {
    const { cut } = this.stage;
    const wanted = cut !== null && this.stage.pass === null;
    if (wanted && this.stale) this.rebuild();
    this.show(wanted);
    if (!wanted) return;
    const box = this.stage.boxOfParts(), axis = cut.normal.findIndex((x) => x !== 0);
    const low = box.min.toArray(), high = box.max.toArray();
    const p = (axis + 1) % 3, q = (axis + 2) % 3, more = 0.03 * Math.max(high[p] - low[p], high[q] - low[q]);
    [[low[p] - more, low[q] - more], [high[p] + more, low[q] - more], [high[p] + more, high[q] + more], [low[p] - more, high[q] + more]].forEach(([u, v], i) => {
      const point = [0, 0, 0];
      point[axis] = cut.normal[axis] * cut.at - eye[axis];
      point[p] = u - eye[p];
      point[q] = v - eye[q];
      this.corners.setXYZ(i, ...point);
    });
    this.corners.needsUpdate = true;
    this.frame.material.uniforms.colour.value.set(...colour);
  }
}
