// Reads the columns of a payload: a count, then that many LEB128 varints.

/** @typedef {Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array} Column */

/**
 * Types of arrays and the values that they hold, the narrowest first: what is
 * not touched need not be fetched, and at millions of values that is much.
 * @typedef {{Type: new (length: number) => Column, low: number, high: number}} Width
 */
const WHOLE = { Type: Float64Array, low: -(2 ** 53), high: 2 ** 53 };
/** @type {Width[]} */
const UNSIGNED = [
  { Type: Uint8Array, low: 0, high: 2 ** 8 - 1 },
  { Type: Uint16Array, low: 0, high: 2 ** 16 - 1 },
  { Type: Uint32Array, low: 0, high: 2 ** 32 - 1 },
  WHOLE,
];
/** @type {Width[]} */
const SIGNED = [{ Type: Int32Array, low: -(2 ** 31), high: 2 ** 31 - 1 }, WHOLE];

/** Varints decoded at a time, into one array of one type that stays in the cache. */
const BLOCK = 1024;

export class ColumnReader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
    this.block = new Float64Array(BLOCK);
  }

  /**
   * Decodes unsigned varints, exact up to 2^53, into the block.
   * @param {number} n at most BLOCK
   */
  #decode(n) {
    const { bytes, block } = this;
    let { at } = this;
    for (let i = 0; i < n; i++) {
      let b = bytes[at++];
      if (b < 128) {
        block[i] = b;
        continue;
      }
      let value = b & 127;
      // Past the end b is undefined, which ends the loop too.
      for (let scale = 128; b >= 128; scale *= 128) {
        if (scale > 2 ** 56) throw new RangeError(`varint too long before byte ${at}`);
        b = bytes[at++];
        value += (b & 127) * scale;
      }
      block[i] = value;
    }
    if (at > bytes.length) throw new RangeError('payload ends inside a column');
    this.at = at;
  }

  /** @returns {number} the count in front of a column, bounded by the bytes left */
  #count() {
    this.#decode(1);
    const n = this.block[0];
    if (!(n <= this.bytes.length - this.at))
      throw new RangeError(`column of ${n} values in ${this.bytes.length - this.at} bytes`);
    return n;
  }

  /**
   * A column, block by block, in the narrowest type that holds it.
   * @param {Width[]} widths
   * @param {((block: Float64Array, n: number) => void)[]} steps from varints to values
   * @returns {Column}
   */
  #column(widths, ...steps) {
    const { block } = this;
    const length = this.#count();
    let width = 0;
    let out = new widths[0].Type(length);
    for (let i = 0; i < length; i += BLOCK) {
      const n = Math.min(BLOCK, length - i);
      this.#decode(n);
      for (const step of steps) step(block, n);
      const had = width;
      while (width < widths.length - 1 && !isWithin(block, n, widths[width])) width++;
      if (width > had) out = copied(out, i, new widths[width].Type(length));
      out.set(n < BLOCK ? block.subarray(0, n) : block, i);
    }
    return out;
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
    const lengths = this.unsigned();
    const n = lengths.length;
    const ends = new Float64Array(n + 1);
    for (let i = 0; i < n; i++) ends[i + 1] = ends[i] + lengths[i];
    if (ends[n] > this.bytes.length - this.at) throw new RangeError('payload ends inside a string');
    const text = this.bytes.subarray(this.at, this.at + ends[n]);
    this.at += ends[n];
    return new Strings(text, ends);
  }
}

/** A table of strings, each decoded when first asked for. */
export class Strings {
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

/** @param {Float64Array} block @param {number} n @param {Width} width */
function isWithin(block, n, { low, high }) {
  let least = 0;
  let most = 0;
  for (let i = 0; i < n; i++) {
    const v = block[i];
    if (v > most) most = v;
    else if (v < least) least = v;
  }
  return low <= least && most <= high;
}

/** @template {Column} T @param {Column} from @param {number} n @param {T} to @returns {T} */
function copied(from, n, to) {
  to.set(from.subarray(0, n));
  return to;
}

/** @param {Float64Array} block @param {number} n */
function unzigzag(block, n) {
  for (let i = 0; i < n; i++) {
    const v = block[i];
    if (v < 2 ** 31) {
      block[i] = (v >>> 1) ^ -(v & 1);
    } else {
      const half = Math.floor(v / 2);
      block[i] = half * 2 === v ? half : -half - 1;
    }
  }
}

/** A running sum over the blocks of one column. @returns {(block: Float64Array, n: number) => void} */
function summing() {
  let total = 0;
  return (block, n) => {
    let sum = total; // a local of the loop is faster than one of the closure
    for (let i = 0; i < n; i++) block[i] = sum += block[i];
    total = sum;
  };
}
