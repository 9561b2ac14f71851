// Ways to something: the view, the panel's moment and the pin move together.

import { NOTHING_ASKED } from '../data/find.js';
import { rangeOf } from '../data/range.js';
import { spanOf, stretchOf } from '../view/axis.js';
import { search, setIsolated } from './light.js';
import { setRange } from './range.js';

/** Least states before an out-of-memory event that are shown with it, and part of the recording. */
const BEFORE = 600;
const BEFORE_PART = 0.08;

/** @typedef {import('../app.js').App} App @typedef {import('../data/report.js').Evidence} Evidence */

/** Shows what proves an answer. @param {App} app @param {Evidence} evidence */
export function showEvidence(app, { from, to, state, allocation }) {
  const { viewport, device } = app;
  const { timeline, hasHistory } = device;
  if (app.range) setRange(app, null);
  if (from < to) viewport.show(...stretchOf(viewport.axis, from, to));
  else viewport.whole();
  if (!hasHistory || state === timeline.lastState) app.setMoment('end');
  else if (state === timeline.peak) app.setMoment('peak');
  else app.setMoment('cursor', state);
  app.pin(allocation < 0 ? null : allocation);
}

/** Shows the last part before an out-of-memory event. @param {App} app */
export function showOOM(app) {
  const { viewport, device } = app;
  const oom = device.data.ooms.at(-1);
  if (!oom) return;
  if (app.range) setRange(app, null);
  const { axis } = viewport;
  const states = Math.max(BEFORE, Math.round(device.timeline.lastState * BEFORE_PART));
  const x = axis.begins(oom.state);
  const from = axis.begins(Math.max(0, oom.state - states));
  viewport.mode = 'auto';
  viewport.show(from, Math.min(axis.end, x + Math.max((x - from) * 0.06, 1)));
  app.setMoment('cursor', oom.state);
}

/** Shows all of the range, with what it keeps alone: what keeps growing. @param {App} app @param {Evidence} evidence */
export function showGrowth(app, { from, to }) {
  const { lastState } = app.device.timeline;
  const range = rangeOf(from, from < to ? to : lastState, lastState);
  if (!range) return;
  app.pin(null);
  app.viewport.whole();
  setRange(app, range, true);
}

/** Shows the range with some air around it. @param {App} app */
export function showRange({ range, viewport }) {
  if (!range) return;
  const [from, to] = spanOf(viewport.axis, range.from, range.to);
  viewport.showWithAir(from, to, (to - from) * 0.04);
}

/** Shows the life of a tensor with some air around it. @param {App} app @param {number} id */
export function showLife({ device: { data }, viewport }, id) {
  const { axis } = viewport;
  const [from, to] = spanOf(axis, data.first[id], data.last[id]);
  viewport.showWithAir(from, to, Math.max((to - from) * 0.08, axis.kind === 'events' ? 2 : 1));
}

/** Pins an allocation and has its begin in view. @param {App} app @param {number} id */
export function jump(app, id) {
  const { viewport, device } = app;
  viewport.reach(viewport.axis.middle(device.data.first[id]));
  app.pin(id);
}

/** Takes back the innermost thing: alone, the pin, isolation, the range, the search. @param {App} app */
export function escape(app) {
  if (app.alone) setRange(app, app.range);
  else if (app.pinned !== null) app.pin(null);
  else if (app.isolated.size > 0 || app.part) setIsolated(app, new Set());
  else if (app.range) setRange(app, null);
  else if (app.found !== NOTHING_ASKED) search(app, '', []);
}
