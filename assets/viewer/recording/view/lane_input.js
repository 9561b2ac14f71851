// Choosing ranges of the lanes by pointer and by keyboard.

import { count } from '../../kit/format.js';
import { clamp } from '../../kit/math.js';
import { rangeOf } from '../../data/range.js';
import { showRange } from '../state/navigate.js';
import { listen } from '../../kit/topic.js';
import { brushDrag } from './drags.js';

/** @typedef {import('../../kit/gestures.js').Drag} Drag @typedef {import('../../kit/gestures.js').Point} Point */
/** @typedef {import('../../data/lanes.js').LaneHit} LaneHit */
/** @typedef {import('../state/stores.js').Stores} Stores @typedef {import('./stage.js').RecordingStage} Stage */

/**
 * A press on a lane chooses a range or brushes one; on the names it folds the lanes.
 * @param {Stores} stores @param {Stage} stage @param {Point} p
 * @returns {Drag | null} null: not on the lanes
 */
export function laneDrag(stores, stage, p) {
  const { viewport } = stores;
  const region = stage.scales.regionAt(p.x, p.y);
  if (region === 'fold') return { move: () => {}, tap: () => viewport.foldLanes(!viewport.lanesFolded) };
  if (region !== 'lanes') return null;
  const hit = stage.laneAt(p.x, p.y);
  return { ...brushDrag(stores, stage, p), tap: () => choose(stores, hit) };
}

/** The range of a lane becomes the range. @param {Stores} stores @param {LaneHit | null} hit null: no range */
function choose({ shown, selection }, hit) {
  const range = hit && rangeOf(hit.lane.from[hit.i], hit.lane.to[hit.i], shown.device.timeline.lastState);
  selection.selectRange(range, selection.keptOnly);
}

/**
 * Arrows walk from range to range and from lane to lane. Enter chooses one, and zooms to
 * the one that is chosen.
 * @param {Stores} stores @param {Stage} stage
 * @param {HTMLElement} root over the lanes; it takes the keyboard and no pointer
 * @param {HTMLElement} spoken
 */
export function mountLaneKeys(stores, stage, root, spoken) {
  const { viewport, selection, hover } = stores;
  let row = 0;
  let i = 0;
  const rows = () => stage.scales.layout.lanes;
  const point = () => {
    const { lane, top, height } = rows()[row];
    const [from, to] = lane.span(viewport.axis, i);
    viewport.reach((from + to) / 2);
    const x = clamp(stage.scales.x((from + to) / 2), 0, stage.scales.layout.right);
    hover.setLane({ lane, i, x, y: top + height });
    spoken.textContent = `${lane.names[i]}, events ${count(lane.from[i])} to ${count(lane.to[i] - 1)}`;
  };
  const walk = (/** @type {number} */ by) => {
    i = clamp(i + by, 0, rows()[row].lane.length - 1);
  };
  const change = (/** @type {number} */ by) => {
    const { axis } = viewport;
    const [from, to] = rows()[row].lane.span(axis, i);
    row = clamp(row + by, 0, rows().length - 1);
    i = rows()[row].lane.at(axis, (from + to) / 2, Infinity);
  };
  const enter = () => {
    const { range } = selection;
    const { lane } = rows()[row];
    if (range?.from === lane.from[i] && range.to === lane.to[i]) showRange(stores);
    else choose(stores, { lane, i });
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
      i = Math.min(lane.after(viewport.axis, viewport.from), lane.length - 1);
      point();
    },
    blur: () => hover.setLane(null),
  });
  viewport.settled.on(() => {
    const all = rows();
    const last = all.at(-1);
    root.hidden = !last;
    root.style.height = `${last ? last.top + last.height : 0}px`;
  });
}
