// The tools: what is shown, how the recordings are aligned, at which moment they are
// compared; and the search box.

import { bytes, counted } from '../../kit/format.js';
import { searchBox } from '../../kit/find.js';
import { choosers } from '../../kit/toolbar.js';
import { on } from '../../kit/topic.js';
import { choice as choiceList, fill, h, segmented } from '../../kit/dom.js';
import { changeWords } from '../data/words.js';
import { momentsOf, runOf, runWords } from '../state/moments.js';

/** With more moments than this, steps are in a list. */
const MANY = 7;

/** @typedef {import('../state/stores.js').Stores} Stores */

/** @param {Stores} stores @param {HTMLElement} root */
export function mountToolbar(stores, root) {
  const { shown, choice } = stores;
  const render = () => {
    if (!shown.isOpen) return;
    const { pair } = shown;
    const one = choosers(choice.now, (to) => choice.set(to));
    const group = (/** @type {string} */ label, /** @type {import('../../kit/dom.js').Leaf[]} */ ...buttons) =>
      h('span.group', h('span.label', label), segmented(label, ...buttons));
    fill(
      root,
      group(
        'Show',
        one('Both', { view: 'both' }, 'Both piles, on one scale (V)'),
        one('After over before', { view: 'after' }, 'The pile after with the total of before (V)'),
      ),
      pair.hasHistory &&
        group(
          'Aligned by',
          one('Phase', { by: 'phase' }, pair.hasPhases ? '' : 'The phases of one are not known', !pair.hasPhases),
          one('Event', { by: 'event' }, 'Both from the first event to the last'),
        ),
      pair.hasHistory &&
        pair.hasTime &&
        group(
          'Spread by',
          one('Events', { unit: 'events' }, 'Events of a phase are equally wide (X)'),
          one('Time', { unit: 'time' }, 'By how long they took (X)'),
        ),
      moments(stores, (text, at) => one(text, { at })),
    );
  };
  on([shown.changed, choice.changed], render);
}

/**
 * @param {Stores} stores
 * @param {(text: string, at: string) => HTMLElement} one a button that leads to a moment
 */
function moments({ shown: { pair }, choice }, one) {
  const { at, range, cursor } = choice.now;
  const list = momentsOf(pair);
  const inList = list.length > MANY ? list.filter(({ key }) => key.startsWith('step:')) : [];
  const buttons = list.filter((m) => !inList.includes(m)).map(({ key, label }) => one(label, key));
  if (range) buttons.push(one('Range', 'range'));
  if (cursor) buttons.push(one('Cursor', 'cursor'));
  if (runOf(pair, at)) buttons.push(one(runWords(pair, at), at));
  if (at === 'reserved') buttons.push(one('Most reserved', at));
  return h(
    'span.group',
    h('span.label', 'Compare at'),
    segmented('Compare at', ...buttons),
    inList.length > 0 && steps(inList, at, (key) => choice.set({ at: key })),
  );
}

/** @param {{key: string, label: string}[]} list @param {string} at @param {(key: string) => void} go */
function steps(list, at, go) {
  const options = [{ key: '', label: 'step …' }, ...list].map(({ key, label }) => ({ text: label, value: key }));
  return choiceList('Step', options, list.some(({ key }) => key === at) ? at : '', (key) => key && go(key));
}

/** @param {Stores} stores @param {HTMLElement} root */
export function mountFind(stores, root) {
  const { shown, choice } = stores;
  const search = searchBox('Find', 'Find function, file, operator', (text) => {
    const query = text.trim();
    if (query !== choice.now.query) choice.set({ query, ...(query && { row: null, family: null }) });
  });
  root.append(search.element());
  on([shown.changed, choice.changed], () => {
    if (!shown.isOpen) return;
    const { query } = choice.now;
    search.show(query);
    const { picked, difference } = stores;
    const found = query && picked ? picked.flatMap((is, group) => (is ? [difference.groups[group]] : [])) : [];
    const [a, b] = [0, 1].map((side) => found.reduce((sum, { bytes: n }) => sum + n[side], 0));
    const lines = found.length > 0 ? `${counted(found.length, 'line')}, ${changeWords(b - a)}` : 'nothing found';
    search.words.textContent = query && lines;
    search.words.title = found.length > 0 ? `${bytes(a)} before, ${bytes(b)} after` : '';
  });
  return search;
}
