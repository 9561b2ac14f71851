// What part of the picture is in view, and whether it moves.

import { EventAxis } from '../../data/axis.js';
import { clamp } from '../../kit/math.js';
import { on } from '../../kit/topic.js';
import { View } from '../../kit/view.js';

/** Views with fewer states than this leave out an unchanged base without being asked. */
const CLOSE = 2000;

/** The height of the whole view, as a multiple of its highest thing. */
const HEADROOM = 1.045;

/** The fraction of what changes that a fitted view shows of the unchanged base. */
const FOOT = 0.12;

/**
 * @typedef {import('../../data/axis.js').Axis} Axis
 * @typedef {import('../../data/timeline.js').Timeline} Timeline
 * @typedef {'auto' | 'fit' | 'free'} HeightMode auto fits close views, free keeps the bytes set by hand
 * @typedef {{low: number, high: number}} Window of the height of the address space, from 0 to 1
 * @typedef {{from: number, to: number, mode: HeightMode, low: number, high: number, space: Window}} Kept of a view
 */

/** All of the address space, and the least part of its height that can be in view. */
const ALL = { low: 0, high: 1 };
const LEAST_WINDOW = 0.0005;
const WINDOW_DIGITS = 6;

/** Positions are in the unit of the axis: states, or microseconds. */
export class Viewport extends View {
  /** @type {Axis} */
  #axis = new EventAxis(0, false);
  /** @type {Timeline | null} */
  #timeline = null;
  #ceiling = 1;
  /** @type {HeightMode} */
  #mode = 'auto';
  #low = 0;
  #high = 1;
  #base = 0;
  /** @type {Window} */
  #space = ALL;
  #isSpace = false;
  #lanesFolded = false;
  /** @type {{i: number, from: number, to: number} | null} the step gone to last, and the view of it */
  #step = null;
  /** @type {Set<() => void> | null} what waits for the first picture to settle; null once it has */
  #waiting = null;

  /**
   * Shows the whole of a recording that has not been drawn yet.
   * @param {Axis} axis
   * @param {Timeline} timeline
   * @param {number} ceiling the highest thing to be seen in the whole view, in bytes
   */
  begin(axis, timeline, ceiling) {
    this.#axis = axis;
    this.#timeline = timeline;
    this.#ceiling = this.#high = Math.max(1, ceiling * HEADROOM);
    this.#low = this.#base = 0;
    this.#mode = 'auto';
    this.#space = ALL;
    this.#isSpace = false;
    this.#step = null;
    this.#waiting = new Set();
    this.reset();
  }

  /** The pile that is in view; null before the first one. */
  get timeline() {
    return this.#timeline;
  }
  get axis() {
    return this.#axis;
  }
  get end() {
    return this.#axis.end;
  }
  get least() {
    return this.#axis.least;
  }
  /** Until the first picture of a device, the page settles the view. */
  get isHeld() {
    return this.#waiting !== null;
  }
  get mode() {
    return this.#mode;
  }
  /** Bytes at the lower and upper edge; of the address space, fractions of its height. */
  get low() {
    return this.#isSpace ? this.#space.low : this.#low;
  }
  get high() {
    return this.#isSpace ? this.#space.high : this.#high;
  }
  /** Whether the address space is in view in place of the pile. Each keeps its own height. */
  get isSpace() {
    return this.#isSpace;
  }
  /** Whether all of the address space's height is in view. */
  get isWholeSpace() {
    return this.#space.low === 0 && this.#space.high === 1;
  }
  /** Bytes below, unchanged in a fitted view; 0 when the axis starts at zero. */
  get base() {
    return this.#isSpace ? 0 : this.#base;
  }
  /** Bytes at the upper edge of the whole view. */
  get ceiling() {
    return this.#ceiling;
  }
  get lanesFolded() {
    return this.#lanesFolded;
  }
  /** The step shown last, while nothing else has come into view; or -1. */
  get step() {
    const step = this.#step;
    return step && step.from === this.from && step.to === this.to ? step.i : -1;
  }
  get isFitted() {
    return this.base > 0;
  }

  /** @returns {Kept} */
  get kept() {
    return { from: this.from, to: this.to, mode: this.#mode, low: this.#low, high: this.#high, space: this.#space };
  }

  /** @param {Kept} view */
  restore(view) {
    this.#low = view.low;
    this.#high = view.high;
    this.#space = view.space;
    this.show(view.from, view.to, view.mode);
  }

  /** Replaces the axis and keeps the states in view. @param {Axis} axis */
  changeAxis(axis) {
    const whole = this.isWhole;
    const from = this.#axis.stateAt(this.from);
    const to = this.#axis.stateAt(this.to);
    this.#axis = axis;
    if (whole) this.show(0, axis.end);
    else this.show(axis.begins(from), axis.begins(to));
  }

  /** @param {number} from @param {number} to positions @param {HeightMode} [mode] as it is, without one */
  show(from, to, mode = this.#mode) {
    this.#mode = mode;
    super.show(from, to);
  }

  /** @param {number} from @param {number} to @param {number} air on both sides */
  showWithAir(from, to, air) {
    this.show(Math.max(0, from - air), Math.min(this.#axis.end, to + air));
  }

  /**
   * Shows a step; a short one with more around it.
   * @param {number} i the step @param {number} from @param {number} to
   */
  showStep(i, from, to) {
    this.show(from, to);
    this.#step = { i, from: this.from, to: this.to };
  }

  /**
   * Shows another pile over the same states, in its own height.
   * @param {Timeline} timeline @param {number} ceiling its highest thing, in bytes
   */
  restack(timeline, ceiling) {
    this.#timeline = timeline;
    this.#ceiling = Math.max(1, ceiling * HEADROOM);
    this.show(this.from, this.to, 'auto');
  }

  whole() {
    this.#space = ALL;
    this.show(0, this.#axis.end, 'auto');
  }

  /** @param {boolean} isSpace whether the address space comes into view, or the pile */
  setSpace(isSpace) {
    if (isSpace === this.#isSpace) return;
    this.#isSpace = isSpace;
    this.touch();
  }

  /** @param {number} low @param {number} high bytes; of the address space, fractions of its height */
  setHeight(low, high) {
    if (this.#isSpace) {
      this.setSpaceHeight(low, high);
      return;
    }
    const height = clamp(high - low, 16, this.#ceiling);
    this.#low = clamp(low, 0, this.#ceiling - height);
    this.#high = this.#low + height;
    this.show(this.from, this.to, 'free');
  }

  /**
   * Sets what is in view of the address space, also while the pile is.
   * @param {number} low @param {number} high fractions of its height
   */
  setSpaceHeight(low, high) {
    const part = clamp(high - low, LEAST_WINDOW, 1);
    const from = clamp(low, 0, 1 - part);
    // As exact as the address of the page has it.
    const rounded = (/** @type {number} */ v) => Number(v.toFixed(WINDOW_DIGITS));
    this.#space = { low: rounded(from), high: rounded(from + part) };
    this.touch();
  }

  /** @param {number} factor of the height shown @param {number} at as low and high are */
  zoomHeight(factor, at) {
    const low = at - (at - this.low) * factor;
    this.setHeight(low, low + (this.high - this.low) * factor);
  }

  /** Fits the height to what changes in view, or goes back to the whole height, as the address space always does. */
  toggleFit() {
    if (this.#isSpace) this.setHeight(0, 1);
    else if (this.isFitted || this.#mode === 'fit') this.setHeight(0, this.#ceiling);
    else this.show(this.from, this.to, 'fit');
  }

  /** @param {boolean} folded whether the lanes above the plot are only strips */
  foldLanes(folded) {
    if (folded === this.#lanesFolded) return;
    this.#lanesFolded = folded;
    this.touch();
  }

  touch() {
    this.#settleHeight();
    super.touch();
  }

  settle() {
    super.settle();
    const waiting = this.#waiting;
    this.#waiting = null;
    for (const listener of waiting ?? []) listener();
  }

  /**
   * Listens on behalf of the page around the picture. Until the first picture of a device
   * has settled, the listener is not called; it is called once then.
   * @param {import('../../kit/topic.js').Topic[]} topics @param {() => void} listener
   */
  afterPicture(topics, listener) {
    on(topics, () => {
      if (this.#waiting) this.#waiting.add(listener);
      else listener();
    });
  }

  #settleHeight() {
    this.#base = 0;
    const timeline = this.#timeline;
    const mode = this.#mode;
    if (!timeline || mode === 'free') return;
    this.#low = 0;
    this.#high = this.#ceiling;
    const covered = this.#axis.states(this.from, this.to);
    if (!covered || (mode === 'auto' && covered[1] - covered[0] >= CLOSE)) return;
    const top = timeline.active[timeline.highest.best(covered[0], covered[1])];
    const base = timeline.unchangedBelow(covered[0], covered[1]);
    if (base >= top) return; // nothing changes
    if (mode === 'auto' && (this.isWhole || base < this.#ceiling / 2)) return;
    this.#base = base;
    this.#low = Math.max(0, base - (top - base) * FOOT);
    this.#high = top + (top - this.#low) * 0.08;
  }
}
