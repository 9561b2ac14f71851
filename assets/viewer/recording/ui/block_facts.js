// Where the pinned tensor lies: its block and segment, and who had its bytes before and after it.

import { address, bytes, counted, exactBytes } from '../../kit/format.js';
import { blocksBeside, kindName, segmentAt } from '../data/segments.js';
import { OUTSIDE } from '../../data/space.js';
import { goTo } from '../state/navigate.js';
import { button, h } from '../../kit/dom.js';

/**
 * Facts of a tensor in the recorded address space, as the rows of a list; none until that is decoded.
 * @param {import('../state/stores.js').Stores} stores @param {number} id
 * @returns {HTMLElement[]}
 */
export function blockFacts(stores, id) {
  const { shown, appearance, selection, moment, addressSpace } = stores;
  const { shown: space } = addressSpace;
  const { device } = shown;
  const { data, sites } = device;
  if (!space || space.place[id] === OUTSIDE) return [];
  const place = space.place[id];
  const size = space.blockSize(id) * space.unit;
  const at = space.addressAt(place);
  const more = size - data.size[id];
  /** @type {[string, ...(Node | string)[]][]} */
  const rows = [
    [
      'block',
      bytes(size) + (at === null ? '' : ` at ${address(at)}`) + (more > 0 ? `, ${bytes(more)} more than asked` : ''),
    ],
  ];
  const all = addressSpace.segmentsAt(Math.min(Math.max(moment.state, data.first[id]), data.last[id]));
  const segment = all && segmentAt(all, place, space.unit);
  if (segment) {
    const others = segment.blocks.length - 1;
    rows.push([
      'segment',
      link(`${bytes(segment.bytes)} ${kindName(space.kinds[segment.kind])}`, 'Pins it', () =>
        selection.pinSegment(segment.reservation),
      ),
      `, ${others > 0 ? `with ${counted(others, 'other tensor')}` : 'alone in it'}, ${bytes(segment.stuck)} stuck`,
    ]);
  }
  const neighbour = (/** @type {number} */ other) => {
    if (other < 0) return ['nobody in this recording'];
    const { one } = appearance.grouping.groups[appearance.grouping.of[other]];
    const { name, location } = sites.site(other);
    return [
      link(`${bytes(data.size[other])} ${one}`, exactBytes(data.size[other]), () => goTo(stores, `#${other}`)),
      ` ${name} ${location}`.trimEnd(),
    ];
  };
  const [before, after] = blocksBeside(space, data, id);
  rows.push(['before it', ...neighbour(before)], ['after it', ...neighbour(after)]);
  return rows.flatMap(([name, ...values]) => {
    const dd = h('dd', values);
    dd.title = dd.textContent ?? '';
    return [h('dt', name), dd];
  });
}

/** @param {string} text @param {string} title @param {() => void} click */
function link(text, title, click) {
  return button(text, title, click, { class: 'link' });
}
