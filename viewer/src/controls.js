// Turn, shift and zoom: mouse, touch and keys. The eye turns about the target; the up axis stays up.
import { Vector3 } from 'three';

const LEAST = 1e-10, MOST = 1e4;
const STEEPEST = Math.cos(0.02);

export class Controls {
  constructor(element, stage, changed) {
    Object.assign(this, { element, stage, changed, up: new Vector3(0, 0, 1) });
    this.pointers = new Map();
    this.flight = null;
    const listen = (name, handler, options) => element.addEventListener(name, handler.bind(this), options);
    listen('pointerdown', this.down);
    listen('pointermove', this.move);
    listen('pointerup', this.release);
    listen('pointercancel', this.release);
    listen('wheel', this.wheel, { passive: false });
    listen('contextmenu', (event) => event.preventDefault());
    this.onTap = () => {};
    this.onDoubleTap = () => {};
    this.lastTap = { time: 0, x: 0, y: 0 };
  }

  get eye() { return this.stage.camera.position; }
  get target() { return this.stage.target; }

  setUp(axis) {
    this.up.set(axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0);
    this.stage.camera.up.copy(this.up);
  }

  look() {
    this.stage.camera.up.copy(this.up);
    this.stage.camera.lookAt(this.target);
    this.stage.moved();
    this.changed();
  }

  turn(right, down) {
    this.flight = null;
    const offset = this.eye.clone().sub(this.target);
    offset.applyAxisAngle(this.up, -right);
    const side = new Vector3().crossVectors(this.up, offset).normalize();
    const turned = offset.clone().applyAxisAngle(side, -down);
    // Not over the pole.
    if (Math.abs(turned.dot(this.up)) < STEEPEST * turned.length()) offset.copy(turned);
    this.eye.copy(this.target).add(offset);
    this.look();
  }

  /// By pixels; the point under the finger at the target's depth stays there.
  shift(dx, dy) {
    this.flight = null;
    const { camera } = this.stage;
    const perPixel = (2 * this.eye.distanceTo(this.target) * Math.tan((camera.fov * Math.PI) / 360)) / this.element.clientHeight;
    const right = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
    const step = right.multiplyScalar(-dx * perPixel).addScaledVector(up, dy * perPixel);
    this.eye.add(step);
    this.target.add(step);
    this.look();
  }

  /// Nearer by a factor, towards a place on the canvas.
  zoom(factor, x = null, y = null) {
    this.flight = null;
    const distance = this.eye.distanceTo(this.target);
    const to = Math.min(MOST, Math.max(LEAST, distance * factor));
    const real = to / distance;
    let about = this.target.clone();
    if (x !== null) {
      const { camera } = this.stage;
      const half = Math.tan((camera.fov * Math.PI) / 360) * distance;
      const nx = (x / this.element.clientWidth) * 2 - 1, ny = 1 - (y / this.element.clientHeight) * 2;
      about.addScaledVector(new Vector3().setFromMatrixColumn(camera.matrixWorld, 0), nx * half * camera.aspect)
        .addScaledVector(new Vector3().setFromMatrixColumn(camera.matrixWorld, 1), ny * half);
    }
    this.eye.sub(about).multiplyScalar(real).add(about);
    this.target.sub(about).multiplyScalar(real).add(about);
    this.look();
  }

  down(event) {
    this.element.setPointerCapture(event.pointerId);
    this.flight = null;
    this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (this.pointers.size === 1) this.tap = { x: event.offsetX, y: event.offsetY, time: performance.now() };
    else this.tap = null;
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.offsetX, y: event.offsetY };
    if (this.tap && Math.hypot(now.x - this.tap.x, now.y - this.tap.y) > 5) this.tap = null;
    const dx = now.x - before.x, dy = now.y - before.y;
    if (this.pointers.size === 1) {
      this.pointers.set(event.pointerId, now);
      if (this.tap) return;
      const shift = event.buttons & 2 || event.buttons & 4 || event.shiftKey;
      const scale = Math.PI / Math.max(200, this.element.clientHeight);
      if (shift) this.shift(dx, dy); else this.turn(dx * scale, dy * scale);
      return;
    }
    // Two fingers: their middle shifts, their distance zooms.
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    const other = others[0];
    const spread = (a) => Math.max(10, Math.hypot(a.x - other.x, a.y - other.y));
    this.pointers.set(event.pointerId, now);
    this.shift(dx / 2, dy / 2);
    this.zoom(spread(before) / spread(now), (now.x + other.x) / 2, (now.y + other.y) / 2);
  }

  release(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    const { tap } = this;
    this.tap = null;
    if (!tap || event.type !== 'pointerup' || performance.now() - tap.time > 600 || event.button > 0) return;
    const again = performance.now() - this.lastTap.time < 350 && Math.hypot(tap.x - this.lastTap.x, tap.y - this.lastTap.y) < 20;
    this.lastTap = { time: again ? 0 : performance.now(), x: tap.x, y: tap.y };
    (again ? this.onDoubleTap : this.onTap)(tap.x, tap.y);
  }

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const step = Math.max(-240, Math.min(240, event.deltaY * lines));
    this.zoom(Math.exp(step * (event.ctrlKey ? 0.008 : 0.0016)), event.offsetX, event.offsetY);
  }

  /// Moves eye and target to new places, on a path that is as smooth near the model as far from it.
  fly(eye, target, time = 480) {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (still || time === 0) {
      this.eye.copy(eye);
      this.target.copy(target);
      this.flight = null;
      this.look();
      return;
    }
    const from = { target: this.target.clone(), offset: this.eye.clone().sub(this.target) };
    const offset = eye.clone().sub(target);
    const start = performance.now();
    const flight = (this.flight = {});
    const step = () => {
      if (this.flight !== flight) return;
      const t = Math.min(1, (performance.now() - start) / time);
      const ease = t * t * (3 - 2 * t);
      const length = Math.exp(Math.log(from.offset.length()) * (1 - ease) + Math.log(offset.length()) * ease);
      const direction = from.offset.clone().normalize().lerp(offset.clone().normalize(), ease);
      if (direction.length() < 1e-3) direction.copy(offset);
      // The target moves in proportion to the distance: from far away its motion cannot be seen, close by it must be
      // slow.
      const a = from.offset.length(), b = offset.length();
      const share = Math.abs(a - b) > 1e-3 * a ? (a - length) / (a - b) : ease;
      this.target.copy(from.target).lerp(target, t === 1 ? 1 : share);
      this.eye.copy(this.target).addScaledVector(direction.normalize(), t === 1 ? offset.length() : length);
      if (t === 1) {
        this.eye.copy(eye);
        this.flight = null;
      }
      this.look();
      if (t < 1) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}
