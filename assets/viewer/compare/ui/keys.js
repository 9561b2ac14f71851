// Keyboard: what each key does, and the list of them.

import { listen } from '../../kit/topic.js';
import { fillKeyList, runsByKey } from '../../kit/keys.js';
import { momentsOf } from '../state/moments.js';

/**
 * @typedef {object} Actions
 * @property {import('../state/stores.js').Stores} stores
 * @property {() => void} swap
 * @property {{focus: () => void}} find
 * @property {{cycle: () => void}} theme
 * @property {HTMLDialogElement} list
 * @property {HTMLElement} guide
 */

/** @param {Actions} actions @returns {import('../../kit/keys.js').KeyGroups} */
function bindings({ stores, swap, find, theme, list, guide }) {
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
        ['1 2 3 4', 'the four answers', '1 2 3 4', ({ key }) => answer(key)],
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
        [
          'Esc',
          'take back, innermost first',
          'Escape',
          () => {
            if (guide.hidden && !choice.takeBack()) zoom.whole();
            guide.hidden = true;
          },
        ],
      ],
    ],
    [
      'Help',
      [
        ['?', 'this list', '?', () => list.showModal()],
        ['W', 'how to read this', 'w', () => void (guide.hidden = !guide.hidden)],
      ],
    ],
  ];
}

/** @param {Actions} actions */
export function mountKeys(actions) {
  const { stores, list } = actions;
  const groups = bindings(actions);
  const runs = runsByKey(groups);
  listen(window, {
    keydown(event) {
      const { target } = event;
      const isTyping = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
      if (event.defaultPrevented || !stores.shown.isOpen || list.open || isTyping) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const run = runs.get(event.key) ?? runs.get(event.key.toLowerCase());
      if (!run) return;
      event.preventDefault();
      run(event);
    },
  });
  fillKeyList(list, groups);
}

/** @param {string} n */
function answer(n) {
  const element = document.querySelector(`#answers > :nth-child(${n})`);
  if (element instanceof HTMLButtonElement) element.click();
}
