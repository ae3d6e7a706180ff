// A coarse index over a piece's own vertices, for pictures while the view moves and the CPU draws.

const BITS = 6;  // cells a side: 64, some eight pixels of a model that fills a small window
const standsFor = new Int32Array(1 << (3 * BITS));

/// One vertex stands for all in its cell; triangles that keep three different ones are left. `piece` has the place of its
/// vertices in the buffer (model.js).
export function coarseIndex(positions, index, { base, smooth }) {
  const { values } = positions, shift = 16 - BITS;
  const cells = [];
  const stand = new Uint32Array(values.length / 4);
  for (let i = 0; i < stand.length; i++) {
    const cell = (values[4 * i] >> shift) | ((values[4 * i + 1] >> shift) << BITS) | ((values[4 * i + 2] >> shift) << (2 * BITS));
    if (standsFor[cell] === 0) standsFor[cell] = i + 1, cells.push(cell);
    stand[i] = standsFor[cell] - 1;
  }
  for (const cell of cells) standsFor[cell] = 0;
  let place = null;  // of each vertex in the buffer: any of those that smoothing made of it
  if (smooth) {
    place = new Uint32Array(stand.length);
    smooth.from.forEach((old, vertex) => { place[old] = vertex; });
  }
  const left = [];
  for (let i = 0; i < index.length; i += 3) {
    const a = stand[index[i]], b = stand[index[i + 1]], c = stand[index[i + 2]];
    if (a === b || b === c || c === a) continue;
    if (place) left.push(base + place[a], base + place[b], base + place[c]);
    else left.push(base + a, base + b, base + c);
  }
  return Uint32Array.from(left);
}
