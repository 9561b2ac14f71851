// The tooltips: what the tensor under the pointer is, in at most seven lines, what a hole of
// the address space is, and what the range of a lane is.

import { locationOf, nameOf } from '../../data/fold.js';
import { address, bytes, change, count, counted, duration, share } from '../../kit/format.js';
import { streamName } from '../../data/report.js';
import { kindName, returnedWhen } from '../data/segments.js';
import { siteOf } from '../../data/sites.js';
import { LIBRARY } from '../../data/stacks.js';
import { EDGE, AWAY, placeTooltip } from '../../kit/tooltip.js';
import { on } from '../../kit/topic.js';
import { fill, h, swatch } from '../../kit/dom.js';

/**
 * @typedef {import('../state/stores.js').Stores} Stores @typedef {import('../../data/space.js').Space} Space
 * @typedef {import('../data/segments.js').Segment} Segment
 */

/** @param {Stores} stores @param {HTMLElement} root @param {HTMLElement} timeline */
export function mountTooltip(stores, root, timeline) {
  const { shown, viewport, hover } = stores;
  /** What it is about. */
  let about = '';
  on([hover.pointChanged, viewport.changed, shown.changed], () => {
    const { point } = hover;
    const before = about;
    const id = point?.hit?.id ?? -1;
    const hole = point?.spot?.hole;
    const spot = hole ? `${point?.spot?.segment.place} ${hole.offset}` : '';
    about = !point || viewport.isMoving ? '' : id >= 0 ? `#${id}` : spot;
    root.hidden = about === '';
    if (!point || root.hidden) return;
    if (about !== before || root.dataset.state !== String(point.state))
      fill(root, id >= 0 ? tensorLines(stores, id, point.state, point.spot) : holeLines(stores, point.spot));
    root.dataset.state = String(point.state);
    placeTooltip(root, timeline, { x: point.x, y: point.y ?? 0 });
  });
}

/**
 * @param {Stores} stores @param {number} id @param {number} state
 * @param {import('../map/places.js').Spot | null} [spot] where it lies, in the address space
 */
function tensorLines({ shown, appearance: { grouping }, selection, spaceView }, id, state, spot) {
  const { data, stacks, file, hasHistory } = shown.device;
  const group = grouping.groups[grouping.of[id]];
  const stack = data.stack[id];
  const total = selection.timeline.active[state];
  const user = stacks.siteFrame(stack);
  const library = stacks.frames(stack).find((f) => f.kind === LIBRARY);
  const none = stacks.isEmpty(stack);
  const where = user
    ? `${nameOf(user)}  ${locationOf(user)}`
    : !none
      ? 'no user frame'
      : data.isPreExisting(id)
        ? 'allocated before the recording'
        : 'no stack recorded';
  const detail = [
    stacks.backward[stack] ? 'autograd' : '',
    stacks.operatorOf(stack),
    library ? locationOf(library) : '',
  ]
    .filter(Boolean)
    .join('  ');
  return [
    h(
      'div.first',
      swatch(group.color),
      h('b', bytes(data.size[id])),
      h('span', group.one),
      h('span.id', `#${count(id)}`),
    ),
    h('div', { class: user ? 'mono user' : 'user', text: where }),
    detail && h('div.mono', detail),
    h(
      'div',
      `${share(data.size[id], total)} of ${bytes(total)} live here`,
      h('span.id.mono', `${data.addressSoon(id)} ${streamName(file.streams, data.stream[id])}`.trimStart()),
    ),
    hasHistory && h('div', [lifetime(data, id), freed(data, stacks, id)].filter(Boolean).join('; ')),
    spot && spaceView.space && h('div', segmentWords(spaceView.space, spot.segment)),
    h('div.faint', 'Click to pin the full stack'),
  ];
}

/** The segment that a block lies in. @param {Space} space @param {Segment} segment */
function segmentWords({ kinds }, { bytes: size, kind, blocks, stuck, returnable }) {
  const others = blocks.length - 1;
  const shared = others > 0 ? `with ${counted(others, 'other')}` : 'alone';
  return `in a ${bytes(size)} ${kindName(kinds[kind])} segment, ${shared}; ${bytes(stuck + returnable)} of it free`;
}

/** What a hole is. @param {Stores} stores @param {import('../map/places.js').Spot | null} [spot] */
function holeLines({ spaceView, appearance: { style } }, spot) {
  const { space } = spaceView;
  if (!space || !spot?.hole) return [];
  const { segment, hole } = spot;
  const { blocks, active, bytes: size, kind } = segment;
  const isStuck = hole.returnable === 0;
  const rest = hole.bytes - hole.returnable;
  const when = returnedWhen(space.kinds[kind]);
  const from = space.addressAt(segment.place + hole.offset / space.unit);
  return [
    h('div.first', swatch(isStuck ? style.stuck : style.returnable), h('b', `${bytes(hole.bytes)} free`)),
    h(
      'div',
      isStuck
        ? `Stuck: ${counted(blocks.length, 'tensor')} with ${bytes(active)} ` +
            `${blocks.length === 1 ? 'shares' : 'share'} its ${bytes(size)} segment`
        : rest > 0
          ? `${bytes(hole.returnable)} of it returnable${when}: nothing else lies in those pages; ${bytes(rest)} stuck`
          : `Returnable${when}: nothing else lies in its ${space.kinds[kind].expandable ? 'pages' : 'segment'}`,
    ),
    h(
      'div.mono',
      from === null
        ? `at ${bytes(hole.offset)} of segment ${count(segment.reservation)}`
        : `${address(from)} to ${address(from + BigInt(hole.bytes))}`,
    ),
    h('div.faint', isStuck ? 'Click to list what keeps the segment' : 'Click for the segment'),
  ];
}

/** @param {import('../../data/device.js').DeviceData} data @param {number} id */
function lifetime(data, id) {
  const start = data.startEvent(id);
  const end = data.endEvent(id);
  const began = start === null ? 'before recording' : `event ${count(start)}`;
  const words = `${began} → ${end === null ? 'live at the end' : count(end)}`;
  if (!data.time || start === null) return words;
  return `${words}, ${duration(data.time[end ?? data.events - 1] - data.time[start])}`;
}

/**
 * Who freed it, when that is recorded and says more than who allocated it.
 * @param {import('../../data/device.js').DeviceData} data
 * @param {import('../../data/stacks.js').Stacks} stacks
 * @param {number} id
 */
function freed(data, stacks, id) {
  const stack = data.freeStack(id);
  if (stacks.isEmpty(stack) || stack === data.stack[id]) return '';
  const site = siteOf(stacks, stack);
  return `freed by ${site.name} ${site.location}`.trimEnd();
}

/** @param {import('../state/stores.js').Stores} stores @param {HTMLElement} timeline */
export function mountLaneTip({ shown, viewport, hover }, timeline) {
  const root = h('div.tip', { role: 'tooltip' });
  root.hidden = true;
  document.body.append(root);
  // When the view moves, the range is no longer under the pointer.
  viewport.changed.on(() => hover.setLane(null));
  on([hover.laneChanged, shown.changed], () => {
    const { lane } = hover;
    root.hidden = !lane;
    if (!lane) return;
    fill(root, laneLines(shown.device, lane));
    const box = timeline.getBoundingClientRect();
    const left = Math.min(box.left + lane.x + AWAY, innerWidth - EDGE - root.offsetWidth);
    root.style.left = `${Math.max(EDGE, left)}px`;
    root.style.top = `${box.top + lane.y + AWAY}px`;
  });
}

/** @param {import('../../data/open.js').OpenDevice} device @param {import('../../data/lanes.js').LaneHit} hit */
function laneLines({ timeline, data }, { lane, i }) {
  const from = lane.from[i];
  const to = lane.to[i];
  const peak = timeline.active[timeline.highest.best(from, to)];
  const time = lane.time
    ? lane.time.to[i] - lane.time.from[i]
    : data.time && to > from
      ? data.time[to - 1] - data.time[from]
      : null;
  const note = lane.notes[i];
  const events = `events ${count(from)} → ${count(to - 1)}, ${counted(to - from, 'event')}`;
  return [
    h('div.first', h('b', lane.names[i]), note ? h('span.faint', note) : null),
    h(
      'div',
      `${from === to ? 'no events' : events}${time === null ? '' : `, ${duration(time)}`}`,
    ),
    h('div', `peak ${bytes(peak)}, ${change(timeline.active[to] - timeline.active[from])} from start to end`),
    ...(lane.leftOut ? [h('div.faint', lane.leftOut)] : []),
    h('div.faint', 'Click to choose it as the range, double click to zoom'),
  ];
}
