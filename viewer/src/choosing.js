// What is chosen (a pair of parts, a cluster, a contact, a flaw), and where the camera goes.
import { Vector3 } from 'three';
import { FLAW } from './contacts.js';
import { button, counted, h, interval, length, number } from './dom.js';
import { keep, kept } from './files.js';
import { boxOf } from './pairs.js';
import { sphereAround, sphereOf } from './spheres.js';
import { bestDirection } from './viewpoint.js';

export const withChoosing = (Base) => class extends Base {
  makePager() {
    this.pagerText = h('span', {});
    return h('div', { class: 'pager', hidden: true }, button('previous', 'Previous cluster (p)', () => this.go(-1)), this.pagerText, button('next', 'Next cluster (n)', () => this.go(1)));
  }

  updatePager() {
    const stops = this.list.stops();
    this.pager.hidden = stops.length === 0 || this.pass !== null;
    const at = stops.findIndex((item) => this.list.isHere(item));
    const kinds = new Set(stops.map((item) => item.type)), what = kinds.size > 1 ? 'place' : kinds.has('pair') ? 'pair' : 'cluster';
    this.pagerText.textContent = at < 0 ? counted(stops.length, what) : `${number(at + 1)} / ${number(stops.length)}`;
  }

  go(by) {
    let stops = this.list.stops();
    if (stops.length === 0 && this.hiddenClasses.size > 0) {
      this.classesChosen = true;
      this.hiddenClasses.clear();
      this.applyClasses();
      stops = this.list.stops();
    }
    if (stops.length === 0) return;
    const at = stops.findIndex((item) => this.list.isHere(item));
    const item = stops[at < 0 ? (by > 0 ? 0 : stops.length - 1) : (at + by + stops.length) % stops.length];
    if (item.type === 'pair') this.selectPair(item.pair);
    else if (item.type === 'flaw') this.selectFlaw(this.current.flaws.indexOf(item.flaw));
    else this.select(item.cluster.number);
  }

  goContact(by) {
    let cluster = this.current?.contacts.clusters[this.selected];
    if (!cluster) cluster = this.pair?.clusters[0];
    if (cluster && this.severalParts() && !this.list.isOpen(this.pair)) this.list.toggle(this.pair);
    if (!cluster) return this.go(by);
    if (this.list.expanded !== cluster.number) this.list.expand(cluster.number);
    const to = this.contact < 0 ? (by > 0 ? 0 : cluster.count - 1) : (this.contact - cluster.first + by + cluster.count) % cluster.count;
    return this.selectContact(cluster.first + to);
  }

  /// A pair of parts, one of its clusters, and one contact of that; or nothing.
  choose(cluster, contact = -1, pair = null) {
    const of = this.current.contacts.clusters[cluster];
    this.pair = of ? this.pairs().of(of.partA, of.partB) : pair;
    this.flaw = null;
    this.selected = of ? cluster : -1;
    this.contact = contact;
    if (this.stage.shift) this.togglePart();
    if (this.pair) {
      const clusters = new Set(of ? [cluster] : this.pair.clusters.map((one) => one.number));
      if (this.stage.isolated) this.stage.isolated = new Set([this.pair.a, this.pair.b]);
      this.stage.setChoice({ a: this.pair.a, b: this.pair.b, inner: this.pair.inner, clusters });
    } else this.stage.setChoice(null);
    this.updateLines();
    this.list.reveal();
    this.review.show();
    this.updatePager();
    this.chip.hidden = true;
    this.partList.show();
    this.remember();
  }

  select(cluster, time) {
    this.choose(cluster);
    if (!this.pair) return;
    // The only cluster of two parts is explained with both of them; one of several is looked at from near.
    if (this.pair.a !== this.pair.b && this.pair.clusters.length === 1) this.flyToPair(this.pair, time);
    else this.flyTo(this.sphereOfCluster(cluster), cluster, time);
  }

  selectPair(pair, time) {
    this.choose(pair.clusters.length === 1 ? pair.clusters[0].number : -1, -1, pair);
    if (pair.a === pair.b && pair.clusters.length > 0) this.flyTo(sphereAround(pair.clusters), pair.clusters[0].number, time);
    else this.flyToPair(pair, time);
  }

  flawItems() {
    return this.stage.hiddenKinds[FLAW] ? [] : this.current.flaws;
  }

  selectFlaw(number) {
    const flaw = this.current.flaws[number];
    this.choose(-1);
    this.flaw = flaw;
    this.stage.setChoice({ a: flaw.partA, b: flaw.partA, inner: -1, clusters: new Set([flaw.number]) });
    const { center, radius } = sphereAround([flaw]);
    const room = Math.max(2 * radius, 0.02 * this.stage.sphere(new Set([flaw.partA])).radius, 1e-9);
    const distance = this.stage.distanceFor(room), direction = bestDirection(this.stage, center, distance);
    this.controls.fly(center.clone().addScaledVector(direction, distance), center);
    this.list.reveal();
    this.updatePager();
  }

  sphereOfCluster(cluster) {
    return sphereAround([this.current.contacts.clusters[cluster]]);
  }

  selectContact(contact, time) {
    const { clusterOf, points, outlines } = this.current.contacts;
    this.choose(clusterOf[contact], contact);
    this.flyTo(sphereOf(outlines, points[contact], points[contact + 1]), clusterOf[contact], time);
  }

  /// Both parts of a pair, from where its curves are seen best.
  flyToPair(pair, time) {
    const box = this.stage.boxOfParts(new Set([pair.a, pair.b]));
    const { center, radius } = this.stage.sphere(new Set([pair.a, pair.b]));
    let direction = this.controls.eye.clone().sub(this.controls.target).normalize();
    if (pair.clusters.length > 0) direction = bestDirection(this.stage, center, this.stage.distanceFor(radius));
    else if (this.gapPoints(pair)) {
      // A gap that is seen along its line cannot be seen.
      const [p, q] = this.gapPoints(pair).map((point) => new Vector3(...point));
      const along = q.sub(p).normalize(), side = direction.clone().addScaledVector(along, -direction.dot(along));
      if (side.length() < 0.7) direction = side.length() > 1e-3 ? side.normalize() : new Vector3(along.y, along.z, along.x).cross(along).normalize();
    }
    const { eye, target } = this.stage.frameBox(box, direction, 1.2);
    this.controls.fly(eye, target, time);
    if (this.cutState) this.setCut(this.cutThrough(this.cutState));
  }

  flyTo({ center, radius }, cluster, time) {
    if (this.cutState) this.setCut(this.cutThrough(this.cutState));
    // A point has no size of its own: the surroundings give one.
    const least = this.smallestEdge(cluster) * 0.6;
    const room = Math.max(radius * 2, least, 1e-9);
    const distance = this.stage.distanceFor(room);
    const direction = bestDirection(this.stage, center, distance);
    this.controls.fly(center.clone().addScaledVector(direction, distance), center, time);
  }

  /// The nearest points of a pair that is not in contact, in the page's space; null where they are not known.
  gapPoints(pair) {
    return pair.gap > 0 && pair.nearest ? pair.nearest.map((p) => this.current.space.inside(p)) : null;
  }

  /// Moves the first part of the choice along the translation that ends the contact, or back.
  togglePart() {
    const { pair, stage } = this;
    if (!stage.shift && !pair?.way) return this.toast(pair ? 'No translation was computed (--separation)' : 'Choose a pair first');
    stage.setShift(stage.shift ? null : { part: pair.a, by: pair.way.map((x) => x / this.current.space.scale) });
    this.apartButton.setAttribute('aria-pressed', String(stage.shift !== null));
    return undefined;
  }

  /// Where a pair is, in the units of the file.
  placeOf(pair) {
    if (pair.place !== undefined) return pair.place;
    const { space } = this.current;
    const middle = (box) => box.low.map((x, i) => x / 2 + box.high[i] / 2);
    const box = boxOf(pair.clusters, space);
    let place = box && middle(box);
    if (!place && pair.relation === 'near') {
      const points = this.gapPoints(pair);
      place = points && space.outside(points[0].map((x, i) => x / 2 + points[1][i] / 2));
    }
    if (!place) {
      const about = this.stage.boxOfParts(new Set([pair.inner >= 0 ? pair.inner : pair.a]));
      place = about.isEmpty() ? null : space.outside(about.getCenter(new Vector3()).toArray());
    }
    return (pair.place = place);
  }

  /// The lines over the picture: the gap of the chosen pair, the arrow from its deepest point to the surface, the way on
  /// which its first part leaves the other one, and what was measured.
  updateLines() {
    const items = [];
    const points = this.pair && this.gapPoints(this.pair);
    if (points) items.push({ points, kind: 'gap', text: `${length(this.pair.gap)} ${this.unit}` });
    if (this.pair?.deepest) {
      const { space } = this.current;
      items.push({ points: [this.pair.deepest, this.pair.surface].map((p) => space.inside(p)), kind: 'depth', text: `depth ${interval(this.pair.depth)} ${this.unit}` });
    }
    if (this.pair?.way) {
      const { space } = this.current, from = this.placeOf(this.pair), { way } = this.pair;
      items.push({ points: [from, from.map((x, i) => x + way[i])].map((p) => space.inside(p)), kind: 'way', text: `move ${this.nameOf(this.pair.a)} by ${length(Math.hypot(...way))} ${this.unit}` });
    }
    if (this.measured?.length === 2) {
      const [p, q] = this.measured.map((point) => this.current.space.outside(point));
      items.push({ points: this.measured, kind: 'measure', text: `${length(Math.hypot(...p.map((x, i) => x - q[i])))} ${this.unit}` });
    } else if (this.measured?.length === 1) items.push({ points: this.measured, kind: 'measure', text: '' });
    this.stage.overlay.set(items);
    this.stage.draw();
  }

  smallestEdge(cluster) {
    const { cluster: of, corners } = this.stage.contactTriangles;
    let least = Infinity;
    for (let i = 0; i < of.length; i++) {
      if (of[i] !== cluster) continue;
      for (let k = 0; k < 3; k++) {
        const p = 9 * i + 3 * k, q = 9 * i + 3 * ((k + 1) % 3);
        const edge = Math.hypot(corners[p] - corners[q], corners[p + 1] - corners[q + 1], corners[p + 2] - corners[q + 2]);
        if (edge > 0) least = Math.min(least, edge);
      }
    }
    return Number.isFinite(least) ? least : 0.01;
  }

  flyToParts(parts) {
    const direction = this.controls.eye.clone().sub(this.controls.target).normalize();
    const { eye, target } = this.stage.frameBox(this.stage.boxOfParts(parts), direction);
    this.controls.fly(eye, target);
  }

  fit() {
    const { eye, target } = this.stage.frameBox(this.stage.boxOfParts(), this.stage.home);
    this.controls.fly(eye, target);
  }

  lookAlong(axis, sign) {
    const direction = new Vector3(axis === 0 ? sign : 0, axis === 1 ? sign : 0, axis === 2 ? sign : 0);
    // Never exactly along the up axis: the picture would have no up.
    if (axis === this.up) direction.addScaledVector(this.stage.home, 0.03).normalize();
    const { eye, target } = this.stage.frameBox(this.stage.boxOfParts(), direction);
    this.controls.fly(eye, target);
  }

  turnUp(axis = (this.up + 1) % 3) {
    this.setUp(axis);
    this.fit();
    this.toast(`${'XYZ'[this.up]} is up`);
    keep(this.upKey(), this.up === this.ofModel('up') ? null : 'xyz'[this.up]);
  }

  setUp(axis) {
    this.up = axis;
    this.controls.setUp(axis);
    this.setHome();
    this.upButton.lastChild.textContent = 'XYZ'[axis];
    this.upAxes.forEach((one, i) => one.setAttribute('aria-pressed', String(i === axis)));
  }

  upKey() { return `sightline up ${this.page.title}${this.page.independent ? ` ${this.current?.info.label}` : ''}`; }
  keptUp() { return { x: 0, y: 1, z: 2 }[kept(this.upKey())]; }
};
