// Says what the range of a lane under the pointer is.

import { bytes, change, count, counted, duration } from '../data/format.js';
import { fill, h } from './dom.js';

const AWAY = 14;
const EDGE = 8;

/** @param {import('../app.js').App} app @param {HTMLElement} timeline */
export function mountLaneTip(app, timeline) {
  const root = h('div.tip', { role: 'tooltip' });
  root.hidden = true;
  document.body.append(root);
  // It no longer lies under the pointer then.
  app.on(['view'], () => app.setLane(null));
  app.on(['lane', 'device'], () => {
    const { lane } = app;
    root.hidden = !lane;
    if (!lane) return;
    fill(root, lines(app, lane));
    const box = timeline.getBoundingClientRect();
    const left = Math.min(box.left + lane.x + AWAY, innerWidth - EDGE - root.offsetWidth);
    root.style.left = `${Math.max(EDGE, left)}px`;
    root.style.top = `${box.top + lane.y + AWAY}px`;
  });
}

/** @param {import('../app.js').App} app @param {import('../data/lanes.js').LaneHit} hit */
function lines({ device: { timeline, data } }, { lane, i }) {
  const from = lane.from[i];
  const to = lane.to[i];
  const peak = timeline.active[timeline.highest.best(from, to)];
  const time = lane.time
    ? lane.time.to[i] - lane.time.from[i]
    : data.time && to > from
      ? data.time[to - 1] - data.time[from]
      : null;
  const note = lane.notes[i];
  return [
    h('div.first', h('b', lane.names[i]), note ? h('span.faint', note) : null),
    h(
      'div',
      `${from === to ? 'no events' : `events ${count(from)} → ${count(to - 1)}, ${counted(to - from, 'event')}`}${time === null ? '' : `, ${duration(time)}`}`,
    ),
    h('div', `peak ${bytes(peak)}, ${change(timeline.active[to] - timeline.active[from])} from start to end`),
    ...(lane.leftOut ? [h('div.faint', lane.leftOut)] : []),
    h('div.faint', 'Click to choose it as the range, double click to zoom'),
  ];
}
