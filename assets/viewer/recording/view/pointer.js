// Mouse, wheel and touch on the timeline.

import { showLifetime, showRange } from '../state/navigate.js';
import { listen } from '../../kit/topic.js';
import { brushDrag, dragFrom, edgeAt, edgeDrag, WINDOW_EDGE } from './drags.js';
import { laneDrag } from './lane_input.js';
import { groupAt, groupDrag, zoomToPinned } from './space_input.js';

/** Pixels that a press may move and still be a click: of a mouse, and of a finger. */
const STILL = { mouse: 3, touch: 9 };

/** Milliseconds after which a finger held still pins, or begins a range. */
const LONG_PRESS = 500;

/** @typedef {import('./stage.js').RecordingStage} Stage */
/** @typedef {import('./drags.js').Point} Point @typedef {import('./drags.js').Drag} Drag */

/** @param {import('../state/stores.js').Stores} stores @param {Stage} stage @param {HTMLCanvasElement} surface */
export function mountPointer(stores, stage, surface) {
  const { shown, viewport, selection, moment, hover } = stores;
  /** @type {Drag | null} */
  let drag = null;
  /** @type {Point} */
  let pressed = { x: 0, y: 0 };
  let hasMoved = false;
  /** @type {Map<number, Point>} */
  const fingers = new Map();
  let pressTimer = 0;

  /** Whether a range can begin there. @param {Point} p */
  const brushes = ({ x, y }) => shown.device.hasHistory && stage.scales.regionAt(x, y) === 'plot';

  /** Sets the cursor and pins what lies there. @param {Point} p */
  const pinAt = (p) => {
    const found = stage.pointAt(p.x, p.y);
    if (!found) return;
    hover.setPoint(null);
    if (shown.device.hasHistory) moment.set('cursor', found.state, found.spike ?? null);
    if (found.spot?.hole) selection.pinSegment(found.spot.segment.reservation);
    else selection.pin(found.hit ? found.hit.id : null);
  };

  /** A finger held still pins; moved on from there, it brushes a range. @param {Point} p */
  const pressLong = (p) => {
    if (hasMoved || fingers.size !== 1) return;
    pinAt(p);
    if (!brushes(p)) return;
    const brush = brushDrag(stores, stage, p);
    drag = {
      ...brush,
      move(q) {
        if (selection.pinned !== null) selection.pin(null);
        brush.move(q);
      },
    };
  };

  /** @param {number} id of the finger that moved @param {Point} p */
  const pinch = (id, p) => {
    const other = [...fingers].find(([k]) => k !== id)?.[1];
    const before = fingers.get(id);
    fingers.set(id, p);
    hasMoved = true;
    if (!other || !before || !shown.device.hasHistory) return;
    const was = Math.max(8, Math.abs(before.x - other.x));
    const is = Math.max(8, Math.abs(p.x - other.x));
    viewport.zoom(was / is, stage.scales.position((p.x + other.x) / 2));
  };

  /** @param {Point} p */
  const cursorAt = ({ x, y }) => {
    const { scales } = stage;
    const region = scales.regionAt(x, y);
    if (region === 'bytes') return groupAt(stores, stage, x, y) ? 'pointer' : 'ns-resize';
    if (region === 'fold' || (region === 'lanes' && stage.laneAt(x, y))) return 'pointer';
    if (edgeAt(stores, stage, { x, y })) return 'ew-resize';
    if (region === 'plot' || region === 'lanes') return 'crosshair';
    if (region !== 'minimap' || !shown.device.hasHistory) return 'default';
    const [from, to] = [viewport.from, viewport.to].map(scales.minimapX, scales);
    if (viewport.isWhole) return 'crosshair';
    if (Math.min(Math.abs(x - from), Math.abs(x - to)) <= WINDOW_EDGE) return 'ew-resize';
    return x > from && x < to ? 'grab' : 'crosshair';
  };

  /** @param {PointerEvent} event */
  const forget = (event) => {
    clearTimeout(pressTimer);
    fingers.delete(event.pointerId);
    const ended = drag;
    drag = null;
    return ended;
  };

  listen(surface, {
    pointerdown(event) {
      if (!stage.isDrawn || (event.pointerType === 'mouse' && event.button !== 0)) return;
      const p = point(event);
      surface.setPointerCapture(event.pointerId);
      pressed = p;
      hasMoved = false;
      if (event.pointerType === 'touch') {
        fingers.set(event.pointerId, p);
        clearTimeout(pressTimer);
        pressTimer = setTimeout(() => pressLong(p), LONG_PRESS);
      }
      drag =
        laneDrag(stores, stage, p) ||
        groupDrag(stores, stage, p) ||
        (event.shiftKey && brushes(p) && brushDrag(stores, stage, p)) ||
        edgeDrag(stores, stage, p) ||
        dragFrom(stores, stage, p, event.altKey);
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
      if (!stage.isDrawn) return;
      const p = point(event);
      if (fingers.size === 2 && fingers.has(event.pointerId)) {
        pinch(event.pointerId, p);
        return;
      }
      if (fingers.has(event.pointerId)) fingers.set(event.pointerId, p);
      if (drag) {
        hasMoved ||=
          Math.hypot(p.x - pressed.x, p.y - pressed.y) > STILL[event.pointerType === 'touch' ? 'touch' : 'mouse'];
        if (!hasMoved) return;
        hover.setPoint(null);
        hover.setLane(null);
        drag.move(p);
        return;
      }
      surface.style.cursor = cursorAt(p);
      hover.setPoint(stage.pointAt(p.x, p.y));
      hover.setLane(stage.laneAt(p.x, p.y));
    },

    pointerup(event) {
      const ended = forget(event);
      if (!ended) return;
      ended.end?.();
      if (hasMoved) return;
      ended.tap?.();
      if (ended.click && event.pointerType !== 'touch') pinAt(point(event));
    },

    pointercancel(event) {
      forget(event);
      stage.showZoomBox(null);
    },

    pointerleave() {
      hover.setLane(null);
      if (!drag) hover.setPoint(null);
    },

    wheel(event) {
      if (!stage.isDrawn || belongsToOuterPage(event)) return;
      event.preventDefault();
      const { scales } = stage;
      const { x, y } = point(event);
      // Some browsers count in lines or pages.
      const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 400 : 1;
      const dx = event.deltaX * unit;
      const dy = event.deltaY * unit;
      const across = Math.abs(dx) > Math.abs(dy);
      hover.setPoint(null);
      if (event.altKey) viewport.zoomHeight(Math.exp(dy * 0.002), scales.bytes(y));
      else if (!shown.device.hasHistory) return;
      else if (event.shiftKey || across) viewport.pan(((across ? dx : dy) / scales.layout.plotWidth) * viewport.width);
      else
        viewport.zoom(
          Math.exp(dy * (event.ctrlKey ? 0.01 : 0.002)),
          scales.regionAt(x, y) === 'minimap' ? viewport.middle : scales.position(x),
        );
    },

    dblclick(event) {
      const p = point(event);
      const region = stage.scales.regionAt(p.x, p.y);
      if (region === 'bytes') viewport.whole();
      if (region === 'lanes') showRange(stores);
      if (region !== 'plot') return;
      const found = stage.at(p.x, p.y);
      if (found?.spot && shown.device.hasHistory) zoomToPinned(stores, stage);
      else if (found?.hit && shown.device.hasHistory) showLifetime(stores, found.hit.id);
      else viewport.whole();
    },
  });
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
