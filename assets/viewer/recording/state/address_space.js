// Where the tensors of the open device lie, and the segments of a state. It is decoded when it is first asked for.

import { segmentsAt } from '../data/segments.js';
import { memoizeLast, Topic } from '../../kit/topic.js';

export class AddressSpace {
  /** It has been decoded. */
  changed = new Topic();
  /** @type {import('../../data/space.js').Space | null} */
  #space = null;
  #isAsked = false;
  #shown;
  #view;
  #segmentsAt = memoizeLast(segmentsAt);

  /** @param {import('./shown.js').Shown} shown @param {import('./space_view.js').SpaceView} view */
  constructor(shown, view) {
    this.#shown = shown;
    this.#view = view;
    shown.changed.on(() => {
      this.#space = null;
      this.#isAsked = false;
    });
  }

  /** Whether it is known at all. */
  get isKnown() {
    return this.#view.lacks === '';
  }

  /** Null where it is not known, and until it is decoded, which begins now. */
  get space() {
    const { device } = this.#shown;
    if (this.isKnown && !this.#isAsked) {
      this.#isAsked = true;
      device.data.space().then(
        (space) => {
          if (device !== this.#shown.device) return;
          this.#space = space;
          this.changed.emit();
        },
        (error) => {
          if (device === this.#shown.device) this.#view.fail(error);
        },
      );
    }
    return this.#space;
  }

  /** The one in the picture, which may be a predicted one; while that is the pile, the recorded one. */
  get shown() {
    return this.#view.space ?? this.space;
  }

  /**
   * Of the one shown; null as that is.
   * @param {number} state @returns {import('../data/segments.js').Segments | null}
   */
  segmentsAt(state) {
    const { shown: space } = this;
    return space && this.#segmentsAt(space, this.#shown.device, state);
  }
}
