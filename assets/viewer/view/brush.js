// Brushing a range of states in the plot, and moving its edges.

import { clamp } from '../data/clamp.js';
import { rangeOf } from '../data/range.js';
import { brush, setRange } from '../state/range.js';
import { spanOf } from './axis.js';

/** Pixels at an edge of the range that drag it. */
const EDGE = 5;

/** @typedef {import('../app.js').App} App @typedef {import('./stage.js').Stage} Stage */
/** @typedef {import('./drags.js').Point} Point @typedef {import('./drags.js').Drag} Drag */

/** The state at an x, kept inside the plot. @param {App} app @param {Stage} stage @param {number} x */
function stateAt({ viewport }, { scales }, x) {
  const { left, right } = scales.layout;
  return viewport.axis.stateAt(scales.position(clamp(x, left, right - 1)));
}

/**
 * Drags from one state to another; both belong to the range.
 * @param {App} app @param {Stage} stage
 * @param {number} from the state that stays
 * @returns {Drag}
 */
function dragTo(app, stage, from) {
  const { range: before } = app;
  return {
    move: (q) => {
      const range = rangeOf(from, stateAt(app, stage, q.x), app.device.timeline.lastState);
      if (range) brush(app, range);
    },
    end: () => {
      if (app.range !== before) setRange(app, app.range, app.alone !== null);
    },
  };
}

/** A new range. @param {App} app @param {Stage} stage @param {Point} p where it begins */
export function brushDrag(app, stage, p) {
  return dragTo(app, stage, stateAt(app, stage, p.x));
}

/**
 * Which edge of the range is under a point of the plot.
 * @param {App} app @param {Stage} stage @param {Point} p
 * @returns {'from' | 'to' | null}
 */
export function edgeAt({ range, viewport }, { scales }, p) {
  if (!range || scales.part(p.x, p.y) !== 'plot') return null;
  const [from, to] = spanOf(viewport.axis, range.from, range.to).map((v) => Math.abs(scales.x(v) - p.x));
  return Math.min(from, to) > EDGE ? null : from < to ? 'from' : 'to';
}

/** Moves the edge under a point, when there is one. @param {App} app @param {Stage} stage @param {Point} p */
export function edgeDrag(app, stage, p) {
  const edge = edgeAt(app, stage, p);
  return edge && app.range ? dragTo(app, stage, app.range[edge === 'from' ? 'to' : 'from']) : null;
}
