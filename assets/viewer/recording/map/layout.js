// Where everything of an address space lies in the height of the plot. Heights are fractions of it, from the bottom,
// so that zooming is one linear map.

import { counted } from '../../kit/format.js';
import { kindName } from '../data/segments.js';

/** In client pixels: between two groups, over the highest, and the least height of a group. */
const GAP = 7;
const AIR = 14;
const LEAST = 16;

/** The groups of least height may take this part of the plot; smaller ones are joined then. */
const LEAST_PART = 1 / 4;

/** @typedef {import('../../data/space.js').Space} Space @typedef {import('./arrange.js').Group} Group */

/**
 * @typedef {object} Band a group, or several joined ones, in the plot
 * @property {string} name
 * @property {string} segments how many, as words
 * @property {number} low
 * @property {number} high
 * @property {number} perUnit height of a unit; of joined groups none
 * @property {number} units
 * @property {number} enlarged how many times as high as its bytes would be in the largest group
 * @property {Band[]} members of joined groups
 */

/** What a joined group is made of, until it has a place. @typedef {{groups: Group[], units: number}} Part */

export class SpaceLayout {
  /**
   * @param {Space} space
   * @param {import('./arrange.js').Arrangement} arrangement
   * @param {number} height of the plot in client pixels
   */
  constructor(space, arrangement, height) {
    const { count } = space.reservations;
    this.space = space;
    this.height = height;
    /** The lower edge of each reservation, and the height of one unit of it. */
    this.low = new Float64Array(count);
    this.perUnit = new Float64Array(count);
    const most = Math.max(2, Math.floor((height * LEAST_PART) / LEAST));
    this.bands = this.#stack(joined(arrangement.groups, most), 0, height, { gap: GAP, air: AIR, least: LEAST });
    for (const band of leaves(this.bands))
      for (const r of band.held) {
        this.low[r] = band.low + arrangement.offset[r] * band.perUnit;
        this.perUnit[r] = band.perUnit;
      }
  }

  /**
   * Stacks groups in a part of the height.
   * @param {Part[]} parts @param {number} from client pixel @param {number} height
   * @param {{gap: number, air: number, least: number}} sizes
   * @returns {(Band & {held: number[]})[]}
   */
  #stack(parts, from, height, { gap, air, least }) {
    const { kinds } = this.space;
    const { heights, perUnit } = share(parts, Math.max(1, height - gap * (parts.length - 1) - air), least);
    let low = from;
    return parts.map(({ groups, units }, i) => {
      const own = heights[i];
      const isJoined = groups.length > 1;
      const band = {
        name: isJoined ? `${groups.length} more pools` : kindName({ ...kinds[groups[0].kind], expandable: false }),
        segments: isJoined ? '' : segmentWords(groups[0]),
        low: low / this.height,
        high: (low + own) / this.height,
        perUnit: own / units / this.height,
        units,
        enlarged: own / units / perUnit,
        members:
          isJoined
            ? this.#stack(
                groups.map((group) => ({ groups: [group], units: group.units })),
                low,
                own,
                { gap: own / groups.length / 8, air: 0, least: own / groups.length / 4 },
              )
            : [],
        held: isJoined ? [] : groups[0].held,
      };
      low += own + gap;
      return band;
    });
  }

  /** The height of a place in a reservation. @param {number} r reservation @param {number} place */
  at(r, place) {
    return this.low[r] + (place - this.space.reservations.start[r]) * this.perUnit[r];
  }

  /** @param {number} r reservation @returns {number} its upper edge */
  high(r) {
    return this.low[r] + this.space.reservations.size[r] * this.perUnit[r];
  }

  /** The band of a reservation; without one, the largest. @param {number} r @returns {Band} */
  bandOf(r) {
    const all = leaves(this.bands);
    return all.find((band) => band.held.includes(r)) ?? all.reduce((a, b) => (b.units > a.units ? b : a));
  }

  /** The reservation at a height in a state, or -1. @param {number} height @param {number} state */
  reservationAt(height, state) {
    const { count, first, last } = this.space.reservations;
    for (let r = 0; r < count; r++)
      if (first[r] <= state && state <= last[r] && this.low[r] <= height && height < this.high(r)) return r;
    return -1;
  }
}

/** @template {Band} T @param {T[]} bands @returns {T[]} */
function leaves(bands) {
  return bands.flatMap((band) => (band.members.length > 0 ? leaves(/** @type {T[]} */ (band.members)) : [band]));
}

/**
 * Joins the smallest groups where there are too many.
 * @param {Group[]} groups @param {number} most @returns {Part[]}
 */
function joined(groups, most) {
  const bySize = [...groups].sort((a, b) => b.units - a.units);
  const own = new Set(groups.length > most ? bySize.slice(0, most - 1) : groups);
  const rest = groups.filter((g) => !own.has(g));
  const parts = [...groups.filter((g) => own.has(g)).map((g) => [g]), ...(rest.length > 0 ? [rest] : [])];
  return parts.map((all) => ({ groups: all, units: all.reduce((sum, g) => sum + g.units, 0) }));
}

/**
 * Heights in proportion to bytes, but none below the least; the largest is never enlarged.
 * @param {Part[]} parts @param {number} height @param {number} least
 */
function share(parts, height, least) {
  const raised = new Set();
  for (;;) {
    const units = parts.reduce((sum, p) => sum + (raised.has(p) ? 0 : p.units), 0);
    const perUnit = Math.max(1e-9, height - raised.size * least) / units;
    const low = parts.filter((p) => !raised.has(p) && p.units * perUnit < least);
    if (low.length === 0 || low.length + raised.size === parts.length)
      return { perUnit, heights: parts.map((p) => (raised.has(p) ? least : p.units * perUnit)) };
    for (const p of low) raised.add(p);
  }
}

/** @param {Group} group */
function segmentWords({ segments, isExpandable }) {
  return counted(segments, isExpandable ? 'range' : 'segment');
}
