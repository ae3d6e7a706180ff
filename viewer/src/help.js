// The help dialog: keys, mouse and touch.
import { h, icon } from './dom.js';

export function helpDialog(page) {
  const many = page.parts.length > 1, frames = page.frames.length > 1, passes = page.frames.some((frame) => frame.pruning);
  const row = (keys, text) => h('tr', {}, h('td', {}, ...keys.flatMap((key, i) => [i > 0 ? ' ' : '', h('kbd', {}, key)])), h('td', {}, text));
  const group = (title, ...rows) => h('section', {}, h('h3', {}, title), h('table', {}, h('tbody', {}, ...rows.filter(Boolean))));
  const dialog = h('dialog', { class: 'help', 'aria-label': 'Keys and help' });
  dialog.append(
    h('header', {}, h('h2', {}, 'Keys and help'), h('button', { type: 'button', 'aria-label': 'Close', onclick: () => dialog.close() }, icon('close'))),
    h('div', { class: 'columns' },
      group('Contacts', row(['N', '→'], 'next pair or cluster'), row(['P', '←'], 'previous pair or cluster'), row(['↓', '↑'], 'contacts of this cluster, one by one'),
        row(['Enter'], 'open or close its list'), many && row(['I'], 'only the two parts of this contact'), row(['B'], 'contacts behind surfaces: shine through or not'), page.baseline && row(['W'], 'list only what is not in the baseline'), row(['Esc'], 'let go')),
      group('Mouse and touch', row(['drag'], 'turn'), row(['right drag', 'two fingers'], 'shift'), row(['wheel', 'pinch'], 'nearer, farther'),
        row(['tap'], 'choose a contact or a part'), row(['double tap'], 'turn about this point')),
      group('View', row(['F'], 'show all'), row(['1', '2', '3'], 'from the front, the side, above'), row(['U'], 'another axis up'), row(['X'], 'transparent'), row(['C'], 'cut through the choice'), row(['M'], 'measure between two points'), many && row(['D'], 'move the first part until the contact ends (--separation)'),
        many && row(['H', 'A'], 'hide the part last tapped, show all'), row(['+', '−'], 'nearer, farther'), row(['T'], 'dark or light'), row(['L'], 'copy a link to this view')),
      frames && group('Time', row(['Space'], 'play or pause'), row(['.', ','], 'next, previous frame')),
      passes && group('Passes of the method', row(['S'], 'show how it prunes'), row([']', '['], 'next, previous pass'))),
    h('p', { class: 'fine' }, 'Kinds: a crossing passes through, coplanar triangles overlap in one plane, duplicates have the same corners, touching ones meet without passing through. ' +
      'Dark or light curves are where triangles meet. Sizes are in the units of the file; triangles and parts count from 0.'),
    h('p', { class: 'fine' }, 'Drawn with three.js (MIT licence, © 2010–2026 three.js authors); the notice is in the source of this page. Nothing is sent or fetched.'));
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  return dialog;
}
