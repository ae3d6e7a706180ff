// Finds a direction from which the choice can be seen. Small pictures are drawn from a few directions, its curves white
// and all else black: the one with the most white wins. The current direction is kept where it is good enough.
import { WebGLRenderTarget } from 'three';

const SIDE = 96;
const ENOUGH = 0.5;      // of the pixels that would be white if nothing were in front
const MOST_TIME = 60;    // milliseconds: a key is answered within 200

let target = null;

export function bestDirection(stage, center, distance) {
  const start = performance.now();
  const now = stage.camera.position.clone().sub(stage.target).normalize();
  const whole = count(stage, center, now, distance, false);
  const seen = count(stage, center, now, distance, true);
  if (whole > 0 && seen >= ENOUGH * whole) return now;
  let best = { direction: now, score: seen };
  for (const direction of around(now, stage.camera.up)) {
    if (performance.now() - start > MOST_TIME) break;
    // A small bonus for directions near the current one.
    const score = count(stage, center, direction, distance, true) * (0.85 + 0.15 * direction.dot(now));
    if (score > best.score * 1.05) best = { direction, score };
  }
  return best.direction;
}

function around(now, up) {
  const directions = [];
  for (const tilt of [0.35, 1.1, -0.35, -1.1])
    for (let turn = 0; turn < 6; turn++) {
      const flat = now.clone().addScaledVector(up, -now.dot(up));
      if (flat.length() < 1e-3) flat.set(up.y, up.z, up.x);
      flat.normalize().applyAxisAngle(up, (turn * Math.PI) / 3);
      directions.push(flat.multiplyScalar(Math.cos(tilt)).addScaledVector(up, Math.sin(tilt)));
    }
  return directions.sort((a, b) => b.dot(now) - a.dot(now));
}

function count(stage, center, direction, distance, withRest) {
  target ??= new WebGLRenderTarget(SIDE, SIDE);
  const eye = center.clone().addScaledVector(direction, distance);
  stage.probe(target, eye, center, withRest);
  const pixels = new Uint8Array(4 * SIDE * SIDE);
  stage.renderer.readRenderTargetPixels(target, 0, 0, SIDE, SIDE, pixels);
  let white = 0;
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i] > 127) white++;
  return white;
}
