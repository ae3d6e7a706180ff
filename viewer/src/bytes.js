// The other end of src/page/bytes.cpp: text to bytes, bytes to numbers.

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflated(bytes) {
  const stream = new DecompressionStream('deflate');
  const writer = stream.writable.getWriter();
  // What goes wrong here is told by the reading end, too.
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

/// Pieces with a comma after each, to one array.
export async function unpack(text) {
  const packed = text.split(',').slice(0, -1);
  const pieces = (await Promise.all(packed.map((piece) => inflated(fromBase64(piece))))).flat();
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
  u32() {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }
  floats(count) {
    const { bytes, at } = this;
    const raw = new Uint8Array(4 * count);
    for (let plane = 0, from = at; plane < 4; plane++)
      for (let i = plane; i < raw.length; i += 4) raw[i] = bytes[from++];
    this.at += raw.length;
    return new Float32Array(raw.buffer);
  }
  /// Vertex numbers in the code of FirstUse.
  corners(triangles) {
    const index = new Uint32Array(3 * triangles);
    let next = 0;
    for (let i = 0; i < index.length; i++) {
      const code = this.varint();
      index[i] = code === 0 ? next++ : next - code;
    }
    return { index, vertices: next };
  }
  /// Positions in 16 bits over a box; four numbers a vertex, as GPUs like it.
  quantised(vertices) {
    const { bytes } = this;
    const values = new Uint16Array(4 * vertices);
    const low = [0, 0, 0], high = [0, 0, 0];
    for (let axis = 0; axis < 3; axis++) {
      low[axis] = this.f64();
      high[axis] = this.f64();
      let value = 0;
      for (let i = 0, l = this.at, h = this.at + vertices; i < vertices; i++, l++, h++) {
        const code = bytes[l] | (bytes[h] << 8);
        value = (value + ((code >>> 1) ^ -(code & 1))) & 0xffff;
        values[4 * i + axis] = value;
      }
      this.at += 2 * vertices;
    }
    return { values, low, high };
  }
}
