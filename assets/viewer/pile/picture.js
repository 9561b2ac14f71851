// The pixels of a view, as far as there is time to paint them. Columns that the previous
// picture shows already are copied from it.

import { planColumns } from './plan.js';

/** Milliseconds that a column takes for each allocation in it, until that is measured. */
const GUESS_MS = 1e-5;

/** Weight of a new measurement, and the fewest columns that make one. */
const NEW = 0.3;
const FEWEST = 8;

/**
 * What a picture shows: the state of each column, not falling, -1 for none, to the right of all others; the number of
 * rows; and whatever else its raster knows. Columns of a state are the same where all else is.
 * @typedef {{states: Int32Array, height: number}} PictureView
 */

/**
 * Paints columns of a view.
 * @template {{paper: number}} Colours @template {PictureView} View
 * @typedef {object} Rasterizer
 * @property {import('../data/timeline.js').Timeline} timeline
 * @property {(colours: Colours, view: View, out: Uint32Array, columns: ArrayLike<number>) => void} paint
 */

/** @template {{paper: number}} Colours @template {PictureView} View */
export class Picture {
  /** @param {Rasterizer<Colours, View>} raster */
  constructor(raster) {
    const { timeline } = raster;
    this.raster = raster;
    /** RGBA, the top row first. */
    this.pixels = new Uint32Array(0);
    /** Those of the previous picture, to be painted over. */
    this.spare = new Uint32Array(0);
    /**
     * What was painted; view.states is what the columns really show.
     * @type {{colours: Colours, view: View} | null}
     */
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
   * @param {Colours} colours
   * @param {View} view
   * @param {number} ms that painting may take, about
   */
  paint(colours, view, ms) {
    const began = performance.now();
    const { timeline } = this.raster;
    const width = view.states.length;
    const none = view.states.indexOf(-1);
    const recorded = none < 0 ? width : none;
    const wanted = view.states.subarray(0, recorded);
    const before = this.#before(colours, view);
    const plan = planColumns(wanted, timeline.active, before, ms / this.columnMs);

    this.#swap(width * view.height);
    const { pixels } = this;
    this.raster.paint(colours, view, pixels, plan.paint);
    fillIn(pixels, this.spare, plan, width);
    for (let row = 0; row < pixels.length; row += width) pixels.fill(colours.paper, row + recorded, row + width);

    const states = view.states.map((k, x) => (x < recorded ? wanted[plan.like[x]] : k));
    this.shown = { colours, view: { ...view, states } };
    this.isCoarse = plan.isCoarse;
    this.painted = plan.paint.length;
    if (this.painted >= FEWEST)
      this.columnMs += (Math.max(1e-3, (performance.now() - began) / this.painted) - this.columnMs) * NEW;
  }

  /**
   * The states whose columns can be copied.
   * @param {Colours} colours @param {View} view
   * @returns {Int32Array}
   */
  #before(colours, view) {
    const { shown } = this;
    const same =
      shown?.colours === colours &&
      shown.view.states.length === view.states.length &&
      Object.entries(view).every(([key, v]) => key === 'states' || shown.view[/** @type {keyof View} */ (key)] === v);
    if (!same) return new Int32Array(0);
    const { states } = shown.view;
    const none = states.indexOf(-1);
    return none < 0 ? states : states.subarray(0, none);
  }

  /** Puts the pixels aside for new ones. @param {number} length */
  #swap(length) {
    const before = this.pixels;
    this.pixels = this.spare.length === length ? this.spare : new Uint32Array(length);
    this.spare = before;
  }
}

/**
 * Fills the columns that were not painted, row by row, which suits the cache.
 * @param {Uint32Array} out
 * @param {Uint32Array} before pixels of the previous picture
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
