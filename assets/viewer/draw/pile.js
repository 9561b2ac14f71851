// The live allocations of one state in pile order, moved forward in time.
//
// They are kept in chunks of 16. A chunk knows the last state in which all of
// its allocations are live, its bytes, and its bytes times each colour channel:
// a chunk that stays whole need not be looked into, and one that fits into a
// pixel row is blended in one step.

import { countUpTo } from '../data/search.js';

export const CHUNK = 16;

export class Pile {
  /** @param {import('../data/timeline.js').Timeline} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    /** @type {import('./tones.js').Tones} */
    this.tones;
    /** Chunks in pile order, and the bytes below each. */
    this.order = new Int32Array(0);
    this.bottom = new Float64Array(1);
    this.length = 0;
    /** Per slot of a chunk. */
    this.id = new Int32Array(0);
    this.last = new Uint32Array(0);
    this.bytes = new Float64Array(0);
    /** Per chunk. */
    this.count = new Int32Array(0);
    this.wholeUntil = new Uint32Array(0);
    this.sum = new Float64Array(0);
    this.red = new Float64Array(0);
    this.green = new Float64Array(0);
    this.blue = new Float64Array(0);

    this.unused = new Int32Array(0);
    this.unusedCount = 0;
    this.born = 0; // allocations of the timeline that were looked at
    this.state = -1;
    this.#grow(1024);
  }

  /** Empties the pile: it may move to any state then. @param {import('./tones.js').Tones} tones */
  clear(tones) {
    this.tones = tones;
    for (let j = 0; j < this.length; j++) this.unused[this.unusedCount++] = this.order[j];
    this.length = 0;
    this.state = -1;
  }

  /**
   * Moves to state k, which must not lie before the one it is in.
   * @param {number} k
   * @returns {number} position of the lowest chunk that changed, which is length
   *   when only the top went away; -1 when nothing changed
   */
  moveTo(k) {
    if (k === this.state) return -1;
    const { first, last } = this.timeline.data;
    if (this.state < 0) {
      for (const id of this.timeline.live(k)) this.#push(id);
      this.born = countUpTo(first, k);
      this.state = k;
      this.#stack(0);
      return 0;
    }
    const had = this.length;
    let changed = this.#drop(k);
    let pushed = false;
    const born = countUpTo(first, k, this.born);
    const top = Math.max(0, this.length - 1);
    for (let i = this.born; i < born; i++) {
      if (last[i] < k) continue;
      this.#push(i);
      changed = Math.min(changed, top);
      pushed = true;
    }
    this.born = born;
    this.state = k;
    if (changed === had && !pushed) return -1;
    this.#stack(changed);
    return changed;
  }

  /**
   * Takes out what is no longer live in state k.
   * @param {number} k
   * @returns {number} position of the lowest chunk that changed
   */
  #drop(k) {
    const { order, wholeUntil, count } = this;
    let j = 0;
    while (j < this.length && wholeUntil[order[j]] >= k) j++;
    let changed = j;
    let kept = j;
    for (; j < this.length; j++) {
      const c = order[j];
      if (wholeUntil[c] < k) {
        this.#compact(c, k);
        if (count[c] === 0) {
          this.unused[this.unusedCount++] = c;
          continue;
        }
        const below = kept > 0 ? order[kept - 1] : -1;
        if (below >= 0 && count[below] + count[c] <= CHUNK / 2) {
          this.#merge(below, c);
          changed = Math.min(changed, kept - 1);
          continue;
        }
      }
      order[kept++] = c;
    }
    this.length = kept;
    return Math.min(changed, kept);
  }

  /** @param {number} c chunk @param {number} k */
  #compact(c, k) {
    const { id, last, bytes } = this;
    const from = c * CHUNK;
    const to = from + this.count[c];
    this.#clear(c);
    for (let q = from; q < to; q++) if (last[q] >= k) this.#put(c, id[q], last[q], bytes[q]);
  }

  /** @param {number} into chunk @param {number} from chunk above it, given back */
  #merge(into, from) {
    const start = from * CHUNK;
    for (let q = start; q < start + this.count[from]; q++) this.#put(into, this.id[q], this.last[q], this.bytes[q]);
    this.unused[this.unusedCount++] = from;
  }

  /** @param {number} id allocation, laid on top */
  #push(id) {
    const { data } = this.timeline;
    let c = this.length > 0 ? this.order[this.length - 1] : -1;
    if (c < 0 || this.count[c] === CHUNK) {
      if (this.unusedCount === 0) this.#grow(this.order.length * 2);
      c = this.unused[--this.unusedCount];
      this.#clear(c);
      this.order[this.length++] = c;
    }
    this.#put(c, id, data.last[id], data.size[id]);
  }

  /** @param {number} c */
  #clear(c) {
    this.count[c] = 0;
    this.wholeUntil[c] = 0xffffffff;
    this.sum[c] = this.red[c] = this.green[c] = this.blue[c] = 0;
  }

  /** @param {number} c chunk @param {number} id @param {number} last @param {number} bytes */
  #put(c, id, last, bytes) {
    const q = c * CHUNK + this.count[c]++;
    const { tones } = this;
    const tone = tones.of[id];
    this.id[q] = id;
    this.last[q] = last;
    this.bytes[q] = bytes;
    if (last < this.wholeUntil[c]) this.wholeUntil[c] = last;
    this.sum[c] += bytes;
    this.red[c] += bytes * tones.red[tone];
    this.green[c] += bytes * tones.green[tone];
    this.blue[c] += bytes * tones.blue[tone];
  }

  /** @param {number} from position from which the bytes below are summed again */
  #stack(from) {
    const { order, bottom, sum } = this;
    for (let j = from; j < this.length; j++) bottom[j + 1] = bottom[j] + sum[order[j]];
  }

  /** @param {number} chunks */
  #grow(chunks) {
    const had = this.order.length;
    this.order = widen(this.order, chunks);
    this.bottom = widen(this.bottom, chunks + 1);
    this.id = widen(this.id, chunks * CHUNK);
    this.last = widen(this.last, chunks * CHUNK);
    this.bytes = widen(this.bytes, chunks * CHUNK);
    this.count = widen(this.count, chunks);
    this.wholeUntil = widen(this.wholeUntil, chunks);
    this.sum = widen(this.sum, chunks);
    this.red = widen(this.red, chunks);
    this.green = widen(this.green, chunks);
    this.blue = widen(this.blue, chunks);
    this.unused = widen(this.unused, chunks);
    for (let c = chunks - 1; c >= had; c--) this.unused[this.unusedCount++] = c;
  }
}

/**
 * @template {Int32Array | Uint32Array | Float64Array} T
 * @param {T} array
 * @param {number} length
 * @returns {T}
 */
function widen(array, length) {
  const wider = new /** @type {any} */ (array.constructor)(length);
  wider.set(array);
  return wider;
}
