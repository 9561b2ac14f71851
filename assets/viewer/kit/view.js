// Which positions of an axis are in view, and whether the view moves.

import { clamp } from './math.js';
import { Topic } from './topic.js';

/** How long a view must be still to count as settled. */
const STILL_MS = 120;

export class View {
  /** Something else is in view. */
  changed = new Topic();
  /** The view has been still for a while. */
  settled = new Topic();
  #from = 0;
  #to = 1;
  #isMoving = false;
  #stillTimer = 0;

  /** Where the axis ends; it begins at 0. */
  get end() {
    return 1;
  }
  /** The least width of a view. */
  get least() {
    return 0;
  }
  /** Whether something else settles the view. */
  get isHeld() {
    return false;
  }
  /** Where the view begins and ends. */
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
    return this.#from <= 0 && this.#to >= this.end;
  }
  /** Whether the view has changed and is not settled yet. */
  get isMoving() {
    return this.#isMoving;
  }
  /** Whether the view still has to settle. */
  get willSettle() {
    return this.#stillTimer !== 0 || this.isHeld;
  }

  /** Has the whole axis in view, without a word. */
  reset() {
    [this.#from, this.#to] = [0, this.end];
  }

  /** @param {number} from @param {number} to positions */
  show(from, to) {
    const { end, least } = this;
    const width = clamp(to - from, least, end);
    const middle = (from + to) / 2;
    this.#from = clamp(to - from < least ? middle - width / 2 : from, 0, end - width);
    this.#to = Math.min(end, this.#from + width);
    this.touch();
  }

  whole() {
    this.show(0, this.end);
  }

  /** @param {number} d positions */
  pan(d) {
    const { width } = this;
    const from = clamp(this.#from + d, 0, this.end - width);
    if (from !== this.#from) this.show(from, from + width);
  }

  /** Has a position in the middle. @param {number} x */
  centre(x) {
    this.pan(x - this.middle);
  }

  /** Has a position in view. @param {number} x */
  reach(x) {
    if (x < this.#from || x > this.#to) this.centre(x);
  }

  /** Keeps what is at a position where it is. @param {number} factor of the width shown @param {number} at */
  zoom(factor, at) {
    const width = clamp(this.width * factor, this.least, this.end);
    const from = clamp(at - ((at - this.#from) / this.width) * width, 0, this.end - width);
    this.show(from, from + width);
  }

  /** Announces that the picture has to be drawn again. */
  touch() {
    this.#isMoving = true;
    this.changed.emit();
    clearTimeout(this.#stillTimer);
    if (!this.isHeld) this.#stillTimer = setTimeout(() => this.settle(), STILL_MS);
  }

  /** Counts the view as still, so that its picture is drawn in full. When it settles does not change. */
  hold() {
    this.#isMoving = false;
  }

  /** Settles the view now. */
  settle() {
    clearTimeout(this.#stillTimer);
    this.#stillTimer = 0;
    this.#isMoving = false;
    this.settled.emit();
  }
}
