// The status line: the states under the pointer or of the moment, and how to read a column.

import { bytes, count } from '../../kit/format.js';
import { fill, h } from '../../kit/dom.js';
import { changeWords } from '../data/words.js';

/** @param {import('../state/stores.js').Stores} stores @param {HTMLElement} where @param {HTMLElement} scale */
export function mountStatus(stores, where, scale) {
  const { shown, hover, choice } = stores;
  const render = () => {
    if (!shown.isOpen) return;
    const { pair } = shown;
    const states = hover.point?.states ?? stores.states;
    const totals = pair.sides.map(({ timeline }, side) => (states[side] < 0 ? null : timeline.active[states[side]]));
    const item = (/** @type {string} */ name, /** @type {string} */ value) => h('span', `${name} `, h('b', value));
    const [a, b] = totals;
    fill(
      where,
      ['before', 'after'].flatMap((word, side) => [
        item(`${word}: state`, states[side] < 0 ? '–' : count(states[side])),
        item('active', totals[side] === null ? '–' : bytes(totals[side])),
      ]),
      a !== null && b !== null && item('difference', changeWords(b - a)),
    );
    const { by, unit } = choice.now;
    scale.textContent = !pair.hasHistory
      ? 'one of the two has no history of events'
      : by === 'phase'
        ? `phases have their mean share of ${unit === 'time' ? 'the time' : 'events'}, stretched evenly inside`
        : 'both from the first event to the last';
  };
  shown.changed.on(render);
  hover.changed.on(render);
  choice.changed.on(render);
}
