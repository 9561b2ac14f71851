// The horizontal axis: where a state begins, and which states a stretch covers.
// Positions are states on the events axis and microseconds on the time axis.

import { clamp, countBelow, countUpTo } from '../kit/math.js';

/**
 * Room to the right of an out-of-memory event near the end, where its request is drawn; and how close to the end counts
 * as near.
 */
const AIR = 1.03;
const NEAR_END = 0.97;

/**
 * @typedef {object} Axis
 * @property {'events' | 'time'} kind
 * @property {number} lastState
 * @property {number} extent where the last state ends
 * @property {number} end of the whole view; more than extent when there is air
 * @property {number} least narrowest view
 * @property {(k: number) => number} begins where state k begins
 * @property {(k: number) => number} middle of state k
 * @property {(x: number) => number} stateAt the state drawn over position x, kept in range
 * @property {(from: number, to: number) => [number, number] | null} states the first and last
 *   state in [from, to), null where nothing was recorded
 */

/**
 * State k covers [k, k+1).
 * @implements {Axis}
 */
export class EventAxis {
  kind = /** @type {const} */ ('events');
  least = 12;

  /** @param {number} lastState @param {boolean} air */
  constructor(lastState, air) {
    this.lastState = lastState;
    this.extent = lastState + 1;
    this.end = this.extent * (air ? AIR : 1);
    this.least = Math.min(12, this.extent);
  }

  /** @param {number} k */
  begins(k) {
    return k;
  }

  /** @param {number} k */
  middle(k) {
    return k + 0.5;
  }

  /** @param {number} x */
  stateAt(x) {
    return clamp(Math.floor(x), 0, this.lastState);
  }

  /** @param {number} from @param {number} to @returns {[number, number] | null} */
  states(from, to) {
    if (from >= this.extent) return null;
    const a = Math.max(0, Math.floor(from));
    return [a, clamp(Math.ceil(to) - 1, a, this.lastState)];
  }
}

/**
 * State k lasts from the time of event k-1 to the time of event k; state 0 ends
 * with the first event and the last state begins with the last, so both have
 * no width. Where the recorded clock goes backwards, time does not advance.
 * @implements {Axis}
 */
export class TimeAxis {
  kind = /** @type {const} */ ('time');

  /** @param {import('./columns.js').Column} time microseconds per event @param {boolean} air */
  constructor(time, air) {
    this.lastState = time.length;
    this.start = new Float64Array(time.length + 1);
    for (let k = 1; k < this.start.length; k++) this.start[k] = Math.max(this.start[k - 1], time[k - 1]);
    this.extent = this.start[this.lastState];
    this.end = this.extent * (air ? AIR : 1);
    this.least = Math.min(20, this.extent);
  }

  /** @param {number} k */
  begins(k) {
    return this.start[k];
  }

  /** @param {number} k */
  middle(k) {
    return this.start[k];
  }

  /** @param {number} x */
  stateAt(x) {
    return Math.max(0, countUpTo(this.start, x) - 1);
  }

  /** @param {number} from @param {number} to @returns {[number, number] | null} */
  states(from, to) {
    if (from >= this.extent && from > 0) return null;
    let a = countBelow(this.start, from);
    if (this.start[a] > from) a--;
    const b = to >= this.extent ? this.lastState : countBelow(this.start, to) - 1;
    a = Math.max(0, a);
    return [a, Math.max(a, b)];
  }
}

/**
 * The positions that some states cover.
 * @param {Axis} axis @param {number} from first state @param {number} to last one
 * @returns {[number, number]} where the first begins and the last ends
 */
export function spanOf(axis, from, to) {
  return [axis.begins(from), to === axis.lastState ? axis.extent : axis.begins(to + 1)];
}

/**
 * The same of a stretch that ends before a state; or with the last one, if that is it.
 * @param {Axis} axis @param {number} from @param {number} to
 * @returns {[number, number]}
 */
export function stretchOf(axis, from, to) {
  return [axis.begins(from), to === axis.lastState ? axis.extent : axis.begins(to)];
}

/** @param {import('./open.js').OpenDevice} device @param {'events' | 'time'} kind @returns {Axis} */
export function axisOf({ data, timeline: { lastState } }, kind) {
  const air = data.ooms.some((m) => m.state > lastState * NEAR_END);
  return kind === 'time' && data.time ? new TimeAxis(data.time, air) : new EventAxis(lastState, air);
}

/**
 * The state that each pixel column is drawn at: the one with the most active
 * bytes of all that it covers, so that no peak is lost. -1: nothing recorded.
 * @param {Axis} axis
 * @param {import('./timeline.js').Timeline} timeline
 * @param {number} from
 * @param {number} to
 * @param {number} columns
 * @returns {Int32Array}
 */
export function columnStates(axis, timeline, from, to, columns) {
  const out = new Int32Array(columns);
  const width = (to - from) / columns;
  for (let x = 0; x < columns; x++) {
    const covered = axis.states(from + width * x, from + width * (x + 1));
    out[x] = covered ? timeline.highest.best(covered[0], covered[1]) : -1;
  }
  return out;
}
