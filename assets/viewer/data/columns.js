// Reads the columns of a payload: a count, then that many LEB128 varints.

/**
 * @typedef {Uint8ArrayConstructor | Uint16ArrayConstructor | Uint32ArrayConstructor
 *   | Int32ArrayConstructor | Float64ArrayConstructor} ArrayType
 */

/** Varints decoded at a time, into one array of one type that stays in the cache. */
const BLOCK = 4096;

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
   * A column, block by block.
   * @template {ArrayType} T
   * @param {T} Type
   * @param {number} lead zeros in front of the values
   * @param {((block: Float64Array, n: number) => void)[]} steps from varints to values
   * @returns {InstanceType<T>}
   */
  #column(Type, lead, ...steps) {
    const { block } = this;
    const out = new Type(lead + this.#count());
    for (let i = lead; i < out.length; i += BLOCK) {
      const n = Math.min(BLOCK, out.length - i);
      this.#decode(n);
      for (const step of steps) step(block, n);
      out.set(n < BLOCK ? block.subarray(0, n) : block, i);
    }
    return /** @type {InstanceType<T>} */ (out);
  }

  /**
   * A column of unsigned values.
   * @template {ArrayType} T
   * @param {T} Type
   */
  unsigned(Type) {
    return this.#column(Type, 0);
  }

  /**
   * A column of unsigned differences, summed up.
   * @template {ArrayType} T
   * @param {T} Type
   * @param {number} [lead] zeros in front of them
   */
  ascending(Type, lead = 0) {
    return this.#column(Type, lead, summing());
  }

  /** A column of zigzag-coded signed values. */
  signed() {
    return this.#column(Float64Array, 0, unzigzag);
  }

  /** A column of zigzag-coded differences, summed up. */
  signedSums() {
    return this.#column(Float64Array, 0, unzigzag, summing());
  }

  /** @returns {Strings} */
  strings() {
    const lengths = this.unsigned(Float64Array);
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

/** @param {Float64Array} block @param {number} n */
function unzigzag(block, n) {
  for (let i = 0; i < n; i++) {
    const v = block[i];
    const half = Math.floor(v / 2);
    block[i] = half * 2 === v ? half : -half - 1;
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
