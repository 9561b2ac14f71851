// What lies under the pointer, in at most six lines.

import { bytes, count, duration, share } from '../data/format.js';
import { nameOf, placeOf } from '../data/fold.js';
import { streamName } from '../data/report.js';
import { siteOf } from '../data/sites.js';
import { LIBRARY } from '../data/stacks.js';
import { fill, h, swatch } from './dom.js';

const AWAY = 14;
const EDGE = 8;

/** @param {import('../app.js').App} app @param {HTMLElement} root @param {HTMLElement} timeline */
export function mountTooltip(app, root, timeline) {
  let shown = -1;
  let pointer = { x: 0, y: 0 };
  timeline.addEventListener(
    'pointermove',
    (e) => {
      pointer = { x: e.clientX, y: e.clientY };
    },
    { capture: true },
  );
  app.on(['hover', 'view', 'device'], () => {
    const hover = app.hover;
    const id = hover?.hit?.id ?? -1;
    root.hidden = id < 0 || app.moving;
    if (!hover || root.hidden) {
      shown = -1;
      return;
    }
    if (id !== shown || root.dataset.state !== String(hover.state))
      fill(root, lines(app, id, hover.state));
    root.dataset.state = String(hover.state);
    shown = id;
    const { offsetWidth: width, offsetHeight: height } = root;
    const right = pointer.x + AWAY;
    const below = pointer.y + AWAY + 2;
    root.style.left = `${Math.max(EDGE, right + width > innerWidth - EDGE ? pointer.x - width - AWAY : right)}px`;
    root.style.top = `${Math.max(EDGE, below + height > innerHeight - EDGE ? pointer.y - height - AWAY : below)}px`;
  });
}

/** @param {import('../app.js').App} app @param {number} id @param {number} state */
function lines(app, id, state) {
  const {
    grouping,
    shown,
    device: { data, stacks, file, hasHistory },
  } = app;
  const group = grouping.groups[grouping.of[id]];
  const stack = data.stack[id];
  const total = shown.active[state];
  const user = stacks.siteFrame(stack);
  const library = stacks.frames(stack).find((f) => f.kind === LIBRARY);
  const none = stacks.isEmpty(stack);
  const where = user
    ? `${nameOf(user)}  ${placeOf(user)}`
    : !none
      ? 'no user frame'
      : data.isPreExisting(id)
        ? 'allocated before the recording'
        : 'no stack recorded';
  const detail = [stacks.backward[stack] ? 'autograd' : '', stacks.operatorOf(stack), library ? placeOf(library) : '']
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
      h('span.id.mono', `${data.address.text(id)} ${streamName(file.streams, data.stream[id])}`.trimStart()),
    ),
    hasHistory && h('div', [life(data, id), freed(data, stacks, id)].filter(Boolean).join('; ')),
    h('div.faint', 'Click to pin the full stack'),
  ];
}

/** @param {import('../data/device.js').DeviceData} data @param {number} id */
function life(data, id) {
  const start = data.startEvent(id);
  const end = data.endEvent(id);
  const words = `${start === null ? 'before recording' : `event ${count(start)}`} → ${end === null ? 'live at the end' : count(end)}`;
  if (!data.time || start === null) return words;
  return `${words}, ${duration(data.time[end ?? data.events - 1] - data.time[start])}`;
}

/**
 * Who freed it, when that is recorded and says more than who allocated it.
 * @param {import('../data/device.js').DeviceData} data
 * @param {import('../data/stacks.js').Stacks} stacks
 * @param {number} id
 */
function freed(data, stacks, id) {
  const stack = data.freeStack(id);
  if (stacks.isEmpty(stack) || stack === data.stack[id]) return '';
  const site = siteOf(stacks, stack);
  return `freed by ${site.name} ${site.place}`.trimEnd();
}
