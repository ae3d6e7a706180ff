// A coarse index over a piece's own vertices, for pictures while the view moves and the CPU draws.

const BITS = 6;  // cells a side: 64, some eight pixels of a model that fills a small window

/// One vertex stands for all in its cell; triangles that keep three different ones are left.
export function coarseIndex(positions, index) {
  const { values } = positions, shift = 16 - BITS;
  const standsFor = new Int32Array(1 << (3 * BITS)).fill(-1);
  const stand = new Uint32Array(values.length / 4);
  for (let i = 0; i < stand.length; i++) {
    const cell = (values[4 * i] >> shift) | ((values[4 * i + 1] >> shift) << BITS) | ((values[4 * i + 2] >> shift) << (2 * BITS));
    if (standsFor[cell] < 0) standsFor[cell] = i;
    stand[i] = standsFor[cell];
  }
  const left = [];
  for (let i = 0; i < index.length; i += 3) {
    const a = stand[index[i]], b = stand[index[i + 1]], c = stand[index[i + 2]];
    if (a !== b && b !== c && c !== a) left.push(a, b, c);
  }
  return Uint32Array.from(left);
}
