// Where things are: the plot, the dots beside it, and room for callouts.

import { multiples, Scale } from '../../kit/axes.js';

const LANE = 30;
const FOOT = 26;

/**
 * @typedef {object} Layout in client pixels
 * @property {number} width @property {number} height
 * @property {number} left @property {number} top
 * @property {number} plotWidth @property {number} plotHeight
 * @property {number} dotsLeft @property {number} dotsWidth 0 where there is no room
 * @property {number} calloutLeft @property {number} calloutWidth 0 where there is no room
 */

/** @param {number} width @param {number} height @returns {Layout} */
export function layOut(width, height) {
  const isNarrow = width < 560;
  const isSmall = width < 820;
  const left = isNarrow ? 78 : isSmall ? 108 : 128;
  const dotsWidth = isNarrow ? 46 : isSmall ? 76 : 120;
  const calloutWidth = isNarrow ? 0 : isSmall ? 132 : Math.min(190, Math.round(width * 0.18));
  const right = 18 + dotsWidth + (isNarrow ? 14 : 22 + calloutWidth + 12);
  const plotWidth = Math.max(60, width - left - right);
  const dotsLeft = left + plotWidth + 18;
  return {
    width,
    height,
    left,
    top: LANE,
    plotWidth,
    plotHeight: Math.max(40, height - LANE - FOOT),
    dotsLeft,
    dotsWidth,
    calloutLeft: dotsLeft + dotsWidth + 22,
    calloutWidth,
  };
}

/**
 * What the x axis shows: steps side by side, or time.
 * @param {import('../state/state.js').State} state
 */
export function axisOf({ job, choice }) {
  const n = job.view.stretches.length;
  const all = choice.axis === 'time' ? job.span[1] : n;
  return { from: choice.left * all, to: choice.right * all, all, isTime: choice.axis === 'time' };
}

/**
 * Converts between steps, or times, and client pixels.
 * @param {import('../state/state.js').State} state @param {Layout} layout
 */
export const scaleOf = (state, layout) => new Scale(layout, axisOf(state));

/**
 * Where the steps in view but the first begin, in pixels of a plot of some width.
 * @param {import('../state/state.js').State} state @param {number} plotWidth @returns {number[]} none along time
 */
export function stepEdges(state, plotWidth) {
  const axis = axisOf(state);
  if (axis.isTime) return [];
  const scale = new Scale({ left: 0, plotWidth }, axis);
  return multiples(axis.from, axis.to, 1).flatMap((s) => (s > axis.from && s < axis.to ? Math.round(scale.x(s)) : []));
}
