// Lines with a text over the picture: gaps and measured lengths. They are SVG, so that text stays sharp and nothing of the
// model can hide them.
import { Vector3 } from 'three';
import { s } from './dom.js';

const HEAD = 11;  // length of an arrow's head in pixels

const isArrow = ({ kind }) => kind === 'depth' || kind === 'way';
/// The text of a way is at its end, because that of a depth can be beside it.
const labelAt = (kind, places) => (kind === 'way' ? [places.at(-1).x, places.at(-1).y] : [0, 1].map((i) => places.reduce((sum, { x, y }) => sum + [x, y][i] / places.length, 0)));

/// The corners of the head of an arrow from p to q.
function headOf(p, q) {
  const x = q.x - p.x, y = q.y - p.y, size = Math.hypot(x, y) || 1, along = [(x / size) * HEAD, (y / size) * HEAD];
  const foot = { x: q.x - along[0], y: q.y - along[1] };
  return [q, { x: foot.x - along[1] / 2, y: foot.y + along[0] / 2 }, { x: foot.x + along[1] / 2, y: foot.y - along[0] / 2 }];
}

export class Overlay {
  constructor() {
    this.element = s('svg', { class: 'over', 'aria-hidden': 'true' });
    this.items = [];
  }

  /// `items`: { points: [p, …] in the page's space, text, kind }. A depth and a way are arrows.
  set(items) {
    this.items = items;
    this.element.replaceChildren(...items.map((item) => {
      item.halo = s('polyline', { class: 'halo' });
      item.line = s('polyline', { class: item.kind });
      item.dots = item.points.slice(0, isArrow(item) ? 1 : undefined).map(() => s('circle', { r: 4, class: item.kind }));
      item.head = isArrow(item) && s('polygon', { class: item.kind });
      item.label = s('text', { class: item.kind });
      item.label.textContent = item.text;
      return s('g', {}, item.halo, item.line, ...[item.head].filter(Boolean), ...item.dots, item.label);
    }));
  }

  /// Draws the same into a picture of `scale` pixels for each of the screen's.
  drawInto(c, scale, theme) {
    c.save();
    c.scale(scale, scale);
    c.lineCap = 'round';
    c.font = '650 13px system-ui, sans-serif';
    c.textAlign = 'center';
    const ink = (kind) => (kind === 'gap' || kind === 'depth' ? theme.crossing : theme.touching);
    for (const { places, text, kind } of this.items) {
      if (!places) continue;
      for (const [style, width] of [[theme.background, 6], [ink(kind), 2.5]]) {
        c.strokeStyle = style;
        c.lineWidth = width;
        c.beginPath();
        for (const { x, y } of places) c.lineTo(x, y);
        c.stroke();
      }
      if (isArrow({ kind })) {
        c.fillStyle = ink(kind);
        c.beginPath();
        for (const { x, y } of headOf(...places)) c.lineTo(x, y);
        c.fill();
      }
      const middle = labelAt(kind, places);
      c.strokeStyle = theme.background;
      c.lineWidth = 4;
      c.strokeText(text, middle[0], middle[1] - 12);
      c.fillStyle = theme.ink;
      c.fillText(text, middle[0], middle[1] - 12);
    }
    c.restore();
  }

  /// Places on the screen after the camera has moved.
  update(camera, width, height) {
    const forward = camera.getWorldDirection(new Vector3());
    for (const item of this.items) {
      const places = item.points.map((p) => {
        const at = new Vector3(...p);
        const ahead = at.clone().sub(camera.position).dot(forward) > camera.near;
        at.project(camera);
        return { x: (at.x * 0.5 + 0.5) * width, y: (0.5 - at.y * 0.5) * height, ahead };
      });
      const visible = places.every((place) => place.ahead);
      for (const part of [item.halo, item.line, item.label, item.head, ...item.dots].filter(Boolean)) part.style.display = visible ? '' : 'none';
      item.places = visible ? places : null;
      if (!visible) continue;
      const points = places.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
      item.halo.setAttribute('points', points);
      item.line.setAttribute('points', points);
      if (item.head) item.head.setAttribute('points', headOf(...places).map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' '));
      item.dots.forEach((dot, i) => { dot.setAttribute('cx', places[i].x.toFixed(1)); dot.setAttribute('cy', places[i].y.toFixed(1)); });
      const middle = labelAt(item.kind, places);
      item.label.setAttribute('x', Math.max(60, Math.min(width - 60, middle[0])).toFixed(1));
      item.label.setAttribute('y', Math.max(24, Math.min(height - 12, middle[1] - 12)).toFixed(1));
    }
  }
}
