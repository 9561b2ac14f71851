// A range of states, and what happens in it.
//
// The range from state a to state b holds the events a to b-1. Allocated in it is
// what is first live in one of the states a+1 to b.

import { clamp, countUpTo } from '../kit/math.js';
import { Timeline } from './timeline.js';

/** @typedef {{from: number, to: number}} Range states, from before to */

/**
 * Between two states in either order, at least one event long.
 * @param {number} a @param {number} b @param {number} lastState
 * @returns {Range | null} null when there is no event
 */
export function rangeOf(a, b, lastState) {
  const from = clamp(Math.min(a, b, lastState - 1), 0, lastState);
  const to = clamp(Math.max(a, b, from + 1), 0, lastState);
  return from < to ? { from, to } : null;
}

/**
 * @typedef {object} RangeActivity what happens in a range
 * @property {number} first id of the allocations made in it, which follow each other
 * @property {number} after the id behind the last of them
 * @property {Int32Array} kept: still live at its end, in order
 * @property {number} keptBytes
 * @property {number} allocated bytes
 * @property {number} freed bytes, also of what was allocated before
 * @property {number} freedTensors
 */

/** @param {Timeline} timeline of the whole recording @param {Range} range @returns {RangeActivity} */
export function activityIn(timeline, { from, to }) {
  const { active, data } = timeline;
  const first = countUpTo(data.first, from);
  const after = countUpTo(data.first, to);
  let allocated = 0;
  for (let id = first; id < after; id++) allocated += data.size[id];
  const freedTensors = timeline.live(from).length + (after - first) - timeline.live(to).length;
  const kept = timeline.liveOf(first, after, to).slice();
  const keptBytes = kept.reduce((sum, id) => sum + data.size[id], 0);
  return { first, after, kept, keptBytes, allocated, freed: active[from] + allocated - active[to], freedTensors };
}

/**
 * A timeline of only some allocations, stacked from zero. Their ids stay what they are.
 * @param {Timeline} timeline of the whole recording
 * @param {Int32Array} members in order, none from before the recording
 */
export function restackedTimeline(timeline, members) {
  const { data } = timeline;
  const last = new Uint32Array(data.count); // the others stay 0: they end before they begin
  for (const id of members) last[id] = data.last[id];
  const pending = [...data.pendingAlloc.keys()].filter((i) => last[data.pendingAlloc[i]] > 0);
  return new Timeline(
    {
      events: data.events,
      count: data.count,
      first: data.first,
      size: data.size,
      last,
      pendingAlloc: Float64Array.from(pending, (i) => data.pendingAlloc[i]),
      pendingWait: Float64Array.from(pending, (i) => data.pendingWait[i]),
      reservedEvent: data.reservedEvent,
      reservedDelta: data.reservedDelta,
    },
    timeline.reserved[0],
    members,
  );
}
