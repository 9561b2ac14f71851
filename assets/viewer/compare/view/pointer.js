// Mouse, wheel and touch on the three plots.

import { clamp } from '../../kit/math.js';
import { listen } from '../../kit/topic.js';
import { momentOfRun } from '../state/moments.js';

/** Pixels that a press may move and still be a click: of a mouse, and of a finger. */
const STILL = { mouse: 3, touch: 9 };

/** Milliseconds after which a finger held still begins a range. */
const LONG_PRESS = 500;

/** A range narrower than this many pixels was not meant. */
const LEAST_RANGE = 3;

/** @typedef {import('../state/stores.js').Stores} Stores */
/** @typedef {{x: number, y: number}} Spot in client pixels of the plots' element */

/**
 * Makes a moment of what was clicked.
 * @param {Stores} stores @param {import('./stage.js').CompareStage} stage @param {Spot} p
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
  /** @type {((p: Spot) => void) | null} */
  let drag = null;
  /** @type {Spot} */
  let pressed = { x: 0, y: 0 };
  let hasMoved = false;
  let pressTimer = 0;
  /** @type {Map<number, Spot>} */
  const fingers = new Map();

  /** @param {Spot} from @returns {(p: Spot) => void} */
  const panFrom = (from) => {
    const start = zoom.from;
    const perPixel = zoom.width / stage.frame.layout.plotWidth;
    return (p) => zoom.pan(start + (from.x - p.x) * perPixel - zoom.from);
  };

  /** @param {Spot} from @returns {(p: Spot) => void} */
  const brushFrom = (from) => (p) => {
    const { scales, layout } = stage.frame;
    const at = (/** @type {number} */ x) => clamp(scales.position(clamp(x, layout.left, layout.right)), 0, 1);
    const [a, b] = [at(from.x), at(p.x)].sort((x, y) => x - y);
    if (Math.abs(p.x - from.x) < LEAST_RANGE) return;
    choice.set({ range: [a, b], at: 'range' });
  };

  /** @param {number} id @param {Spot} p */
  const pinch = (id, p) => {
    const other = [...fingers].find(([key]) => key !== id)?.[1];
    const before = fingers.get(id);
    fingers.set(id, p);
    hasMoved = true;
    if (!other || !before) return;
    const [was, is] = [before, p].map((q) => Math.max(8, Math.abs(q.x - other.x)));
    zoom.zoom(was / is, stage.frame.scales.position((p.x + other.x) / 2));
  };

  const end = (/** @type {PointerEvent} */ { pointerId }) => {
    clearTimeout(pressTimer);
    fingers.delete(pointerId);
    const ended = drag;
    drag = null;
    return ended;
  };

  listen(surface, {
    pointerdown(event) {
      if (!stage.isDrawn || (event.pointerType === 'mouse' && event.button !== 0)) return;
      const p = spot(event);
      surface.setPointerCapture(event.pointerId);
      pressed = p;
      hasMoved = false;
      const canMove = shown.pair.hasHistory;
      drag = !canMove ? () => {} : event.shiftKey ? brushFrom(p) : panFrom(p);
      if (event.pointerType !== 'touch') return;
      fingers.set(event.pointerId, p);
      clearTimeout(pressTimer);
      pressTimer = window.setTimeout(() => {
        if (!hasMoved && fingers.size === 1 && canMove) drag = brushFrom(p);
      }, LONG_PRESS);
    },

    mousedown(event) {
      // A press should not show the focus ring, which is for the keyboard.
      event.preventDefault();
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    },

    contextmenu(event) {
      if (fingers.size > 0) event.preventDefault();
    },

    pointermove(event) {
      if (!stage.isDrawn) return;
      const p = spot(event);
      if (fingers.size === 2 && fingers.has(event.pointerId)) {
        pinch(event.pointerId, p);
        return;
      }
      if (fingers.has(event.pointerId)) fingers.set(event.pointerId, p);
      if (drag) {
        hasMoved ||=
          Math.hypot(p.x - pressed.x, p.y - pressed.y) > STILL[event.pointerType === 'touch' ? 'touch' : 'mouse'];
        if (!hasMoved) return;
        hover.set(null);
        drag(p);
        return;
      }
      const region = stage.frame.scales.regionAt(p.x, p.y);
      surface.style.cursor = region === 'lane' || region === 'steps' ? 'pointer' : region ? 'crosshair' : 'default';
      hover.set(stage.pointAt(p.x, p.y));
    },

    pointerup(event) {
      if (end(event) && !hasMoved) clickAt(stores, stage, spot(event));
    },

    pointercancel: end,

    pointerleave() {
      if (!drag) hover.set(null);
    },

    wheel(event) {
      if (!stage.isDrawn || !shown.pair.hasHistory) return;
      event.preventDefault();
      const { scales, layout } = stage.frame;
      // Some browsers count in lines or pages.
      const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 400 : 1;
      const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
      const across = Math.abs(dx) > Math.abs(dy);
      hover.set(null);
      if (event.shiftKey || across) zoom.pan(((across ? dx : dy) / layout.plotWidth) * zoom.width);
      else
        zoom.zoom(
          Math.exp(dy * (event.ctrlKey ? 0.01 : 0.002)),
          scales.position(clamp(spot(event).x, layout.left, layout.right)),
        );
    },

    dblclick(event) {
      const { scales } = stage.frame;
      const p = spot(event);
      const region = scales.regionAt(p.x, p.y);
      if (region === 'lane' || region === 'steps') {
        const { from, to } = stores.alignment.stretchAt(scales.position(p.x));
        zoom.show(from, to);
      } else zoom.whole();
    },
  });
}

/** @param {MouseEvent} event @returns {Spot} */
function spot(event) {
  return { x: event.offsetX, y: event.offsetY };
}
