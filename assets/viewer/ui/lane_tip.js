// Says what the range of a lane under the pointer is.

import { bytes, change, count, counted, duration } from '../data/format.js';
import { on } from '../state/topic.js';
import { fill, h } from './dom.js';

const AWAY = 14;
const EDGE = 8;

/** @param {import('../state/stores.js').Stores} stores @param {HTMLElement} timeline */
export function mountLaneTip({ shown, viewport, hover }, timeline) {
  const root = h('div.tip', { role: 'tooltip' });
  root.hidden = true;
  document.body.append(root);
  // It no longer lies under the pointer then.
  viewport.changed.on(() => hover.setLane(null));
  on([hover.laneChanged, shown.changed], () => {
    const { lane } = hover;
    root.hidden = !lane;
    if (!lane) return;
    fill(root, lines(shown.device, lane));
    const box = timeline.getBoundingClientRect();
    const left = Math.min(box.left + lane.x + AWAY, innerWidth - EDGE - root.offsetWidth);
    root.style.left = `${Math.max(EDGE, left)}px`;
    root.style.top = `${box.top + lane.y + AWAY}px`;
  });
}

/** @param {import('../data/open.js').OpenDevice} device @param {import('../data/lanes.js').LaneHit} hit */
function lines({ timeline, data }, { lane, i }) {
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
