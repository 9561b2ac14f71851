// Keyboard: what each key does, and the list of them.

import { mountKeys } from '../../kit/keys.js';
import { followAnswer } from '../../kit/strip.js';
import { momentsOf } from '../state/moments.js';

/**
 * @param {import('../state/stores.js').Stores} stores
 * @param {{swap: () => void, find: {focus: () => void}, theme: import('../../kit/theme.js').Theme}} actions
 * @returns {import('../../kit/keys.js').KeyGroups}
 */
function bindings(stores, { swap, find, theme }) {
  const { choice, zoom, shown } = stores;
  const to = (/** @type {1 | -1} */ by) => {
    const moments = momentsOf(shown.pair);
    const at = moments.findIndex(({ key }) => key === choice.now.at);
    const next = moments[(at + by + moments.length) % moments.length];
    if (next) choice.set({ at: next.key });
  };
  return [
    [
      'Compare at',
      [
        ['P', 'the peaks', 'p', () => choice.set({ at: 'peak' })],
        ['E', 'the end', 'e', () => choice.set({ at: 'end' })],
        ['[ ]', 'moment before, after', '[ ]', ({ key }) => to(key === '[' ? -1 : 1)],
        ['click', 'a point of the picture, or a phase'],
        ['Shift drag', 'the highest states of a range'],
        ['1 2 3 4', 'the four answers', '1 2 3 4', ({ key }) => followAnswer(key)],
      ],
    ],
    [
      'Move',
      [
        ['wheel', 'zoom at the pointer'],
        ['drag', 'pan'],
        [
          '← →',
          'pan; with Shift by the whole view',
          'ArrowLeft ArrowRight',
          (e) => zoom.pan((e.key === 'ArrowLeft' ? -1 : 1) * zoom.width * (e.shiftKey ? 1 : 0.25)),
        ],
        ['+ −', 'zoom', '+ = -', ({ key }) => zoom.zoom(key === '-' ? 2 : 0.5, zoom.middle)],
        ['0', 'all of both recordings', '0', () => zoom.whole()],
      ],
    ],
    [
      'Show',
      [
        [
          'V',
          'both piles, or after over before',
          'v',
          () => choice.set({ view: choice.now.view === 'both' ? 'after' : 'both' }),
        ],
        [
          'A',
          'aligned by phase or by event',
          'a',
          () => shown.pair.hasPhases && choice.set({ by: choice.now.by === 'phase' ? 'event' : 'phase' }),
        ],
        [
          'X',
          'spread by events or by time',
          'x',
          () => shown.pair.hasTime && choice.set({ unit: choice.now.unit === 'events' ? 'time' : 'events' }),
        ],
        ['S', 'swap before and after', 's', swap],
        ['T', 'light, dark, system', 't', () => theme.cycle()],
      ],
    ],
    [
      'Find',
      [
        ['/', 'search', '/', () => find.focus()],
        ['Esc', 'take back, innermost first', 'Escape', () => choice.takeBack() || zoom.whole()],
      ],
    ],
  ];
}

/** @param {import('../state/stores.js').Stores} stores @param {Parameters<typeof bindings>[1]} actions */
export function bindKeys(stores, actions) {
  mountKeys(bindings(stores, actions), { isOff: () => !stores.shown.isOpen });
}
