// Paints the address space of every pixel column: a pixel is the average of the blocks, holes and paper that lie in it,
// exact whatever their number.
//
// Rectangles never move: from one column to the next, blocks that leave are taken from sums of each row, and those that
// come are added. So the work depends on the allocations in view and the rows that they change, not on all live ones.

import { OUTSIDE } from '../../data/space.js';
import { LINE_FROM, TILE, writeTile } from '../../pile/raster.js';
import { BEYOND, ReservedSweep } from './reserved.js';
import { PARTS, Rows, SHIFT } from './rows.js';
import { chain, Visible } from './visible.js';

/** Rows from which the rest of a block behind its tensor is drawn, and the least rows of that rest. */
const TAIL_FROM = 2 * PARTS;
const LEAST_TAIL = PARTS;

/**
 * @typedef {object} SpaceRasterView what a raster shows
 * @property {Int32Array} states the state of each column, not falling; -1 for none, to the right of all others
 * @property {number} height rows
 * @property {number} low fraction of the layout's height at the lower edge
 * @property {number} high at the upper edge
 * @property {import('./layout.js').SpaceLayout} layout
 *
 * @typedef {import('../../pile/colour_table.js').SpaceColours} SpaceColours
 */

export class SpaceRaster {
  #visible = new Visible();
  #rows = new Rows();
  /** Edges of each visible block: its low, the end of its tensor, its high. */
  #edges = new Int32Array(0);

  /** @param {import('../../data/timeline.js').Timeline} timeline @param {import('../../data/space.js').Space} space */
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
    this.#rows.clear(height);
    this.#placeBlocks(view);
    const leaving = chain(visible.to, visible.count, states.length);
    const reserved = new ReservedSweep(this.space, this.#rows, view, states);
    const column = new Uint32Array(height);
    const tile = new Uint32Array(height * TILE);
    let next = 0;
    for (let c = 0; c < states.length; c++) {
      if (c > 0)
        for (let q = leaving.head[c - 1]; q >= 0; q = leaving.next[q]) this.#change(q, -1, colours, reserved);
      reserved.moveTo(c);
      for (; next < visible.count && visible.from[next] === c; next++) this.#change(next, 1, colours, reserved);
      this.#rows.blend(colours, column);
      const t = c % TILE;
      tile.set(column, t * height);
      if (t === TILE - 1 || c === states.length - 1) writeTile(tile, columns, c - t, c + 1, view, out);
    }
  }

  /**
   * Finds the edges of the visible blocks, and leaves out those that are outside of the height in view. Edges are
   * rounded from places, so that neighbours share one.
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
  }

  /**
   * Adds a visible block to the rows, or takes it away.
   * @param {number} q @param {1 | -1} sign @param {SpaceColours} colours @param {ReservedSweep} reserved
   */
  #change(q, sign, colours, reserved) {
    const low = this.#edges[q * 3];
    const end = this.#edges[q * 3 + 1];
    const high = this.#edges[q * 3 + 2];
    const i = this.#visible.id[q];
    reserved.keep(i, sign);
    if (high <= 0 || high <= low) return; // nothing of it is in view
    const t = colours.index[i] * 3;
    const { tensor } = colours;
    const rows = this.#rows;
    if (end - low >= LINE_FROM * PARTS) {
      // The topmost row that the tensor covers wholly separates it from the next.
      const line = (end >> SHIFT) << SHIFT;
      rows.cover(low, line - PARTS, sign, tensor, t);
      rows.cover(line - PARTS, line, sign, colours.line, t);
      rows.cover(line, end, sign, tensor, t);
    } else rows.cover(low, end, sign, tensor, t);
    if (high > end) rows.cover(end, high, sign, colours.tail, t);
  }
}
