// What the lanes above the chart show: annotated ranges by depth, phases of training
// inferred from stacks; and the steps of the recording.

import { ColumnReader } from './columns.js';
import { count } from '../kit/format.js';
import { bisect, countUpTo } from '../kit/math.js';

const PHASES = ['load', 'forward', 'backward', 'optimizer'];

/** Names that the profiler and optimizers give to steps; a number or a class follows. */
const STEP = /^(ProfilerStep|Optimizer\.step)#/;

/** @typedef {{lane: Lane, i: number}} LaneHit a range of a lane */

/** Ranges of states that do not overlap, in order. A range from a to b holds the events a to b-1. */
export class Lane {
  /**
   * @param {string} label "" for the lane of nested ranges
   * @param {number[]} from first state of each
   * @param {number[]} to last state
   * @param {string[]} names
   * @param {number[] | null} kinds of phases, 0 to 3; null: annotations
   * @param {string[]} notes what to know of each, "" mostly
   * @param {{from: number[], to: number[]} | null} time in microseconds, where better known than from the states
   * @param {string} leftOut a sentence about ranges that the report does not hold, or ""
   */
  constructor(label, from, to, names, kinds, notes, time, leftOut) {
    this.label = label;
    this.from = from;
    this.to = to;
    this.names = names;
    this.kinds = kinds;
    this.notes = notes;
    this.time = time;
    this.leftOut = leftOut;
  }

  get length() {
    return this.from.length;
  }

  /** @param {number} i */
  isStep(i) {
    return STEP.test(this.names[i]);
  }

  /**
   * Where a range is.
   * @param {import('./axis.js').Axis} axis @param {number} i
   * @returns {[number, number]} positions
   */
  span(axis, i) {
    if (axis.kind === 'time' && this.time) return [this.time.from[i], this.time.to[i]];
    return [axis.begins(this.from[i]), axis.begins(this.to[i])];
  }

  /**
   * The first range that ends after a position.
   * @param {import('./axis.js').Axis} axis @param {number} x @param {number} [least]
   */
  after(axis, x, least = 0) {
    return bisect(least, this.length, (i) => this.span(axis, i)[1] <= x);
  }

  /**
   * The range at a position, or the nearest one that is hardly farther.
   * @param {import('./axis.js').Axis} axis @param {number} x @param {number} slack positions
   * @returns {number} -1: none
   */
  at(axis, x, slack) {
    const i = this.after(axis, x);
    let best = -1;
    let nearest = slack;
    for (const k of [i, i - 1]) {
      if (k < 0 || k >= this.length) continue;
      const [from, to] = this.span(axis, k);
      const away = Math.max(from - x, x - to, 0);
      if (away <= nearest && (best < 0 || away < nearest)) [best, nearest] = [k, away];
    }
    return best;
  }
}

/** The lanes of a device, annotations first. */
export class Lanes {
  /**
   * @param {Uint8Array} bytes the payload "lanes-F-D"
   * @param {import('./report.js').DeviceReport} report
   */
  constructor(bytes, { lanes, events, has_time }) {
    const r = new ColumnReader(bytes);
    const texts = r.strings();
    const from = r.ascending().values;
    const length = r.unsigned().values;
    const fromUs = r.signedSums().values;
    const lengthUs = r.unsigned().values;
    const depth = r.unsigned().values;
    const name = r.unsigned().values;
    const cut = r.unsigned().values;
    const phaseFrom = Array.from(r.ascending().values);
    const phaseLength = r.unsigned().values;
    const kind = Array.from(r.unsigned().values);
    this.steps = new Steps(r.ascending().values, events, lanes.step_word, lanes.steps_from);
    const leftOut = (/** @type {number} */ n, /** @type {string} */ what) => (n > 0 ? `${count(n)} ${what}` : '');

    /** @type {Lane[]} */
    this.annotated = [];
    const levels = from.length === 0 ? 0 : Math.max(...depth) + 1;
    for (let level = 0; level < levels; level++) {
      const ids = Array.from(depth.keys()).filter((i) => depth[i] === level);
      const time = has_time && fromUs.length > 0 ? { from: [], to: [] } : null;
      if (time) for (const i of ids) keepOrder(time, fromUs[i], fromUs[i] + lengthUs[i]);
      this.annotated.push(
        new Lane(
          level === 0 ? 'annotated' : '',
          ids.map((i) => from[i]),
          ids.map((i) => from[i] + length[i]),
          ids.map((i) => texts.at(name[i])),
          null,
          ids.map((i) => ['', 'its start is not in the file', 'its end is not in the file'][cut[i]]),
          time,
          level === 0 ? leftOut(lanes.ranges_left_out, 'more ranges, nested deeper or shorter, are left out') : '',
        ),
      );
    }
    /** @type {Lane | null} */
    this.phases =
      phaseFrom.length === 0
        ? null
        : new Lane(
            '≈ phase',
            phaseFrom,
            phaseFrom.map((a, i) => a + phaseLength[i]),
            kind.map((k) => PHASES[k]),
            kind,
            kind.map(() => 'inferred from stacks'),
            null,
            leftOut(lanes.phases_left_out, 'more phases, the shortest, are left out'),
          );
  }

  /** All lanes, from the top. */
  get all() {
    return this.phases ? [...this.annotated, this.phases] : this.annotated;
  }
}

/**
 * Adds a range that begins no earlier than the last one ends.
 * @param {{from: number[], to: number[]}} time @param {number} from @param {number} to
 */
function keepOrder(time, from, to) {
  const a = Math.max(from, time.to.at(-1) ?? 0);
  time.from.push(a);
  time.to.push(Math.max(a, to));
}

/** The name of a range without a prefix that says nothing. @param {string} name */
export function shortName(name) {
  return name.replace(/^Optimizer\.step#/, '');
}

/** The steps of a recording: from boundary to boundary, with what comes before the first and after the last. */
export class Steps {
  /**
   * @param {ArrayLike<number>} boundaries states, ascending
   * @param {number} lastState
   * @param {string} word what one is called: "step"
   * @param {string} method how they were found
   */
  constructor(boundaries, lastState, word, method) {
    const inside = Array.from(boundaries).filter((b) => b > 0 && b < lastState);
    /** Where each begins. */
    this.from = boundaries.length === 0 ? [] : [0, ...inside];
    /** How many end in the recording; what follows the last end is one more stretch. */
    this.ended = Array.from(boundaries).filter((b) => b > 0).length;
    this.lastState = lastState;
    this.word = word;
    this.method = method;
  }

  get count() {
    return this.from.length;
  }

  /** What a stretch is called: "step 3 of 12". @param {number} i */
  name(i) {
    const of = count(this.ended);
    return i < this.ended ? `${this.word} ${count(i + 1)} of ${of}` : `after ${this.word} ${of}`;
  }

  /** @param {number} i @returns {import('./range.js').Range} */
  range(i) {
    return { from: this.from[i], to: this.from[i + 1] ?? this.lastState };
  }

  /** The step that a state belongs to: the step of the event before it. @param {number} state */
  at(state) {
    return Math.max(0, countUpTo(this.from, Math.max(0, state - 1)) - 1);
  }

  /** How many steps end at or before a state. @param {number} state */
  endedBy(state) {
    return state === this.lastState ? this.ended : Math.max(0, countUpTo(this.from, state) - 1);
  }

  /**
   * How active memory changes over a range, as steps.List.Over of Go has it.
   * @param {ArrayLike<number>} active bytes by state
   * @param {import('./range.js').Range} range
   * @returns {{steps: number, bytes: number, perStep: number}} steps: that end in the range; perStep: 0 without any
   */
  growth(active, { from, to }) {
    const bytes = active[to] - active[from];
    const steps = this.endedBy(to) - this.endedBy(from);
    return { steps, bytes, perStep: steps && Math.sign(bytes) * Math.round(Math.abs(bytes) / steps) };
  }

  /**
   * The step to go to.
   * @param {number} shown the one in view, -1: none
   * @param {boolean} whole whether the whole recording is in view
   * @param {number} state at the left edge of the view
   * @param {1 | -1} by forward or back
   * @returns {number} -1: there is none
   */
  next(shown, whole, state, by) {
    const after = countUpTo(this.from, state);
    const before = after - (this.from[after - 1] === state ? 2 : 1);
    const i = shown >= 0 ? shown + by : whole ? (by > 0 ? 0 : this.count - 1) : by > 0 ? after : before;
    return i >= 0 && i < this.count ? i : -1;
  }
}
