// Reads the columns of a payload: a count, then that many LEB128 varints.

/**
 * @typedef {Uint8ArrayConstructor | Uint16ArrayConstructor | Uint32ArrayConstructor
 *   | Int32ArrayConstructor | Float64ArrayConstructor} ArrayType
 */

export class ColumnReader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /** @returns {number} one unsigned varint; exact up to 2^53 */
  varint() {
    const { bytes } = this;
    let b = bytes[this.at++];
    if (b < 128) return b;
    let value = 0;
    let scale = 1;
    for (; b >= 128; b = bytes[this.at++]) {
      value += (b & 127) * scale;
      scale *= 128;
      if (scale > 2 ** 56) throw new RangeError(`varint too long before byte ${this.at}`);
    }
    if (b === undefined) throw new RangeError('payload ends inside a column');
    return value + b * scale;
  }

  /** @returns {number} the count in front of a column, bounded by the bytes left */
  count() {
    const n = this.varint();
    if (!(n <= this.bytes.length - this.at))
      throw new RangeError(`column of ${n} values in ${this.bytes.length - this.at} bytes`);
    return n;
  }

  /**
   * A column of unsigned values.
   * @template {ArrayType} T
   * @param {T} Type
   * @returns {InstanceType<T>}
   */
  unsigned(Type) {
    const out = new Type(this.count());
    for (let i = 0; i < out.length; i++) out[i] = this.varint();
    return /** @type {InstanceType<T>} */ (out);
  }

  /**
   * A column of unsigned differences, summed up.
   * @template {ArrayType} T
   * @param {T} Type
   * @returns {InstanceType<T>}
   */
  ascending(Type) {
    const out = new Type(this.count());
    for (let i = 0, v = 0; i < out.length; i++) out[i] = v += this.varint();
    return /** @type {InstanceType<T>} */ (out);
  }

  /** @returns {Float64Array} a column of zigzag-coded signed values */
  signed() {
    const out = new Float64Array(this.count());
    for (let i = 0; i < out.length; i++) out[i] = unzigzag(this.varint());
    return out;
  }

  /** @returns {Float64Array} a column of zigzag-coded differences, summed up */
  signedSums() {
    const out = this.signed();
    for (let i = 1; i < out.length; i++) out[i] += out[i - 1];
    return out;
  }

  /** @returns {Strings} */
  strings() {
    const n = this.count();
    const ends = new Float64Array(n + 1);
    for (let i = 0; i < n; i++) ends[i + 1] = ends[i] + this.varint();
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

/** @param {number} v */
function unzigzag(v) {
  return v % 2 === 0 ? v / 2 : -(v + 1) / 2;
}
