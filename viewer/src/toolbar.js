// The toolbar: transparency, cut, up axis, measures, files.
import { button, h } from './dom.js';
import { download, listAsCsv } from './files.js';
import { pick } from './pick.js';
import { sphereAround, sphereOf } from './spheres.js';

export const withToolbar = (Base) => class extends Base {
  makeToolbar() {
    this.isolateButton = button('isolate', 'Only the two parts of this contact (i)', () => this.isolate(), { 'aria-pressed': 'false' });
    this.isolateButton.hidden = !this.severalParts();
    this.opacityInput = h('input', { type: 'range', min: '0', max: '100', value: '100', 'aria-label': 'Opacity', oninput: () => this.setOpacity(Number(this.opacityInput.value) / 100) });
    this.glassButton = button('glass', 'Transparency (x)', () => this.pop(this.glassBox, this.glassButton), { 'aria-expanded': 'false' });
    this.glassBox = h('div', { class: 'pop', hidden: true }, h('label', {}, h('span', {}, 'Opacity'), this.opacityInput));
    this.cutButton = button('cut', 'Cut plane (c)', () => this.toggleCut(), { 'aria-expanded': 'false' });
    this.cutInput = h('input', { type: 'range', min: '0', max: '1000', value: '500', 'aria-label': 'Place of the cut', oninput: () => this.setCut({ ...this.cutState, share: Number(this.cutInput.value) / 1000 }) });
    this.cutAxes = ['X', 'Y', 'Z'].map((name, axis) => h('button', { type: 'button', 'aria-label': `Cut along ${name}`, onclick: () => this.setCut({ ...this.cutState, axis }) }, name));
    this.cutBox = h('div', { class: 'pop', hidden: true }, h('div', { class: 'choice', role: 'group', 'aria-label': 'Direction' }, ...this.cutAxes,
      h('button', { type: 'button', onclick: () => this.setCut({ ...this.cutState, flip: !this.cutState.flip }) }, 'Flip'),
      h('button', { type: 'button', onclick: () => this.toggleCut() }, 'Off')), this.cutInput);
    this.upAxes = ['X', 'Y', 'Z'].map((name, axis) => h('button', { type: 'button', 'aria-label': `${name} is up`, 'aria-pressed': String(axis === this.up), onclick: () => this.turnUp(axis) }, name));
    this.upBox = h('div', { class: 'pop', hidden: true }, h('div', { class: 'choice', role: 'group', 'aria-label': 'The axis that points up' }, h('span', {}, 'Up'), ...this.upAxes));
    this.upButton = button('up', 'Which axis points up (u)', () => this.pop(this.upBox, this.upButton), { 'aria-expanded': 'false' });
    this.upButton.append(h('span', { class: 'axis' }, 'XYZ'[this.up]));
    this.measureButton = button('measure', 'Measure between two points (m)', () => this.toggleMeasure(), { 'aria-pressed': 'false' });
    this.apartButton = button('apart', 'Move the first part of the pair until the contact ends, or back (d)', () => this.togglePart(), { 'aria-pressed': 'false' });
    this.apartButton.hidden = !this.page.frames.some(({ pairs }) => pairs.some((pair) => pair[9]?.way));
    this.themeButton = button(this.theme.name === 'dark' ? 'sun' : 'moon', 'Dark or light (t)', () => this.theme.toggle());
    return h('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'View' },
      button('fit', 'Show all (f)', () => this.fit()), this.isolateButton, this.glassButton, this.glassBox, this.cutButton, this.cutBox, this.upButton, this.upBox, this.measureButton, this.apartButton,
      button('picture', 'Save this view as PNG', () => this.savePicture()),
      button('link', 'Copy a link to this view (l)', () => this.copyLink()), this.themeButton, button('help', 'Keys and help (?)', () => this.help.showModal()));
  }

  pop(box, button, open = box.hidden) {
    for (const [other, its] of [[this.glassBox, this.glassButton], [this.cutBox, this.cutButton], [this.upBox, this.upButton]]) {
      other.hidden = other !== box || !open;
      its.setAttribute('aria-expanded', String(!other.hidden));
    }
    if (open) box.querySelector('input, [aria-pressed=true], button').focus();
  }

  setOpacity(opacity) {
    this.opacityInput.value = String(Math.round(opacity * 100));
    this.glassButton.classList.toggle('on', opacity < 1);
    this.stage.setOpacity(opacity);
    this.remember();
  }

  toggleCut() {
    if (this.cutState) {
      this.setCut(null);
      this.pop(this.cutBox, this.cutButton, false);
    } else {
      this.setCut(this.cutThrough({ axis: (this.up + 1) % 3, flip: false, share: 0.5 }));
      this.pop(this.cutBox, this.cutButton, true);
    }
  }

  /// The same plane through the middle of the choice.
  cutThrough(cut) {
    const place = this.pair && (this.contact >= 0 ? this.middleOfContact(this.contact) : this.selected >= 0 ? sphereAround([this.current.contacts.clusters[this.selected]]).center.toArray() : this.current.space.inside(this.placeOf(this.pair) ?? [0, 0, 0]));
    if (!place) return cut;
    const { half, scale } = this.current.space;
    const share = half[cut.axis] > 0 ? (place[cut.axis] / ((half[cut.axis] / scale) * 1.001) + 1) / 2 : 0.5;
    return { ...cut, share: Number(Math.min(1, Math.max(0, share)).toPrecision(10)) };  // as a link has it
  }

  middleOfContact(contact) {
    const { points, outlines } = this.current.contacts;
    return sphereOf(outlines, points[contact], points[contact + 1]).center.toArray();
  }

  // Through the box of the first frame.
  setCut(cut) {
    this.cutState = cut;
    this.cutButton.classList.toggle('on', cut !== null);
    if (cut === null) {
      this.stage.cut = null;
      if (!this.cutBox.hidden) this.pop(this.cutBox, this.cutButton, false);
    } else {
      const half = this.current.space.half[cut.axis] / this.current.space.scale * 1.001;
      const at = (2 * cut.share - 1) * half, sign = cut.flip ? -1 : 1;
      this.stage.cut = { normal: [0, 1, 2].map((axis) => (axis === cut.axis ? sign : 0)), at: sign * at };
      this.cutInput.value = String(Math.round(cut.share * 1000));
      this.cutAxes.forEach((button, axis) => button.setAttribute('aria-pressed', String(axis === cut.axis)));
    }
    this.stage.unsettle();
    this.remember();
  }

  toast(text) {
    this.toastBox.textContent = text;
    this.toastBox.hidden = false;
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => { this.toastBox.hidden = true; }, 2600);
  }

  async copyLink() {
    this.rememberNow();
    try {
      await navigator.clipboard.writeText(location.href);
      this.toast('Link copied');
    } catch {
      this.toast('The link is in the address bar');
    }
  }

  toggleMeasure() {
    this.measured = this.measured ? null : [];
    this.measureButton.setAttribute('aria-pressed', String(this.measured !== null));
    this.canvas.classList.toggle('aims', this.measured !== null);
    if (this.measured) this.toast('Tap two points of the model');
    this.updateLines();
  }

  measureAt(x, y) {
    const found = pick(this.stage, x, y, this.canvas.clientWidth, this.canvas.clientHeight);
    if (!found) return this.toast('There is no surface');
    if (this.measured.length === 2) this.measured = [];
    this.measured.push(found.corner ?? found.point.toArray());
    return this.updateLines();
  }

  fileName(ending) {
    return `${this.page.title.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 80) || 'report'}${ending}`;
  }

  /// The view as it is, with the lines over it.
  pictureOfView() {
    this.stage.restless = false;
    this.stage.drawNow();
    const picture = h('canvas', { width: this.canvas.width, height: this.canvas.height });
    const c = picture.getContext('2d');
    c.drawImage(this.canvas, 0, 0);
    this.stage.overlay.drawInto(c, this.canvas.width / this.canvas.clientWidth, this.stage.theme);
    return picture;
  }

  savePicture() {
    this.pictureOfView().toBlob((blob) => download(blob, this.fileName('.png')), 'image/png');
  }

  saveList() {
    download(new Blob([listAsCsv(this)], { type: 'text/csv' }), this.fileName('.csv'));
  }
};
