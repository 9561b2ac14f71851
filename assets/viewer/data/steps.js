// The steps of a recording: the stretches between its boundaries, with what
// comes before the first and after the last.

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
    this.lastState = lastState;
    this.word = word;
    this.method = method;
  }

  get count() {
    return this.from.length;
  }

  /** @param {number} i @returns {import('./range.js').Range} */
  range(i) {
    return { from: this.from[i], to: this.from[i + 1] ?? this.lastState };
  }

  /** The step that a state belongs to: that of the event before it. @param {number} state */
  at(state) {
    return Math.max(0, countUpTo(this.from, Math.max(0, state - 1)) - 1);
  }

  /** How many a range has a part in. @param {import('./range.js').Range} range */
  within({ from, to }) {
    return this.count && this.at(to) - this.at(from + 1) + 1;
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
