// The settings of the allocator, and its pools at the panel's moment.

import { bytes, count, exactBytes } from '../../kit/format.js';
import { kindName } from '../data/segments.js';
import { fill, h } from '../../kit/dom.js';

/**
 * @param {import('../state/stores.js').Stores} stores @param {HTMLElement} root
 * @param {import('./lists.js').Note} note
 */
export function mountAllocator({ shown, viewport, moment, addressSpace, spaceView }, root, note) {
  const body = h('div.rows');
  body.tabIndex = 0; // it may scroll, and nothing in it takes the focus
  root.append(body);
  const update = () => {
    if (root.hidden) return;
    note('');
    const { settings = [] } = shown.device.file;
    fill(
      body,
      h('h3', 'Settings in the snapshot'),
      settings.length > 0
        ? h(
            'dl.mono',
            settings.map(([key, value]) => [h('dt', key), h('dd', value.trim() || '\u2013')]),
          )
        : h('p', 'Not recorded'),
      h('h3', `Pools and streams ${momentOf(shown.device, moment.state)}`),
      pools(),
    );
  };

  const pools = () => {
    const all = addressSpace.segmentsAt(moment.state);
    const { shown: space } = addressSpace;
    if (!all || !space) return h('p', 'Not recorded');
    /** @type {Map<string, number[]>} segments, reserved, in blocks, stuck, largest hole */
    const sums = new Map();
    for (const { kind, bytes: size, active, stuck, largest } of all.segments) {
      const name = kindName(space.kinds[kind]);
      const [n, reserved, used, kept, most] = sums.get(name) ?? [0, 0, 0, 0, 0];
      sums.set(name, [n + 1, reserved + size, used + active, kept + stuck, Math.max(most, largest)]);
    }
    return h(
      'table',
      h(
        'tr',
        ['pool', 'segments', 'reserved', 'in blocks', 'stuck', 'max hole'].map((text) => h('th', text)),
      ),
      [...sums].map(([name, [n, ...amounts]]) =>
        h(
          'tr',
          h('td', name),
          h('td', count(n)),
          amounts.map((amount) => h('td', { text: bytes(amount), title: exactBytes(amount) })),
        ),
      ),
    );
  };
  viewport.afterPicture([shown.changed, moment.changed, addressSpace.changed, spaceView.changed], update);
  return { update };
}

/** @param {import('../../data/open.js').OpenDevice} device @param {number} state */
function momentOf({ hasHistory, timeline }, state) {
  if (!hasHistory) return 'in the final state';
  return state === timeline.lastState ? 'after the last event' : `before event ${count(state)}`;
}
