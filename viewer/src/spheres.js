// Spheres about contacts, in the page's space.
import { Box3, Sphere, Vector3 } from 'three';

export function sphereAround(clusters) {
  const box = new Box3();
  for (const { low, high } of clusters) if (low[0] <= high[0]) box.union(new Box3(new Vector3(...low), new Vector3(...high)));
  return box.getBoundingSphere(new Sphere());
}

export const sphereOf = (points, from, to) =>
  new Box3().setFromArray(points.subarray(3 * from, 3 * to)).getBoundingSphere(new Sphere());
