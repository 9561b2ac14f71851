// What mouse, wheel and touch mean on the three plots.

import { mountGestures, turnView } from '../../kit/gestures.js';
import { clamp } from '../../kit/math.js';
import { momentOfRun } from '../state/moments.js';

/** A range narrower than this many pixels was not meant. */
const LEAST_RANGE = 3;

/**
 * @typedef {import('../state/stores.js').Stores} Stores @typedef {import('../../kit/gestures.js').Point} Point
 * @typedef {import('../../kit/gestures.js').Drag} Drag
 */

/**
 * Makes a moment of what was clicked.
 * @param {Stores} stores @param {import('./stage.js').CompareStage} stage @param {Point} p
 */
function clickAt({ choice, alignment, pair, hover }, stage, { x, y }) {
  const { scales } = stage.frame;
  const region = scales.regionAt(x, y);
  if (region === 'lane' || region === 'steps') {
    const index = alignment.indexAt(scales.position(x));
    const step = `step:${pair.steps[alignment.stretches[index].step]?.label}`;
    const key = region === 'lane' ? momentOfRun(pair, index) : pair.moments.find((moment) => moment.key === step)?.key;
    if (key) choice.set({ at: key });
    return;
  }
  const point = stage.pointAt(x, y);
  if (!point || point.states.includes(-1)) return;
  hover.set(null);
  choice.set({ at: 'cursor', cursor: point.states });
}

/** @param {Stores} stores @param {import('./stage.js').CompareStage} stage @param {HTMLCanvasElement} surface */
export function mountPointer(stores, stage, surface) {
  const { zoom, choice, hover, shown } = stores;
  const tap = (/** @type {Point} */ p) => clickAt(stores, stage, p);

  /** @param {Point} from @returns {Drag} */
  const panFrom = (from) => {
    const start = zoom.from;
    const perPixel = zoom.width / stage.frame.layout.plotWidth;
    return { tap, move: (p) => zoom.pan(start + (from.x - p.x) * perPixel - zoom.from) };
  };

  /** @param {Point} from @returns {Drag} */
  const brushFrom = (from) => ({
    tap,
    move(p) {
      const { scales, layout } = stage.frame;
      const at = (/** @type {number} */ x) => clamp(scales.position(clamp(x, layout.left, layout.right)), 0, 1);
      const [a, b] = [at(from.x), at(p.x)].sort((x, y) => x - y);
      if (Math.abs(p.x - from.x) >= LEAST_RANGE) choice.set({ range: [a, b], at: 'range' });
    },
  });

  const isLane = (/** @type {string | null} */ region) => region === 'lane' || region === 'steps';

  mountGestures(surface, {
    isReady: () => stage.isDrawn,

    press(p, { shiftKey }) {
      if (!shown.pair.hasHistory) return { tap, move: () => {} };
      return shiftKey ? brushFrom(p) : panFrom(p);
    },

    hold: (p) => (shown.pair.hasHistory ? brushFrom(p) : null),

    pinch(factor, x) {
      if (shown.pair.hasHistory) zoom.zoom(factor, stage.frame.scales.position(x));
    },

    hover({ x, y }) {
      const region = stage.frame.scales.regionAt(x, y);
      hover.set(stage.pointAt(x, y));
      return isLane(region) ? 'pointer' : region ? 'crosshair' : 'default';
    },

    leave: () => hover.set(null),

    wheel(turn, { x }, event) {
      if (!shown.pair.hasHistory) return false;
      const { scales, layout } = stage.frame;
      turnView(zoom, turn, event, scales.position(clamp(x, layout.left, layout.right)), layout.plotWidth);
      return true;
    },

    double({ x, y }) {
      const { scales } = stage.frame;
      if (!isLane(scales.regionAt(x, y))) {
        zoom.whole();
        return;
      }
      const { from, to } = stores.alignment.stretchAt(scales.position(x));
      zoom.show(from, to);
    },
  });
}
