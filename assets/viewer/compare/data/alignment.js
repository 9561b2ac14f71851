// The common axis of two recordings. Positions go from 0 to 1; each run of a phase, or
// each recording as a whole, has a stretch of them, in which its states are spread
// evenly by events or by time.

import { TimeAxis } from '../../data/axis.js';
import { bisect, clamp } from '../../kit/math.js';

/**
 * @typedef {[number, number]} States the first and the last one
 * @typedef {import('../../types/compare').Run} Run
 * @typedef {Run & {from: number, to: number}} Stretch of positions
 * @typedef {'phase' | 'event'} By what the recordings are aligned by
 * @typedef {'events' | 'time'} Unit that the states of a run are spread by
 */

export class Alignment {
  /** @type {Stretch[]} in order; they have all positions */
  stretches = [];
  /** By side, where each state begins: a number of events, or microseconds; and where the last one ends. */
  #begins;
  #lastState;

  /**
   * @param {Run[]} runs which have each state of each side once, in order
   * @param {SideAxis[]} sides of before and after
   */
  constructor(runs, sides) {
    this.#begins = sides.map(({ start }) => start);
    this.#lastState = sides.map(({ lastState }) => lastState);
    const shares = runs.map(({ states }) => {
      const own = states.flatMap((s, side) => (s ? [this.#share(side, s)] : []));
      return own.reduce((sum, share) => sum + share, 0) / own.length;
    });
    const total = shares.reduce((sum, share) => sum + share, 0);
    let from = 0;
    let sum = 0;
    runs.forEach((run, i) => {
      sum += shares[i];
      const to = i === runs.length - 1 ? 1 : total > 0 ? sum / total : (i + 1) / runs.length;
      this.stretches.push({ ...run, from, to });
      from = to;
    });
  }

  /** Which part of a recording some states are. @param {number} side @param {States} states */
  #share(side, [a, b]) {
    const start = this.#begins[side];
    const all = start[start.length - 1] - start[0];
    return all > 0 ? (start[b + 1] - start[a]) / all : 1;
  }

  /** The stretch at a position. @param {number} x */
  stretchAt(x) {
    return this.stretches[this.indexAt(x)];
  }

  /** @param {number} x */
  indexAt(x) {
    const { stretches } = this;
    return clamp(
      bisect(0, stretches.length, (i) => stretches[i].to <= x),
      0,
      stretches.length - 1,
    );
  }

  /** The stretch that a state of a side lies in. @param {number} side @param {number} k */
  #indexOf(side, k) {
    const { stretches } = this;
    // Those that the side lacks count to the next one that it has.
    let i = bisect(0, stretches.length, (n) => {
      for (; n < stretches.length; n++) {
        const states = stretches[n].states[side];
        if (states) return states[1] < k;
      }
      return false;
    });
    while (i < stretches.length - 1 && !stretches[i].states[side]) i++;
    return i;
  }

  /** Where a state of a side begins. @param {number} side @param {number} k */
  begins(side, k) {
    const { from, to, states } = this.stretches[this.#indexOf(side, k)];
    return states[side] ? this.#within(side, k, /** @type {States} */ (states[side]), from, to) : from;
  }

  /** Where the middle of a state is. @param {number} side @param {number} k */
  middle(side, k) {
    const i = this.#indexOf(side, k);
    const { from, to, states } = this.stretches[i];
    const own = states[side];
    if (!own) return from;
    const at = (/** @type {number} */ n) => (n > own[1] ? to : this.#within(side, n, own, from, to));
    return (at(k) + at(k + 1)) / 2;
  }

  /** @param {number} side @param {number} k @param {States} states @param {number} from @param {number} to */
  #within(side, k, [a, b], from, to) {
    const start = this.#begins[side];
    const all = start[b + 1] - start[a];
    const share = all > 0 ? (start[k] - start[a]) / all : (k - a) / (b + 1 - a);
    return from + share * (to - from);
  }

  /** The first state of a side that begins at a position or behind it; after the last one if none does. */
  #firstAt(/** @type {number} */ side, /** @type {number} */ x) {
    const last = this.#lastState[side];
    if (x >= 1) return last + 1;
    if (x <= 0) return 0;
    for (let i = this.indexAt(x); i < this.stretches.length; i++) {
      const { from, to, states } = this.stretches[i];
      const own = states[side];
      if (!own) continue;
      return bisect(own[0], own[1] + 1, (k) => this.#within(side, k, own, from, to) < x);
    }
    return last + 1;
  }

  /**
   * The states of a side that begin in [from, to), or else the one that lasts over it.
   * @param {number} side @param {number} from @param {number} to
   * @returns {States | null} null where the side has nothing
   */
  states(side, from, to) {
    const first = this.#firstAt(side, from);
    const last = this.#firstAt(side, to) - 1;
    if (first <= last) return [first, last];
    const own = this.stretchAt(from).states[side];
    return own && first - 1 >= own[0] ? [first - 1, first - 1] : null;
  }
}

/**
 * The times or numbers of the states of a side.
 * @typedef {{lastState: number, start: ArrayLike<number>}} SideAxis start: of each state, and the end of the last
 */

/**
 * @param {{events: number, time?: import('../../data/columns.js').Column | null}} data @param {Unit} unit
 * @returns {SideAxis}
 */
export function sideAxis(data, unit) {
  const lastState = data.events;
  const start = new Float64Array(lastState + 2);
  if (unit === 'time' && data.time) {
    start.set(new TimeAxis(data.time, false).start);
    start[lastState + 1] = start[lastState];
  } else for (let k = 0; k <= lastState + 1; k++) start[k] = k;
  return { lastState, start };
}

/** Both recordings as a whole, without phases. @param {number[]} lastStates @returns {Run[]} */
export function wholeRun(lastStates) {
  return [
    {
      phase: '',
      states: [
        [0, lastStates[0]],
        [0, lastStates[1]],
      ],
      step: -1,
    },
  ];
}

/**
 * The state that each pixel column shows of a side: the one with the most active bytes of all that it covers. -1: none.
 * @param {Alignment} alignment @param {number} side
 * @param {import('../../data/timeline.js').Timeline} timeline
 * @param {number} from position @param {number} to @param {number} columns
 */
export function alignedStates(alignment, side, timeline, from, to, columns) {
  const out = new Int32Array(columns);
  const width = (to - from) / columns;
  for (let x = 0; x < columns; x++) {
    const covered = alignment.states(side, from + width * x, x === columns - 1 ? to : from + width * (x + 1));
    out[x] = covered ? timeline.highest.best(covered[0], covered[1]) : -1;
  }
  return out;
}
