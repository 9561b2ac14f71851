// Mouse, wheel and touch on the plot of a page: what a press drags, what a click, a finger held
// still and two fingers mean differs from page to page.

import { listen } from './topic.js';

/** Pixels that a press may move and still be a click: of a mouse, and of a finger. */
const STILL = { mouse: 3, touch: 9 };

/** Milliseconds after which a finger counts as held still. */
const LONG_PRESS = 500;

/** The least distance of two fingers in pixels, so that they do not zoom too far. */
const APART = 8;

/** Pixels of a line and of a page, in which some browsers count the wheel. */
const UNITS = [1, 18, 400];

/**
 * @typedef {{x: number, y: number}} Point in client pixels of the surface
 * @typedef {{dx: number, dy: number, isAcross: boolean}} Turn of the wheel, in pixels
 *
 * @typedef {object} Drag what a press does while it moves
 * @property {(p: Point) => void} move
 * @property {() => void} [end] after it has moved, or not
 * @property {(p: Point, isTouch: boolean) => void} [tap] after a press that stayed still
 * @property {() => void} [cancel]
 *
 * @typedef {object} Gestures
 * @property {() => boolean} isReady
 * @property {(p: Point, event: PointerEvent) => Drag | null} press
 * @property {(p: Point) => Drag | null} [hold] a finger was held still; it may drag something else from now on
 * @property {(factor: number, x: number) => void} [pinch] zooms by a factor of the width, about x
 * @property {(p: Point) => string} hover the pointer is over a point; gives the cursor to show
 * @property {() => void} leave the pointer is over nothing, or does something else
 * @property {(turn: Turn, p: Point, event: WheelEvent) => boolean} wheel false: it has done nothing
 * @property {(p: Point) => void} double a double click
 */

/** @param {HTMLElement} surface @param {Gestures} page */
export function mountGestures(surface, page) {
  /** @type {Drag | null} */
  let drag = null;
  /** @type {Point} */
  let pressed = { x: 0, y: 0 };
  let hasMoved = false;
  let pressTimer = 0;
  /** @type {Map<number, Point>} */
  const fingers = new Map();

  /** @param {number} id of the finger that moved @param {Point} p */
  const pinch = (id, p) => {
    const other = [...fingers].find(([key]) => key !== id)?.[1];
    const before = fingers.get(id);
    fingers.set(id, p);
    hasMoved = true;
    if (!other || !before) return;
    const [was, is] = [before, p].map((q) => Math.max(APART, Math.abs(q.x - other.x)));
    page.pinch?.(was / is, (p.x + other.x) / 2);
  };

  /** @param {PointerEvent} event */
  const release = (event) => {
    clearTimeout(pressTimer);
    fingers.delete(event.pointerId);
    const ended = drag;
    drag = null;
    return ended;
  };

  listen(surface, {
    pointerdown(event) {
      const isTouch = event.pointerType === 'touch';
      if (!page.isReady() || (event.pointerType === 'mouse' && event.button !== 0)) return;
      const p = point(event);
      surface.setPointerCapture(event.pointerId);
      pressed = p;
      hasMoved = false;
      drag = page.press(p, event);
      if (!isTouch) return;
      fingers.set(event.pointerId, p);
      clearTimeout(pressTimer);
      pressTimer = setTimeout(() => {
        if (!hasMoved && fingers.size === 1) drag = page.hold?.(p) ?? drag;
      }, LONG_PRESS);
    },

    mousedown(event) {
      // A press should not show the focus ring, which is for the keyboard.
      event.preventDefault();
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      window.focus(); // keys come to this page even if it is in a frame of another
    },

    contextmenu(event) {
      if (fingers.size > 0) event.preventDefault(); // a long press is ours
    },

    pointermove(event) {
      if (!page.isReady()) return;
      const p = point(event);
      const { pointerId, pointerType } = event;
      if (fingers.size === 2 && fingers.has(pointerId)) {
        pinch(pointerId, p);
        return;
      }
      if (fingers.has(pointerId)) fingers.set(pointerId, p);
      if (!drag) {
        surface.style.cursor = page.hover(p);
        return;
      }
      hasMoved ||= Math.hypot(p.x - pressed.x, p.y - pressed.y) > STILL[pointerType === 'touch' ? 'touch' : 'mouse'];
      if (!hasMoved) return;
      page.leave();
      drag.move(p);
    },

    pointerup(event) {
      const ended = release(event);
      ended?.end?.();
      if (!hasMoved) ended?.tap?.(point(event), event.pointerType === 'touch');
    },

    pointercancel(event) {
      release(event)?.cancel?.();
    },

    pointerleave() {
      if (!drag) page.leave();
    },

    wheel(event) {
      if (!page.isReady() || belongsToOuterPage(event)) return;
      const unit = UNITS[event.deltaMode];
      const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
      page.leave();
      if (page.wheel({ dx, dy, isAcross: Math.abs(dx) > Math.abs(dy) }, point(event), event)) event.preventDefault();
    },

    dblclick(event) {
      page.double(point(event));
    },
  });
}

/**
 * Zooms or pans a view by the wheel, as all pages do.
 * @param {import('./view.js').View} view @param {Turn} turn @param {WheelEvent} event
 * @param {number} at the position that stays @param {number} plotWidth in client pixels
 */
export function turnView(view, { dx, dy, isAcross }, event, at, plotWidth) {
  if (event.shiftKey || isAcross) view.pan(((isAcross ? dx : dy) / plotWidth) * view.width);
  else view.zoom(Math.exp(dy * (event.ctrlKey ? 0.01 : 0.002)), at);
}

/**
 * Whether the wheel scrolls the page around this one, such as a notebook, as it does until this one is clicked.
 * @param {WheelEvent} event
 */
function belongsToOuterPage(event) {
  return document.documentElement.classList.contains('framed') && !document.hasFocus() && !event.ctrlKey;
}

/** @param {MouseEvent} event @returns {Point} */
function point(event) {
  return { x: event.offsetX, y: event.offsetY };
}
