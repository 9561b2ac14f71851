// The picture of the address space: whether it is shown in place of the pile, which one, and how it is laid out.

import { arrange } from '../map/arrange.js';
import { SpaceLayout } from '../map/layout.js';
import { memoizeLast, Topic } from '../../kit/topic.js';

/** Lanes that are this many times as high as the reserved peak are packed; below the other, packing hardly matters. */
const PACKED = 1.25;
const MATTERS = 1.1;

/** Milliseconds of decoding before its progress is shown. */
const PATIENCE_MS = 300;

/** @typedef {import('../../data/space.js').Space} Space */

export class SpaceView {
  /** Another one is shown, or laid out otherwise, or the pile again. */
  changed = new Topic();
  /** More of the one to be shown is decoded. */
  progressed = new Topic();
  #shown;
  #isWanted = false;
  #isPredicted = false;
  /** @type {boolean | null} null: as the recording suggests */
  #packed = null;
  /** @type {Space | null} decoded, of the device that is open */
  #space = null;
  #progress = 0;
  /** When it was asked for, in milliseconds. */
  #since = 0;
  /** What went wrong with decoding, or "". */
  #problem = '';
  #calls = 0;
  #byAddress = memoizeLast((/** @type {Space} */ space) => arrange(space, false));
  #asPacked = memoizeLast((/** @type {Space} */ space) => arrange(space, true));
  #lay = memoizeLast((/** @type {ConstructorParameters<typeof SpaceLayout>} */ ...of) => new SpaceLayout(...of));

  /** @param {import('./shown.js').Shown} shown */
  constructor(shown) {
    this.#shown = shown;
    shown.changed.on(() => {
      const wanted = this.#isWanted;
      this.#isWanted = this.#isPredicted = false;
      this.#packed = this.#space = null;
      this.#progress = 0;
      this.#problem = '';
      this.#calls++;
      // Another device is shown as the one before.
      if (wanted) this.show(true);
    });
  }

  /** Why there is none to be shown, or "". */
  get lacks() {
    if (this.#problem) return this.#problem;
    return this.#shown.isOpen && this.#shown.device.data.hasMap ? '' : 'Not recorded: the file has no segments';
  }

  /** The address space that is shown, or null: the pile is. */
  get space() {
    return this.#isWanted ? this.#space : null;
  }

  /** Whether it was asked for; it is shown when it is decoded. */
  get isWanted() {
    return this.#isWanted;
  }

  /** Whether it was asked for and is not decoded yet. */
  get isDecoding() {
    return this.#isWanted && !this.#space;
  }

  /** The part that is decoded, 0 to 1, once it has been waited for for a while; null otherwise. */
  get progress() {
    return this.isDecoding && performance.now() - this.#since > PATIENCE_MS ? this.#progress : null;
  }

  /** Whether it is the one that another setting of the allocator would have made. */
  get isPredicted() {
    return this.#isPredicted;
  }

  /** The setting under which the predicted one was laid out. */
  get setting() {
    return this.#shown.device.report.predicted?.settings[0]?.setting.replaceAll(',', ', ') || 'the defaults';
  }

  /** Whether a segment may take the place of one that was returned. */
  get isPacked() {
    return this.#packed ?? this.#waste > PACKED;
  }

  /** The same where a person chose it; null: as the recording suggests. */
  get chosenPacking() {
    return this.#packed;
  }

  /** Whether packing makes a difference. */
  get isPackable() {
    return this.#waste > MATTERS;
  }

  /** Height of all lanes over the peak of reserved memory. */
  get #waste() {
    const space = this.#space;
    return space ? (this.#byAddress(space).units * space.unit) / Math.max(1, this.#reservedPeak(space)) : 1;
  }

  #reservedPeak = memoizeLast(reservedPeak);

  /** @param {boolean} isWanted @param {boolean} [isPredicted] */
  async show(isWanted, isPredicted = this.#isPredicted) {
    if (isWanted && this.lacks) return;
    const { data } = this.#shown.device;
    const isOther = isPredicted !== this.#isPredicted;
    if (isWanted === this.#isWanted && !isOther) return;
    this.#isWanted = isWanted;
    this.#isPredicted = isPredicted;
    if (isOther) this.#space = null;
    if (!isWanted || this.#space) {
      this.changed.emit();
      return;
    }
    const call = ++this.#calls;
    this.#progress = 0;
    this.#since = performance.now();
    const progress = (/** @type {number} */ part) => {
      if (call !== this.#calls) return;
      this.#progress = part;
      this.progressed.emit();
    };
    try {
      const space = await (isPredicted ? data.predictedSpace(progress) : data.space(progress));
      if (call !== this.#calls) return;
      this.#space = space;
    } catch (error) {
      if (call === this.#calls) this.fail(error);
      return;
    }
    this.changed.emit();
  }

  /** None of this device can be shown: its payload is broken. @param {unknown} error */
  fail(error) {
    this.#isWanted = false;
    this.#problem = error instanceof Error ? error.message : String(error);
    this.changed.emit();
  }

  /** @param {boolean | null} packed null: as the recording suggests */
  pack(packed) {
    if (packed === this.#packed) return;
    this.#packed = packed;
    this.changed.emit();
  }

  /** The layout in a plot of a height in client pixels; there has to be a space. @param {number} height */
  layout(height) {
    const space = this.#space;
    if (!space) throw new Error('no address space is shown');
    return this.#lay(space, this.isPacked ? this.#asPacked(space) : this.#byAddress(space), height);
  }
}

/** @param {Space} space @returns {number} the most bytes that are reserved at once */
function reservedPeak({ reservations: { count, size, first, last }, unit }) {
  /** @type {[number, number][]} */
  const changes = [];
  for (let r = 0; r < count; r++) changes.push([first[r], size[r]], [last[r] + 1, -size[r]]);
  changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let sum = 0;
  let most = 0;
  for (const [, change] of changes) most = Math.max(most, (sum += change));
  return most * unit;
}
