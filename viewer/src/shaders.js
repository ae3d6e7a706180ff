// All positions reach the shaders relative to the eye, subtracted in doubles (or in two floats, high and low). So a
// contact of a billionth of the model's size does not tremble on the screen.

const CUT = `
uniform vec4 cut;      // away from the eye: dot(cut.xyz, p) > cut.w is cut off
uniform float cutting;
uniform float probing;  // 1 in pictures that only find what can be seen
bool isCut(vec3 p) { return cutting > 0.5 && dot(cut.xyz, p) > cut.w; }
`;

// Light from behind the left shoulder, a little from the sky. `given` is the smooth normal, or zero where the surface is
// shaded flat.
const LIGHT = `
vec3 lit(vec3 colour, vec3 view, vec3 given, vec3 back) {
  vec3 n = normalize(cross(dFdx(view), dFdy(view)));
  if (n.z < 0.0) n = -n;
  if (dot(given, given) > 0.1) {
    vec3 smoothed = normalize(given);
    n = dot(smoothed, n) < 0.0 ? -smoothed : smoothed;
  }
  float key = max(dot(n, normalize(vec3(-0.35, 0.55, 0.85))), 0.0);
  float fill = 0.5 + 0.5 * dot(n, normalize(vec3(0.6, -0.2, 0.4)));
  float shade = 0.50 + 0.44 * key + 0.12 * fill;
  return (gl_FrontFacing ? colour : mix(colour, back, cutting > 0.5 ? 0.6 : 0.18)) * shade;
}
// Like glass: denser where the surface is seen edge-on.
float glass(float opacity, vec3 view) {
  if (opacity >= 1.0) return 1.0;
  vec3 n = normalize(cross(dFdx(view), dFdy(view)));
  float grazing = 1.0 - abs(dot(n, normalize(view)));
  return mix(opacity, min(1.0, opacity * 2.5 + 0.1), grazing * grazing);
}
`;

// The state of each piece: three texels with offset, steps (and whether it is a coarse copy), colour and opacity.
export const PIECES_IN_ROW = 256, TEXELS = 3;
const PIECES = `
uniform highp sampler2D pieces;
vec4 pieceTexel(float piece, int which) {
  int i = int(piece);
  return texelFetch(pieces, ivec2(${TEXELS} * (i & ${PIECES_IN_ROW - 1}) + which, i / ${PIECES_IN_ROW}), 0);
}
`;
const NOWHERE = 'vec4(2.0, 2.0, 2.0, 1.0)';

export const surface = {
  vertexShader: `
precision highp float;
in vec4 position;  // w: the piece
in vec3 normal;
uniform mat4 viewMatrix, projectionMatrix;
uniform float layer;  // 0: opaque pieces, 1: transparent ones, 2: all
uniform float first;  // the number of the first piece in this buffer
out vec3 vWorld, vView, vNormal;
flat out vec4 vColour;
${PIECES}
void main() {
  float piece = first + position.w;
  vec4 place = pieceTexel(piece, 0), steps = pieceTexel(piece, 1);
  vColour = pieceTexel(piece, 2);
  vWorld = place.xyz + position.xyz * steps.xyz;
  vView = mat3(viewMatrix) * vWorld;
  vNormal = mat3(viewMatrix) * normal;
  gl_Position = projectionMatrix * vec4(vView, 1.0);
  // A coarse copy lies a little behind where both are.
  if (steps.w > 0.5) gl_Position.z += 0.00004 * gl_Position.w;
  bool clear = vColour.w < 1.0;
  if (vColour.w <= 0.0 || (layer < 1.5 && clear != (layer > 0.5))) gl_Position = ${NOWHERE};
}`,
  fragmentShader: `
precision highp float;
uniform vec3 back;
uniform vec4 paint;    // w > 0: this colour and this opacity instead of the piece's own
in vec3 vWorld, vView, vNormal;
flat in vec4 vColour;
out vec4 result;
${CUT}${LIGHT}
void main() {
  if (isCut(vWorld)) discard;
  if (probing > 0.5) { result = vec4(0.0, 0.0, 0.0, 1.0); return; }
  vec4 colour = paint.w > 0.0 ? paint : vColour;
  result = vec4(lit(colour.rgb, vView, vNormal, back), glass(colour.w, vView));
}`,
};

/// The same surfaces without light, for counting.
export const plainSurface = {
  vertexShader: surface.vertexShader,
  fragmentShader: `
precision highp float;
in vec3 vWorld;
out vec4 result;
${CUT}
void main() {
  if (isCut(vWorld)) discard;
  result = vec4(0.0);
}`,
};

const PRECISE = `
uniform vec3 eyeHigh, eyeLow;
vec3 fromEye(vec3 high, vec3 low) { return (high - eyeHigh) + (low - eyeLow); }
`;

// What a cluster looks like: a texel each.
export const CLUSTERS_IN_ROW = 1024;
export const HIDDEN = 0, PLAIN = 1, DIM = 2, CHOSEN = 3, QUIET = 4;
const CLUSTERS = `
uniform highp sampler2D clusters;
float stateOf(float cluster) {
  int i = int(cluster);
  if (cluster < 0.0) return 0.0;
  return floor(texelFetch(clusters, ivec2(i % ${CLUSTERS_IN_ROW}, i / ${CLUSTERS_IN_ROW}), 0).r * 255.0 + 0.5);
}
`;

export const contactSurface = {
  vertexShader: `
precision highp float;
in vec3 position, low, normal;
in vec3 what;   // kind, piece, cluster
in vec4 spot;   // from the middle of its contacts, and how far they reach (negative: only that is drawn)
uniform mat4 viewMatrix, projectionMatrix;
uniform vec3 kinds[5];
uniform float hiddenKinds[5];
uniform float layer;
out vec3 vWorld, vView, vNormal;
out vec4 vSpot;
flat out vec4 vPart;
flat out vec3 vColour;
flat out float vTint, vFar;
${PRECISE}${PIECES}${CLUSTERS}
void main() {
  vWorld = fromEye(position, low);
  vView = mat3(viewMatrix) * vWorld;
  vNormal = mat3(viewMatrix) * normal;
  int kind = int(what.x);
  vPart = pieceTexel(what.y, 2);
  float state = stateOf(what.z);
  vColour = kinds[kind];
  bool shown = hiddenKinds[kind] < 0.5;
  // How much of its colour a triangle shows at the contact, and far from it. Chosen parts that touch keep two colours.
  vTint = !shown || state == ${HIDDEN}.0 || state == ${DIM}.0 ? 0.0 : state == ${PLAIN}.0 ? 1.0 : state != ${CHOSEN}.0 ? 0.12 : kind == 0 ? 0.0 : 0.45;
  vFar = vTint >= 1.0 ? 0.15 : 0.0;
  vSpot = spot;
  gl_Position = projectionMatrix * vec4(vView, 1.0);
  bool clear = vPart.w < 1.0;
  if (vPart.w <= 0.0 || clear != (layer > 0.5 && layer < 1.5)) gl_Position = ${NOWHERE};
  // What shines through a surface in front of it.
  if (layer > 1.5) gl_Position = vPart.w < 1.0 || vTint < 1.0 ? ${NOWHERE} : projectionMatrix * vec4(vView, 1.0);
}`,
  fragmentShader: `
precision highp float;
uniform float opacity;
in vec3 vWorld, vView, vNormal;
in vec4 vSpot;
flat in vec4 vPart;
flat in vec3 vColour;
flat in float vTint, vFar;
out vec4 result;
${CUT}${LIGHT}
void main() {
  if (isCut(vWorld)) discard;
  if (probing > 0.5) { result = vec4(0.0, 0.0, 0.0, 1.0); return; }
  // Strong at the contact, a tint far from it: a plate of two triangles must not be all orange because of a pin.
  float away = smoothstep(1.05, 1.16, length(vSpot.xyz) / abs(vSpot.w));
  // Another copy of this triangle fills this in; behind a surface only the contact shines through.
  if ((vSpot.w < 0.0 || opacity < 1.0) && away > 0.5) discard;
  vec3 colour = mix(mix(vPart.rgb, vColour, vTint), mix(vPart.rgb, vColour, vFar), away);
  result = vec4(lit(colour, vView, vNormal, colour * 0.8), opacity * glass(vPart.w, vView));
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
uniform float hiddenKinds[5];
uniform float edge;
uniform vec3 kinds[5];
uniform vec3 ink, halo, rim;
out vec2 vAt;        // in half widths, along and across
flat out float vLength;
flat out float vState;
flat out vec3 vColour;
out vec3 vWorld;
${PRECISE}${CLUSTERS}
void main() {
  vec3 a = fromEye(startHigh, startLow), b = fromEye(endHigh, endLow);
  vec3 va = mat3(viewMatrix) * a, vb = mat3(viewMatrix) * b;
  vState = stateOf(cluster);
  int kind = int(position.z);
  // The chosen cluster in ink, all others in the colour of their kind; an edge separates the curve from the surface
  // below.
  bool chosen = vState == ${CHOSEN}.0;
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
  float scale = chosen ? 2.2 : vState == ${PLAIN}.0 ? 1.0 : 0.7;
  float half_ = 0.5 * width * (point ? 2.2 : 1.0) * scale + grow;
  vec2 across = vec2(-along.y, along.x);
  bool last = position.x > 0.5;
  vec2 place = (last ? pb + along * half_ : pa - along * half_) + across * half_ * position.y;
  vAt = vec2(last ? long_ / half_ + 1.0 : -1.0, position.y);
  vLength = long_ / half_;
  vec4 c = last ? cb : ca;
  vWorld = last ? b : a;
  gl_Position = vec4(place / (0.5 * size) * c.w, c.z - BIAS * c.w, c.w);
  if (hiddenKinds[kind] > 0.5 || behind || vState == ${HIDDEN}.0) gl_Position = ${NOWHERE};
}`,
  fragmentShader: `
precision highp float;
uniform float opacity, edge;
uniform float through;  // 1: what is behind surfaces
in vec2 vAt;
flat in float vLength;
flat in float vState;
flat in vec3 vColour;
in vec3 vWorld;
out vec4 result;
${CUT}
void main() {
  bool chosen = vState == ${CHOSEN}.0;
  if (isCut(vWorld) && !chosen) discard;
  float beyond = vAt.x < 0.0 ? -vAt.x : max(vAt.x - vLength, 0.0);
  if (length(vec2(beyond, vAt.y)) > 1.0) discard;
  if (probing > 0.5) { if (!chosen) discard; result = vec4(1.0); return; }
  float strength = chosen ? 1.0 : vState == ${PLAIN}.0 ? opacity : opacity * (vState == ${DIM}.0 ? 0.15 : 0.55);
  // The chosen curve can be seen through everything; of others that are not plain nothing shines through.
  if (through > 0.5 && !chosen && vState != ${PLAIN}.0) discard;
  if (edge > 0.5 && vState == ${DIM}.0) discard;
  if (edge > 0.5 && chosen) strength = 0.9;
  result = vec4(vColour, strength);
}`,
};
