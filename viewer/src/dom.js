// Elements and icons. Text is always inserted as text: this viewer never parses HTML.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else if (name in element && typeof value !== 'string') element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const PATHS = {
  fit: ['M3 8V4.5A1.5 1.5 0 0 1 4.5 3H8', 'M12 3h3.5A1.5 1.5 0 0 1 17 4.5V8', 'M17 12v3.5a1.5 1.5 0 0 1-1.5 1.5H12',
    'M8 17H4.5A1.5 1.5 0 0 1 3 15.5V12', 'M10 7.6l2.2 1.2v2.4L10 12.4l-2.2-1.2V8.8z'],
  isolate: ['M8.2 5.2a5 5 0 1 0 0 9.6', 'M11.8 5.2a5 5 0 1 1 0 9.6', 'M10 6.4a5 5 0 0 1 0 7.2a5 5 0 0 1 0-7.2z'],
  glass: ['M10 2.8l6.2 3.6v7.2L10 17.2l-6.2-3.6V6.4z', 'M3.8 6.4L10 10l6.2-3.6', 'M10 10v7.2'],
  cut: ['M3.5 6.5L10 3l6.5 3.5v7L10 17l-6.5-3.5z', 'M2.5 12.5l15-5'],
  link: ['M8.5 11.5a3 3 0 0 0 4.3 0l2.6-2.6a3 3 0 0 0-4.3-4.3L10 5.7', 'M11.5 8.5a3 3 0 0 0-4.3 0l-2.6 2.6a3 3 0 0 0 4.3 4.3L10 14.3'],
  sun: ['M10 6.8a3.2 3.2 0 1 1 0 6.4a3.2 3.2 0 0 1 0-6.4z', 'M10 2.5v1.6M10 15.9v1.6M2.5 10h1.6M15.9 10h1.6M4.7 4.7l1.1 1.1M14.2 14.2l1.1 1.1M4.7 15.3l1.1-1.1M14.2 5.8l1.1-1.1'],
  moon: ['M16.2 11.8A6.6 6.6 0 0 1 8.2 3.8a6.6 6.6 0 1 0 8 8z'],
  help: ['M10 2.8a7.2 7.2 0 1 1 0 14.4a7.2 7.2 0 0 1 0-14.4z', 'M7.9 8a2.1 2.1 0 1 1 3 2c-.6.3-.9.7-.9 1.4', 'M10 13.9v.1'],
  play: ['M6.5 4.2v11.6l9.3-5.8z'], pause: ['M7 4.5v11M13 4.5v11'], back: ['M14.5 4.8v10.4L7.5 10z', 'M5.2 4.8v10.4'],
  forward: ['M5.5 4.8v10.4l7-5.2z', 'M14.8 4.8v10.4'], eye: ['M2.5 10s2.8-4.8 7.5-4.8S17.5 10 17.5 10s-2.8 4.8-7.5 4.8S2.5 10 2.5 10z', 'M10 7.8a2.2 2.2 0 1 1 0 4.4a2.2 2.2 0 0 1 0-4.4z'],
  hidden: ['M2.5 10s2.8-4.8 7.5-4.8S17.5 10 17.5 10s-2.8 4.8-7.5 4.8S2.5 10 2.5 10z', 'M4 16L16 4'],
  topics: ['M4 3h8.5L16 6.5V17H4z', 'M7 8h5M7 11h6M7 14h4'],
  save: ['M10 3v9.5M6.2 9l3.8 3.8L13.8 9', 'M3.5 14v2.5h13V14'],
  apart: ['M3 9.5h6v6H3z', 'M11 4.5h6v6h-6z', 'M4 6.5V4h3'],
  up: ['M10 17V4M6 8l4-4.5L14 8'], measure: ['M2.5 13.5l11-11 4 4-11 11z', 'M6 10l1.5 1.5M8.5 7.5L10.5 9.5M11 5l1.5 1.5'],
  picture: ['M3 4.5h14v11H3z', 'M3 13l4-4 4 4 2-2 4 3.5', 'M12.6 7.6v.1'],
  close: ['M5 5l10 10M15 5L5 15'], previous: ['M12.5 4.5L7 10l5.5 5.5'], next: ['M7.5 4.5L13 10l-5.5 5.5'],
  check: ['M10 2.8a7.2 7.2 0 1 1 0 14.4a7.2 7.2 0 0 1 0-14.4z', 'M6.6 10.2l2.3 2.3l4.5-4.9'],
  warn: ['M10 3.2l7.3 13H2.7z', 'M10 8.2v3.6', 'M10 13.9v.1'], passes: ['M3 5h14M5 10h10M7.5 15h5'],
};
export function icon(name) {
  return s('svg', { viewBox: '0 0 20 20', class: `icon icon-${name}`, 'aria-hidden': 'true' },
    ...PATHS[name].map((d) => s('path', { d })));
}

/// A button that shows only an icon.
export const button = (name, label, action, more = {}) =>
  h('button', { type: 'button', title: label, 'aria-label': label, onclick: action, ...more }, icon(name));

// A shape for each kind, so that kinds can be distinguished without colour.
const GLYPHS = {
  crossing: ['M4 4l8 8M12 4l-8 8'], coplanar: ['M2.5 10.5l3-5h8l-3 5z'], duplicate: ['M3 3h7v7H3z', 'M6 6h7v7H6z'],
  flaw: ['M3 12.5L6.5 6l3 4L13 3.5'],
  touching: ['M8 5.4a2.6 2.6 0 1 1 0 5.2a2.6 2.6 0 0 1 0-5.2z'],
};
export function glyph(kind) {
  return s('svg', { viewBox: '0 0 16 16', class: `glyph glyph-${kind}`, 'aria-hidden': 'true' },
    ...GLYPHS[kind].map((d) => s('path', { d })));
}

const format = new Intl.NumberFormat('en-US');
export const number = (n) => format.format(n);
export const counted = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;
export function duration(milliseconds) {
  if (milliseconds < 10) return `${milliseconds.toFixed(milliseconds < 1 ? 2 : 1)} ms`;
  if (milliseconds < 100) return `${milliseconds.toFixed(0)} ms`;
  return `${(milliseconds / 1000).toFixed(milliseconds < 10000 ? 2 : 1)} s`;
}
/// An interval of numbers from 0 on: one number where both ends are the same in three digits, else two digits each,
/// rounded outwards. The upper end is null where there is none.
export function interval([low, high]) {
  if (high === null) return `above ${length(low)}`;
  if (length(low) === length(high)) return length(low);
  const outwards = (value, round) => {
    if (!(value > 0)) return '0';
    const step = 10 ** (Math.floor(Math.log10(value)) - 1);
    return length(round(value / step) * step);
  };
  return `${outwards(low, Math.floor)} to ${outwards(high, Math.ceil)}`;
}

/// A length with three significant digits.
export function length(value) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(3)));
}
