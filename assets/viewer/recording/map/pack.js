// First fit in a strip of bytes and states: a segment may take the place of one that was returned.

import { bisect } from '../../kit/math.js';

/**
 * @typedef {object} Item what gets a place for its life
 * @property {number} size
 * @property {number} first state
 * @property {number} last state
 * @property {number} home items of one home keep their place where they can
 */

/**
 * Gives each item the place that its home had before, if that is free, or else the lowest that fits.
 * @param {Item[]} items
 * @returns {{places: number[], height: number}} a place for each item
 */
export function pack(items) {
  const order = (/** @type {(a: Item, b: Item) => number} */ by) =>
    items.map((_, i) => i).sort((a, b) => by(items[a], items[b]));
  const leaving = order((a, b) => a.last - b.last);
  // Of what was there before the recording, what stays longest lies lowest.
  const coming = order((a, b) => a.first - b.first || (a.first === 0 ? b.last - a.last : 0));
  const gaps = new Gaps();
  /** @type {Map<number, number>} */
  const before = new Map();
  const places = items.map(() => 0);
  let height = 0;
  let left = 0;
  for (const i of coming) {
    const { size, first, home } = items[i];
    for (; left < leaving.length && items[leaving[left]].last < first; left++)
      gaps.release(places[leaving[left]], items[leaving[left]].size);
    places[i] = gaps.take(size, before.get(home));
    before.set(home, places[i]);
    height = Math.max(height, places[i] + size);
  }
  return { places, height };
}

/** The free pieces of a strip without an upper end, in order. */
class Gaps {
  #from = [0];
  #to = [Infinity];

  /** @param {number} size @param {number} [wanted] place @returns {number} the place taken */
  take(size, wanted) {
    let g = wanted === undefined ? -1 : this.#at(wanted);
    let place = wanted ?? 0;
    if (g < 0 || place + size > this.#to[g]) {
      g = 0;
      while (this.#to[g] - this.#from[g] < size) g++;
      place = this.#from[g];
    }
    const [from, to] = [this.#from[g], this.#to[g]];
    const left = [from, place + size];
    const right = [place, to];
    const kept = [0, 1].filter((n) => left[n] < right[n]);
    this.#from.splice(g, 1, ...kept.map((n) => left[n]));
    this.#to.splice(g, 1, ...kept.map((n) => right[n]));
    return place;
  }

  /** The gap that a place lies in, or -1. @param {number} place */
  #at(place) {
    const g = bisect(0, this.#from.length, (i) => this.#from[i] <= place) - 1;
    return g >= 0 && place < this.#to[g] ? g : -1;
  }

  /** @param {number} place @param {number} size */
  release(place, size) {
    let g = bisect(0, this.#from.length, (i) => this.#from[i] < place);
    let from = place;
    let to = place + size;
    let joined = 0;
    if (this.#from[g] === to) {
      to = this.#to[g];
      joined++;
    }
    if (g > 0 && this.#to[g - 1] === place) {
      from = this.#from[--g];
      joined++;
    }
    this.#from.splice(g, joined, from);
    this.#to.splice(g, joined, to);
  }
}
