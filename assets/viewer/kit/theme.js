// Light, dark, or what the system says. The inline script of the page's head
// has already chosen before the first paint.

import { byId } from './dom.js';
import { asked } from './hash.js';
import { listen } from './topic.js';

const KEY = 'memviz-theme';
/** @typedef {'light' | 'dark' | 'system'} Choice */
/** @type {Choice[]} */
const ORDER = ['light', 'dark', 'system'];

/** @typedef {ReturnType<typeof mountTheme>} Theme */

/** @param {() => void} readTheme follows when the style sheet has another theme */
export function mountTheme(readTheme) {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const forced = asked('theme'); // for this page only
  let choice = forced === 'light' || forced === 'dark' ? forced : stored();
  const show = (/** @type {'light' | 'dark'} */ theme) => {
    const { dataset } = document.documentElement;
    if (dataset.theme === theme) return;
    dataset.theme = theme;
    readTheme();
  };
  const apply = () => show(choice === 'system' ? (system.matches ? 'dark' : 'light') : choice);
  /** The next of light, dark and system. */
  const cycle = () => {
    choice = ORDER[(ORDER.indexOf(choice) + 1) % ORDER.length];
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      /* a page without storage forgets */
    }
    apply();
  };

  listen(system, { change: apply });
  listen(byId('theme'), { click: cycle });
  apply();
  return {
    cycle,

    /** The theme of the page again, after paper. */
    apply,

    /** The theme of paper, which is not stored. */
    print: () => show('light'),
  };
}

/** @returns {Choice} */
function stored() {
  try {
    const choice = localStorage.getItem(KEY);
    if (choice === 'light' || choice === 'dark') return choice;
  } catch {
    /* no storage here */
  }
  return 'system';
}
