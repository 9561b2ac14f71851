// The plot of a page: the chart, the canvases over it, and when each is drawn again. What is
// drawn differs from page to page.

import { freshContext, Painter } from './painter.js';

/** What has to be drawn again; everything includes the marks, and these the cursor. */
export const CURSOR = 1;
export const MARKS = 2;
export const EVERYTHING = 3;

/** Milliseconds that a frame has for pictures: while the view moves, and while it is still. */
const MOVING_MS = 8;
const STILL_MS = 24;

/**
 * @typedef {{width: number, height: number}} Size in client pixels
 * @typedef {object} Elements
 * @property {HTMLElement} plot holds the others
 * @property {HTMLElement} chart
 * @property {HTMLCanvasElement} marks
 * @property {HTMLCanvasElement} cursor
 */

/** @abstract */
export class Stage {
  /** What the next frame draws, 0: nothing. */
  #dirty = 0;
  #requested = 0;
  /** @type {Size | null} drawn for instead of the element's */
  #size = null;
  /** @type {Size | null} of the last frame */
  #drawn = null;

  /** @param {Elements} elements */
  constructor(elements) {
    this.elements = elements;
    new ResizeObserver(() => {
      const { width, height } = this.size;
      if (!this.#drawn || (width === this.#drawn.width && height === this.#drawn.height)) return;
      // Before the next frame is painted, so that no frame shows the size before.
      this.drawNow();
      this.resized();
    }).observe(elements.plot);
  }

  /**
   * Draws a frame. @abstract
   * @param {number} _dirty CURSOR, MARKS or EVERYTHING @param {number} _ms that painting pictures may take
   */
  draw(_dirty, _ms) {}

  /** Follows when a frame of another size has been drawn. */
  resized() {}

  /** Whether the view moves, so that pictures may be coarse. */
  get isMoving() {
    return false;
  }

  /** Whether pictures lack something that there was no time for. */
  get isUnfinished() {
    return false;
  }

  /** @returns {import('./painter.js').Style} @abstract */
  get style() {
    throw new Error('a page has a style');
  }

  /** What is drawn for: the element's size, unless there is another. @returns {Size} */
  get size() {
    const { clientWidth: width, clientHeight: height } = this.elements.plot;
    return this.#size ?? { width, height };
  }

  /** Whether there is something left to draw. */
  get isPending() {
    return this.#requested !== 0 || this.isUnfinished;
  }

  /** Draws in the next frame. @param {number} what CURSOR, MARKS or EVERYTHING */
  invalidate(what) {
    this.#dirty = Math.max(this.#dirty, what);
    this.#requested ||= requestAnimationFrame(() => this.#draw(this.isMoving ? MOVING_MS : STILL_MS));
  }

  /** @param {number} ms */
  #draw(ms) {
    const dirty = this.#dirty;
    this.#requested = this.#dirty = 0;
    this.#drawn = this.size;
    this.draw(dirty, ms);
    if (this.isUnfinished && !this.isMoving) this.invalidate(CURSOR);
  }

  /** Draws everything now. @param {number} [ms] that painting the pictures may take; what is missing then follows */
  drawNow(ms = Infinity) {
    cancelAnimationFrame(this.#requested);
    this.#dirty = EVERYTHING;
    this.#draw(ms);
  }

  /** Draws everything now, and from now on, for a size. @param {Size | null} size null: the element's again */
  drawSized(size) {
    this.#size = size;
    this.drawNow();
  }

  /** @param {HTMLCanvasElement} canvas over the plot, which is cleared */
  painterOf(canvas) {
    const { width, height } = this.size;
    return new Painter(freshContext(canvas, width, height), this.style);
  }

  /** Draws the chart, its pictures and axes, elsewhere. @param {Painter} painter */
  drawChartOn(painter) {
    const canvas = this.elements.chart.querySelector('canvas');
    if (canvas) painter.g.drawImage(canvas, 0, 0, this.size.width, this.size.height);
  }

  /** Resolves after the browser has painted the last frame. @returns {Promise<void>} */
  painted() {
    return new Promise((resolve) => {
      // A page in the background gets no animation frames.
      const late = setTimeout(resolve, 250);
      requestAnimationFrame(async () => {
        await nextTask();
        clearTimeout(late);
        resolve();
      });
    });
  }
}

/** Resolves in a task of its own, the next one. @returns {Promise<void>} */
export function nextTask() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    port2.postMessage(null);
  });
}
