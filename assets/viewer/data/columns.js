// Finds the columns of a payload and decodes them. A column is a count and as many
// LEB128 varints.

/** @typedef {Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array} Column */

/** The most bytes of a varint; more could not be exact. */
const LONGEST = 9;

/** The bits of four bytes that are set when their varints go on. */
const GOES_ON = 0x80808080;

/**
 * Reads a payload column by column. It finds everything that can be wrong with their
 * encoding, so that decoding a column later, when its values are needed, cannot fail.
 */
export class ColumnReader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = 0;
  }

  /** A column of unsigned values. */
  unsigned() {
    return this.#column(UNSIGNED);
  }

  /** A column of unsigned differences, summed up. */
  ascending() {
    return this.#column(UNSIGNED, summing());
  }

  /** A column of zigzag-coded signed values. */
  signed() {
    return this.#column(SIGNED, unzigzag);
  }

  /** A column of zigzag-coded differences, summed up. */
  signedSums() {
    return this.#column(SIGNED, unzigzag, summing());
  }

  /** @returns {Strings} */
  strings() {
    const lengths = this.unsigned().values;
    const n = lengths.length;
    const ends = new Float64Array(n + 1);
    for (let i = 0; i < n; i++) ends[i + 1] = ends[i] + lengths[i];
    if (ends[n] > this.bytes.length - this.at) throw new RangeError('payload ends inside a string');
    const text = this.bytes.subarray(this.at, this.at + ends[n]);
    this.at += ends[n];
    return new Strings(text, ends);
  }

  /** @param {Width[]} widths @param {Transform[]} transforms from varints to values */
  #column(widths, ...transforms) {
    const length = new Varints(this.#skip(1)).decode(1);
    const left = this.bytes.length - this.at;
    if (length > left) throw new RangeError(`column of ${length} values in ${left} bytes`);
    return new PackedColumn(this.#skip(length), length, widths, transforms);
  }

  /**
   * Goes past n varints.
   * @param {number} n
   * @returns {Uint8Array} their bytes
   */
  #skip(n) {
    const { bytes, view, at: from } = this;
    let at = from;
    let missing = n;
    // Four bytes end at most four varints, so none of the next column is passed.
    for (const last = bytes.length - 4; missing >= 4 && at <= last; at += 4) {
      const ends = ~view.getUint32(at, true) & GOES_ON;
      if (ends === 0) expectShort(bytes, from, at);
      missing -= Math.imul(ends >>> 7, 0x01010101) >>> 24;
    }
    for (; missing > 0 && at < bytes.length; at++) {
      if (bytes[at] < 128) missing--;
      else expectShort(bytes, from, at);
    }
    if (missing > 0) throw new RangeError('payload ends inside a column');
    this.at = at;
    return bytes.subarray(from, at);
  }
}

/**
 * Looks at the varint around a byte that does not end it.
 * @param {Uint8Array} bytes
 * @param {number} from where varints begin; text may come before them
 * @param {number} at
 */
function expectShort(bytes, from, at) {
  let first = at;
  while (first > from && bytes[first - 1] >= 128) first--;
  let last = at;
  while (bytes[last] >= 128) last++;
  if (last - first >= LONGEST) throw new RangeError(`varint too long at byte ${first}`);
}

/**
 * Types of arrays, the narrowest first, since millions of values have to come from
 * memory. A signed one holds -reach-1 to reach, an unsigned one 0 to reach.
 * @typedef {{Type: new (length: number) => Column, reach: number}} Width
 */
const WHOLE = { Type: Float64Array, reach: Infinity };
/** @type {Width[]} */
const UNSIGNED = [
  { Type: Uint8Array, reach: 2 ** 8 - 1 },
  { Type: Uint16Array, reach: 2 ** 16 - 1 },
  { Type: Uint32Array, reach: 2 ** 32 - 1 },
  WHOLE,
];
/** @type {Width[]} */
const SIGNED = [{ Type: Int32Array, reach: 2 ** 31 - 1 }, WHOLE];

/** Values decoded at a time, in one array of one type that stays in the cache. */
const BLOCK = 1024;
const block = new Float64Array(BLOCK);

/**
 * Turns the first n values of the block into others.
 * @typedef {(n: number, reach: number) => number} Transform from the range of the values to the range of the new ones
 */

/** A column as the payload has it, until its values are asked for. */
export class PackedColumn {
  /** @type {Uint8Array | null} */
  #packed;
  /** @type {Column | null} */
  #values = null;
  #widths;
  #transforms;

  /**
   * @param {Uint8Array} packed
   * @param {number} length values in it
   * @param {Width[]} widths
   * @param {Transform[]} transforms from varints to values
   */
  constructor(packed, length, widths, transforms) {
    this.#packed = packed;
    this.length = length;
    this.#widths = widths;
    this.#transforms = transforms;
  }

  /** @returns {Column} */
  get values() {
    if (this.#packed) {
      this.#values = this.#decode(this.#packed);
      this.#packed = null;
    }
    return /** @type {Column} */ (this.#values);
  }

  /**
   * Block by block, into the narrowest type that holds the values.
   * @param {Uint8Array} packed
   * @returns {Column}
   */
  #decode(packed) {
    const { length } = this;
    const widths = this.#widths;
    const transforms = this.#transforms;
    if (transforms.length === 0 && packed.length === length) return packed.slice(); // a byte each
    const varints = new Varints(packed);
    let width = 0;
    let out = new widths[0].Type(length);
    for (let i = 0; i < length; i += BLOCK) {
      const n = Math.min(BLOCK, length - i);
      let reach = varints.decode(n);
      for (const transform of transforms) reach = transform(n, reach);
      const had = width;
      while (reach > widths[width].reach) width++;
      if (width > had) out = copied(out, i, new widths[width].Type(length));
      out.set(n < BLOCK ? block.subarray(0, n) : block, i);
    }
    return out;
  }
}

/** Varints known to be whole. */
class Varints {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /**
   * Decodes the next n into the block, exact up to 2^53.
   * @param {number} n
   * @returns {number} the largest
   */
  decode(n) {
    const { bytes } = this;
    let { at } = this;
    let largest = 0;
    for (let i = 0; i < n; i++) {
      let b = bytes[at++];
      let value = b & 127;
      for (let scale = 128; b >= 128; scale *= 128) {
        b = bytes[at++];
        value += (b & 127) * scale;
      }
      if (value > largest) largest = value;
      block[i] = value;
    }
    this.at = at;
    return largest;
  }
}

/** @template {Column} T @param {Column} from @param {number} n @param {T} to @returns {T} */
function copied(from, n, to) {
  to.set(from.subarray(0, n));
  return to;
}

/** @type {Transform} */
function unzigzag(n, reach) {
  for (let i = 0; i < n; i++) {
    const v = block[i];
    if (v < 2 ** 31) {
      block[i] = (v >>> 1) ^ -(v & 1);
    } else {
      const half = Math.floor(v / 2);
      block[i] = half * 2 === v ? half : -half - 1;
    }
  }
  return Math.floor(reach / 2);
}

/** A running sum over the blocks of one column. @returns {Transform} */
function summing() {
  let total = 0;
  return (n) => {
    let sum = total; // a local of the loop is faster than one of the closure
    let low = 0;
    let high = 0;
    for (let i = 0; i < n; i++) {
      block[i] = sum += block[i];
      if (sum > high) high = sum;
      else if (sum < low) low = sum;
    }
    total = sum;
    return Math.max(high, -low - 1);
  };
}

/** A table of strings, each decoded when it is first asked for. */
class Strings {
  /**
   * @param {Uint8Array} text
   * @param {Float64Array} ends string i is text[ends[i]..ends[i+1])
   */
  constructor(text, ends) {
    this.text = text;
    this.ends = ends;
    /** @type {(string | undefined)[]} */
    this.decoded = [];
    this.decoder = new TextDecoder();
  }

  get length() {
    return this.ends.length - 1;
  }

  /**
   * @param {number} i
   * @returns {string} "" when there is no string i
   */
  at(i) {
    if (!(i >= 0 && i < this.length)) return '';
    return (this.decoded[i] ??= this.decoder.decode(this.text.subarray(this.ends[i], this.ends[i + 1])));
  }
}
