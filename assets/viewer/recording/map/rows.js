// Sums of what lies in each row of a column of an address space, from which its pixels are blended.

/** Parts of a row: the accuracy of every edge. Sums of a row times 255 fit 32 bits. */
export const PARTS = 4096;
export const SHIFT = 12;

/** Sums of a row, one after another. Kept is what empty_cache() would not return. */
const [COVERED, RED, GREEN, BLUE] = [0, 1, 2, 3];
export const RESERVED = 4;
export const KEPT = 5;
const SEAM = 6;
const SUMS = 8;

export class Rows {
  #sums = new Int32Array(0);
  /** Lowest and highest row that changed since the last column. */
  #from = 0;
  #to = -1;

  /** Empties all rows, which count as changed. @param {number} height how many there are */
  clear(height) {
    if (this.#sums.length !== height * SUMS) this.#sums = new Int32Array(height * SUMS);
    this.#sums.fill(0);
    this.#from = 0;
    this.#to = height - 1;
  }

  /**
   * Adds a stretch of one colour, or takes it away.
   * @param {number} low @param {number} high parts of rows @param {1 | -1} sign
   * @param {Int32Array} rgb @param {number} t where the colour is in it
   */
  cover(low, high, sign, rgb, t) {
    const sums = this.#sums;
    const from = low < 0 ? 0 : low;
    const to = Math.min(high, (sums.length / SUMS) * PARTS);
    if (to <= from) return;
    const first = from >> SHIFT;
    const last = (to - 1) >> SHIFT;
    if (first < this.#from) this.#from = first;
    if (last > this.#to) this.#to = last;
    const r = rgb[t];
    const g = rgb[t + 1];
    const b = rgb[t + 2];
    if (first === last) {
      // Most blocks lie in one row.
      const o = first * SUMS;
      const weight = (to - from) * sign;
      sums[o] += weight;
      sums[o + RED] += weight * r;
      sums[o + GREEN] += weight * g;
      sums[o + BLUE] += weight * b;
      return;
    }
    for (let row = first, o = first * SUMS; row <= last; row++, o += SUMS) {
      let weight = PARTS;
      if (row === first) weight -= from - (row << SHIFT);
      if (row === last) weight -= ((row + 1) << SHIFT) - to;
      weight *= sign;
      sums[o] += weight;
      sums[o + RED] += weight * r;
      sums[o + GREEN] += weight * g;
      sums[o + BLUE] += weight * b;
    }
  }

  /**
   * Adds a stretch to one of the sums of its rows.
   * @param {number} which RESERVED or KEPT @param {number} low @param {number} high parts of rows @param {1 | -1} sign
   */
  add(which, low, high, sign) {
    const sums = this.#sums;
    const from = Math.max(low, 0);
    const to = Math.min(high, (sums.length / SUMS) * PARTS);
    if (to <= from) return;
    const first = from >> SHIFT;
    const last = (to - 1) >> SHIFT;
    this.#from = Math.min(this.#from, first);
    this.#to = Math.max(this.#to, last);
    for (let row = first, o = first * SUMS + which; row <= last; row++, o += SUMS) {
      let weight = PARTS;
      if (row === first) weight -= from - (row << SHIFT);
      if (row === last) weight -= ((row + 1) << SHIFT) - to;
      sums[o] += weight * sign;
    }
  }

  /** Puts a seam into the row under an upper edge, or takes it away. @param {number} high @param {1 | -1} sign */
  seam(high, sign) {
    const row = (high >> SHIFT) - 1;
    if (row < 0 || row * SUMS >= this.#sums.length) return;
    this.#sums[row * SUMS + SEAM] += sign;
    this.#from = Math.min(this.#from, row);
    this.#to = Math.max(this.#to, row);
  }

  /**
   * Blends the rows that changed.
   * @param {import('../../pile/colour_table.js').SpaceColours} colours
   * @param {Uint32Array} column
   */
  blend({ paperChannels: paper, stuck, returnable, seam }, column) {
    const sums = this.#sums;
    const half = PARTS / 2;
    for (let row = this.#from, o = row * SUMS; row <= this.#to; row++, o += SUMS) {
      const covered = sums[o + COVERED];
      let r = sums[o + RED] + half;
      let g = sums[o + GREEN] + half;
      let b = sums[o + BLUE] + half;
      if (covered > PARTS) {
        // Blocks overlap, which no real recording has.
        const part = PARTS / covered;
        r *= part;
        g *= part;
        b *= part;
      } else if (covered < PARTS) {
        const free = Math.max(0, sums[o + KEPT] - covered);
        const back = Math.max(0, sums[o + RESERVED] - Math.max(sums[o + KEPT], covered));
        const bare = Math.max(0, PARTS - covered - free - back);
        const grey = sums[o + SEAM] > 0 ? seam : null;
        const f = grey ?? stuck;
        const k = grey ?? returnable;
        r += f[0] * free + k[0] * back + paper[0] * bare;
        g += f[1] * free + k[1] * back + paper[1] * bare;
        b += f[2] * free + k[2] * back + paper[2] * bare;
      }
      column[row] = ((255 << 24) | ((b >> SHIFT) << 16) | ((g >> SHIFT) << 8) | (r >> SHIFT)) >>> 0;
    }
    this.#from = sums.length / SUMS;
    this.#to = -1;
  }
}
