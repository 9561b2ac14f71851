// The tooltip: the tensor under the pointer, and what its line holds here on both sides.

import { bytes, share } from '../../kit/format.js';
import { fill, h, swatch } from '../../kit/dom.js';
import { placeTooltip } from '../../kit/tooltip.js';
import { on } from '../../kit/topic.js';
import { amountWords, changeWords } from '../data/words.js';

/** @param {import('../state/stores.js').Stores} stores @param {HTMLElement} root @param {HTMLElement} plot */
export function mountTooltip(stores, root, plot) {
  const { hover, shown, zoom } = stores;
  const render = () => {
    const { point } = hover;
    root.hidden = !point?.hit || zoom.isMoving;
    if (!point?.hit || root.hidden) return;
    fill(root, linesOf(stores, point.side, point.hit.id, point.states));
    placeTooltip(root, plot, point);
  };
  on([hover.changed, zoom.changed, shown.changed], render);
}

/**
 * @param {import('../state/stores.js').Stores} stores @param {number} side @param {number} id
 * @param {[number, number]} states
 */
function linesOf(stores, side, id, states) {
  const { pair, names, report } = stores;
  const { data, family, group, timeline } = pair.sides[side];
  const g = group[id];
  const known = g >= 0 ? names.of(g, 'site') : null;
  const f = report.families[family[id]];
  const total = timeline.active[states[side]];
  const sums = lineSums(pair, g, states);
  const [a, b] = sums.bytes;
  const amounts = ['before', 'after'].map((word, i) =>
    states[i] < 0 ? `nothing ${word}` : `${amountWords(sums, i)} ${word}`,
  );
  return [
    h(
      'div.first',
      swatch(stores.colourOf(family[id]).color),
      h('b', bytes(data.size[id])),
      h('span', f.one),
      h('span.id', side ? 'after' : 'before'),
    ),
    h('div', {
      class: known?.isNamed ? 'mono user' : 'user',
      text: known ? `${known.name}  ${known.location}` : 'no stack recorded',
    }),
    h('div', `this line here: ${amounts[0]},`),
    h('div', `${amounts[1]}${states.includes(-1) ? '' : `, ${changeWords(b - a)}`}`),
    h('div.faint', `${share(data.size[id], total)} of ${bytes(total)} ${side ? 'after' : 'before'}`),
  ];
}

/**
 * What a group holds in two states.
 * @param {import('../data/pair.js').Pair} pair @param {number} group @param {[number, number]} states
 */
function lineSums({ sides }, group, states) {
  /** @type {import('../data/rows.js').Sums} */
  const sums = { bytes: [0, 0], tensors: [0, 0], least: [Infinity, Infinity], most: [0, 0] };
  sides.forEach(({ timeline, data: { size }, group: of }, side) => {
    if (states[side] < 0) return;
    for (const id of timeline.live(states[side])) {
      if (of[id] !== group) continue;
      sums.bytes[side] += size[id];
      sums.tensors[side]++;
      sums.least[side] = Math.min(sums.least[side], size[id]);
      sums.most[side] = Math.max(sums.most[side], size[id]);
    }
  });
  return sums;
}
