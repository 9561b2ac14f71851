// The live allocations of one state in pile order, moved forward in time.
//
// They are kept in chunks of 32. A chunk knows the last states in which all and
// any of its allocations are live, its bytes, and its bytes times each colour
// channel: a chunk that stays whole or goes away whole need not be looked into,
// and one that fits into a pixel row is blended in one step.

import { clamp, countUpTo } from '../kit/math.js';
import { ColourTable } from './colour_table.js';

export const CHUNK = 32;

/** Sums of a chunk, one after another: its bytes, and its bytes times red, green and blue. */
export const SUMS = 4;

/** What an empty chunk is whole until. */
const FOREVER = 0xffffffff;

/** The colours of a pile that holds nothing yet. */
const NONE = new ColourTable('light', '#ffffff', [], new Uint8Array(0));

export class Pile {
  /** @param {import('../data/timeline.js').Timeline} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    this.colours = NONE;
    /** Chunks in pile order, and the bytes below each. */
    this.order = new Int32Array(0);
    this.bottom = new Float64Array(1);
    this.length = 0;
    /** Per slot of a chunk: the last state, the bytes and the colour index of its allocation. */
    this.last = new Uint32Array(0);
    this.bytes = new Float64Array(0);
    this.colourIndex = new Uint8Array(0);
    /** Per chunk. The sums are of whole numbers and so exact, whatever is added and taken away. */
    this.count = new Int32Array(0);
    this.wholeUntil = new Uint32Array(0);
    this.liveUntil = new Uint32Array(0);
    this.sums = new Float64Array(0);

    this.unused = new Int32Array(0);
    this.unusedCount = 0;
    this.born = 0; // allocations of the timeline that were looked at
    this.state = -1;
    this.#grow(1024);
  }

  /** Empties the pile: it may move to any state then. @param {import('./colour_table.js').ColourTable} colours */
  clear(colours) {
    this.colours = colours;
    while (this.length > 0) this.unused[this.unusedCount++] = this.order[--this.length];
    this.born = 0;
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
    const { timeline } = this;
    const had = this.length;
    const dropped = this.#drop(k);
    const top = this.length - 1;
    const born = countUpTo(timeline.data.first, k, this.born);
    const added = timeline.liveOf(this.born, born, k);
    this.#push(added);
    this.born = born;
    this.state = k;
    const changed = added.length > 0 ? clamp(dropped, 0, top) : dropped;
    if (changed === had && added.length === 0) return -1;
    this.#stack(changed);
    return changed;
  }

  /**
   * Removes allocations that are no longer live in state k.
   * @param {number} k
   * @returns {number} position of the lowest chunk that changed
   */
  #drop(k) {
    const { order, wholeUntil, liveUntil, count, length } = this;
    let j = 0;
    while (j < length && wholeUntil[order[j]] >= k) j++;
    let changed = j;
    let kept = j;
    for (; j < length; j++) {
      const c = order[j];
      if (wholeUntil[c] < k) {
        if (liveUntil[c] < k) {
          this.unused[this.unusedCount++] = c;
          continue;
        }
        this.#compact(c, k);
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

  /** Moves the live allocations together. @param {number} c chunk @param {number} k */
  #compact(c, k) {
    const { last, bytes, colourIndex, sums } = this;
    const { red, green, blue } = this.colours;
    let kept = c * CHUNK;
    const end = kept + this.count[c];
    let least = FOREVER;
    for (let q = kept; q < end; q++) {
      const until = last[q];
      const size = bytes[q];
      const t = colourIndex[q];
      if (until < k) {
        sums[c * SUMS] -= size;
        sums[c * SUMS + 1] -= size * red[t];
        sums[c * SUMS + 2] -= size * green[t];
        sums[c * SUMS + 3] -= size * blue[t];
        continue;
      }
      if (until < least) least = until;
      last[kept] = until;
      bytes[kept] = size;
      colourIndex[kept++] = t;
    }
    this.count[c] = kept - c * CHUNK;
    this.wholeUntil[c] = least;
  }

  /** @param {number} into chunk @param {number} from chunk above it, given back */
  #merge(into, from) {
    const { last, bytes, colourIndex, count, sums, wholeUntil, liveUntil } = this;
    const room = into * CHUNK + count[into];
    const start = from * CHUNK;
    for (let i = 0; i < count[from]; i++) {
      last[room + i] = last[start + i];
      bytes[room + i] = bytes[start + i];
      colourIndex[room + i] = colourIndex[start + i];
    }
    count[into] += count[from];
    wholeUntil[into] = Math.min(wholeUntil[into], wholeUntil[from]);
    liveUntil[into] = Math.max(liveUntil[into], liveUntil[from]);
    for (let s = 0; s < SUMS; s++) sums[into * SUMS + s] += sums[from * SUMS + s];
    this.unused[this.unusedCount++] = from;
  }

  /** Lays allocations on top. @param {Int32Array} ids */
  #push(ids) {
    const { data } = this.timeline;
    const { index, red, green, blue } = this.colours;
    let c = this.length > 0 ? this.order[this.length - 1] : -1;
    for (let i = 0; i < ids.length; ) {
      if (c < 0 || this.count[c] === CHUNK) c = this.#newChunk();
      const { last, bytes, colourIndex, sums } = this;
      const end = Math.min(ids.length, i + CHUNK - this.count[c]);
      let q = c * CHUNK + this.count[c];
      this.count[c] += end - i;
      let least = this.wholeUntil[c];
      let most = this.liveUntil[c];
      let sum = 0;
      let r = 0;
      let g = 0;
      let b = 0;
      for (; i < end; i++, q++) {
        const id = ids[i];
        const until = data.last[id];
        const n = data.size[id];
        const t = index[id];
        last[q] = until;
        bytes[q] = n;
        colourIndex[q] = t;
        if (until < least) least = until;
        if (until > most) most = until;
        sum += n;
        r += n * red[t];
        g += n * green[t];
        b += n * blue[t];
      }
      this.wholeUntil[c] = least;
      this.liveUntil[c] = most;
      sums[c * SUMS] += sum;
      sums[c * SUMS + 1] += r;
      sums[c * SUMS + 2] += g;
      sums[c * SUMS + 3] += b;
    }
  }

  /** @returns {number} an empty chunk on top */
  #newChunk() {
    if (this.unusedCount === 0) this.#grow(this.order.length * 2);
    const c = this.unused[--this.unusedCount];
    this.count[c] = 0;
    this.wholeUntil[c] = FOREVER;
    this.liveUntil[c] = 0;
    for (let s = c * SUMS; s < (c + 1) * SUMS; s++) this.sums[s] = 0;
    this.order[this.length++] = c;
    return c;
  }

  /** @param {number} from position from which the bytes below are summed again */
  #stack(from) {
    const { order, bottom, sums, length } = this;
    for (let j = from; j < length; j++) bottom[j + 1] = bottom[j] + sums[order[j] * SUMS];
  }

  /** @param {number} chunks */
  #grow(chunks) {
    const had = this.order.length;
    this.order = copied(this.order, new Int32Array(chunks));
    this.bottom = copied(this.bottom, new Float64Array(chunks + 1));
    this.last = copied(this.last, new Uint32Array(chunks * CHUNK));
    this.bytes = copied(this.bytes, new Float64Array(chunks * CHUNK));
    this.colourIndex = copied(this.colourIndex, new Uint8Array(chunks * CHUNK));
    this.count = copied(this.count, new Int32Array(chunks));
    this.wholeUntil = copied(this.wholeUntil, new Uint32Array(chunks));
    this.liveUntil = copied(this.liveUntil, new Uint32Array(chunks));
    this.sums = copied(this.sums, new Float64Array(chunks * SUMS));
    this.unused = copied(this.unused, new Int32Array(chunks));
    for (let c = chunks - 1; c >= had; c--) this.unused[this.unusedCount++] = c;
  }
}

/**
 * @template {Int32Array | Uint32Array | Float64Array | Uint8Array} T
 * @param {T} from
 * @param {T} to a longer one
 */
function copied(from, to) {
  to.set(from);
  return to;
}
