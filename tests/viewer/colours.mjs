// Are these colours distinguishable? Contrast after WCAG 2; difference in CIELAB, for usual sight and as people with each of
// the three colour blindnesses see them (matrices of Machado, Oliveira and Fernandes 2009, full severity).
const linear = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
const rgb = (hex) => [1, 3, 5].map((i) => linear(parseInt(hex.slice(i, i + 2), 16) / 255));
const luminance = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

export function contrast(a, b) {
  const [x, y] = [luminance(rgb(a)), luminance(rgb(b))].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}

const SIGHTS = {
  usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

function lab([r, g, b]) {
  const f = (t) => (t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047), y = f(luminance([r, g, b])), z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/// The least difference of any two of them, over all kinds of sight.
export function clearest(colours, names) {
  let worst = Infinity, pair = '';
  for (const [sight, matrix] of Object.entries(SIGHTS)) {
    const seen = names.map((name) => { const c = rgb(colours[name]); return lab(matrix.map((row) => Math.min(1, Math.max(0, row[0] * c[0] + row[1] * c[1] + row[2] * c[2])))); });
    for (let i = 0; i < seen.length; i++)
      for (let j = 0; j < i; j++) {
        const d = Math.hypot(...seen[i].map((x, k) => x - seen[j][k]));
        if (d < worst) [worst, pair] = [d, `${names[j]} and ${names[i]}, ${sight}`];
      }
  }
  return { worst, pair };
}
