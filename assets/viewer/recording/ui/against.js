// The card of moment A: what the panel's moment holds more or less than that one, by call site.

import { differences } from '../data/breakdown.js';
import { bytes, change, count, counted, exactBytes } from '../../kit/format.js';
import { jump } from '../state/navigate.js';
import { button, h, signButton } from '../../kit/dom.js';

/** The most call sites that are listed. */
const LISTED = 6;

/** The button that makes the panel's moment A, or takes it back. @param {import('../state/stores.js').Stores} stores */
export function momentAButton({ moment }) {
  const title = 'Compare with this moment: the next ones show what they hold more or less (B)';
  const label = 'Compare with this moment';
  return button('A', title, () => moment.markA(), { pressed: moment.a !== null, label });
}

/** @param {import('../state/stores.js').Stores} stores */
export function againstCard(stores) {
  const { shown, moment } = stores;
  const { a, state } = moment;
  const { device } = shown;
  if (a === null || !device.hasHistory) return null;
  const { active } = device.timeline;
  const number = (/** @type {number} */ n) => h('span.number', { text: change(n), title: exactBytes(n) });
  const head = [
    h('b', state === a ? 'This is moment A' : 'Against moment A'),
    h('span.actions', signButton('×', 'No moment A', 'B', () => moment.markA())),
  ];
  if (state === a) return h('div.card.against', head, h('p', 'Go to another one, or to another step, to compare it.'));
  const rows = differences(device, state, a);
  const rest = rows.slice(LISTED);
  return h(
    'div.card.against',
    head,
    h('span', `state ${count(state)} against ${count(a)}`),
    number(active[state] - active[a]),
    rows
      .slice(0, LISTED)
      .map((row) => [
        button(`${row.name} ${row.location}`, 'Pins its largest tensor', () => jump(stores, row.largest), {
          class: 'to',
        }),
        number(row.bytes),
      ]),
    rest.length > 0 && [
      h('span.faint', counted(rest.length, 'more call site')),
      h('span.number.faint', { text: change(rest.reduce((sum, row) => sum + row.bytes, 0)) }),
    ],
    rows.length === 0 && h('p', `Every call site holds the same: ${bytes(active[state])}.`),
  );
}
