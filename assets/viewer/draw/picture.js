// The pixels of a view, as far as there is time to paint them. What the picture
// before shows already is copied from it.

import { planColumns } from './plan.js';

/** Milliseconds that a column takes for each allocation in it, until that is measured. */
const GUESS_MS = 1e-5;

/** Weight of a new measurement, and the fewest columns that make one. */
const NEW = 0.3;
const FEWEST = 8;

/** What of a view a copy must share. */
const SAME = /** @type {const} */ (['height', 'bytesFrom', 'bytesTo', 'lines']);

/** @typedef {import('./raster.js').View} View @typedef {import('./tones.js').Tones} Tones */

export class Picture {
  /** @param {import('./raster.js').Raster} raster */
  constructor(raster) {
    const { timeline } = raster;
    this.raster = raster;
    /** RGBA, the top row first. */
    this.pixels = new Uint32Array(0);
    /** Those of the picture before, to be painted over. */
    this.spare = new Uint32Array(0);
    /** @type {{tones: Tones, view: View} | null} what it was painted of; view.states is what the columns really show */
    this.shown = null;
    /** Whether there was no time for each column to show its own state. */
    this.isCoarse = false;
    /** Columns painted by the last call. */
    this.painted = 0;
    this.columnMs = Math.max(1e-3, timeline.live(timeline.peak).length * GUESS_MS);
  }

  /** The state that each column shows. @returns {Int32Array} */
  get columns() {
    return this.shown?.view.states ?? new Int32Array(0);
  }

  /**
   * @param {Tones} tones
   * @param {View} view
   * @param {number} ms that painting may take, about
   */
  paint(tones, view, ms) {
    const began = performance.now();
    const { timeline } = this.raster;
    const width = view.states.length;
    const none = view.states.indexOf(-1);
    const recorded = none < 0 ? width : none;
    const wanted = view.states.subarray(0, recorded);
    const before = this.#before(tones, view);
    const plan = planColumns(wanted, timeline.active, before, ms / this.columnMs);

    this.#turn(width * view.height);
    const { pixels } = this;
    this.raster.paint(tones, view, pixels, plan.paint);
    fillIn(pixels, this.spare, plan, width);
    for (let row = 0; row < pixels.length; row += width) pixels.fill(tones.paper, row + recorded, row + width);

    const states = view.states.map((k, x) => (x < recorded ? wanted[plan.like[x]] : k));
    this.shown = { tones, view: { ...view, states } };
    this.isCoarse = plan.isCoarse;
    this.painted = plan.paint.length;
    if (this.painted >= FEWEST)
      this.columnMs += (Math.max(1e-3, (performance.now() - began) / this.painted) - this.columnMs) * NEW;
  }

  /** The states whose columns can be copied. @param {Tones} tones @param {View} view @returns {Int32Array} */
  #before(tones, view) {
    const { shown } = this;
    const same =
      shown?.tones === tones &&
      shown.view.states.length === view.states.length &&
      SAME.every((key) => shown.view[key] === view[key]);
    if (!same) return new Int32Array(0);
    const { states } = shown.view;
    const none = states.indexOf(-1);
    return none < 0 ? states : states.subarray(0, none);
  }

  /** Puts the pixels aside for new ones. @param {number} length */
  #turn(length) {
    const before = this.pixels;
    this.pixels = this.spare.length === length ? this.spare : new Uint32Array(length);
    this.spare = before;
  }
}

/**
 * Fills the columns that were not painted, row by row for the cache's sake.
 * @param {Uint32Array} out
 * @param {Uint32Array} before pixels of the picture before
 * @param {import('./plan.js').Plan} plan
 * @param {number} width
 */
function fillIn(out, before, plan, width) {
  const { old, like } = plan;
  const columns = like.map((_, x) => x);
  const copies = columns.filter((x) => old[x] >= 0);
  const twins = columns.filter((x) => like[x] !== x);
  for (let row = 0; row < out.length; row += width) {
    for (let i = 0; i < copies.length; i++) out[row + copies[i]] = before[row + old[copies[i]]];
    for (let i = 0; i < twins.length; i++) out[row + twins[i]] = out[row + like[twins[i]]];
  }
}
