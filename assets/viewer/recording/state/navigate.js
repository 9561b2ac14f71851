// Ways to something on the page, which change the view, the panel's moment and the
// selection together.

import { addressTest } from '../../data/addresses.js';
import { axisOf, spanOf, stretchOf, TimeAxis } from '../../data/axis.js';
import { NOTHING_ASKED } from '../data/find.js';
import { count, duration } from '../../kit/format.js';
import { parseGoal } from '../../data/query.js';
import { rangeOf } from '../../data/range.js';

/** How much before an out-of-memory event is shown with it: states at least, and a fraction of the recording. */
const BEFORE = 600;
const BEFORE_FRACTION = 0.08;

/** @typedef {import('./stores.js').Stores} Stores @typedef {import('../../data/report.js').Evidence} Evidence */

/** Shows what proves an answer. @param {Stores} stores @param {Evidence} evidence */
export function showEvidence({ shown, viewport, selection, moment }, { from, to, state, allocation }) {
  const { timeline, hasHistory } = shown.device;
  if (selection.range) selection.selectRange(null);
  if (from < to) viewport.show(...stretchOf(viewport.axis, from, to));
  else viewport.whole();
  if (!hasHistory || state === timeline.lastState) moment.set('end');
  else if (state === timeline.peak) moment.set('peak');
  else moment.set('cursor', state);
  selection.pin(allocation < 0 ? null : allocation);
}

/** Shows the last part before an out-of-memory event. @param {Stores} stores */
export function showOOM(stores) {
  const oom = stores.shown.device.data.ooms.at(-1);
  if (oom) showBefore(stores, oom.state);
}

/** Shows the next request that was served only after a retry, the first one after the last. @param {Stores} stores */
export function showRetry(stores) {
  const { retries } = stores.shown.device.data;
  const next = retries.find((r) => r.state > stores.moment.state) ?? retries[0];
  if (next) showBefore(stores, next.state);
}

/** Shows the last part before a state, and its moment. @param {Stores} stores @param {number} state */
function showBefore({ shown, viewport, selection, moment }, state) {
  const { timeline } = shown.device;
  if (selection.range) selection.selectRange(null);
  const { axis } = viewport;
  const states = Math.max(BEFORE, Math.round(timeline.lastState * BEFORE_FRACTION));
  const x = axis.begins(state);
  const from = axis.begins(Math.max(0, state - states));
  viewport.show(from, Math.min(axis.end, x + Math.max((x - from) * 0.06, 1)), 'auto');
  moment.set('cursor', state);
}

/** Position of the answer to what keeps growing. */
export const GROWING = 1;

/**
 * What keeps growing: the answer, and the range that it is about.
 * @param {import('../../data/open.js').OpenDevice} device @returns null: it has no evidence
 */
export function growthRange({ report, timeline: { lastState } }) {
  const card = report.answers[GROWING];
  if (!card?.evidence) return null;
  const { from, to } = card.evidence;
  const range = rangeOf(from, from < to ? to : lastState, lastState);
  return range && { card, range };
}

/** Shows only what keeps growing. @param {Stores} stores */
export function showGrowth({ shown, viewport, selection }) {
  const growth = growthRange(shown.device);
  if (!growth) return;
  selection.pin(null);
  viewport.whole();
  selection.selectRange(growth.range, true);
}

/** The states in view as a range; null where nothing was recorded. @param {Stores} stores */
export function rangeInView({ shown, viewport: { axis, from, to } }) {
  const covered = axis.states(from, to);
  return covered && rangeOf(covered[0], covered[1], shown.device.timeline.lastState);
}

/**
 * Draws only what the range keeps, or everything again; without a range, takes the one in view.
 * @param {Stores} stores
 */
export function toggleKeptOnly(stores) {
  const { selection } = stores;
  const range = selection.range ?? rangeInView(stores);
  if (range) selection.selectRange(range, !selection.keptOnly);
}

/** Shows the range with some air around it. @param {Stores} stores */
export function showRange({ selection: { range }, viewport }) {
  if (!range) return;
  const [from, to] = spanOf(viewport.axis, range.from, range.to);
  viewport.showWithAir(from, to, (to - from) * 0.04);
}

/** Shows the lifetime of a tensor with some air around it. @param {Stores} stores @param {number} id */
export function showLifetime({ shown, viewport }, id) {
  const { first, last } = shown.device.data;
  const { axis } = viewport;
  const [from, to] = spanOf(axis, first[id], last[id]);
  viewport.showWithAir(from, to, Math.max((to - from) * 0.08, axis.kind === 'events' ? 2 : 1));
}

/** Shows some states with some air around them. @param {Stores} stores @param {number} first @param {number} last */
export function showStates({ viewport }, first, last) {
  const [from, to] = spanOf(viewport.axis, first, last);
  viewport.showWithAir(from, to, (to - from) * 0.08);
}

/** Pins an allocation and has its begin in view. @param {Stores} stores @param {number} id */
export function jump({ shown, viewport, selection }, id) {
  viewport.reach(viewport.axis.middle(shown.device.data.first[id]));
  selection.pin(id);
}

/** Pans, only as needed, until some of a tensor's lifetime is in view. @param {Stores} stores @param {number} id */
export function reveal({ shown, viewport }, id) {
  const { first, last } = shown.device.data;
  const [from, to] = spanOf(viewport.axis, first[id], last[id]);
  if (to <= viewport.from || from >= viewport.to) viewport.centre(from);
}

/** @param {Stores} stores @param {'events' | 'time'} kind of axis; nothing happens where that was not recorded */
export function showAxis({ shown, viewport }, kind) {
  if (kind === viewport.axis.kind || (kind === 'time' && !shown.device.hasTime)) return;
  viewport.changeAxis(axisOf(shown.device, kind));
}

/**
 * Takes back the innermost thing: what is hidden, the pin, isolation, the range, the search, a measure.
 * @param {Stores} stores
 */
export function takeBack(stores) {
  const { shown, selection, highlight } = stores;
  if (selection.keptOnly) selection.selectRange(selection.range);
  else if (selection.pinned !== null || selection.segment !== null) selection.pin(null);
  else if (highlight.isIsolated) highlight.isolate(new Set());
  else if (selection.range) selection.selectRange(null);
  else if (highlight.found !== NOTHING_ASKED) highlight.search('', []);
  else if (shown.device.measure) void showMeasure(stores, '');
}

/** The positions that a step covers. @param {Stores} stores @param {number} i */
function spanOfStep({ shown, viewport }, i) {
  const { from, to } = shown.device.lanes.steps.range(i);
  return stretchOf(viewport.axis, from, to);
}

/** The step that the view shows exactly. @param {Stores} stores @returns {number} -1: none */
export function stepShown(stores) {
  const { shown, viewport } = stores;
  const { steps } = shown.device.lanes;
  if (steps.count === 0 || viewport.step >= 0) return viewport.step;
  const { axis, from, to } = viewport;
  const i = steps.at(axis.stateAt(viewport.middle));
  const [a, b] = spanOfStep(stores, i);
  return Math.abs(a - from) < 1 && Math.abs(b - to) < 1 ? i : -1;
}

/** The step before or after the view. @param {Stores} stores @param {1 | -1} by @returns {number} -1: none */
export function stepBeside(stores, by) {
  const { shown, viewport } = stores;
  const left = viewport.axis.stateAt(viewport.from);
  return shown.device.lanes.steps.next(stepShown(stores), viewport.isWhole, left, by);
}

/** Shows a step, which becomes the range. @param {Stores} stores @param {number} i nothing happens below 0 */
export function showStep(stores, i) {
  if (i < 0) return;
  stores.selection.selectRange(stores.shown.device.lanes.steps.range(i));
  stores.viewport.showStep(i, ...spanOfStep(stores, i));
}

/**
 * Goes to an event, a time, an address or a tensor.
 * @param {Stores} stores
 * @param {string} text as a person writes it
 * @returns {string} why it cannot be gone to, or ""
 */
export function goTo(stores, text) {
  const { data, timeline, hasTime, hasHistory } = stores.shown.device;
  const goal = parseGoal(text);
  if (!goal) return 'Neither an event, a time nor an address';
  if ('us' in goal) {
    if (!hasTime || !data.time) return 'This recording has no times';
    const axis = new TimeAxis(data.time, false);
    if (goal.us > axis.extent) return `It ends after ${duration(axis.extent)}`;
    return goToState(stores, axis.stateAt(goal.us));
  }
  if ('event' in goal && hasHistory && goal.event <= timeline.lastState) return goToState(stores, goal.event);
  if ('id' in goal) {
    if (goal.id >= data.count) return `The last tensor is #${count(data.count - 1)}`;
    return goToTensor(stores, goal.id);
  }
  const beyond = hasHistory ? `The last state is ${count(timeline.lastState)}` : 'No events were recorded';
  if (!goal.address) return beyond;
  const there = addressTest(data, goal.address);
  const now = stores.moment.state;
  let best = -1;
  for (let id = 0; id < data.count; id++) {
    if (!there(id) || (best >= 0 && data.last[id] < now)) continue;
    if (best < 0 || data.last[best] < now) best = id;
  }
  if (best >= 0) return goToTensor(stores, best);
  return 'event' in goal ? beyond : 'Nothing was ever allocated there';
}

/** @param {Stores} stores @param {number} state */
function goToState({ viewport, moment }, state) {
  viewport.reach(viewport.axis.middle(state));
  moment.set('cursor', state);
  return '';
}

/** @param {Stores} stores @param {number} id */
function goToTensor(stores, id) {
  const { shown, selection, moment } = stores;
  const { first, last } = shown.device.data;
  if (moment.state < first[id] || moment.state > last[id]) moment.set('cursor', first[id]);
  selection.pin(id);
  reveal(stores, id);
  return '';
}

/**
 * Shows the device as it is predicted with a change of the training, at first where its tensors lie; or as it was
 * recorded. The range in view stays.
 * @param {Stores} stores @param {string} key of the change; "" for the recording
 */
export async function showMeasure(stores, key) {
  const { shown, viewport, spaceView } = stores;
  const { fileIndex, deviceIndex, measure } = shown.device;
  const { axis, from, to, isWhole } = viewport;
  const { kind } = axis;
  await shown.open(fileIndex, deviceIndex, key);
  showAxis(stores, kind);
  if (!isWhole) viewport.show(from, to, 'auto');
  if (!measure) await spaceView.show(true);
  viewport.settle();
}
