// The range that is chosen, and whether what it keeps stands alone.

import { ceilingOf } from '../data/ceiling.js';
import { aloneTimeline, happened, rangeOf } from '../data/range.js';

/** @typedef {import('../app.js').App} App @typedef {import('../data/range.js').Range} Range */

/** While a range is brushed. @param {App} app @param {Range} range */
export function brush(app, range) {
  app.range = range;
  app.emit('range');
}

/**
 * Chooses a range, of which the panel speaks then.
 * @param {App} app
 * @param {Range | null} range null: none
 * @param {boolean} [alone] whether only what it keeps is shown
 */
export function setRange(app, range, alone = false) {
  const { device, viewport, alone: was } = app;
  const { timeline } = device;
  app.range = range;
  app.alone = range && alone ? aloneTimeline(timeline, happened(timeline, range).kept) : null;
  if (app.alone) viewport.restack(app.alone, app.alone.active[app.alone.peak]);
  else if (was) viewport.restack(timeline, ceilingOf(device));
  else app.moved();
  if (app.alone || was) app.pin(app.pinned); // its outline lies elsewhere now
  if (range) app.setMoment('range');
  else if (app.moment === 'range') app.setMoment('peak');
}

/** Shows what the range keeps alone, or in its place again; without a range, of what is in view. @param {App} app */
export function toggleAlone(app) {
  const range = app.range ?? rangeInView(app);
  if (range) setRange(app, range, !app.alone);
}

/** The states in view as a range. @param {App} app */
export function rangeInView({ device, viewport: { axis, from, to } }) {
  const covered = axis.states(from, to);
  return covered && rangeOf(covered[0], covered[1], device.timeline.lastState);
}
