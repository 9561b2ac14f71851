// Ways through an address space: to what is pinned, to a group, and from block to block.

import { segmentAt } from '../data/segments.js';
import { OUTSIDE } from '../../data/space.js';
import { showLifetime, showRange, showStates } from '../state/navigate.js';

/** Air over and under the target of a zoom, as a fraction of its height; and the least, of the whole. */
const AIR = 0.35;
const LEAST_AIR = 0.003;

/** Clicks within this many pixels of the plot's left edge are on a group's ticks, and drag. */
const TICKS = 48;

/** Heights that differ by less are the same. */
const SAME = 1e-5;

/** @typedef {import('../state/stores.js').Stores} Stores @typedef {import('./stage.js').RecordingStage} Stage */

/**
 * Zooms to the pinned tensor, or to the pinned segment, in both axes; without one, to the range.
 * @param {Stores} stores @param {Stage} stage
 */
export function zoomToPinned(stores, stage) {
  const { selection, viewport, moment } = stores;
  const { pinned, segment } = selection;
  if (!viewport.isSpace || (pinned === null && segment === null)) {
    if (pinned === null) showRange(stores);
    else showLifetime(stores, pinned);
    return;
  }
  const shown = stage.shownSpace;
  const { space, layout } = shown;
  const { reservations } = space;
  const r = pinned === null ? /** @type {number} */ (segment) : space.reservation[pinned];
  if (r !== OUTSIDE && r < reservations.count) {
    const isExpandable = space.kinds[reservations.kind[r]].expandable;
    let [low, high] = [layout.low[r], layout.high(r)];
    if (isExpandable && pinned !== null) {
      const height = space.blockSize(pinned) * layout.perUnit[r];
      low = layout.at(r, space.place[pinned]) - 2 * height;
      high = low + 5 * height;
    } else if (isExpandable) {
      const at = segmentAt(shown.segments(moment.state), reservations.start[r], space.unit);
      if (at) [low, high] = [shown.heightAt(at, 0), shown.heightAt(at, at.bytes)];
    }
    const air = Math.max((high - low) * AIR, LEAST_AIR);
    viewport.setHeight(low - air, high + air);
    if (pinned === null) showStates(stores, reservations.first[r], reservations.last[r]);
  }
  if (pinned !== null) showLifetime(stores, pinned);
}

/**
 * The group whose name is at a point beside the plot.
 * @param {Stores} stores @param {Stage} stage @param {number} x @param {number} y
 * @returns {import('../map/layout.js').Band | null}
 */
export function groupAt({ viewport }, stage, x, y) {
  const { scales } = stage;
  if (!viewport.isSpace || scales.regionAt(x, y) !== 'bytes') return null;
  const height = scales.bytes(y);
  const band = stage.shownSpace.layout.bands.find(({ low, high }) => low <= height && height < high);
  if (!band) return null;
  // Where the name is turned, the ticks are beside it.
  const isTurned = scales.y(band.low) - scales.y(band.high) >= 60;
  return isTurned && x > scales.layout.left - TICKS ? null : band;
}

/**
 * A press on the name of a group shows its height, or all again; a drag from there moves the height.
 * @param {Stores} stores @param {Stage} stage @param {import('../../kit/gestures.js').Point} p
 * @returns {import('../../kit/gestures.js').Drag | null} null: not on a name
 */
export function groupDrag(stores, stage, p) {
  const band = groupAt(stores, stage, p.x, p.y);
  const { viewport } = stores;
  if (!band) return null;
  const { low, high } = viewport;
  const perPixel = (high - low) / stage.scales.layout.plotHeight;
  return {
    move: (q) => viewport.setHeight(low + (q.y - p.y) * perPixel, high + (q.y - p.y) * perPixel),
    tap: () => {
      const isShown = Math.abs(low - band.low) < SAME && Math.abs(high - band.high) < SAME;
      if (isShown) viewport.setHeight(0, 1);
      else viewport.setHeight(band.low, band.high);
    },
  };
}

/**
 * The block above or below the pinned one in the panel's moment, across segments.
 * @param {Stores} stores @param {Stage} stage @param {number} by @returns {number | null}
 */
export function blockBeside({ shown, selection, moment }, stage, by) {
  const { pinned } = selection;
  const { first, last } = shown.device.data;
  const isLive = pinned === null || (first[pinned] <= moment.state && moment.state <= last[pinned]);
  const space = stage.shownSpace;
  const { segments } = space.segments(isLive ? moment.state : last[/** @type {number} */ (pinned)]);
  const ids = segments
    .map((segment) => ({ segment, height: space.heightAt(segment, 0) }))
    .sort((a, b) => a.height - b.height)
    .flatMap(({ segment }) => segment.blocks.map((block) => block.id));
  if (ids.length === 0) return null;
  const at = pinned === null ? (by > 0 ? -1 : ids.length) : ids.indexOf(pinned);
  return ids[at + by] ?? null;
}
