// The ranges of the lanes, by pointer and by keyboard.

import { count } from '../data/format.js';
import { clamp } from '../data/clamp.js';
import { rangeOf } from '../data/range.js';
import { setRange } from '../state/range.js';
import { showRange } from '../state/show.js';
import { brushDrag } from './brush.js';
import { listen } from './listen.js';

/** @typedef {import('./drags.js').Drag} Drag @typedef {import('./drags.js').Point} Point */
/** @typedef {import('../data/lanes.js').LaneHit} LaneHit */
/** @typedef {import('../app.js').App} App @typedef {import('./stage.js').Stage} Stage */

/**
 * Chooses what lies there, or brushes a range; the names fold the lanes.
 * @param {App} app @param {Stage} stage @param {Point} p
 * @returns {Drag | null} null: not on the lanes
 */
export function laneDrag(app, stage, p) {
  const part = stage.scales.part(p.x, p.y);
  if (part === 'fold') return { move: () => {}, tap: () => app.foldLanes(!app.lanesFolded) };
  if (part !== 'lanes') return null;
  const hit = stage.laneAt(p.x, p.y);
  return { ...brushDrag(app, stage, p), tap: () => choose(app, hit) };
}

/** The range of a lane becomes the range. @param {App} app @param {LaneHit | null} hit null: no range */
function choose(app, hit) {
  const range = hit && rangeOf(hit.lane.from[hit.i], hit.lane.to[hit.i], app.device.timeline.lastState);
  setRange(app, range, range !== null && app.alone !== null);
}

/**
 * Arrows walk from range to range and from lane to lane, Enter chooses, and
 * once more zooms there.
 * @param {App} app @param {Stage} stage
 * @param {HTMLElement} root over the lanes; it takes the keyboard and no pointer
 * @param {HTMLElement} spoken
 */
export function mountLaneKeys(app, stage, root, spoken) {
  let row = 0;
  let i = 0;
  const rows = () => stage.scales.layout.lanes;
  const point = () => {
    const { viewport } = app;
    const { lane, top, height } = rows()[row];
    const [from, to] = lane.span(viewport.axis, i);
    viewport.reach((from + to) / 2);
    const x = clamp(stage.scales.x((from + to) / 2), 0, stage.scales.layout.right);
    app.setLane({ lane, i, x, y: top + height });
    spoken.textContent = `${lane.names[i]}, events ${count(lane.from[i])} to ${count(lane.to[i] - 1)}`;
  };
  const walk = (/** @type {number} */ by) => {
    i = clamp(i + by, 0, rows()[row].lane.length - 1);
  };
  const change = (/** @type {number} */ by) => {
    const { axis } = app.viewport;
    const [from, to] = rows()[row].lane.span(axis, i);
    row = clamp(row + by, 0, rows().length - 1);
    i = rows()[row].lane.at(axis, (from + to) / 2, Infinity);
  };
  const enter = () => {
    const { range } = app;
    const { lane } = rows()[row];
    if (range?.from === lane.from[i] && range.to === lane.to[i]) showRange(app);
    else choose(app, { lane, i });
  };
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => walk(-1),
    ArrowRight: () => walk(1),
    ArrowUp: () => change(-1),
    ArrowDown: () => change(1),
    Enter: enter,
  };
  listen(root, {
    keydown(event) {
      if (!keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
      point();
    },
    focus() {
      row = 0;
      const { lane } = rows()[0];
      i = Math.min(lane.after(app.viewport.axis, app.viewport.from), lane.length - 1);
      point();
    },
    blur: () => app.setLane(null),
  });
  app.on(['settled'], () => {
    const all = rows();
    const last = all.at(-1);
    root.hidden = !last;
    root.style.height = `${last ? last.top + last.height : 0}px`;
  });
}
