// The reading side of src/tool/page/bytes.cpp: text to bytes, bytes to numbers.

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%()*+,-./:;=>?@[]^_`{|}~\'"';
const VALUE = new Uint8Array(128);
for (let i = 0; i < DIGITS.length; i++) VALUE[DIGITS.charCodeAt(i)] = i;

// Two characters are 13 bits, one alone at the end is 6.
function fromText(text) {
  const bytes = new Uint8Array((13 * (text.length >> 1) + 6 * (text.length & 1)) >> 3);
  let bits = 0, have = 0, at = 0;
  for (let i = 0; i + 1 < text.length; i += 2) {
    bits |= (VALUE[text.charCodeAt(i) & 127] + DIGITS.length * VALUE[text.charCodeAt(i + 1) & 127]) << have;
    for (have += 13; have >= 8; have -= 8, bits >>>= 8) bytes[at++] = bits;
  }
  if (at < bytes.length) bytes[at] = bits | (VALUE[text.charCodeAt(text.length - 1) & 127] << have);
  return bytes;
}

async function inflated(bytes) {
  const stream = new DecompressionStream('deflate');
  const writer = stream.writable.getWriter();
  // An error of the writing side is reported by the reading side, too.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const reader = stream.readable.getReader();
  const pieces = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return pieces;
    pieces.push(value);
  }
}

/// Pieces with a blank after each, joined to one array.
export async function unpack(text) {
  const packed = text.split(' ').slice(0, -1);
  const pieces = (await Promise.all(packed.map((piece) => inflated(fromText(piece))))).flat();
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

export class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }
  /// Another reader of the same bytes.
  from(at) {
    const reader = new Reader(this.bytes);
    reader.at = at;
    return reader;
  }
  byte() {
    return this.bytes[this.at++];
  }
  varint() {
    let byte = this.bytes[this.at++];
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let scale = 0x80; ; scale *= 0x80) {
      byte = this.bytes[this.at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      if (byte === undefined) throw new Error('the data of this page is cut short');
    }
  }
  /// `from` and a small step up or down.
  difference(from) {
    const code = this.varint();
    return from + (code % 2 === 0 ? code / 2 : -(code + 1) / 2);
  }
  f64() {
    this.at += 8;
    return this.view.getFloat64(this.at - 8, true);
  }
  /// Whole numbers of this many bits each (up to 52), in planes of bytes.
  planes(bits) {
    const values = new Float64Array(bits.length);
    for (let plane = 0, scale = 1; plane < 7; plane++, scale *= 256)
      for (let i = 0; i < values.length; i++) if (8 * plane < bits[i]) values[i] += this.bytes[this.at++] * scale;
    return values;
  }
  /// Float32 without its last byte.
  sizes(count) {
    const raw = new Uint8Array(4 * count);
    for (let plane = 1; plane < 4; plane++)
      for (let i = plane; i < raw.length; i += 4) raw[i] = this.bytes[this.at++];
    return new Float32Array(raw.buffer);
  }
  /// Vertex numbers in the code of FirstUse.
  corners(triangles) {
    const index = new Uint32Array(3 * triangles);
    const loose = [];  // vertices that begin a triangle of new ones
    let next = 0;
    for (let i = 0, before = 0; i < index.length; i++) {
      const code = this.varint();
      index[i] = code === 0 ? next++ : next - code;
      if (i % 3 < 2) continue;
      if (next === before + 3) loose.push(before);
      before = next;
    }
    return { index, vertices: next, loose: Uint32Array.from(loose) };
  }
  /// Positions in 16 bits over a box; four numbers a vertex, the alignment that GPUs need.
  quantised(vertices, loose) {
    const { bytes } = this;
    const jumps = loose.length, steps = vertices - jumps;
    const values = new Uint16Array(4 * vertices);
    const low = [0, 0, 0], high = [0, 0, 0];
    for (let axis = 0; axis < 3; axis++) {
      low[axis] = this.f64();
      high[axis] = this.f64();
      let value = 0;
      for (let i = 0, next = 0, jump = this.at, step = this.at + 2 * jumps; i < vertices; i++) {
        const code = loose[next] === i ? (next++, bytes[jump] | (bytes[jump++ + jumps] << 8)) : bytes[step] | (bytes[step++ + steps] << 8);
        value = (value + ((code >>> 1) ^ -(code & 1))) & 0xffff;
        values[4 * i + axis] = value;
      }
      this.at += 2 * vertices;
    }
    return { values, low, high };
  }
}
