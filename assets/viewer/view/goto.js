// Goes to an event, a time, an address or a tensor.

import { count, duration } from '../data/format.js';
import { addressTest } from '../data/places.js';
import { parseGoal } from '../data/query.js';
import { spanOf, TimeAxis } from './axis.js';

/** @typedef {import('../app.js').App} App */

/** Pans, only as needed, until a tensor's life is in view. @param {App} app @param {number} id */
export function reveal({ viewport, device: { data } }, id) {
  const [from, to] = spanOf(viewport.axis, data.first[id], data.last[id]);
  if (to <= viewport.from || from >= viewport.to) viewport.centre(from);
}

/**
 * @param {App} app
 * @param {string} text as a person writes it
 * @returns {string} why it cannot be gone to, or ""
 */
export function goTo(app, text) {
  const {
    device: { data, timeline, hasTime, hasHistory },
  } = app;
  const goal = parseGoal(text);
  if (!goal) return 'Neither an event, a time nor an address';
  if ('us' in goal) {
    if (!hasTime || !data.time) return 'This recording has no times';
    const axis = new TimeAxis(data.time, false);
    if (goal.us > axis.extent) return `It ends after ${duration(axis.extent)}`;
    return goToState(app, axis.stateAt(goal.us));
  }
  if ('event' in goal && hasHistory && goal.event <= timeline.lastState) return goToState(app, goal.event);
  if ('id' in goal) {
    if (goal.id >= data.count) return `The last tensor is #${count(data.count - 1)}`;
    return goToTensor(app, goal.id);
  }
  const beyond = hasHistory ? `The last state is ${count(timeline.lastState)}` : 'No events were recorded';
  if (!goal.place) return beyond;
  const there = addressTest(data, goal.place);
  const now = app.momentState;
  let best = -1;
  for (let id = 0; id < data.count; id++) {
    if (!there(id) || (best >= 0 && data.last[id] < now)) continue;
    if (best < 0 || data.last[best] < now) best = id;
  }
  if (best >= 0) return goToTensor(app, best);
  return 'event' in goal ? beyond : 'Nothing was ever allocated there';
}

/** @param {App} app @param {number} state */
function goToState(app, state) {
  app.viewport.reach(app.viewport.axis.middle(state));
  app.setMoment('cursor', state);
  return '';
}

/** @param {App} app @param {number} id */
function goToTensor(app, id) {
  const { first, last } = app.device.data;
  if (app.momentState < first[id] || app.momentState > last[id]) app.setMoment('cursor', first[id]);
  app.pin(id);
  reveal(app, id);
  return '';
}
