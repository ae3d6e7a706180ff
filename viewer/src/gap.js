// The two nearest points of two parts, from the positions that the page has.

function closestOnSegments(p, q, r, s) {
  const d1 = [q[0] - p[0], q[1] - p[1], q[2] - p[2]], d2 = [s[0] - r[0], s[1] - r[1], s[2] - r[2]], w = [p[0] - r[0], p[1] - r[1], p[2] - r[2]];
  const dot = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  const clamp = (x) => Math.min(1, Math.max(0, x));
  const a = dot(d1, d1), e = dot(d2, d2), f = dot(d2, w);
  let t = 0, u = 0;
  if (a > 0 && e > 0) {
    const b = dot(d1, d2), c = dot(d1, w), det = a * e - b * b;
    t = det > 0 ? clamp((b * f - c * e) / det) : 0;
    u = (b * t + f) / e;
    if (u < 0 || u > 1) {
      u = clamp(u);
      t = clamp((b * u - c) / a);
    }
  } else if (a > 0) t = clamp(-dot(d1, w) / a);
  else if (e > 0) u = clamp(f / e);
  return [p.map((x, i) => x + t * d1[i]), r.map((x, i) => x + u * d2[i])];
}

// The point of a triangle that is nearest to p, where it lies inside the triangle; on its edges the segments find it.
function insideTriangle(p, a, b, c) {
  const sub = (x, y) => [x[0] - y[0], x[1] - y[1], x[2] - y[2]], dot = (x, y) => x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
  const u = sub(b, a), v = sub(c, a), w = sub(p, a);
  const uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), wu = dot(w, u), wv = dot(w, v), det = uu * vv - uv * uv;
  if (!(det > 0)) return null;
  const s = (vv * wu - uv * wv) / det, t = (uu * wv - uv * wu) / det;
  return s < 0 || t < 0 || s + t > 1 ? null : [0, 1, 2].map((i) => a[i] + s * u[i] + t * v[i]);
}

const apart = (p, q) => (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2;

function ofTriangles(x, i, y, j, best) {
  const corner = (array, at, k) => [array[9 * at + 3 * k], array[9 * at + 3 * k + 1], array[9 * at + 3 * k + 2]];
  const a = [0, 1, 2].map((k) => corner(x, i, k)), b = [0, 1, 2].map((k) => corner(y, j, k));
  const consider = (p, q) => {
    const square = apart(p, q);
    if (square < best.square) Object.assign(best, { square, points: [p, q] });
  };
  for (let k = 0; k < 3; k++) {
    for (let m = 0; m < 3; m++) consider(...closestOnSegments(a[k], a[(k + 1) % 3], b[m], b[(m + 1) % 3]));
    const onB = insideTriangle(a[k], ...b), onA = insideTriangle(b[k], ...a);
    if (onB) consider(a[k], onB);
    if (onA) consider(onA, b[k]);
  }
}

// A tree of boxes over triangles of nine coordinates each, cut at the middle of the longest side.
function treeOf(corners) {
  const count = corners.length / 9, order = Uint32Array.from({ length: count }, (_, i) => i);
  const middle = (i, axis) => corners[9 * i + axis] + corners[9 * i + 3 + axis] + corners[9 * i + 6 + axis];
  const build = (from, to) => {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let n = from; n < to; n++)
      for (let k = 0; k < 9; k++) {
        const x = corners[9 * order[n] + k];
        low[k % 3] = Math.min(low[k % 3], x);
        high[k % 3] = Math.max(high[k % 3], x);
      }
    const node = { low, high, from, to, sides: null };
    if (to - from <= 6) return node;
    const side = high.map((x, axis) => x - low[axis]), axis = side.indexOf(Math.max(...side));
    const at = 1.5 * (low[axis] + high[axis]);
    let cut = from;
    for (let n = from; n < to; n++)
      if (middle(order[n], axis) < at) [order[n], order[cut]] = [order[cut], order[n]], cut++;
    if (cut === from || cut === to) cut = (from + to) >> 1;
    node.sides = [build(from, cut), build(cut, to)];
    return node;
  };
  return { corners, order, root: build(0, count) };
}

function boxesApart(a, b) {
  let sum = 0;
  for (let axis = 0; axis < 3; axis++) sum += Math.max(0, a.low[axis] - b.high[axis], b.low[axis] - a.high[axis]) ** 2;
  return sum;
}

/// The nearest points of two lists of triangles (nine coordinates each), or null where one is empty.
export function nearestPoints(x, y) {
  if (x.length === 0 || y.length === 0) return null;
  const a = treeOf(x), b = treeOf(y), best = { square: Infinity, points: null };
  const visit = (m, n) => {
    if (boxesApart(m, n) >= best.square) return;
    if (!m.sides && !n.sides) {
      for (let i = m.from; i < m.to; i++) for (let j = n.from; j < n.to; j++) ofTriangles(x, a.order[i], y, b.order[j], best);
      return;
    }
    const pairs = m.sides && (!n.sides || m.to - m.from >= n.to - n.from) ? m.sides.map((side) => [side, n]) : n.sides.map((side) => [m, side]);
    if (boxesApart(...pairs[1]) < boxesApart(...pairs[0])) pairs.reverse();
    for (const pair of pairs) visit(...pair);
  };
  visit(a.root, b.root);
  return best.points;
}

/// The corners of a part's triangles in the page's space.
export function trianglesOf(pieces, part) {
  const own = pieces.filter((piece) => piece.part === part);
  const fine = own.filter((piece) => !piece.coarse);
  const out = [];
  for (const { data: { positions: { values }, triangles: { index } }, low, side } of fine.length > 0 ? fine : own)
    for (const vertex of index) for (let axis = 0; axis < 3; axis++) out.push(low[axis] + (side[axis] * values[4 * vertex + axis]) / 65535);
  return Float64Array.from(out);
}
