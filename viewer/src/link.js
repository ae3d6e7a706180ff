// The view as the part of the address after '#', short enough to send to a colleague.

const short = (x) => String(Number(x.toPrecision(10)));

/// Part numbers as ranges: 0-3.7
export function ranges(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const out = [];
  for (let i = 0; i < sorted.length;) {
    let end = i;
    while (end + 1 < sorted.length && sorted[end + 1] === sorted[end] + 1) end++;
    out.push(end > i ? `${sorted[i]}-${sorted[end]}` : `${sorted[i]}`);
    i = end + 1;
  }
  return out.join('.');
}
export function fromRanges(text, most) {
  const numbers = new Set();
  for (const range of text.split('.')) {
    const [first, last = first] = range.split('-').map(Number);
    if (!Number.isInteger(first) || !Number.isInteger(last)) continue;
    for (let i = Math.max(0, first); i <= Math.min(last, most - 1); i++) numbers.add(i);
  }
  return numbers;
}

export function write(view) {
  const items = [`eye=${view.eye.map(short)}`, `at=${view.target.map(short)}`];
  const put = (name, value) => items.push(`${name}=${value}`);
  if (view.up !== view.defaultUp) put('up', 'xyz'[view.up]);
  if (view.selected >= 0) put('cluster', view.selected + 1);
  if (view.pair) put('pair', `${view.pair.a}-${view.pair.b}`);
  if (view.classes) put('without', [...view.classes].join('.'));
  if (view.contact >= 0) put('contact', view.contact + 1);
  if (view.frame > 0) put('frame', view.frame + 1);
  if (view.pass !== null) put('pass', view.pass + 1);
  if (view.hidden.size > 0) put('hide', ranges(view.hidden));
  if (view.isolated) put('only', ranges(view.isolated));
  if (view.opacity < 1) put('opacity', short(view.opacity));
  if (view.cut) put('cut', `${view.cut.flip ? '-' : ''}${'xyz'[view.cut.axis]}${short(view.cut.share)}`);
  if (view.hiddenKinds.some(Boolean)) put('kinds', view.hiddenKinds.map((off) => (off ? 0 : 1)).join(''));
  if (view.onlyNew) put('new', 1);
  if (view.theme) put('theme', view.theme);
  return `#${items.join('&')}`;
}

/// Reads the valid items; all others are ignored.
export function read(hash, parts) {
  const view = {};
  for (const item of hash.replace(/^#/, '').split('&')) {
    const [name, value = ''] = item.split('=');
    const vector = () => { const v = value.split(',').map(Number); return v.length === 3 && v.every(Number.isFinite) ? v : undefined; };
    const whole = () => (/^\d+$/.test(value) ? Number(value) - 1 : undefined);
    if (name === 'eye') view.eye = vector();
    else if (name === 'at') view.target = vector();
    else if (name === 'up') view.up = { x: 0, y: 1, z: 2 }[value];
    else if (name === 'cluster') view.selected = whole();
    else if (name === 'contact') view.contact = whole();
    else if (name === 'pair' && /^\d+-\d+$/.test(value)) view.pair = value.split('-').map(Number);
    else if (name === 'without') view.classes = value.split('.');
    else if (name === 'frame') view.frame = whole();
    else if (name === 'pass') view.pass = whole();
    else if (name === 'hide') view.hidden = fromRanges(value, parts);
    else if (name === 'only') view.isolated = fromRanges(value, parts);
    else if (name === 'opacity') { const v = Number(value); if (v >= 0 && v <= 1) view.opacity = v; }
    else if (name === 'cut') {
      const match = /^(-?)([xyz])([\d.e-]+)$/.exec(value);
      if (match && Number.isFinite(Number(match[3]))) view.cut = { flip: match[1] === '-', axis: 'xyz'.indexOf(match[2]), share: Number(match[3]) };
    } else if (name === 'kinds' && /^[01]{4,5}$/.test(value)) view.hiddenKinds = [...value].map((c) => (c === '0' ? 1 : 0));
    else if (name === 'new') view.onlyNew = value === '1';
    else if (name === 'theme' && (value === 'dark' || value === 'light')) view.theme = value;
  }
  return view;
}
