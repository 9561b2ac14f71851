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
    this.find = sign > 0 ? largest : smallest;
    /**
     * Level l has, for each block of 64^(l+1) values, the index of the best one and its value.
     * @type {{at: Uint32Array, values: Float64Array}[]}
     */
    this.levels = [];
    for (let below = values; below.length > FAN; ) {
      const at = new Uint32Array(Math.ceil(below.length / FAN));
      const best = new Float64Array(at.length);
      for (let b = 0; b < at.length; b++) {
        at[b] = this.#best(this.levels.length - 1, b * FAN, Math.min(below.length, (b + 1) * FAN));
        best[b] = values[at[b]];
      }
      this.levels.push({ at, values: best });
      below = best;
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
    const blockFrom = Math.ceil(from / FAN);
    const blockTo = Math.floor(to / FAN);
    if (l + 1 >= this.levels.length || blockFrom >= blockTo) return this.#best(l, from, to);
    // In the order of the indices, so that the first of equal values wins.
    let best = from < blockFrom * FAN ? this.#best(l, from, blockFrom * FAN) : -1;
    best = this.#better(best, this.#search(l + 1, blockFrom, blockTo));
    return blockTo * FAN < to ? this.#better(best, this.#best(l, blockTo * FAN, to)) : best;
  }

  /** @param {number} l @param {number} from @param {number} to not included */
  #best(l, from, to) {
    if (l < 0) return this.find(this.values, from, to);
    const { at, values } = this.levels[l];
    return at[this.find(values, from, to)];
  }

  /** @param {number} a or -1 @param {number} b a later one */
  #better(a, b) {
    return a < 0 || this.sign * this.values[b] > this.sign * this.values[a] ? b : a;
  }
}

// The inner loops: one for each sign, since a comparison that depends on it is slower.

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
