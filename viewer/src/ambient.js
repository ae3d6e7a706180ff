// Ambient occlusion, as in the pictures: creases and gaps are darker. The depth of the opaque surfaces is drawn at half
// size; each of its pixels looks around for surfaces that stand above its own plane; the result darkens the picture
// before lines and transparent parts are drawn.
import {
  BufferAttribute, BufferGeometry, DepthStencilFormat, DepthTexture, GLSL3, LinearFilter, Matrix4, Mesh, NearestFilter, RawShaderMaterial, Scene, UnsignedInt248Type, Vector2,
  WebGLRenderTarget,
} from 'three';

const vertexShader = `
precision highp float;
in vec3 position;
void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }`;

const find = (samples) => `
precision highp float;
uniform highp sampler2D depth;
uniform mat4 projection;
uniform vec2 size;
uniform float reach;
out vec4 result;
float viewDepth(float d) { return projection[3][2] / (2.0 * d - 1.0 + projection[2][2]); }
vec3 at(vec2 pixel) {
  float z = viewDepth(texelFetch(depth, ivec2(clamp(pixel, vec2(0.0), size - 1.0)), 0).r);
  vec2 ndc = (pixel + 0.5) / size * 2.0 - 1.0;
  return vec3(ndc * z / vec2(projection[0][0], projection[1][1]), -z);
}
void main() {
  vec2 pixel = floor(gl_FragCoord.xy);
  float d = texelFetch(depth, ivec2(pixel), 0).r;
  if (d >= 1.0) { result = vec4(1.0, 0.0, 0.0, 1.0); return; }
  vec3 p = at(pixel);
  // Of the neighbours on both sides the nearer one lies on the same surface.
  vec3 r = at(pixel + vec2(1, 0)) - p, l = p - at(pixel - vec2(1, 0)), u = at(pixel + vec2(0, 1)) - p, b = p - at(pixel - vec2(0, 1));
  vec3 n = normalize(cross(abs(r.z) < abs(l.z) ? r : l, abs(u.z) < abs(b.z) ? u : b));
  float onScreen = clamp(reach * projection[1][1] * 0.5 * size.y / -p.z, 3.0, 0.12 * size.y);
  float far = onScreen / (projection[1][1] * 0.5 * size.y) * -p.z;
  // Sixteen directions, one for each pixel of a block of four by four; the block is averaged afterwards.
  ivec2 cell = ivec2(pixel) & 3;
  float turn = float(cell.x + 4 * ((cell.x + cell.y) & 3)) * 0.3927;
  float sum = 0.0;
  for (int i = 0; i < ${samples}; i++) {
    float share = (float(i) + 0.6) / ${samples}.0;
    float angle = turn + float(i) * 2.4;
    vec3 v = at(pixel + vec2(cos(angle), sin(angle)) * share * onScreen) - p;
    float length2 = dot(v, v) + 1e-20;
    float above = dot(v, n) * inversesqrt(length2) - 0.12;
    sum += max(above, 0.0) * max(0.0, 1.0 - length2 / (far * far));
  }
  result = vec4(clamp(1.0 - 2.3 * sum / ${samples}.0, 0.0, 1.0), 0.0, 0.0, 1.0);
}`;

const darken = `
precision highp float;
uniform sampler2D light;
uniform highp sampler2D depth;
uniform vec2 size, whole;
uniform float near;
out vec4 result;
void main() {
  vec2 at = gl_FragCoord.xy / whole * size;
  ivec2 middle = ivec2(at);
  float own = texelFetch(depth, middle, 0).r;
  if (own >= 1.0) discard;
  float mine = 1.0 / (1.0000001 - own), sum = 0.0, weight = 0.0;
  for (int y = -2; y < 2; y++)
    for (int x = -2; x < 2; x++) {
      ivec2 there = clamp(middle + ivec2(x, y), ivec2(0), ivec2(size) - 1);
      float other = 1.0 / (1.0000001 - texelFetch(depth, there, 0).r);
      float w = abs(other - mine) < 0.03 * mine ? 1.0 : 0.02;
      sum += w * texelFetch(light, there, 0).r;
      weight += w;
    }
  result = vec4(0.0, 0.0, 0.0, 0.75 * (1.0 - sum / weight));
}`;

export class Ambient {
  constructor(stage) {
    this.stage = stage;
    const triangle = new BufferGeometry();
    triangle.setAttribute('position', new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    this.uniforms = {
      depth: { value: null }, light: { value: null }, projection: { value: new Matrix4() }, size: { value: new Vector2(1, 1) },
      whole: { value: new Vector2(1, 1) }, reach: { value: 0.1 }, near: { value: 0.01 },
    };
    const material = (fragmentShader, more) => new RawShaderMaterial({ glslVersion: GLSL3, vertexShader, fragmentShader, uniforms: this.uniforms, depthTest: false, depthWrite: false, ...more });
    const mesh = (of) => {
      const made = new Mesh(triangle, of);
      made.frustumCulled = false;
      made.matrixAutoUpdate = false;
      return made;
    };
    this.scene = new Scene();
    this.scene.add(mesh(material(find(stage.software ? 8 : 16))));
    this.overlay = mesh(material(darken, { transparent: true }));
    this.overlay.renderOrder = 1.5;
    this.overlay.visible = false;
    stage.scene.add(this.overlay);
  }

  resize(width, height) {
    const w = Math.max(1, width >> 1), h = Math.max(1, height >> 1);
    this.uniforms.whole.value.set(width, height);
    if (this.surfaces?.width === w && this.surfaces.height === h) return;
    this.surfaces?.dispose();
    this.found?.dispose();
    const depthTexture = new DepthTexture(w, h, UnsignedInt248Type);
    depthTexture.format = DepthStencilFormat;
    this.surfaces = new WebGLRenderTarget(w, h, { stencilBuffer: true, depthTexture, minFilter: NearestFilter, magFilter: NearestFilter });
    this.found = new WebGLRenderTarget(w, h, { depthBuffer: false, minFilter: LinearFilter });
    this.uniforms.depth.value = this.surfaces.depthTexture;
    this.uniforms.light.value = this.found.texture;
    this.uniforms.size.value.set(w, h);
  }

  /// Only opaque surfaces are visible when this is called.
  prepare(camera, reach) {
    const { renderer, scene } = this.stage;
    this.overlay.visible = false;
    this.uniforms.projection.value.copy(camera.projectionMatrix);
    this.uniforms.reach.value = reach;
    renderer.setRenderTarget(this.surfaces);
    renderer.render(scene, camera);
    renderer.setRenderTarget(this.found);
    renderer.render(this.scene, camera);
    renderer.setRenderTarget(null);
    this.overlay.visible = true;
  }
}
