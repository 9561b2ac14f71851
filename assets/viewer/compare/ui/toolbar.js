// The tools: what is shown, how the recordings are aligned, at which moment they are
// compared; and the search box.

import { bytes, counted } from '../../kit/format.js';
import { listen } from '../../kit/topic.js';
import { choice, field, fill, h, segmented } from '../../kit/dom.js';
import { changeWords } from '../data/words.js';
import { momentsOf, runOf, runWords } from '../state/moments.js';

/** From so many moments on, steps are in a list. */
const MANY = 7;

/** How long typing must pause before a search. */
const PAUSE_MS = 120;

/** @typedef {import('../state/stores.js').Stores} Stores */

/** @param {Stores} stores @param {HTMLElement} root */
export function mountToolbar(stores, root) {
  const { shown, choice } = stores;
  const render = () => {
    if (!shown.isOpen) return;
    const { pair } = shown;
    const { view, by, unit, at } = choice.now;
    const one = (
      /** @type {string} */ text,
      /** @type {boolean} */ pressed,
      /** @type {() => void} */ click,
      title = '',
      disabled = false,
    ) => h('button', { text, pressed, click, title, disabled });
    const group = (/** @type {string} */ label, /** @type {import('../../kit/dom.js').Leaf[]} */ ...buttons) =>
      h('span.group', h('span.label', label), segmented(label, ...buttons));
    fill(
      root,
      group(
        'Show',
        one('Both', view === 'both', () => choice.set({ view: 'both' }), 'Both piles, on one scale (V)'),
        one(
          'After over before',
          view === 'after',
          () => choice.set({ view: 'after' }),
          'The pile after with the total of before (V)',
        ),
      ),
      pair.hasHistory &&
        group(
          'Aligned by',
          one(
            'Phase',
            by === 'phase',
            () => choice.set({ by: 'phase' }),
            pair.hasPhases ? '' : 'The phases of one are not known',
            !pair.hasPhases,
          ),
          one('Event', by === 'event', () => choice.set({ by: 'event' }), 'Both from the first event to the last'),
        ),
      pair.hasHistory &&
        pair.hasTime &&
        group(
          'Spread by',
          one(
            'Events',
            unit === 'events',
            () => choice.set({ unit: 'events' }),
            'Events of a phase are equally wide (X)',
          ),
          one('Time', unit === 'time', () => choice.set({ unit: 'time' }), 'By how long they took (X)'),
        ),
      moments(stores, at, one),
    );
  };
  shown.changed.on(render);
  choice.changed.on(render);
}

/**
 * @param {Stores} stores @param {string} at
 * @param {(text: string, pressed: boolean, click: () => void, title?: string) => HTMLElement} one
 */
function moments({ shown: { pair }, choice }, at, one) {
  const list = momentsOf(pair);
  const inList = list.length > MANY ? list.filter(({ key }) => key.startsWith('step:')) : [];
  const go = (/** @type {string} */ key) => () => choice.set({ at: key });
  const buttons = list.filter((m) => !inList.includes(m)).map(({ key, label }) => one(label, at === key, go(key)));
  if (choice.now.range) buttons.push(one('Range', at === 'range', go('range')));
  if (choice.now.cursor) buttons.push(one('Cursor', at === 'cursor', go('cursor')));
  if (runOf(pair, at)) buttons.push(one(runWords(pair, at), true, () => {}));
  if (at === 'reserved') buttons.push(one('Most reserved', true, () => {}));
  return h(
    'span.group',
    h('span.label', 'Compare at'),
    segmented('Compare at', ...buttons),
    inList.length > 0 && steps(inList, at, go),
  );
}

/** @param {{key: string, label: string}[]} list @param {string} at @param {(key: string) => () => void} go */
function steps(list, at, go) {
  const options = [{ key: '', label: 'step …' }, ...list].map(({ key, label }) => ({ text: label, value: key }));
  return choice('Step', options, list.some(({ key }) => key === at) ? at : '', (key) => key && go(key)());
}

/** @param {Stores} stores @param {HTMLElement} root */
export function mountFind(stores, root) {
  const { shown, choice } = stores;
  let timer = 0;
  const ask = () => {
    clearTimeout(timer);
    timer = 0;
    const query = input.value.trim();
    if (query !== choice.now.query) choice.set({ query, ...(query && { row: null, family: null }) });
  };
  const input = listen(field('Find', 'Find function, file, operator'), {
    input() {
      clearTimeout(timer);
      timer = window.setTimeout(ask, PAUSE_MS);
    },
    keydown({ key }) {
      if (key === 'Escape') {
        input.value = '';
        input.blur();
      } else if (key === 'Enter') ask();
    },
    blur: ask,
  });
  const words = h('output');
  root.append(h('label.box', h('span.faint', '⌕'), input, words, h('kbd', '/')));
  const update = () => {
    if (!shown.isOpen) return;
    const { query } = choice.now;
    if (timer === 0) input.value = query;
    const { picked, difference } = stores;
    const found = query && picked ? picked.flatMap((is, group) => (is ? [difference.groups[group]] : [])) : [];
    const [a, b] = [0, 1].map((side) => found.reduce((sum, { bytes: n }) => sum + n[side], 0));
    words.textContent = !query
      ? ''
      : found.length === 0
        ? 'nothing found'
        : `${counted(found.length, 'line')}, ${changeWords(b - a)}`;
    words.title = query && found.length > 0 ? `${bytes(a)} before, ${bytes(b)} after` : '';
  };
  shown.changed.on(update);
  choice.changed.on(update);
  return {
    focus() {
      input.focus();
      input.select();
    },
  };
}
