// Brushing a range of states in the plot, and moving its edges.

import { spanOf } from '../data/axis.js';
import { clamp } from '../data/clamp.js';
import { rangeOf } from '../data/range.js';

/** Pixels at an edge of the range that drag it. */
const EDGE = 5;

/** @typedef {import('../state/stores.js').Stores} Stores @typedef {import('./stage.js').Stage} Stage */
/** @typedef {import('./drags.js').Point} Point @typedef {import('./drags.js').Drag} Drag */

/** The state at an x, kept inside the plot. @param {Stores} stores @param {Stage} stage @param {number} x */
function stateAt({ viewport }, { scales }, x) {
  const { left, right } = scales.layout;
  return viewport.axis.stateAt(scales.position(clamp(x, left, right - 1)));
}

/**
 * Drags from one state to another; both belong to the range.
 * @param {Stores} stores @param {Stage} stage
 * @param {number} from the state that stays
 * @returns {Drag}
 */
function dragTo(stores, stage, from) {
  const { shown, selection } = stores;
  const { range: before } = selection;
  return {
    move: (q) => {
      const range = rangeOf(from, stateAt(stores, stage, q.x), shown.device.timeline.lastState);
      if (range) selection.brush(range);
    },
    end: () => {
      if (selection.range !== before) selection.selectRange(selection.range, selection.keptOnly);
    },
  };
}

/** A new range. @param {Stores} stores @param {Stage} stage @param {Point} p where it begins */
export function brushDrag(stores, stage, p) {
  return dragTo(stores, stage, stateAt(stores, stage, p.x));
}

/**
 * Which edge of the range is under a point of the plot.
 * @param {Stores} stores @param {Stage} stage @param {Point} p
 * @returns {'from' | 'to' | null}
 */
export function edgeAt({ selection: { range }, viewport }, { scales }, p) {
  if (!range || scales.part(p.x, p.y) !== 'plot') return null;
  const [from, to] = spanOf(viewport.axis, range.from, range.to).map((v) => Math.abs(scales.x(v) - p.x));
  return Math.min(from, to) > EDGE ? null : from < to ? 'from' : 'to';
}

/** Moves the edge under a point, when there is one. @param {Stores} stores @param {Stage} stage @param {Point} p */
export function edgeDrag(stores, stage, p) {
  const edge = edgeAt(stores, stage, p);
  const { range } = stores.selection;
  return edge && range ? dragTo(stores, stage, range[edge === 'from' ? 'to' : 'from']) : null;
}
