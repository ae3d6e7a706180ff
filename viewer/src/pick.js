// The triangle under a place on the canvas: the ray is tested against all triangles that are shown. A million take some
// ten milliseconds, and this happens only on a tap.
import { Vector3 } from 'three';

const GHOSTLY = 0.1;  // fainter parts are not picked
const SNAP = 9;       // pixels

// Möller and Trumbore, two-sided; the ray's parameter or Infinity.
function hit(ox, oy, oz, dx, dy, dz, ax, ay, az, bx, by, bz, cx, cy, cz) {
  const e1x = bx - ax, e1y = by - ay, e1z = bz - az, e2x = cx - ax, e2y = cy - ay, e2z = cz - az;
  const px = dy * e2z - dz * e2y, py = dz * e2x - dx * e2z, pz = dx * e2y - dy * e2x;
  const det = e1x * px + e1y * py + e1z * pz;
  if (det === 0) return Infinity;
  const tx = ox - ax, ty = oy - ay, tz = oz - az;
  const u = (tx * px + ty * py + tz * pz) / det;
  if (u < 0 || u > 1) return Infinity;
  const qx = ty * e1z - tz * e1y, qy = tz * e1x - tx * e1z, qz = tx * e1y - ty * e1x;
  const v = (dx * qx + dy * qy + dz * qz) / det;
  if (v < 0 || u + v > 1) return Infinity;
  const t = (e2x * qx + e2y * qy + e2z * qz) / det;
  return t > 0 ? t : Infinity;
}

// A corner of the triangle that is under the finger: measures between corners are the ones that people look for.
function nearestCorner(corners, stage, x, y, width, height) {
  let least = SNAP, found = null;
  for (const corner of corners ?? []) {
    const at = new Vector3(...corner).project(stage.camera);
    const away = Math.hypot((at.x * 0.5 + 0.5) * width - x, (0.5 - at.y * 0.5) * height - y);
    if (away < least) [least, found] = [away, corner];
  }
  return found;
}

export function pick(stage, x, y, width, height) {
  const { camera } = stage;
  const direction = new Vector3((x / width) * 2 - 1, 1 - (y / height) * 2, 0.5).unproject(camera).sub(camera.position).normalize();
  const o = camera.position.toArray(), d = direction.toArray();
  const best = { t: Infinity, part: -1, triangle: -1, cluster: -1, point: null };
  const cut = stage.cut;
  const isCut = (t) => cut && cut.normal.reduce((sum, n, i) => sum + n * (o[i] + t * d[i]), 0) > cut.at;

  for (const piece of stage.pieces) {
    if (!piece.shown || piece.opacity < GHOSTLY) continue;
    const { values } = piece.data.positions;
    const { low: a, high: b } = piece;
    // The ray in the piece's own steps; a flat piece has no extent along one axis, and any step will do there.
    const step = a.map((from, i) => (b[i] - from) / 65535 || 1e-12);
    const [ox, oy, oz] = o.map((from, i) => (from - a[i]) / step[i]);
    const [dx, dy, dz] = d.map((along, i) => along / step[i]);
    const { index } = piece.data.triangles, skip = stage.pass === null ? piece.skip?.of : null;
    for (let i = 0; i < index.length; i += 3) {
      if (skip && skip[i / 3] === 1) continue;
      const p = 4 * index[i], q = 4 * index[i + 1], r = 4 * index[i + 2];
      const t = hit(ox, oy, oz, dx, dy, dz, values[p], values[p + 1], values[p + 2], values[q], values[q + 1], values[q + 2],
        values[r], values[r + 1], values[r + 2]);
      if (t < best.t && !isCut(t)) Object.assign(best, { t, part: piece.part, cluster: -1, corners: [p, q, r].map((v) => [0, 1, 2].map((axis) => a[axis] + step[axis] * values[v + axis])) });
    }
  }
  if (stage.pass === null) {
    const { count, corners: c, part, cluster } = stage.contactTriangles;
    for (let i = 0; i < count; i++) {
      if (!stage.isShown(part[i])) continue;
      const k = 9 * i;
      const t = hit(o[0], o[1], o[2], d[0], d[1], d[2], c[k], c[k + 1], c[k + 2], c[k + 3], c[k + 4], c[k + 5], c[k + 6], c[k + 7], c[k + 8]);
      if (t <= best.t && !isCut(t)) Object.assign(best, { t, part: part[i], cluster: cluster[i], corners: [0, 3, 6].map((m) => [c[k + m], c[k + m + 1], c[k + m + 2]]) });
    }
  }
  if (best.t === Infinity) return null;
  best.point = camera.position.clone().addScaledVector(direction, best.t);
  best.corner = nearestCorner(best.corners, stage, x, y, width, height);
  return best;
}
