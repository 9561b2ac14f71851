// What mouse, wheel and touch mean on the timeline.

import { mountGestures, turnView } from '../../kit/gestures.js';
import { showLifetime, showRange } from '../state/navigate.js';
import { brushDrag, dragFrom, edgeAt, edgeDrag, WINDOW_EDGE } from './drags.js';
import { laneDrag } from './lane_input.js';
import { groupAt, groupDrag, zoomToPinned } from './space_input.js';

/** @typedef {import('./stage.js').RecordingStage} Stage @typedef {import('../../kit/gestures.js').Point} Point */

/** @param {import('../state/stores.js').Stores} stores @param {Stage} stage @param {HTMLCanvasElement} surface */
export function mountPointer(stores, stage, surface) {
  const { shown, viewport, selection, moment, hover } = stores;

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

  mountGestures(surface, {
    isReady: () => stage.isDrawn,

    press: (p, { shiftKey, altKey }) =>
      laneDrag(stores, stage, p) ||
      groupDrag(stores, stage, p) ||
      (shiftKey && brushes(p) && brushDrag(stores, stage, p)) ||
      edgeDrag(stores, stage, p) ||
      dragFrom(stores, stage, p, altKey, pinAt),

    /** Pins; moved on from there, it brushes a range. */
    hold(p) {
      pinAt(p);
      if (!brushes(p)) return null;
      const brush = brushDrag(stores, stage, p);
      return {
        ...brush,
        move(q) {
          if (selection.pinned !== null) selection.pin(null);
          brush.move(q);
        },
      };
    },

    pinch(factor, x) {
      if (shown.device.hasHistory) viewport.zoom(factor, stage.scales.position(x));
    },

    hover(p) {
      hover.setPoint(stage.pointAt(p.x, p.y));
      hover.setLane(stage.laneAt(p.x, p.y));
      return cursorAt(p);
    },

    leave() {
      hover.setPoint(null);
      hover.setLane(null);
    },

    wheel(turn, { x, y }, event) {
      const { scales } = stage;
      if (event.altKey) viewport.zoomHeight(Math.exp(turn.dy * 0.002), scales.bytes(y));
      else if (!shown.device.hasHistory) return false;
      else {
        const at = scales.regionAt(x, y) === 'minimap' ? viewport.middle : scales.position(x);
        turnView(viewport, turn, event, at, scales.layout.plotWidth);
      }
      return true;
    },

    double({ x, y }) {
      const region = stage.scales.regionAt(x, y);
      if (region === 'bytes') viewport.whole();
      if (region === 'lanes') showRange(stores);
      if (region !== 'plot') return;
      const found = stage.at(x, y);
      if (found?.spot && shown.device.hasHistory) zoomToPinned(stores, stage);
      else if (found?.hit && shown.device.hasHistory) showLifetime(stores, found.hit.id);
      else viewport.whole();
    },
  });
}
