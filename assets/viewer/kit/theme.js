// Light, dark, or what the system says. The inline script of the page's head
// has already chosen before the first paint.

import { listen } from './topic.js';

const KEY = 'memviz-theme';
/** @typedef {'light' | 'dark' | 'system'} Choice */
/** @type {Choice[]} */
const ORDER = ['light', 'dark', 'system'];

/** @param {Pick<import('../recording/state/stores.js').Stores, 'appearance'>} stores */
export function mountTheme({ appearance }) {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let choice = stored();
  const show = (/** @type {'light' | 'dark'} */ theme) => {
    const { dataset } = document.documentElement;
    if (dataset.theme === theme) return;
    dataset.theme = theme;
    appearance.readTheme();
  };
  const apply = () => show(choice === 'system' ? (system.matches ? 'dark' : 'light') : choice);
  listen(system, { change: apply });
  return {
    /** The theme of the page again, after paper. */
    apply,

    /** The theme of paper, which is not stored. */
    print: () => show('light'),

    /** The next of light, dark and system. */
    cycle() {
      choice = ORDER[(ORDER.indexOf(choice) + 1) % ORDER.length];
      try {
        localStorage.setItem(KEY, choice);
      } catch {
        /* a page without storage forgets */
      }
      apply();
    },

    /** For this page only. @param {'light' | 'dark'} theme */
    force(theme) {
      choice = theme;
      apply();
    },
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
