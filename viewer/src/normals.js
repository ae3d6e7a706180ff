// Smooth normals, as the pictures have them (src/tool/picture/normals.cpp): a corner takes the mean of the triangles
// about its vertex that lie within some 35 degrees of its own. A vertex with several normals becomes several vertices.

const CREASE = 0.82, HALF_CREASE = 0.954, MOST_AROUND = 64;

// Vertices at the same place are one: files repeat vertices along seams.
function weld(values, count) {
  const first = new Uint32Array(count);
  let slots = 8;
  while (slots < 2 * count) slots *= 2;
  const table = new Int32Array(slots).fill(-1);
  for (let i = 0; i < count; i++) {
    const x = values[4 * i], y = values[4 * i + 1], z = values[4 * i + 2];
    let slot = (Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35));
    slot = (slot ^ (slot >>> 15)) & (slots - 1);
    for (;;) {
      const other = table[slot];
      if (other < 0) {
        table[slot] = first[i] = i;
        break;
      }
      if (values[4 * other] === x && values[4 * other + 1] === y && values[4 * other + 2] === z) {
        first[i] = other;
        break;
      }
      slot = (slot + 1) & (slots - 1);
    }
  }
  return first;
}

/// `side` has the lengths of the box over which `values` (four a vertex) are quantised. Returns the corners by new
/// vertices, and of each new vertex its old number and its normal (four bytes).
export function smoothNormals(values, index, side) {
  const vertices = values.length / 4, corners = index.length, triangles = corners / 3;
  const same = weld(values, vertices);
  const unit = new Float32Array(3 * triangles), area = new Float32Array(triangles);
  for (let t = 0; t < triangles; t++) {
    const p = 4 * index[3 * t], q = 4 * index[3 * t + 1], r = 4 * index[3 * t + 2];
    const ux = (values[q] - values[p]) * side[0], uy = (values[q + 1] - values[p + 1]) * side[1], uz = (values[q + 2] - values[p + 2]) * side[2];
    const vx = (values[r] - values[p]) * side[0], vy = (values[r + 1] - values[p + 1]) * side[1], vz = (values[r + 2] - values[p + 2]) * side[2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    const size = Math.sqrt(x * x + y * y + z * z);
    area[t] = size;
    if (size > 0) {
      unit[3 * t] = x / size;
      unit[3 * t + 1] = y / size;
      unit[3 * t + 2] = z / size;
    }
  }
  // The corners about each vertex.
  const start = new Uint32Array(vertices + 1);
  for (let c = 0; c < corners; c++) start[same[index[c]] + 1]++;
  for (let i = 0; i < vertices; i++) start[i + 1] += start[i];
  const around = new Uint32Array(corners), next = start.slice();
  for (let c = 0; c < corners; c++) around[next[same[index[c]]]++] = c;

  const made = { index: new Uint32Array(corners), from: [], normals: [] };
  const own = new Map();  // of the vertex at hand: new vertices by old number and normal
  const put = (corner, x, y, z) => {
    const size = Math.sqrt(x * x + y * y + z * z) || 1;
    const a = Math.round((127 * x) / size), b = Math.round((127 * y) / size), c = Math.round((127 * z) / size);
    const key = index[corner] * 16777216 + (((a + 128) << 16) | ((b + 128) << 8) | (c + 128));
    let vertex = own.get(key);
    if (vertex === undefined) {
      vertex = made.from.length;
      made.from.push(index[corner]);
      made.normals.push(a, b, c, 0);
      own.set(key, vertex);
    }
    made.index[corner] = vertex;
  };
  for (let v = 0; v < vertices; v++) {
    const begin = start[v], end = start[v + 1];
    if (begin === end) continue;
    own.clear();
    let sx = 0, sy = 0, sz = 0;
    for (let i = begin; i < end; i++) {
      const t = (around[i] / 3) | 0;
      sx += unit[3 * t] * area[t];
      sy += unit[3 * t + 1] * area[t];
      sz += unit[3 * t + 2] * area[t];
    }
    const length = Math.sqrt(sx * sx + sy * sy + sz * sz);
    let even = length > 0 && end - begin <= MOST_AROUND;
    for (let i = begin; even && i < end; i++) {
      const t = (around[i] / 3) | 0;
      even = (unit[3 * t] * sx + unit[3 * t + 1] * sy + unit[3 * t + 2] * sz) > HALF_CREASE * length;
    }
    for (let i = begin; i < end; i++) {
      const corner = around[i], t = (corner / 3) | 0;
      if (even) {
        put(corner, sx, sy, sz);
        continue;
      }
      const mx = unit[3 * t], my = unit[3 * t + 1], mz = unit[3 * t + 2];
      let x = 0, y = 0, z = 0;
      if (end - begin <= MOST_AROUND)
        for (let j = begin; j < end; j++) {
          const u = (around[j] / 3) | 0;
          const along = unit[3 * u] * mx + unit[3 * u + 1] * my + unit[3 * u + 2] * mz;
          const share = along > CREASE ? area[u] : along < -CREASE ? -area[u] : 0;  // wound the other way
          x += unit[3 * u] * share;
          y += unit[3 * u + 1] * share;
          z += unit[3 * u + 2] * share;
        }
      if (x * x + y * y + z * z > 0) put(corner, x, y, z); else put(corner, mx, my, mz);
    }
  }
  return { index: made.index, from: Uint32Array.from(made.from), normals: Int8Array.from(made.normals) };
}
