// The steps of a recording: the stretches between its boundaries, with what
// comes before the first and after the last.

import { count } from './format.js';
import { countUpTo } from './search.js';

export class Steps {
  /**
   * @param {ArrayLike<number>} boundaries states, ascending
   * @param {number} lastState
   * @param {string} word what one is called: "step"
   * @param {string} method how they were told apart
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
    return i < this.ended ? `${this.word} ${count(i + 1)} of ${count(this.ended)}` : `after ${this.word} ${count(this.ended)}`;
  }

  /** @param {number} i @returns {import('./range.js').Range} */
  range(i) {
    return { from: this.from[i], to: this.from[i + 1] ?? this.lastState };
  }

  /** The step that a state belongs to: that of the event before it. @param {number} state */
  at(state) {
    return Math.max(0, countUpTo(this.from, Math.max(0, state - 1)) - 1);
  }

  /**
   * How active memory changes over a range, as steps.List.Over of Go has it.
   * @param {ArrayLike<number>} active bytes by state
   * @param {import('./range.js').Range} range
   * @returns {{steps: number, bytes: number, perStep: number}} steps: that have an event in the range; perStep: 0 without any
   */
  growth(active, { from, to }) {
    const bytes = active[to] - active[from];
    const steps = this.count && this.at(to) - this.at(from + 1) + 1;
    return { steps, bytes, perStep: steps && Math.sign(bytes) * Math.round(Math.abs(bytes) / steps) };
  }

  /**
   * The step to go to.
   * @param {number} shown the one that is shown, -1: none
   * @param {boolean} whole whether all of the recording is
   * @param {number} state at the left edge of what is shown
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
