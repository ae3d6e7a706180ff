// Frames over time: contacts as a plot, which is also the slider; play, step, speed. Above it the passes of a method.
import { KINDS, SEVERITY } from './contacts.js';
import { button, counted, duration, h, icon, number } from './dom.js';

export class Timeline {
  constructor(element, app) {
    this.app = app;
    this.element = element;
    const { frames } = app.page;
    element.hidden = frames.length < 2 || app.page.independent;
    if (element.hidden) return;
    this.playing = null;
    this.speed = 1;
    this.playButton = button('play', 'Play (Space)', () => this.toggle());
    this.place = h('span', { class: 'frame' });
    this.label = h('span', { class: 'label', dir: 'auto' });
    this.count = h('span', { class: 'count' });
    this.speedButton = h('button', { type: 'button', class: 'speed', title: 'Speed', onclick: () => this.nextSpeed() }, '1×');
    this.canvas = h('canvas', { 'aria-hidden': 'true' });
    this.range = h('input', {
      type: 'range', min: '0', max: String(frames.length - 1), step: '1', value: '0', 'aria-label': 'Frame',
      oninput: () => { this.stop(); app.showFrame(Number(this.range.value)); },
    });
    this.top = h('span', { class: 'top' });
    this.plot = h('div', { class: 'plot' }, this.canvas, this.top, this.range);
    document.getElementById('app').classList.add('moving');
    element.append(
      h('div', { class: 'bar' }, button('back', 'Previous frame (,)', () => this.step(-1)), this.playButton,
        button('forward', 'Next frame (.)', () => this.step(1)), this.place, this.label, this.count, this.speedButton),
      this.plot);
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  get frames() { return this.app.page.frames; }

  toggle() {
    if (this.element.hidden) return;
    if (this.playing) this.stop(); else this.play();
  }

  play() {
    const state = (this.playing = { next: performance.now() });
    this.playButton.replaceChildren(icon('pause'));
    this.playButton.setAttribute('aria-label', 'Pause (Space)');
    const tick = async () => {
      if (this.playing !== state) return;
      const now = performance.now();
      if (now >= state.next) {
        const every = 1000 / (this.app.page.framesPerSecond * this.speed);
        state.next = Math.max(state.next + every, now);
        await this.app.showFrame((this.app.frame + 1) % this.frames.length);
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  stop() {
    if (!this.playing) return;
    this.playing = null;
    this.playButton.replaceChildren(icon('play'));
    this.playButton.setAttribute('aria-label', 'Play (Space)');
  }

  step(by) {
    if (this.frames.length < 2) return;
    this.stop();
    this.app.showFrame((this.app.frame + by + this.frames.length) % this.frames.length);
  }

  nextSpeed() {
    const speeds = [1, 2, 4, 0.25, 0.5];
    this.speed = speeds[(speeds.indexOf(this.speed) + 1) % speeds.length];
    this.speedButton.textContent = `${this.speed}×`;
  }

  update() {
    if (this.element.hidden) return;
    const { frame } = this.app;
    const info = this.frames[frame];
    this.range.value = String(frame);
    this.range.setAttribute('aria-valuetext', `frame ${frame + 1}, ${counted(info.found, 'contact')}`);
    this.place.textContent = `${number(frame + 1)} / ${number(this.frames.length)}`;
    this.label.textContent = info.label;
    this.label.title = info.label;
    this.count.textContent = info.error ? 'not checked' : counted(info.found, 'contact') + (info.milliseconds > 0 ? ` in ${duration(info.milliseconds)}` : '');
    this.draw();
  }

  // Contacts of each kind on top of each other; frames that could not be checked are grey bars.
  draw() {
    if (this.element.hidden) return;
    const { clientWidth: width, clientHeight: height } = this.plot;
    const ratio = devicePixelRatio || 1;
    if (width === 0) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const c = this.canvas.getContext('2d');
    c.scale(ratio, ratio);
    const theme = this.app.stage.theme;
    const style = getComputedStyle(this.element);
    const most = this.frames.reduce((sum, frame) => Math.max(sum, frame.found), 1);
    this.top.textContent = number(most);
    const pad = 8, base = height - 2;
    const step = (width - 2 * pad) / (this.frames.length - 1);
    const x = (i) => pad + i * step;
    const y = (value) => base - (value / most) * (base - 8);
    const from = this.frames.map(() => 0);
    for (const kind of [...SEVERITY].reverse()) {
      const to = this.frames.map((frame, i) => from[i] + frame.counts[kind]);
      if (to.some((value, i) => value > from[i])) {
        c.beginPath();
        to.forEach((value, i) => c.lineTo(x(i), y(value)));
        for (let i = from.length - 1; i >= 0; i--) c.lineTo(x(i), y(from[i]));
        c.closePath();
        c.fillStyle = theme[KINDS[kind]];
        c.globalAlpha = 0.8;
        c.fill();
        c.globalAlpha = 1;
      }
      to.forEach((value, i) => { from[i] = value; });
    }
    c.fillStyle = style.getPropertyValue('--line');
    c.fillRect(pad, base, width - 2 * pad, 1);
    this.frames.forEach((frame, i) => {
      if (frame.error) c.fillRect(x(i) - step / 2, 6, Math.max(1, step), base - 6);
    });
    c.fillStyle = style.getPropertyValue('--text');
    c.fillRect(Math.round(x(this.app.frame)) - 0.75, 0, 1.5, height);
    c.beginPath();
    c.arc(x(this.app.frame), y(this.frames[this.app.frame].found), 3.5, 0, 7);
    c.fill();
  }
}

export class Passes {
  constructor(element, app) {
    this.app = app;
    this.element = element;
    this.toggleButton = h('button', { type: 'button', class: 'mode', 'aria-pressed': 'false', title: 'Show how the method prunes (s)', onclick: () => this.toggle() },
      icon('passes'), h('span', {}, 'Passes'));
    this.text = h('span', { class: 'text' });
    this.range = h('input', { type: 'range', min: '-1', max: '0', value: '-1', 'aria-label': 'Pass', oninput: () => this.app.setPass(Number(this.range.value)) });
    this.legend = h('span', { class: 'legend' }, h('i', { class: 'inside' }), 'in the set', h('i', { class: 'dropped' }), 'dropped by this pass', h('i', { class: 'gone' }), 'dropped before');
    this.body = h('div', { class: 'body' }, button('previous', 'Previous pass ([)', () => this.step(-1)), this.range, button('next', 'Next pass (])', () => this.step(1)));
    element.append(h('div', { class: 'bar' }, this.toggleButton, this.text), this.body, this.legend);
    this.fill();
  }

  get info() { return this.app.page.frames[this.app.frame]?.pruning; }

  fill() {
    const { info } = this;
    this.element.hidden = !info;
    if (info) this.range.max = String(info.passes.length - 1);
    this.update();
  }

  toggle() {
    if (!this.info) return;
    this.app.setPass(this.app.pass === null ? -1 : null);
  }

  step(by) {
    if (!this.info) return;
    const now = this.app.pass ?? -1;
    this.app.setPass(Math.max(-1, Math.min(this.info.passes.length - 1, now + by)));
  }

  update() {
    const { info } = this;
    if (!info) return;
    const { pass } = this.app;
    const on = pass !== null;
    this.toggleButton.setAttribute('aria-pressed', String(on));
    this.element.classList.toggle('on', on);
    if (!on) {
      const last = info.passes.at(-1);
      this.text.textContent = last ? `${info.method}: ${counted(info.passes.length, 'pass', 'passes')}, ${number(info.passes[0].at(1))} → ${counted(last[2], 'triangle')}` : info.method;
      return;
    }
    this.range.value = String(pass);
    if (pass < 0) {
      this.text.textContent = `${info.method}: before the first pass, ${counted(info.passes[0]?.[1] ?? 0, 'triangle')} in the set`;
    } else {
      const [label, before, after, ms] = info.passes[pass];
      this.text.textContent = `${info.method}: pass ${pass + 1} of ${info.passes.length}, ${label}: ${number(before)} → ${number(after)}${ms > 0 ? `, ${duration(ms)}` : ''}`;
    }
    this.range.setAttribute('aria-valuetext', this.text.textContent);
  }
}
