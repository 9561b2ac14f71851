// Which positions of the common axis are in view.

import { View } from '../../kit/view.js';

/** About how many states of the longer recording the narrowest view shows. */
const LEAST_STATES = 12;

export class Zoom extends View {
  #least = 0;

  get least() {
    return this.#least;
  }

  /** Shows all of two recordings. @param {number} states of the longer one */
  begin(states) {
    this.#least = Math.min(1, LEAST_STATES / Math.max(1, states));
    this.reset();
  }
}
