// Which positions of the common axis are in view.

import { clamp } from '../../kit/math.js';
import { Topic } from '../../kit/topic.js';

/** How long a view must be still to count as settled. */
const STILL_MS = 120;

/** The narrowest view shows about so many states of the longer recording. */
const LEAST_STATES = 12;

export class Zoom {
  changed = new Topic();
  /** The view has been still for a while. */
  settled = new Topic();
  #from = 0;
  #to = 1;
  #least = 0;
  #timer = 0;

  get from() {
    return this.#from;
  }
  get to() {
    return this.#to;
  }
  get width() {
    return this.#to - this.#from;
  }
  get middle() {
    return (this.#from + this.#to) / 2;
  }
  get isWhole() {
    return this.#from <= 0 && this.#to >= 1;
  }
  get isMoving() {
    return this.#timer !== 0;
  }

  /** Shows all of two recordings. @param {number} states of the longer one */
  reset(states) {
    [this.#from, this.#to] = [0, 1];
    this.#least = Math.min(1, LEAST_STATES / Math.max(1, states));
  }

  /** @param {number} from @param {number} to positions */
  show(from, to) {
    const width = clamp(to - from, this.#least, 1);
    const middle = (from + to) / 2;
    const left = clamp(to - from < this.#least ? middle - width / 2 : from, 0, 1 - width);
    if (left === this.#from && left + width === this.#to) return;
    [this.#from, this.#to] = [left, Math.min(1, left + width)];
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.settle(), STILL_MS);
    this.changed.emit();
  }

  whole() {
    this.show(0, 1);
  }

  /** @param {number} by positions */
  pan(by) {
    const from = clamp(this.#from + by, 0, 1 - this.width);
    this.show(from, from + this.width);
  }

  /** Keeps what is at a position where it is. @param {number} factor of the width shown @param {number} at */
  zoom(factor, at) {
    const width = clamp(this.width * factor, this.#least, 1);
    const from = at - ((at - this.#from) / this.width) * width;
    this.show(from, from + width);
  }

  /** Has a position in view. @param {number} x */
  reach(x) {
    if (x < this.#from || x > this.#to) this.pan(x - this.middle);
  }

  settle() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.settled.emit();
  }
}
