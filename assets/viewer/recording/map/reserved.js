// What an allocator has reserved, and what of it live blocks keep, swept over the columns of a picture.

import { countBelow } from '../../kit/math.js';
import { pageSize } from '../data/segments.js';
import { OUTSIDE } from '../../data/space.js';
import { KEPT, PARTS, RESERVED } from './rows.js';
import { chain } from './visible.js';

/** Rows from which a segment has a seam at its top. */
const SEAM_FROM = 5 * PARTS;

/** Edges are cut so far outside of the picture: farther than the height from which anything is drawn otherwise. */
export const BEYOND = 8 * PARTS;

/** The most pages that an expandable range is divided into. */
const MOST_PAGES = 2 ** 16;

export class ReservedSweep {
  /** @type {Map<number, Int32Array>} live blocks of each page of a lane */
  #pages = new Map();

  /**
   * @param {import('../../data/space.js').Space} space
   * @param {import('./rows.js').Rows} rows
   * @param {import('./raster.js').SpaceRasterView} view
   * @param {Int32Array} states of the columns
   */
  constructor(space, rows, { layout, low, high, height }, states) {
    const { count, first, last } = space.reservations;
    this.space = space;
    this.rows = rows;
    this.layout = layout;
    this.low = low;
    this.perHeight = (height * PARTS) / (high - low);
    this.most = height * PARTS + BEYOND;
    /** Blocks in each segment. */
    this.live = new Int32Array(count);
    this.isExpandable = Uint8Array.from(space.reservations.kind, (k) => Number(space.kinds[k].expandable));
    // The first column that shows each, and the first that no longer does.
    const comes = new Int32Array(count);
    const goes = new Int32Array(count);
    for (let r = 0; r < count; r++) {
      comes[r] = countBelow(states, first[r]);
      goes[r] = countBelow(states, last[r] + 1);
      const isSeen = layout.high(r) > low && layout.low[r] < high;
      if (!isSeen) goes[r] = comes[r];
      if (comes[r] === goes[r]) comes[r] = goes[r] = states.length;
    }
    this.coming = chain(comes, count, states.length + 1);
    this.going = chain(goes, count, states.length + 1);
  }

  /** @param {number} c column, the next one */
  moveTo(c) {
    for (const [{ head, next }, sign] of /** @type {const} */ ([
      [this.going, -1],
      [this.coming, 1],
    ]))
      for (let r = head[c]; r >= 0; r = next[r]) {
        const low = this.#edge(this.layout.low[r]);
        const high = this.#edge(this.layout.high(r));
        this.rows.add(RESERVED, low, high, sign);
        if (!this.isExpandable[r] && high - low >= SEAM_FROM) this.rows.seam(high, sign);
      }
  }

  /** @param {number} v fraction of the layout's height @returns {number} parts of rows */
  #edge(v) {
    return Math.round(Math.max(-BEYOND, Math.min(this.most, (v - this.low) * this.perHeight)));
  }

  /**
   * Counts a block in its segment or pages, which are kept while there are any.
   * @param {number} i @param {1 | -1} sign
   */
  keep(i, sign) {
    const { space } = this;
    const r = space.reservation[i];
    if (r === OUTSIDE) return;
    if (this.isExpandable[r]) {
      this.#keepPages(i, r, sign);
      return;
    }
    const { live, layout } = this;
    const had = live[r];
    live[r] += sign;
    if (had === 0 || live[r] === 0) this.rows.add(KEPT, this.#edge(layout.low[r]), this.#edge(layout.high(r)), sign);
  }

  /** @param {number} i @param {number} r reservation of its first byte @param {1 | -1} sign */
  #keepPages(i, r, sign) {
    const { space } = this;
    const { laneStart, kinds, place, unit } = space;
    const { lane, kind } = space.reservations;
    const start = laneStart[lane[r]];
    const end = laneStart[lane[r] + 1];
    const page = Math.max(pageSize(kinds[kind[r]]) / unit, (end - start) / MOST_PAGES);
    let counts = this.#pages.get(lane[r]);
    if (!counts) this.#pages.set(lane[r], (counts = new Int32Array(Math.ceil((end - start) / page))));
    const from = Math.floor((place[i] - start) / page);
    const to = Math.min(counts.length - 1, Math.floor((place[i] + space.block[i] - 1 - start) / page));
    for (let p = from; p <= to; p++) {
      const had = counts[p];
      counts[p] += sign;
      if (had !== 0 && counts[p] !== 0) continue;
      const low = this.layout.at(r, start + p * page);
      const high = this.layout.at(r, Math.min(end, start + (p + 1) * page));
      this.rows.add(KEPT, this.#edge(low), this.#edge(high), sign);
    }
  }
}
