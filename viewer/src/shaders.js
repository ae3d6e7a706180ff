// All positions reach the shaders relative to the eye, subtracted in doubles (or in two floats, high and low). So a
// contact of a billionth of the model's size does not tremble on the screen.

const CUT = `
uniform vec4 cut;      // away from the eye: dot(cut.xyz, p) > cut.w is cut off
uniform float cutting;
uniform float probing;  // 1 in pictures that only find what can be seen
bool isCut(vec3 p) { return cutting > 0.5 && dot(cut.xyz, p) > cut.w; }
`;

// Flat shading from the surface itself: no normals to store. Light from behind the left shoulder, a little from the sky.
const LIGHT = `
vec3 lit(vec3 colour, vec3 view, vec3 back) {
  vec3 n = normalize(cross(dFdx(view), dFdy(view)));
  if (n.z < 0.0) n = -n;
  float key = max(dot(n, normalize(vec3(-0.35, 0.55, 0.85))), 0.0);
  float fill = 0.5 + 0.5 * dot(n, normalize(vec3(0.6, -0.2, 0.4)));
  float shade = 0.50 + 0.44 * key + 0.12 * fill;
  return (gl_FrontFacing ? colour : mix(colour, back, cutting > 0.5 ? 0.6 : 0.18)) * shade;
}
`;

export const surface = {
  vertexShader: `
precision highp float;
in vec4 position;
uniform vec3 offset, steps;
uniform mat4 viewMatrix, projectionMatrix;
out vec3 vWorld, vView;
void main() {
  vWorld = offset + position.xyz * steps;
  vView = mat3(viewMatrix) * vWorld;
  gl_Position = projectionMatrix * vec4(vView, 1.0);
}`,
  fragmentShader: `
precision highp float;
uniform vec3 colour, back;
uniform float opacity;
in vec3 vWorld, vView;
out vec4 result;
${CUT}${LIGHT}
void main() {
  if (isCut(vWorld)) discard;
  if (probing > 0.5) { result = vec4(0.0, 0.0, 0.0, 1.0); return; }
  vec3 shaded = lit(colour, vView, back);
  float alpha = opacity;
  if (opacity < 1.0) {  // like glass: denser where the surface is seen edge-on
    vec3 n = normalize(cross(dFdx(vView), dFdy(vView)));
    float grazing = 1.0 - abs(dot(n, normalize(vView)));
    alpha = mix(opacity, min(1.0, opacity * 2.5 + 0.1), grazing * grazing);
  }
  result = vec4(shaded, alpha);
}`,
};

const PRECISE = `
uniform vec3 eyeHigh, eyeLow;
vec3 fromEye(vec3 high, vec3 low) { return (high - eyeHigh) + (low - eyeLow); }
`;

export const contactSurface = {
  vertexShader: `
precision highp float;
in vec3 position, low;
in float what;  // kind
in vec4 spot;   // from the middle of its contacts, and how far they reach (negative: only that is drawn)
uniform mat4 viewMatrix, projectionMatrix;
uniform vec3 kinds[4];
uniform float hiddenKinds[4];
out vec3 vWorld, vView;
out vec4 vSpot;
flat out vec3 vColour;
${PRECISE}
void main() {
  vWorld = fromEye(position, low);
  vView = mat3(viewMatrix) * vWorld;
  int kind = int(what);
  vColour = kinds[kind];
  vSpot = spot;
  gl_Position = projectionMatrix * vec4(vView, 1.0);
  if (hiddenKinds[kind] > 0.5) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`,
  fragmentShader: `
precision highp float;
uniform float opacity;
uniform vec3 plain;
in vec3 vWorld, vView;
in vec4 vSpot;
flat in vec3 vColour;
out vec4 result;
${CUT}${LIGHT}
void main() {
  if (isCut(vWorld)) discard;
  if (probing > 0.5) { result = vec4(0.0, 0.0, 0.0, 1.0); return; }
  // Strong at the contact, a tint far from it: a plate of two triangles must not be all orange because of a pin.
  float away = smoothstep(1.05, 1.16, length(vSpot.xyz) / abs(vSpot.w));
  // Another copy of this triangle fills this in; behind a surface only the contact shines through.
  if ((vSpot.w < 0.0 || opacity < 1.0) && away > 0.5) discard;
  vec3 colour = mix(vColour, mix(plain, vColour, 0.15), away);
  result = vec4(lit(colour, vView, colour * 0.8), opacity);
}`,
};

// A segment as a strip of a width in pixels with round ends; a point is a segment without length.
export const curve = {
  vertexShader: `
precision highp float;
in vec4 position;  // x: which end, y: which side, z: the kind
in vec3 startHigh, startLow, endHigh, endLow;
in float cluster;
uniform mat4 viewMatrix, projectionMatrix;
uniform vec2 size;  // of the canvas
uniform float width, grow, near;
uniform float hiddenKinds[4];
uniform float selected, edge;
uniform vec3 kinds[4];
uniform vec3 ink, halo, rim;
out vec2 vAt;        // in half widths, along and across
flat out float vLength;
flat out float vMine;
flat out vec3 vColour;
out vec3 vWorld;
${PRECISE}
void main() {
  vec3 a = fromEye(startHigh, startLow), b = fromEye(endHigh, endLow);
  vec3 va = mat3(viewMatrix) * a, vb = mat3(viewMatrix) * b;
  vMine = selected < -0.5 || cluster == selected ? 1.0 : 0.0;
  int kind = int(position.z);
  // The chosen cluster in ink, all others in the colour of their kind; an edge separates the curve from the surface
  // below.
  bool chosen = selected > -0.5 && cluster == selected;
  vColour = edge > 0.5 ? (chosen ? halo : rim) : chosen ? ink : kinds[kind];
  bool behind = va.z > -near && vb.z > -near;
  if (va.z > -near) va = mix(va, vb, (va.z + near) / (va.z - vb.z));
  if (vb.z > -near) vb = mix(vb, va, (vb.z + near) / (vb.z - va.z));
  vec4 ca = projectionMatrix * vec4(va, 1.0), cb = projectionMatrix * vec4(vb, 1.0);
  vec2 pa = ca.xy / ca.w * 0.5 * size, pb = cb.xy / cb.w * 0.5 * size;
  vec2 along = pb - pa;
  float long_ = length(along);
  along = long_ > 0.001 ? along / long_ : vec2(1.0, 0.0);
  bool point = startHigh == endHigh && startLow == endLow;
  float half_ = 0.5 * width * (point ? 2.2 : 1.0) * (chosen ? 1.4 : 1.0) + grow;
  vec2 across = vec2(-along.y, along.x);
  bool last = position.x > 0.5;
  vec2 place = (last ? pb + along * half_ : pa - along * half_) + across * half_ * position.y;
  vAt = vec2(last ? long_ / half_ + 1.0 : -1.0, position.y);
  vLength = long_ / half_;
  vec4 c = last ? cb : ca;
  vWorld = last ? b : a;
  gl_Position = vec4(place / (0.5 * size) * c.w, c.z - BIAS * c.w, c.w);
  if (hiddenKinds[kind] > 0.5 || behind) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`,
  fragmentShader: `
precision highp float;
uniform float opacity;
in vec2 vAt;
flat in float vLength;
flat in float vMine;
flat in vec3 vColour;
in vec3 vWorld;
out vec4 result;
${CUT}
void main() {
  if (isCut(vWorld)) discard;
  float beyond = vAt.x < 0.0 ? -vAt.x : max(vAt.x - vLength, 0.0);
  if (length(vec2(beyond, vAt.y)) > 1.0) discard;
  if (probing > 0.5) { if (vMine < 0.5) discard; result = vec4(1.0); return; }
  result = vec4(vColour, opacity * (vMine > 0.5 ? 1.0 : OTHERS));
}`,
};
