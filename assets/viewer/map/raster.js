// Paints the address space of every pixel column: a pixel is the average of the blocks, holes and paper that lie in it,
// exact whatever their number.
//
// Rectangles never move: from one column to the next, blocks that leave are taken from sums of each row, and those that
// come are added. So the work is that of the allocations in view and of the rows that they change, not of what is live.

import { pageSize } from '../data/segments.js';
import { countBelow } from '../data/math.js';
import { OUTSIDE } from '../data/space.js';
import { LINE_FROM, TILE, writeTile } from '../draw/raster.js';
import { Visible } from './visible.js';

/** Parts of a row: the accuracy of every edge. Sums of a row times 255 fit 32 bits. */
export const PARTS = 4096;
const SHIFT = 12;

/** Rows from which the rest of a block behind its tensor is drawn, and the least rows of that rest. */
const TAIL_FROM = 2 * PARTS;
const LEAST_TAIL = PARTS;

/** Rows from which a segment has a seam at its top. */
const SEAM_FROM = 5 * PARTS;

/** Edges are cut so far outside of the picture: farther than from any of the above to the next. */
const BEYOND = 8 * PARTS;

/** Sums of a row, one after another. Kept is what empty_cache() would not return. */
const [COVERED, RED, GREEN, BLUE, RESERVED, KEPT, SEAM] = [0, 1, 2, 3, 4, 5, 6];
const SUMS = 8;

/** An expandable range is divided into so many pages at most. */
const MOST_PAGES = 2 ** 16;

/**
 * @typedef {object} SpaceRasterView what a raster shows
 * @property {Int32Array} states the state of each column, not falling; -1 for none, to the right of all others
 * @property {number} height rows
 * @property {number} low fraction of the layout's height at the lower edge
 * @property {number} high at the upper edge
 * @property {import('./layout.js').SpaceLayout} layout
 *
 * @typedef {import('./colours.js').SpaceColours} SpaceColours
 */

export class SpaceRaster {
  #visible = new Visible();
  #sums = new Int32Array(0);
  /** Lowest and highest row that changed since the last column. */
  #from = 0;
  #to = -1;
  /** Edges of each visible block: its low, the end of its tensor, its high. */
  #edges = new Int32Array(0);

  /** @param {import('../data/timeline.js').Timeline} timeline @param {import('../data/space.js').Space} space */
  constructor(timeline, space) {
    this.timeline = timeline;
    this.space = space;
  }

  /**
   * @param {SpaceColours} colours
   * @param {SpaceRasterView} view
   * @param {Uint32Array} out RGBA pixels, the top row first
   * @param {ArrayLike<number>} columns those to paint, from left to right; of the others nothing is written
   */
  paint(colours, view, out, columns) {
    if (columns.length === 0) return;
    const { height } = view;
    const states = Int32Array.from(columns, (x) => view.states[x]);
    const visible = this.#visible;
    visible.find(this.timeline, states);
    if (this.#sums.length !== height * SUMS) this.#sums = new Int32Array(height * SUMS);
    this.#sums.fill(0);
    this.#from = 0;
    this.#to = height - 1;
    const blocks = this.#placeBlocks(view);
    const leaving = chain(visible.to, visible.count, states.length);
    const reserved = new ReservedSweep(this, view, states);
    const column = new Uint32Array(height);
    const tile = new Uint32Array(height * TILE);
    let next = 0;
    for (let c = 0; c < states.length; c++) {
      if (c > 0) for (let q = leaving.head[c - 1]; q >= 0; q = leaving.next[q]) this.#change(blocks, q, -1, colours, reserved);
      reserved.moveTo(c);
      for (; next < visible.count && visible.from[next] === c; next++) this.#change(blocks, next, 1, colours, reserved);
      this.#blend(colours, column);
      const t = c % TILE;
      tile.set(column, t * height);
      if (t === TILE - 1 || c === states.length - 1) writeTile(tile, columns, c - t, c + 1, view, out);
    }
  }

  /**
   * The edges of the visible blocks, without those that are outside of the height in view. Edges are rounded from places, so that neighbours share an edge.
   * @param {SpaceRasterView} view
   */
  #placeBlocks({ layout, low, high, height }) {
    const { timeline, space } = this;
    const visible = this.#visible;
    const { id, from: comes, to: goes, count } = visible;
    const { place, reservation, block, unit } = space;
    const { size } = timeline.data;
    if (this.#edges.length < count * 3) this.#edges = new Int32Array(id.length * 3);
    const edges = this.#edges;
    const rows = (height * PARTS) / (high - low);
    const top = height * PARTS + BEYOND;
    const held = space.reservations.count;
    const perUnit = new Float64Array(held);
    const base = new Float64Array(held);
    const isSeen = new Uint8Array(held);
    for (let r = 0; r < held; r++) {
      perUnit[r] = layout.perUnit[r] * rows;
      base[r] = (layout.low[r] - low) * rows - space.reservations.start[r] * perUnit[r];
      const { expandable } = space.kinds[space.reservations.kind[r]];
      isSeen[r] = Number(expandable || (layout.high(r) > low && layout.low[r] < high));
    }
    visible.count = 0;
    for (let q = 0, e = 0; q < count; q++) {
      const i = id[q];
      const r = reservation[i];
      if (r === OUTSIDE || isSeen[r] === 0) continue;
      const n = visible.count++;
      id[n] = i;
      comes[n] = comes[q];
      goes[n] = goes[q];
      const from = base[r] + place[i] * perUnit[r];
      const to = base[r] + (place[i] + block[i]) * perUnit[r];
      const a = from < -BEYOND ? -BEYOND : from > top ? top : Math.round(from);
      const b = to < -BEYOND ? -BEYOND : to > top ? top : Math.round(to);
      edges[e] = a;
      edges[e + 1] = edges[e + 2] = b;
      if (b - a >= TAIL_FROM) {
        const end = from + (size[i] / unit) * perUnit[r];
        if (to - end >= LEAST_TAIL) edges[e + 1] = end < -BEYOND ? -BEYOND : end > top ? top : Math.round(end);
      }
      e += 3;
    }
    return edges;
  }

  /**
   * Adds a visible block to the sums, or takes it away.
   * @param {Int32Array} edges @param {number} q @param {1 | -1} sign @param {SpaceColours} colours
   * @param {ReservedSweep} reserved
   */
  #change(edges, q, sign, colours, reserved) {
    const low = edges[q * 3];
    const high = edges[q * 3 + 2];
    const i = this.#visible.id[q];
    reserved.keep(i, sign);
    if (high <= 0 || high <= low) return; // nothing of it is in view
    const t = colours.index[i] * 3;
    const { tensor } = colours;
    const row = low >> SHIFT;
    if (low >= 0 && row === (high - 1) >> SHIFT) {
      // Most blocks lie in one row.
      const o = row * SUMS;
      const sums = this.#sums;
      if (o >= sums.length) return;
      const weight = (high - low) * sign;
      sums[o] += weight;
      sums[o + RED] += weight * tensor[t];
      sums[o + GREEN] += weight * tensor[t + 1];
      sums[o + BLUE] += weight * tensor[t + 2];
      if (row < this.#from) this.#from = row;
      if (row > this.#to) this.#to = row;
      return;
    }
    const end = edges[q * 3 + 1];
    if (end - low >= LINE_FROM * PARTS) {
      // The topmost row that the tensor covers wholly separates it from the next.
      const line = (end >> SHIFT) << SHIFT;
      this.#cover(low, line - PARTS, sign, tensor, t);
      this.#cover(line - PARTS, line, sign, colours.line, t);
      this.#cover(line, end, sign, tensor, t);
    } else this.#cover(low, end, sign, tensor, t);
    this.#cover(end, high, sign, colours.tail, t);
  }

  /**
   * @param {number} low @param {number} high parts of rows @param {1 | -1} sign
   * @param {Int32Array} rgb @param {number} t where the colour is in it
   */
  #cover(low, high, sign, rgb, t) {
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

  /** Blends the rows that changed. @param {SpaceColours} colours @param {Uint32Array} column */
  #blend({ paperChannels: paper, stuck, returnable, seam }, column) {
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

/** What is reserved and what of it is kept, swept over the columns. */
class ReservedSweep {
  /** @type {Map<number, Int32Array>} live blocks of each page of a lane */
  #pages = new Map();

  /** @param {SpaceRaster} raster @param {SpaceRasterView} view @param {Int32Array} states of the columns */
  constructor(raster, { layout, low, high, height }, states) {
    const { space } = raster;
    const { count, first, last } = space.reservations;
    this.raster = raster;
    this.layout = layout;
    this.low = low;
    this.rows = (height * PARTS) / (high - low);
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
        this.raster.add(RESERVED, low, high, sign);
        if (!this.isExpandable[r] && high - low >= SEAM_FROM) this.raster.seam(high, sign);
      }
  }

  /** @param {number} v fraction of the layout's height @returns {number} parts of rows */
  #edge(v) {
    return Math.round(Math.max(-BEYOND, Math.min(this.most, (v - this.low) * this.rows)));
  }

  /** Counts a block in its segment or pages, which are kept while there are any. @param {number} i @param {1 | -1} sign */
  keep(i, sign) {
    const { space } = this.raster;
    const r = space.reservation[i];
    if (r === OUTSIDE) return;
    if (this.isExpandable[r]) {
      this.#keepPages(i, r, sign);
      return;
    }
    const { live, layout } = this;
    const had = live[r];
    live[r] += sign;
    if (had === 0 || live[r] === 0) this.raster.add(KEPT, this.#edge(layout.low[r]), this.#edge(layout.high(r)), sign);
  }

  /** @param {number} i @param {number} r reservation of its first byte @param {1 | -1} sign */
  #keepPages(i, r, sign) {
    const { space } = this.raster;
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
      this.raster.add(KEPT, this.#edge(low), this.#edge(high), sign);
    }
  }
}

/**
 * Chains of what has the same number.
 * @param {Int32Array} of number of each @param {number} count @param {number} numbers how many there are
 * @returns {{head: Int32Array, next: Int32Array}} -1 ends a chain
 */
function chain(of, count, numbers) {
  const head = new Int32Array(numbers).fill(-1);
  const next = new Int32Array(count);
  for (let i = count - 1; i >= 0; i--) {
    next[i] = head[of[i]];
    head[of[i]] = i;
  }
  return { head, next };
}
