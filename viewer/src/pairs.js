// Pairs of parts with their relation and their clusters: what the list shows and what can be chosen.
import { length, number } from './dom.js';

/// The most serious first. A shallow clash is one whose overlap is thin, such as a shaft in a tessellated bore.
export const CLASSES = ['clash', 'shallow', 'contains', 'touch', 'near'];
/// Above this many touching pairs their contacts are drawn only where they are chosen, and they are not listed at first.
export const MANY_TOUCH = 40;
// A pair is shallow if its overlap is thinner than this share of the thinnest side of its smaller part.
const SHALLOW = 0.02;

/// All pairs of a frame, and the pair of each cluster.
export function pairsOf(frame) {
  if (frame.pairs) return frame.pairs;
  const all = new Map();
  const of = (a, b) => {
    const key = `${a} ${b}`;
    let pair = all.get(key);
    if (!pair) all.set(key, pair = { key, a, b, relation: null, gap: null, inner: -1, fresh: false, clusters: [], contacts: 0, volume: null, thickness: null, tolerated: false, depth: null, deepest: null, surface: null, way: null, nearest: null, size: 0, shallow: false });
    return pair;
  };
  for (const [a, b, relation, inner, gap, counts, fresh, volume, area, measured] of frame.info.pairs) {
    const pair = Object.assign(of(a, b), { relation, gap, fresh, inner: relation === 'contains' ? inner : -1, volume: volume ?? null });
    pair.found = counts.reduce((sum, n) => sum + n, 0);
    pair.kinds = counts;
    if (volume > 0 && area > 0) pair.thickness = (2 * volume) / area;
    if (!measured) continue;
    const { tolerated, depth = null, deepest = null, surface = null, way = null, from, to } = measured;
    Object.assign(pair, { tolerated, depth, deepest, surface, way, nearest: from ? [from, to] : null });
  }
  for (const cluster of frame.contacts.clusters) {
    const pair = of(cluster.partA, cluster.partB);
    pair.clusters.push(cluster);
    pair.contacts += cluster.size;
    pair.size = Math.max(pair.size, cluster.diagonal);
  }
  const thinnest = new Map();  // side of the box of each part
  for (const { triangles: { part }, positions: { low, high } } of frame.pieces)
    thinnest.set(part, Math.max(thinnest.get(part) ?? 0, Math.min(...low.map((x, axis) => high[axis] - x))));
  for (const pair of all.values()) {
    pair.found ??= pair.contacts;
    if (pair.relation === 'clash' && pair.thickness !== null)
      pair.shallow = pair.thickness < SHALLOW * Math.min(thinnest.get(pair.a) ?? 0, thinnest.get(pair.b) ?? 0);
  }
  const list = [...all.values()];
  const touching = list.reduce((sum, pair) => sum + (pair.relation === 'touch'), 0);
  frame.pairs = { list, of: (a, b) => all.get(`${a} ${b}`), touching, manyTouch: touching > MANY_TOUCH };
  return frame.pairs;
}

/// For an order: the depth is at least this; -1 where it is not known.
export const depthOf = (pair) => (pair.depth ? pair.depth[0] : -1);
export const classOf = (pair) => (pair.shallow ? 'shallow' : pair.relation);

/// The box of clusters in the units of the file.
export function boxOf(clusters, space) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const cluster of clusters)
    for (let axis = 0; axis < 3; axis++) {
      low[axis] = Math.min(low[axis], cluster.low[axis]);
      high[axis] = Math.max(high[axis], cluster.high[axis]);
    }
  return clusters.length > 0 && low[0] <= high[0] ? { low: space.outside(low), high: space.outside(high) } : null;
}

/// A place with as many digits as the size of the model gives a meaning to.
export function placeText(point, extent) {
  const text = (x) => {
    if (!(extent > 0) || extent >= 1e6 || extent < 1e-3) return length(x);
    const digits = Math.max(0, Math.min(8, Math.ceil(3 - Math.log10(extent))));
    return String(Number(x.toFixed(digits)));
  };
  return `(${point.map(text).join(', ')})`;
}

/// What a cluster is, in the words of a person, and how large.
export function describe(cluster, space, unit) {
  const [, crossing, coplanar, duplicate] = cluster.kinds;
  const sides = cluster.low.map((x, axis) => (cluster.high[axis] - x) * space.scale);
  const flat = 1e-9 * space.scale, extents = sides.filter((side) => side > flat).sort((x, y) => y - x);
  const across = cluster.diagonal > 0 ? `${length(cluster.diagonal)} ${unit} across` : '';
  if (crossing > 0) return { name: 'crossing', size: across };
  if (coplanar + duplicate > 0) {
    const size = extents.length === 2 ? `${length(extents[0])} × ${length(extents[1])} ${unit}` : across;
    return { name: cluster.partA === cluster.partB ? 'faces on each other' : 'shared face', size };
  }
  if (extents.length === 0) return { name: 'touching point', size: '' };
  if (extents.length === 1) return { name: 'touching edge', size: `${length(extents[0])} ${unit} long` };
  return { name: 'touch', size: across };
}

/// "1 clash, 3 touch": the numbers of all pairs of a frame by relation.
export function relationText(counts) {
  return ['clash', 'contains', 'touch', 'near'].filter((name) => counts[name] > 0).map((name) => `${number(counts[name])} ${counts[name] > 1 ? PLURALS[name] : name}`).join(', ');
}
const PLURALS = { clash: 'clashes', contains: 'contain', touch: 'touch', near: 'near' };
