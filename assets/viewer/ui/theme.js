// Light, dark, or what the system says. The inline script of the page's head
// has already chosen before the first paint.

import { themeChanged } from '../state/colour.js';

const KEY = 'memviz-theme';
/** @typedef {'light' | 'dark' | 'system'} Choice */
/** @type {Choice[]} */
const ORDER = ['light', 'dark', 'system'];

export class Theme {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    this.system = matchMedia('(prefers-color-scheme: dark)');
    this.system.addEventListener('change', () => {
      if (this.choice === 'system') this.#apply();
    });
    /** @type {Choice} */
    this.choice = this.#stored();
    addEventListener('beforeprint', () => this.#set('light'));
    addEventListener('afterprint', () => this.#apply());
  }

  /** The next of light, dark and system. */
  cycle() {
    this.choice = ORDER[(ORDER.indexOf(this.choice) + 1) % ORDER.length];
    try {
      localStorage.setItem(KEY, this.choice);
    } catch {
      /* a page without storage forgets */
    }
    this.#apply();
  }

  /** For this page only. @param {'light' | 'dark'} theme */
  force(theme) {
    this.choice = theme;
    this.#apply();
  }

  #apply() {
    this.#set(this.choice === 'system' ? (this.system.matches ? 'dark' : 'light') : this.choice);
  }

  /** @param {'light' | 'dark'} theme */
  #set(theme) {
    if (document.documentElement.dataset.theme === theme) return;
    document.documentElement.dataset.theme = theme;
    themeChanged(this.app);
  }

  /** @returns {Choice} */
  #stored() {
    try {
      const stored = localStorage.getItem(KEY);
      if (stored === 'light' || stored === 'dark') return stored;
    } catch {
      /* no storage here */
    }
    return 'system';
  }
}
