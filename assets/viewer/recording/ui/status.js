// The status line: where the pointer is, and what one column covers.

import { address, bytes, count, duration } from '../../kit/format.js';
import { listen } from '../../kit/topic.js';
import { fill, h } from '../../kit/dom.js';

/** What the pile of a recording without history is. */
const BLOCKS = 'blocks of the final state, largest first in each family';

/** What a packed address space is. */
const PACKED = ' · packed: a segment may take the place of one that was returned';

/**
 * @param {import('../state/stores.js').Stores} stores @param {HTMLElement} where @param {HTMLElement} scale
 * @param {() => number} plotWidth
 */
export function mountStatus(stores, where, scale, plotWidth) {
  const { shown, viewport, spaceView, addressSpace, selection, moment, hover } = stores;
  const updateWhere = () => {
    const { timeline, data, hasHistory } = shown.device;
    if (!hasHistory) {
      const what = viewport.isSpace ? 'segments of the final state, the largest first' : BLOCKS;
      fill(where, `No history: ${what}.`);
      return;
    }
    const state = hover.point?.state ?? moment.state;
    const reservedAt = (/** @type {number} */ k) =>
      (viewport.isSpace && spaceView.isPredicted && addressSpace.segmentsAt(k)?.reserved) || timeline.reservedAt(k);
    const placeFact = () => {
      const place = hover.point?.spot?.place;
      const at = place === undefined ? null : spaceView.space?.addressAt(Math.floor(place));
      return at ? fact('at', address(at)) : '';
    };
    const fact = (/** @type {string} */ name, /** @type {string} */ value, note = '') =>
      h('span', `${name} `, h('b', value), note);
    fill(
      where,
      fact('state', count(state), ` of ${count(timeline.lastState)}`),
      data.time && fact('t', duration(state === 0 ? 0 : data.time[state - 1])),
      fact('active', bytes((viewport.isSpace ? timeline : selection.timeline).active[state])),
      fact('reserved', bytes(reservedAt(state))),
      placeFact(),
    );
  };
  const updateScale = () => {
    const packed = viewport.isSpace && spaceView.isPacked ? PACKED : '';
    const setting = viewport.isSpace && spaceView.isPredicted ? `predicted under ${spaceView.setting} · ` : '';
    const predicted = shown.device.measure ? 'predicted, if nothing else changes · ' : setting;
    scale.textContent = shown.device.hasHistory ? predicted + scaleWords(viewport, plotWidth()) + packed : '';
  };
  viewport.afterPicture([shown.changed, spaceView.changed, moment.changed, hover.pointChanged], updateWhere);
  viewport.settled.on(updateScale);
  listen(window, {
    resize() {
      if (shown.isOpen) updateScale();
    },
  });
}

/** @param {import('../state/viewport.js').Viewport} viewport @param {number} plotWidth in client pixels */
function scaleWords(viewport, plotWidth) {
  const { axis } = viewport;
  const pixels = Math.round(plotWidth * devicePixelRatio);
  const covered = axis.states(viewport.from, viewport.to);
  const each = covered ? (covered[1] - covered[0] + 1) / pixels : 0;
  const lowest = viewport.isSpace ? '' : ', dotted at its lowest';
  const crowded = `, drawn at its highest${lowest}; zoom in to see tensors shorter than that`;
  const events = (/** @type {number} */ n) => (n < 10 ? String(Number(n.toFixed(1))) : count(n));
  if (axis.kind === 'time') {
    return `1 column = ${duration(viewport.width / pixels)}, about ${events(each)} events${each > 1 ? crowded : ''}`;
  }
  if (each > 1) return `1 column = ${events(each)} events${crowded}`;
  return each > 0.2 ? 'every event has its own column' : `1 event = ${count(plotWidth / viewport.width)} px`;
}
