// The top of the side panel: the moment, both totals, and the change of each family.

import { bytes, count } from '../../kit/format.js';
import { fill, h, swatch } from '../../kit/dom.js';
import { changeWords, fromTo, momentWords } from '../data/words.js';
import { runWords } from '../state/moments.js';

/** @param {import('../state/stores.js').Stores} stores @param {HTMLElement} root */
export function mountPanel(stores, root) {
  const { shown, choice, look, zoom } = stores;
  const render = () => {
    if (!shown.isOpen) return;
    const { difference, pair } = stores;
    const { at } = choice.now;
    const [a, b] = difference.bytes;
    fill(
      root,
      h('div.head', h('h2', 'What changed'), h('span.faint', momentWords(runWords(pair, at) || at))),
      h(
        'div.total',
        h('b', changeWords(b - a)),
        h('span', { text: fromTo([a, b]), title: `${count(a)} → ${count(b)} bytes` }),
        h(
          'p.faint',
          pair.hasAnyHistory
            ? `state ${count(difference.states[0])} before, state ${count(difference.states[1])} after`
            : 'in the state that was saved',
        ),
        at === 'reserved' && cache(stores),
      ),
      families(stores),
    );
  };
  shown.changed.on(render);
  choice.changed.on(render);
  look.changed.on(render);
  zoom.settled.on(() => choice.now.at === 'range' && render());
}

/** Reserved memory in the states that are compared. @param {import('../state/stores.js').Stores} stores */
function cache({ pair, states }) {
  const row = (/** @type {string} */ name, /** @type {number[]} */ [a, b]) =>
    h(
      'tr',
      h('td', name),
      h('td.number', bytes(a)),
      h('td.number', bytes(b)),
      h('td.number', h('b', changeWords(b - a))),
    );
  const at = (/** @type {(side: number) => number} */ value) => [value(0), value(1)];
  const reserved = at((side) => pair.sides[side].timeline.reservedAt(states[side]));
  const active = at((side) => pair.sides[side].timeline.active[states[side]]);
  const { detail } = pair.answers.find(({ key }) => key === 'cache') ?? { detail: '' };
  return h(
    'div.cache',
    h(
      'table',
      row('reserved', reserved),
      row('active', active),
      row('not active', [reserved[0] - active[0], reserved[1] - active[1]]),
    ),
    detail && h('p.faint', detail),
  );
}

/** @param {import('../state/stores.js').Stores} stores */
function families(stores) {
  const { difference, report, choice } = stores;
  const rows = difference.families
    .flatMap(([a, b], family) => (a || b ? [{ family, a, b }] : []))
    .sort((x, y) => Math.abs(y.b - y.a) - Math.abs(x.b - x.a) || x.family - y.family);
  const picked = choice.now.family;
  // Of host memory it is not known what it is for.
  if (rows.length === 1 && report.families[rows[0].family].key === 'unknown') return null;
  return h(
    'div.families',
    { role: 'group', label: 'Families' },
    h(
      'div.family.columns',
      h('span'),
      h('span', 'family'),
      h('span.number', 'before'),
      h('span.number', 'after'),
      h('span.number', 'change'),
    ),
    rows.map(({ family, a, b }) =>
      h(
        'button',
        {
          class: `family${picked !== null && picked !== family ? ' faded' : ''}`,
          pressed: picked === family,
          title: 'Its tensors alone in both piles',
          click: () => choice.pickFamily(family),
        },
        swatch(stores.colourOf(family).color),
        h('span.name', report.families[family].label),
        h('span.number', bytes(a)),
        h('span.number', bytes(b)),
        h('b.number', { text: changeWords(b - a), title: `${count(b - a)} bytes` }),
      ),
    ),
  );
}
