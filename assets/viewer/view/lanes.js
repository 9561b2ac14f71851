// Presses on the lanes: on a range of theirs, beside it, and on their names.

import { rangeOf } from '../data/range.js';
import { setRange } from '../state/range.js';
import { brushDrag } from './brush.js';

/** @typedef {import('./drags.js').Drag} Drag @typedef {import('./drags.js').Point} Point */

/**
 * Chooses what lies there, or brushes a range; the names fold the lanes.
 * @param {import('../app.js').App} app @param {import('./stage.js').Stage} stage @param {Point} p
 * @returns {Drag | null} null: not on the lanes
 */
export function laneDrag(app, stage, p) {
  const part = stage.scales.part(p.x, p.y);
  if (part === 'fold') return { move: () => {}, tap: () => app.foldLanes(!app.lanesFolded) };
  if (part !== 'lanes') return null;
  const hit = stage.laneAt(p.x, p.y);
  const { lastState } = app.device.timeline;
  return {
    ...brushDrag(app, stage, p),
    tap: () => {
      const range = hit && rangeOf(hit.lane.from[hit.i], hit.lane.to[hit.i], lastState);
      setRange(app, range, range !== null && app.alone !== null);
    },
  };
}
