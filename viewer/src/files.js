// What the page writes: files that the browser saves, and settings that it keeps.
import { KINDS } from './contacts.js';
import { boxOf, classOf } from './pairs.js';

export function download(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// Some browsers keep nothing for files; that is no error.
export function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(key); else localStorage.setItem(key, value);
  } catch { /* not kept */ }
}
export function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

// A spreadsheet takes a cell that begins with one of these as a formula. `--ignore` takes the apostrophe away again.
const harmless = (text) => (/^['=+\-@\t\r]/.test(text) && !/^-?[\d.e+-]+$/i.test(text) ? `'${text}` : text);
/// Rows after RFC 4180; `as` makes cells safe for spreadsheets.
export function csv(rows, as = harmless) {
  const cell = (value) => {
    const text = as(String(value ?? ''));
    return /[",\n\r#]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
}

/// The list as it is shown: a row for each pair, or for each cluster where there are no pairs.
export function listAsCsv(app) {
  const { space } = app.current;
  const rows = [];
  const { shown } = app.list.shownPairs();
  const place = (at) => at ?? ['', '', ''];
  if (app.severalParts()) {
    rows.push(['part_a', 'part_b', 'name_a', 'name_b', 'relation', 'shallow', 'gap', 'tolerated', 'depth_low', 'depth_high', 'depth_x', 'depth_y', 'depth_z', 'separation_x', 'separation_y', 'separation_z', 'overlap_volume', 'size', 'x', 'y', 'z', 'contacts', 'status', 'comment']);
    for (const { pair } of shown)
      rows.push([pair.a, pair.b, app.nameOf(pair.a), app.nameOf(pair.b), pair.relation ?? '', pair.relation === 'clash' ? (classOf(pair) === 'shallow' ? 'yes' : 'no') : '', pair.gap > 0 ? pair.gap : '', pair.tolerated ? 1 : 0, ...(pair.depth ?? ['', '']), ...place(pair.deepest), ...place(pair.way), pair.volume ?? '', pair.size || '',
        ...place(app.placeOf(pair)), pair.found, app.review.statusOf(pair), app.review.commentOf(pair)]);
  } else {
    rows.push(['cluster', ...KINDS, 'size', 'x', 'y', 'z', 'contacts']);
    for (const { clusters } of shown)
      for (const cluster of clusters) {
        const box = boxOf([cluster], space);
        rows.push([cluster.number + 1, ...cluster.kinds, cluster.diagonal, ...place(box && box.low.map((x, i) => x / 2 + box.high[i] / 2)), cluster.size]);
      }
  }
  return csv(rows);
}
