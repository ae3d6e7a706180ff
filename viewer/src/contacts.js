// The contacts of a frame (src/tool/page/contacts.cpp writes them): clusters, contacts as columns, and their points in
// doubles.
export const KINDS = ['touching', 'crossing', 'coplanar', 'duplicate'];
/// The number of flaws of the mesh among the kinds of marks.
export const FLAW = 4;
/// The most serious first, as everywhere in Sightline.
export const SEVERITY = [1, 2, 3, 0];

const STEPS = 65535;

/// The place of triangle `number` of a part among those shown, or -1.
export function placeOf(triangles, number) {
  const { numbers } = triangles;
  if (numbers === null) return number < triangles.count ? number : -1;
  let low = 0, high = numbers.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] === number) return middle;
    if (numbers[middle] < number) low = middle + 1; else high = middle - 1;
  }
  return -1;
}

function column(reader, count) {
  const values = new Uint32Array(count);
  for (let i = 0, value = 0; i < count; i++) values[i] = value = reader.difference(value);
  return values;
}

/// `triangles` are those in contact, each once and in order, with nine coordinates each in `corners`; `outlines` has the
/// points of contact i from points[i] on. Both are in the page's own space.
export function readContacts(reader, listed, pieces, space) {
  const count = reader.varint();
  const frame = { low: [reader.f64(), reader.f64(), reader.f64()], high: [reader.f64(), reader.f64(), reader.f64()] };
  const half = Math.max(...frame.low.map((x, axis) => frame.high[axis] / 2 - x / 2));
  const clusters = [], clusterOf = new Uint32Array(listed);
  for (let i = 0; i < count; i++) {
    const size = reader.varint();
    clusters.push({ number: i, size, first: 0, count: size, kinds: [0, 0, 0, 0], worst: 0, fresh: 0 });
  }
  // The counts of a cluster that is not listed whole are stored: they cannot be counted here.
  const stored = new Map();
  for (let i = reader.varint(); i > 0; i--) {
    const cluster = clusters[reader.varint()];
    cluster.count = reader.varint();
    stored.set(cluster, { fresh: reader.varint(), kinds: [0, 0, 0, 0].map(() => reader.varint()) });
  }
  let first = 0;
  for (const cluster of clusters) {
    cluster.first = first;
    clusterOf.fill(cluster.number, first, first += cluster.count);
  }
  reader.sizes(count).forEach((size, i) => { clusters[i].diagonal = size * half; });
  const partA = column(reader, listed), partB = column(reader, listed);
  const a = column(reader, listed), b = column(reader, listed);
  const kind = new Uint8Array(listed), fresh = new Uint8Array(listed), points = new Uint32Array(listed + 1);
  for (let i = 0; i < listed; i++) {
    const byte = reader.byte();
    kind[i] = byte & 3;
    points[i + 1] = points[i] + ((byte & 0x7f) >> 2);
    fresh[i] = byte >> 7;  // new since the baseline
    clusters[clusterOf[i]].kinds[kind[i]]++;
    clusters[clusterOf[i]].fresh += fresh[i];
  }
  for (const cluster of clusters) {
    Object.assign(cluster, stored.get(cluster));
    cluster.worst = SEVERITY.find((k) => cluster.kinds[k] > 0) ?? 0;
    cluster.partA = partA[cluster.first];
    cluster.partB = partB[cluster.first];
  }
  const contacts = { clusters, partA, partB, a, b, kind, fresh, points, clusterOf, count: listed };
  contacts.triangles = trianglesOf(contacts);
  contacts.corners = readCorners(reader, contacts.triangles, pieces, frame, space);
  contacts.outlines = readOutlines(reader, contacts);
  addBoxes(contacts);
  return contacts;
}

// The box of the points of each cluster, in the page's space.
function addBoxes({ clusters, clusterOf, points, outlines, count }) {
  for (const cluster of clusters) Object.assign(cluster, { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] });
  for (let i = 0; i < count; i++) {
    const { low, high } = clusters[clusterOf[i]];
    for (let p = 3 * points[i]; p < 3 * points[i + 1]; p++) {
      const x = outlines[p], axis = p % 3;
      if (x < low[axis]) low[axis] = x;
      if (x > high[axis]) high[axis] = x;
    }
  }
}

// Each triangle once, by part and number, with the first cluster that it is in and where each side of a contact is.
function trianglesOf({ partA, partB, a, b, clusterOf, count }) {
  const keys = new Float64Array(2 * count);
  for (let i = 0; i < count; i++) {
    keys[2 * i] = partA[i] * 2 ** 32 + a[i];
    keys[2 * i + 1] = partB[i] * 2 ** 32 + b[i];
  }
  const place = new Map(), found = new Uint32Array(2 * count);  // in the order of the list, and then sorted
  for (let i = 0; i < 2 * count; i++) {
    let at = place.get(keys[i]);
    if (at === undefined) place.set(keys[i], at = place.size);
    found[i] = at;
  }
  const sorted = Float64Array.from(place.keys()).sort(), to = new Uint32Array(sorted.length);
  sorted.forEach((key, i) => { to[place.get(key)] = i; });
  const part = Array.from(sorted, (key) => Math.floor(key / 2 ** 32)), number = Array.from(sorted, (key) => key % 2 ** 32);
  const cluster = new Array(sorted.length).fill(-1), sides = new Uint32Array(2 * count);
  for (let i = 0; i < 2 * count; i++) {
    const at = sides[i] = to[found[i]];
    if (cluster[at] < 0) cluster[at] = clusterOf[i >> 1];
  }
  return { part, number, cluster, sides };
}

// A vertex of the mesh is stored once, as the mesh's own bits and some bits more; the corners of a triangle that the
// page does not have are stored whole, over the box of the frame.
function readCorners(reader, triangles, pieces, frame, space) {
  const whole = new Map();
  for (const piece of pieces) if (!piece.triangles.coarse) whole.set(piece.triangles.part, piece);
  const stored = [], use = [];  // the stored vertices, and which of them each corner is
  const seen = new Map();       // piece → vertex → place in stored
  triangles.number.forEach((number, i) => {
    const piece = whole.get(triangles.part[i]);
    const at = piece ? placeOf(piece.triangles, number) : -1;
    let own = seen.get(piece);
    if (at >= 0 && !own) seen.set(piece, (own = new Map()));
    for (let k = 0; k < 3; k++) {
      const vertex = at >= 0 ? piece.triangles.index[3 * at + k] : -1;
      let place = at >= 0 ? own.get(vertex) : undefined;
      if (place === undefined) {
        place = stored.push({ piece, vertex, extra: reader.byte() }) - 1;
        if (at >= 0) own.set(vertex, place);
      }
      use.push(place);
    }
  });
  const bits = new Uint8Array(3 * stored.length);
  stored.forEach(({ vertex, extra }, i) =>
    bits.fill(vertex < 0 ? 16 + extra : extra > 0 ? extra + 1 : 0, 3 * i, 3 * i + 3));
  const values = reader.planes(bits);
  const boxes = new Map();
  const boxOf = (piece) => {
    let box = boxes.get(piece);
    if (!box) {
      const { low, high } = piece ? piece.positions : frame;
      const from = space.inside(low), to = space.inside(high);
      boxes.set(piece, box = { from, side: to.map((x, axis) => x - from[axis]) });
    }
    return box;
  };
  const places = new Float64Array(3 * stored.length);
  stored.forEach(({ piece, vertex, extra }, i) => {
    const { from, side } = boxOf(vertex < 0 ? undefined : piece);
    for (let axis = 0; axis < 3; axis++) {
      let value = values[3 * i + axis] / 2 ** extra;
      if (vertex >= 0) {
        const code = values[3 * i + axis];
        value = piece.positions.values[4 * vertex + axis] + (code % 2 === 0 ? code / 2 : -(code + 1) / 2) / 2 ** extra;
      }
      places[3 * i + axis] = from[axis] + side[axis] * (value / STEPS);
    }
  });
  const corners = new Float64Array(3 * use.length);
  use.forEach((place, i) => { for (let axis = 0; axis < 3; axis++) corners[3 * i + axis] = places[3 * place + axis]; });
  return corners;
}

// A point is a corner of a triangle, a share of one edge, or shares of two.
function readOutlines(reader, { points, triangles, corners, count }) {
  const codes = reader.bytes.subarray(reader.at, reader.at += points[count]);
  const start = new Uint32Array(codes.length + 1);
  for (let i = 0; i < codes.length; i++) start[i + 1] = start[i] + ((codes[i] & 7) < 3 ? 0 : (codes[i] & 7) < 6 ? 1 : 2);
  const along = reader.planes(new Uint8Array(start[codes.length]).fill(16));
  const outlines = new Float64Array(3 * codes.length);
  for (let contact = 0; contact < count; contact++)
    for (let i = points[contact]; i < points[contact + 1]; i++) {
      const code = codes[i] & 7, base = 9 * triangles.sides[2 * contact + (codes[i] >> 3)];
      const from = code === 6 ? 0 : code % 3;
      const first = code < 3 ? 0 : along[start[i]] / STEPS, second = code === 6 ? along[start[i] + 1] / STEPS : 0;
      const to = code === 6 ? 1 : (from + 1) % 3;
      for (let axis = 0; axis < 3; axis++) {
        const p = corners[base + 3 * from + axis];
        outlines[3 * i + axis] = p + first * (corners[base + 3 * to + axis] - p) + second * (corners[base + 6 + axis] - p);
      }
    }
  return outlines;
}
