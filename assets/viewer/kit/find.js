// The search box of a page, and beside it how much it finds.

import { field, h } from './dom.js';
import { listen } from './topic.js';

/** How long typing must pause before a search. */
const PAUSE_MS = 120;

/**
 * @param {string} label @param {string} placeholder
 * @param {(query: string) => void} search
 * @param {(by: 1 | -1) => void} [toMatch] Enter goes to the next match, with Shift to the one before
 */
export function searchBox(label, placeholder, search, toMatch = () => {}) {
  let timer = 0;
  const ask = () => {
    clearTimeout(timer);
    timer = 0;
    search(input.value);
  };
  const input = listen(field(label, placeholder), {
    input() {
      clearTimeout(timer);
      timer = setTimeout(ask, PAUSE_MS);
    },
    keydown({ key, shiftKey }) {
      if (key === 'Enter') {
        ask();
        toMatch(shiftKey ? -1 : 1);
      } else if (key === 'Escape') input.blur();
    },
    blur: ask,
  });
  const words = h('output');
  return {
    words,
    ask,

    /** @param {...HTMLElement} others beside the words */
    element: (...others) => h('label.box', h('span.faint', '⌕'), input, words, ...others, h('kbd', '/')),

    /** Shows what is searched for, unless more is being typed. @param {string} query */
    show(query) {
      if (timer === 0) input.value = query;
    },

    focus() {
      input.focus();
      input.select();
    },
  };
}
