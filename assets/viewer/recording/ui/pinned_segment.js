// The pinned segment: what keeps it from being returned.

import { address, bytes, count, counted, exactBytes } from '../../kit/format.js';
import { HOST_MEMORY } from '../../data/report.js';
import { kindName, pinnedSegment, returnedWhen } from '../data/segments.js';
import { button, fill, h, signButton, swatch } from '../../kit/dom.js';
import { segmentBars } from './segments.js';

/** @typedef {import('../state/stores.js').Stores} Stores @typedef {import('../data/segments.js').Segment} Segment */

/** Holders that are listed at once. */
const LISTED = 60;

/** Client pixels of the panel beside the bar, and of the bar's height. */
const MARGIN = 24;
const HEIGHT = 16;

/**
 * @param {Stores} stores @param {number} r the pinned reservation @param {() => void} zoom to it
 * @returns {import('../../kit/dom.js').Leaf[]}
 */
export function pinnedSegmentElements(stores, r, zoom) {
  const { shown, appearance, selection, moment, addressSpace } = stores;
  const { shown: space } = addressSpace;
  const all = addressSpace.segmentsAt(moment.state);
  if (!space || !all || r >= space.reservations.count) return [];
  const { grouping } = appearance;
  const { data, sites, hasHistory, report } = shown.device;
  const segment = pinnedSegment(all.segments, space, r);
  const { reservations } = space;
  const size = segment?.bytes ?? reservations.size[r] * space.unit;
  const at = space.addressAt(segment?.place ?? reservations.start[r]);
  const head = h(
    'div.head',
    h('h2', { text: `${bytes(size)} ${kindName(space.kinds[reservations.kind[r]])} segment`, title: exactBytes(size) }),
    at !== null && h('span.faint.mono', address(at)),
    h(
      'span.actions',
      hasHistory && button('Zoom', 'Zoom to it (Z)', zoom, { class: 'zoom' }),
      signButton('×', 'Unpin', 'Esc', () => selection.pin(null)),
    ),
  );
  if (!segment) return [head, h('p.why', `Not reserved ${before(moment.state, data.events)}.`)];
  const holders = [...segment.blocks].sort((a, b) => b.bytes - a.bytes || a.offset - b.offset);
  const line = (/** @type {import('../data/segments.js').Block} */ { id, bytes: held }) => {
    const { name, location } = sites.site(id);
    const { color, one } = grouping.groups[grouping.of[id]];
    return h(
      'button.holder',
      {
        title: `${one} #${count(id)}, ${exactBytes(data.size[id])} in ${exactBytes(held)}`,
        click: () => selection.pin(id),
      },
      swatch(color),
      h('span.number', bytes(held)),
      h('span.where', `${name} ${location}`.trimEnd()),
      hasHistory && h('span.faint', lifeOf(data, id)),
    );
  };
  const list = h('div.holders', holders.slice(0, LISTED).map(line));
  const rest = holders.length - LISTED;
  if (rest > 0)
    list.append(
      button(counted(rest, 'more tensor'), '', () => fill(list, holders.map(line)), { class: 'holder more' }),
    );
  const width = Math.max(100, (document.getElementById('side')?.clientWidth ?? 0) - MARGIN);
  return [
    head,
    h('p.say', keepsWords(segment, space.kinds[segment.kind], report.device === HOST_MEMORY)),
    segmentBars(stores)(segment, width, HEIGHT),
    list,
  ];
}

/** @param {Segment} segment @param {import('../../data/space.js').Kind} kind @param {boolean} isHost */
function keepsWords({ blocks, active, stuck, returnable }, kind, isHost) {
  const n = blocks.length;
  const tensors = `${counted(n, 'tensor')} with ${bytes(active)}`;
  if (n === 0) return isHost ? 'Nothing lies in it.' : `Nothing lies in it: empty_cache() would return it${returnedWhen(kind)}.`;
  if (stuck > 0) return `${tensors} ${n === 1 ? 'keeps' : 'keep'} ${bytes(stuck)} of it from being returned:`;
  if (returnable > 0) return `${tensors}; empty_cache() would return the other ${bytes(returnable)}${returnedWhen(kind)}.`;
  return `Full: ${tensors}.`;
}

/** @param {import('../../data/device.js').DeviceData} data @param {number} id */
function lifeOf(data, id) {
  const start = data.startEvent(id);
  const end = data.endEvent(id);
  if (start === null) return end === null ? 'before recording' : `to ${count(end)}`;
  return end === null ? `since ${count(start)}` : `${count(start)} to ${count(end)}`;
}

/** @param {number} state @param {number} events */
function before(state, events) {
  return state === events ? 'after the last event' : `before event ${count(state)}`;
}
