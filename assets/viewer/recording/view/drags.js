// What a press on the timeline drags: the view, a box to zoom into, the minimap's window,
// or a range.

import { spanOf } from '../../data/axis.js';
import { clamp } from '../../kit/math.js';
import { rangeOf } from '../../data/range.js';

/** Pixels at an edge of the minimap's window, and of the range in the plot, that drag it. */
export const WINDOW_EDGE = 6;
const RANGE_EDGE = 5;

/** A box smaller than this many pixels was not meant. */
const LEAST_BOX = 4;

/** @typedef {import('../state/stores.js').Stores} Stores @typedef {import('./stage.js').RecordingStage} Stage */
/** @typedef {import('../../kit/gestures.js').Point} Point @typedef {import('../../kit/gestures.js').Drag} Drag */

/**
 * @param {Stores} stores @param {Stage} stage
 * @param {Point} p where it begins
 * @param {boolean} alt whether it draws a box
 * @param {(p: Point) => void} pinAt what a click does; a finger has to be held still for that
 * @returns {Drag | null}
 */
export function dragFrom(stores, stage, p, alt, pinAt) {
  const { scales } = stage;
  const { viewport } = stores;
  const { hasHistory } = stores.shown.device;
  const region = scales.regionAt(p.x, p.y);
  const start = viewport.kept;
  const { low, high } = viewport;
  if (region === 'minimap' && hasHistory) return minimapDrag(stores, stage, p);
  if (region === 'bytes') {
    const perPixel = (high - low) / scales.layout.plotHeight;
    return {
      move: (q) => viewport.setHeight(low + (q.y - p.y) * perPixel, high + (q.y - p.y) * perPixel),
    };
  }
  if (region !== 'plot') return null;
  if (alt) return boxDrag(stores, stage, p);
  const tap = (/** @type {Point} */ q, /** @type {boolean} */ isTouch) => isTouch || pinAt(q);
  if (!hasHistory) return { tap, move: () => {} };
  const perPixel = viewport.width / scales.layout.plotWidth;
  return {
    tap,
    move: (q) => {
      if (viewport.isSpace && (low > 0 || high < 1)) {
        const d = ((q.y - p.y) * (high - low)) / scales.layout.plotHeight;
        viewport.setHeight(low + d, high + d);
      }
      const width = start.to - start.from;
      const from = clamp(start.from + (p.x - q.x) * perPixel, 0, viewport.axis.end - width);
      viewport.show(from, from + width);
    },
  };
}

/** @param {Stores} stores @param {Stage} stage @param {Point} p @returns {Drag} */
function boxDrag({ shown, viewport }, stage, p) {
  const { layout } = stage.scales;
  /** @type {import('../draw/overlay.js').ZoomBox | null} */
  let box = null;
  const kept = (/** @type {Point} */ q) => ({
    x: clamp(q.x, layout.left, layout.right),
    y: clamp(q.y, layout.top, layout.bottom),
  });
  return {
    move: (q) => {
      const c = kept(q);
      box = { x0: Math.min(p.x, c.x), y0: Math.min(p.y, c.y), x1: Math.max(p.x, c.x), y1: Math.max(p.y, c.y) };
      stage.showZoomBox(box);
    },
    cancel: () => stage.showZoomBox(null),
    end: () => {
      const { scales } = stage;
      stage.showZoomBox(null);
      if (!box || box.x1 - box.x0 < LEAST_BOX || box.y1 - box.y0 < LEAST_BOX) return;
      const from = scales.position(box.x0);
      const to = scales.position(box.x1);
      const low = scales.bytes(box.y1);
      const high = scales.bytes(box.y0);
      if (shown.device.hasHistory) viewport.show(from, to);
      viewport.setHeight(low, high);
    },
  };
}

/**
 * Drags the window of the minimap, one of its ends, or a new window.
 * @param {Stores} stores @param {Stage} stage @param {Point} p
 * @returns {Drag}
 */
function minimapDrag({ viewport }, { scales }, p) {
  const { from, to } = viewport.kept;
  const width = to - from;
  const a = scales.minimapX(from);
  const b = scales.minimapX(to);
  const at = (/** @type {Point} */ q) => clamp(scales.minimapPosition(q.x), 0, viewport.axis.end);
  if (!viewport.isWhole && Math.abs(p.x - a) <= WINDOW_EDGE && p.x < b)
    return { move: (q) => viewport.show(Math.min(at(q), to), to) };
  if (!viewport.isWhole && Math.abs(p.x - b) <= WINDOW_EDGE)
    return { move: (q) => viewport.show(from, Math.max(at(q), from)) };
  if (!viewport.isWhole && p.x > a && p.x < b) {
    return {
      move: (q) => {
        const f = clamp(from + at(q) - at(p), 0, viewport.axis.end - width);
        viewport.show(f, f + width);
      },
    };
  }
  let drawn = false;
  return {
    move: (q) => {
      drawn = true;
      viewport.show(Math.min(at(p), at(q)), Math.max(at(p), at(q)));
    },
    end: () => {
      if (!drawn && !viewport.isWhole) viewport.centre(at(p));
    },
  };
}

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
  if (!range || scales.regionAt(p.x, p.y) !== 'plot') return null;
  const [from, to] = spanOf(viewport.axis, range.from, range.to).map((v) => Math.abs(scales.x(v) - p.x));
  return Math.min(from, to) > RANGE_EDGE ? null : from < to ? 'from' : 'to';
}

/** Moves the edge under a point, when there is one. @param {Stores} stores @param {Stage} stage @param {Point} p */
export function edgeDrag(stores, stage, p) {
  const edge = edgeAt(stores, stage, p);
  const { range } = stores.selection;
  return edge && range ? dragTo(stores, stage, range[edge === 'from' ? 'to' : 'from']) : null;
}
