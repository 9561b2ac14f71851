// Where the three plots are, in client pixels of their element; and the labels of their axes.

import { multiples, Scale } from '../../kit/axes.js';
import { axisBytes, byteInterval } from '../../kit/format.js';

const LEFT = 64;
const RIGHT = 14;
const FOOT = 10;

/** The lane of phases, with the lane of steps above it. */
export const LANE = { top: 7, height: 16, pitch: 19 };

/** Height for the title of a plot, above it. */
const TITLE = 26;

/** The height of the difference: a fraction of a pile's height, or of the whole where one pile is shown. */
const DIFFERENCE = 0.62;
const DIFFERENCE_ALONE = 0.28;

/** The least height of a plot. */
const LEAST = 40;

/** Room above the highest point of a plot, as a factor of its height. */
const HEADROOM = 1.045;
const HEADROOM_DIFFERENCE = 1.04;

/** Pixels from one label to the next, about. */
const APART = 62;

/**
 * @typedef {{top: number, height: number}} PlotBox
 * @typedef {{low: number, high: number}} Bytes bytes at the lower and the upper edge
 * @typedef {object} Layout
 * @property {number} width of the element
 * @property {number} height
 * @property {number} left of the plots
 * @property {number} right
 * @property {number} plotWidth
 * @property {number} stepsTop of the lane of steps; -1: none
 * @property {number} laneTop of the lane of phases; -1: none
 * @property {(PlotBox | null)[]} piles of before and after; null: not shown
 * @property {PlotBox | null} difference null: nothing to draw
 * @property {number} bottom of the last plot
 */

/**
 * @param {number} width @param {number} height
 * @param {{view: 'both' | 'after', hasLane: boolean, hasSteps: boolean, hasDifference: boolean}} what
 * @returns {Layout}
 */
export function layoutOf(width, height, { view, hasLane, hasSteps, hasDifference }) {
  const plotWidth = Math.max(1, width - LEFT - RIGHT);
  const stepsTop = hasSteps ? LANE.top : -1;
  const laneTop = hasLane ? LANE.top + (hasSteps ? LANE.pitch : 0) : -1;
  const top = (hasLane ? laneTop + LANE.height : 0) + TITLE;
  const room = height - top - FOOT;
  const least = (/** @type {number} */ h) => Math.max(LEAST, h);
  /** @type {(PlotBox | null)[]} */
  let piles;
  /** @type {PlotBox | null} */
  let difference = null;
  if (view === 'both') {
    const part = hasDifference ? DIFFERENCE : 0;
    const each = least((room - TITLE * (hasDifference ? 2 : 1)) / (2 + part));
    piles = [
      { top, height: each },
      { top: top + each + TITLE, height: each },
    ];
    if (hasDifference) difference = { top: top + 2 * (each + TITLE), height: least(each * part) };
  } else {
    const part = hasDifference ? DIFFERENCE_ALONE : 0;
    const all = room - (hasDifference ? TITLE : 0);
    piles = [null, { top, height: least(all * (1 - part)) }];
    if (hasDifference) difference = { top: top + least(all * (1 - part)) + TITLE, height: least(all * part) };
  }
  const last = difference ?? piles[1] ?? { top, height: 0 };
  return {
    ...{ width, height, left: LEFT, right: LEFT + plotWidth, plotWidth },
    ...{ stepsTop, laneTop, piles, difference, bottom: last.top + last.height },
  };
}

/** The scale of both piles. @param {number} ceiling the highest thing to be seen, in bytes @returns {Bytes} */
export function pileScale(ceiling) {
  return { low: 0, high: ceiling * HEADROOM };
}

/**
 * The scale of the difference.
 * @param {number} least @param {number} most bytes, below and above zero @returns {Bytes}
 */
export function differenceScale(least, most) {
  const range = Math.max(1, most - least);
  const air = range * (HEADROOM_DIFFERENCE - 1);
  return { low: least - (least < 0 ? air : 0), high: Math.max(most, range * 0.05) + air };
}

/**
 * The labels of a scale, with a line each.
 * @param {Bytes} scale @param {number} height
 * @returns {{values: number[], interval: number}}
 */
export function ticksOf({ low, high }, height) {
  const interval = byteInterval(high - low, Math.max(1.6, height / APART));
  return { values: multiples(low, high, interval), interval };
}

/** The label of a pile's axis. @param {number} v @param {Bytes} scale @param {number} interval */
export function pileLabel(v, { high }, interval) {
  return axisBytes(v, high, interval);
}

/** The label of the difference's axis, with a sign. @param {number} v @param {Bytes} scale @param {number} interval */
export function differenceLabel(v, { low, high }, interval) {
  const sign = v > 0 ? '+' : v < 0 ? '−' : '';
  return sign + axisBytes(Math.abs(v), Math.max(high, -low), interval);
}

/** Between client pixels of the element, positions and bytes. */
export class Scales extends Scale {
  /** @param {Layout} layout @param {{from: number, to: number}} view @param {Bytes} pile @param {Bytes} difference */
  constructor(layout, view, pile, difference) {
    super(layout, { from: view.from, to: view.to });
    this.layout = layout;
    this.pile = pile;
    this.difference = difference;
  }

  /** @param {number} bytes @param {PlotBox} box @param {Bytes} scale */
  y(bytes, { top, height }, { low, high }) {
    return top + height * (1 - (bytes - low) / (high - low));
  }

  /** @param {number} y @param {PlotBox} box @param {Bytes} scale */
  bytes(y, { top, height }, { low, high }) {
    return low + (1 - (y - top) / height) * (high - low);
  }

  /** The side of the pile at a height of the element, -1: none. @param {number} y */
  sideAt(y) {
    return this.layout.piles.findIndex((box) => box && y >= box.top && y < box.top + box.height);
  }

  /** @param {number} x @param {number} y @returns {'lane' | 'steps' | 'plot' | null} */
  regionAt(x, y) {
    const { left, right, laneTop, stepsTop, bottom } = this.layout;
    if (x < left || x >= right) return null;
    const isIn = (/** @type {number} */ top) => top >= 0 && y >= top - 2 && y < top + LANE.height + 2;
    if (isIn(stepsTop)) return 'steps';
    if (isIn(laneTop)) return 'lane';
    return y > laneTop + LANE.height && y < bottom ? 'plot' : null;
  }
}
