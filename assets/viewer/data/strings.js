// A table of strings, each decoded when first asked for.

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
