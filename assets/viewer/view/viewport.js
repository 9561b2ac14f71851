// The range shown: the only owner of what part of the pile is in view.

import { clamp } from '../data/clamp.js';

/** Views with fewer states than this drop an unchanged base by themselves. */
const CLOSE = 2000;

/** Air above the highest thing to be seen. */
const HEADROOM = 1.045;

/** A fitted view keeps this part of its height for the unchanged base. */
const FOOT = 0.12;

/**
 * @typedef {'auto' | 'fit' | 'free'} HeightMode auto fits close views, free keeps the bytes set by hand
 * @typedef {{from: number, to: number, mode: HeightMode, low: number, high: number}} View
 */

export class Viewport {
  /**
   * @param {import('./axis.js').Axis} axis
   * @param {import('../data/timeline.js').Timeline} timeline
   * @param {number} ceiling the highest thing to be seen in the whole view, in bytes
   */
  constructor(axis, timeline, ceiling) {
    this.axis = axis;
    this.timeline = timeline;
    this.ceiling = Math.max(1, ceiling * HEADROOM);
    this.from = 0;
    this.to = axis.end;
    /** @type {HeightMode} */
    this.mode = 'auto';
    /** Bytes at the lower and upper edge. */
    this.low = 0;
    this.high = this.ceiling;
    /** Bytes below, unchanged in a fitted view; 0 when the axis starts at zero. */
    this.base = 0;
    /** @type {() => void} */
    this.changed = () => {};
  }

  get width() {
    return this.to - this.from;
  }
  get middle() {
    return (this.from + this.to) / 2;
  }
  get isWhole() {
    return this.from <= 0 && this.to >= this.axis.end;
  }
  get isFitted() {
    return this.base > 0;
  }

  /** @returns {View} */
  get view() {
    return { from: this.from, to: this.to, mode: this.mode, low: this.low, high: this.high };
  }

  /** @param {View} view */
  restore(view) {
    this.mode = view.mode;
    this.low = view.low;
    this.high = view.high;
    this.show(view.from, view.to);
  }

  /** Replaces the axis and keeps the states in view. @param {import('./axis.js').Axis} axis */
  changeAxis(axis) {
    const whole = this.isWhole;
    const from = this.axis.stateAt(this.from);
    const to = this.axis.stateAt(this.to);
    this.axis = axis;
    if (whole) this.show(0, axis.end);
    else this.show(axis.begins(from), axis.begins(to));
  }

  /** @param {number} from @param {number} to positions on the axis */
  show(from, to) {
    const { end, least } = this.axis;
    const width = clamp(to - from, least, end);
    const middle = (from + to) / 2;
    this.from = clamp(to - from < least ? middle - width / 2 : from, 0, end - width);
    this.to = this.from + width;
    this.#settleHeight();
    this.changed();
  }

  /** @param {number} from @param {number} to @param {number} air on both sides */
  showWithAir(from, to, air) {
    this.show(Math.max(0, from - air), Math.min(this.axis.end, to + air));
  }

  /**
   * Shows another pile over the same states, in its own height.
   * @param {import('../data/timeline.js').Timeline} timeline @param {number} ceiling its highest thing, in bytes
   */
  restack(timeline, ceiling) {
    this.timeline = timeline;
    this.ceiling = Math.max(1, ceiling * HEADROOM);
    this.mode = 'auto';
    this.show(this.from, this.to);
  }

  whole() {
    this.mode = 'auto';
    this.show(0, this.axis.end);
  }

  /** @param {number} d positions */
  pan(d) {
    const width = this.width;
    const from = clamp(this.from + d, 0, this.axis.end - width);
    if (from !== this.from) this.show(from, from + width);
  }

  /** Has a position in the middle. @param {number} x */
  centre(x) {
    this.pan(x - this.middle);
  }

  /** Has a position in view. @param {number} x */
  reach(x) {
    if (x < this.from || x > this.to) this.centre(x);
  }

  /**
   * Keeps the state at a position where it is.
   * @param {number} factor of the width shown
   * @param {number} at position
   */
  zoom(factor, at) {
    const width = clamp(this.width * factor, this.axis.least, this.axis.end);
    const from = at - ((at - this.from) / this.width) * width;
    const kept = clamp(from, 0, this.axis.end - width);
    this.show(kept, kept + width);
  }

  /** @param {number} low @param {number} high bytes */
  setBytes(low, high) {
    this.mode = 'free';
    const height = clamp(high - low, 16, this.ceiling);
    this.low = clamp(low, 0, this.ceiling - height);
    this.high = this.low + height;
    this.show(this.from, this.to);
  }

  /** @param {number} factor of the height shown @param {number} at bytes */
  zoomBytes(factor, at) {
    const low = at - (at - this.low) * factor;
    this.setBytes(low, low + (this.high - this.low) * factor);
  }

  /** @param {number} d bytes */
  panBytes(d) {
    this.setBytes(this.low + d, this.high + d);
  }

  /** Fits the height to what changes in view, or goes back to the whole height. */
  toggleFit() {
    if (this.isFitted || this.mode === 'fit') this.setBytes(0, this.ceiling);
    else {
      this.mode = 'fit';
      this.show(this.from, this.to);
    }
  }

  #settleHeight() {
    this.base = 0;
    if (this.mode === 'free') return;
    this.low = 0;
    this.high = this.ceiling;
    const covered = this.axis.states(this.from, this.to);
    if (!covered || (this.mode === 'auto' && covered[1] - covered[0] >= CLOSE)) return;
    const { timeline } = this;
    const top = timeline.active[timeline.highest.best(covered[0], covered[1])];
    const base = timeline.unchangedBelow(covered[0], covered[1]);
    if (base >= top) return; // nothing changes
    if (this.mode === 'auto' && (this.isWhole || base < this.ceiling / 2)) return;
    this.base = base;
    this.low = Math.max(0, base - (top - base) * FOOT);
    this.high = top + (top - this.low) * 0.08;
  }
}
