// Mouse, wheel and touch on the timeline.

import { MINIMAP } from '../draw/layout.js';
import { showLife, showRange } from '../state/show.js';
import { brushDrag, edgeAt, edgeDrag } from './brush.js';
import { dragFrom, EDGE } from './drags.js';
import { laneDrag } from './lanes.js';

/** Pixels that a press may move and still be a click. */
const STILL = 3;

/** Milliseconds after which a finger held still pins. */
const LONG_PRESS = 500;

/** @typedef {import('../app.js').App} App @typedef {import('./stage.js').Stage} Stage */
/** @typedef {import('./drags.js').Point} Point @typedef {import('./drags.js').Drag} Drag */

export class Pointer {
  /** @param {App} app @param {Stage} stage @param {HTMLCanvasElement} surface */
  constructor(app, stage, surface) {
    this.app = app;
    this.stage = stage;
    this.surface = surface;
    /** @type {Drag | null} */
    this.drag = null;
    /** @type {Point} */
    this.pressed = { x: 0, y: 0 };
    this.moved = false;
    /** @type {Map<number, Point>} */
    this.fingers = new Map();
    this.pressTimer = 0;
    surface.addEventListener('pointerdown', (e) => this.#down(e));
    surface.addEventListener('mousedown', (e) => {
      // A press is no wish for the keyboard's focus ring; Tab still brings it.
      e.preventDefault();
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    });
    surface.addEventListener('pointermove', (e) => this.#move(e));
    surface.addEventListener('pointerup', (e) => this.#up(e));
    surface.addEventListener('pointercancel', (e) => this.#cancel(e));
    surface.addEventListener('pointerleave', () => {
      app.setLane(null);
      if (!this.drag) app.setHover(null);
    });
    surface.addEventListener('wheel', (e) => this.#wheel(e), { passive: false });
    surface.addEventListener('dblclick', (e) => this.#double(e));
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (!this.app.device || (event.pointerType === 'mouse' && event.button !== 0)) return;
    const p = point(event);
    this.surface.setPointerCapture(event.pointerId);
    this.pressed = p;
    this.moved = false;
    if (event.pointerType === 'touch') {
      this.fingers.set(event.pointerId, p);
      clearTimeout(this.pressTimer);
      this.pressTimer = setTimeout(() => {
        if (!this.moved && this.fingers.size === 1) this.#pinAt(p);
      }, LONG_PRESS);
    }
    this.drag =
      laneDrag(this.app, this.stage, p) ||
      (this.#brushes(event, p) && brushDrag(this.app, this.stage, p)) ||
      edgeDrag(this.app, this.stage, p) ||
      dragFrom(this.app, this.stage, p, event.altKey);
  }

  /** Whether a press begins a range. @param {PointerEvent} event @param {Point} p */
  #brushes({ shiftKey }, p) {
    return shiftKey && this.app.device.hasHistory && this.stage.scales.part(p.x, p.y) === 'plot';
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { app, stage } = this;
    if (!app.device || !stage.scales) return;
    const p = point(event);
    if (this.fingers.has(event.pointerId)) {
      if (this.fingers.size === 2) {
        this.#pinch(event.pointerId, p);
        return;
      }
      this.fingers.set(event.pointerId, p);
    }
    if (this.drag) {
      this.moved ||= Math.hypot(p.x - this.pressed.x, p.y - this.pressed.y) > STILL;
      if (this.moved) {
        app.setHover(null);
        app.setLane(null);
        this.drag.move(p);
      }
      return;
    }
    this.surface.style.cursor = this.#cursorAt(p);
    app.setHover(stage.at(p.x, p.y));
    app.setLane(stage.laneAt(p.x, p.y));
  }

  /** @param {Point} p */
  #cursorAt({ x, y }) {
    const {
      stage: { scales },
      app: { viewport, device },
    } = this;
    const part = scales.part(x, y);
    if (part === 'bytes') return 'ns-resize';
    if (part === 'fold' || (part === 'lanes' && this.stage.laneAt(x, y))) return 'pointer';
    if (part === 'lanes') return 'crosshair';
    if (edgeAt(this.app, this.stage, { x, y })) return 'ew-resize';
    if (part === 'plot') return 'crosshair';
    if (part !== 'minimap' || !device.hasHistory) return 'default';
    const near = Math.min(Math.abs(x - scales.minimapX(viewport.from)), Math.abs(x - scales.minimapX(viewport.to)));
    return viewport.isWhole
      ? 'crosshair'
      : near <= EDGE
        ? 'ew-resize'
        : x > scales.minimapX(viewport.from) && x < scales.minimapX(viewport.to)
          ? 'grab'
          : 'crosshair';
  }

  /** @param {number} id of the finger that moved @param {Point} p */
  #pinch(id, p) {
    const other = [...this.fingers].find(([k]) => k !== id)?.[1];
    const before = this.fingers.get(id);
    this.fingers.set(id, p);
    this.moved = true;
    if (!other || !before || !this.app.device.hasHistory) return;
    const { scales } = this.stage;
    const was = Math.max(8, Math.abs(before.x - other.x));
    const is = Math.max(8, Math.abs(p.x - other.x));
    this.app.viewport.zoom(was / is, scales.position((p.x + other.x) / 2));
  }

  /** @param {PointerEvent} event */
  #up(event) {
    clearTimeout(this.pressTimer);
    this.fingers.delete(event.pointerId);
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    drag.end?.();
    if (!this.moved) drag.tap?.();
    if (drag.click && !this.moved && event.pointerType !== 'touch') this.#pinAt(point(event));
  }

  /** @param {PointerEvent} event */
  #cancel(event) {
    clearTimeout(this.pressTimer);
    this.fingers.delete(event.pointerId);
    this.drag = null;
    this.stage.box = null;
  }

  /** Sets the cursor and pins what lies there. @param {Point} p */
  #pinAt(p) {
    const { app } = this;
    const found = this.stage.at(p.x, p.y);
    if (!found) return;
    app.setHover(null);
    if (app.device.hasHistory) app.setMoment('cursor', found.state);
    app.pin(found.hit ? found.hit.id : null);
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    const { app, stage } = this;
    if (!app.device) return;
    event.preventDefault();
    const { scales } = stage;
    const { viewport } = app;
    const { x, y } = point(event);
    // Lines and pages, where a browser counts in those, in pixels.
    const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 400 : 1;
    const dx = event.deltaX * unit;
    const dy = event.deltaY * unit;
    app.setHover(null);
    if (event.altKey) viewport.zoomBytes(Math.exp(dy * 0.002), scales.bytes(y));
    else if (!app.device.hasHistory) return;
    else if (event.shiftKey || Math.abs(dx) > Math.abs(dy))
      viewport.pan(((Math.abs(dx) > Math.abs(dy) ? dx : dy) / scales.layout.plotWidth) * viewport.width);
    else
      viewport.zoom(
        Math.exp(dy * (event.ctrlKey ? 0.01 : 0.002)),
        y > scales.layout.minimapTop - 3 && y < scales.layout.minimapTop + MINIMAP
          ? viewport.middle
          : scales.position(x),
      );
  }

  /** @param {MouseEvent} event */
  #double(event) {
    const p = point(event);
    const part = this.stage.scales.part(p.x, p.y);
    if (part === 'bytes') {
      this.app.viewport.whole();
      return;
    }
    if (part === 'lanes') {
      showRange(this.app);
      return;
    }
    if (part !== 'plot') return;
    const found = this.stage.at(p.x, p.y);
    if (found?.hit && this.app.device.hasHistory) showLife(this.app, found.hit.id);
    else this.app.viewport.whole();
  }
}

/** @param {MouseEvent} event @returns {Point} */
function point(event) {
  return { x: event.offsetX, y: event.offsetY };
}
