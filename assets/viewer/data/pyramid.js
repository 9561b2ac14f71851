// Which value of a range is the largest (or smallest), in about log64(n) steps.

const FAN = 64;

export class Pyramid {
  /**
   * @param {Float64Array} values
   * @param {1 | -1} sign 1 finds the largest value, -1 the smallest
   */
  constructor(values, sign) {
    this.values = values;
    this.sign = sign;
    /** @type {Uint32Array[]} levels[l][b]: index of the best of the b-th block of 64^(l+1) values */
    this.levels = [];
    /** @type {Uint32Array | null} */
    let below = null;
    for (let length = values.length; length > FAN; length = below.length) {
      const level = new Uint32Array(Math.ceil(length / FAN));
      for (let b = 0; b < level.length; b++) level[b] = this.#best(below, b * FAN, Math.min(length, (b + 1) * FAN));
      this.levels.push(level);
      below = level;
    }
  }

  /**
   * @param {number} from
   * @param {number} to included
   * @returns {number} index of the best value, the first of equal ones
   */
  best(from, to) {
    return this.#search(-1, from, to + 1);
  }

  /**
   * @param {number} l level, -1 the values themselves
   * @param {number} from
   * @param {number} to not included
   * @returns {number}
   */
  #search(l, from, to) {
    const level = l < 0 ? null : this.levels[l];
    const blockFrom = Math.ceil(from / FAN);
    const blockTo = Math.floor(to / FAN);
    if (l + 1 >= this.levels.length || blockFrom >= blockTo) return this.#best(level, from, to);
    // In the order of the indices, so that the first of equal values wins.
    let best = from < blockFrom * FAN ? this.#best(level, from, blockFrom * FAN) : -1;
    best = this.#better(best, this.#search(l + 1, blockFrom, blockTo));
    return blockTo * FAN < to ? this.#better(best, this.#best(level, blockTo * FAN, to)) : best;
  }

  /** @param {Uint32Array | null} level @param {number} from @param {number} to not included */
  #best(level, from, to) {
    const { values, sign } = this;
    if (!level) return sign > 0 ? largest(values, from, to) : smallest(values, from, to);
    let best = level[from];
    let top = sign * values[best];
    for (let q = from + 1; q < to; q++) {
      const v = sign * values[level[q]];
      if (v > top) {
        top = v;
        best = level[q];
      }
    }
    return best;
  }

  /** @param {number} a or -1 @param {number} b */
  #better(a, b) {
    return a < 0 || this.sign * this.values[b] > this.sign * this.values[a] ? b : a;
  }
}

// The loops over the values themselves, of which there are many, know the sign.

/** @param {Float64Array} values @param {number} from @param {number} to not included */
function largest(values, from, to) {
  let best = from;
  let top = values[from];
  for (let i = from + 1; i < to; i++) {
    if (values[i] > top) {
      top = values[i];
      best = i;
    }
  }
  return best;
}

/** @param {Float64Array} values @param {number} from @param {number} to not included */
function smallest(values, from, to) {
  let best = from;
  let top = values[from];
  for (let i = from + 1; i < to; i++) {
    if (values[i] < top) {
      top = values[i];
      best = i;
    }
  }
  return best;
}
