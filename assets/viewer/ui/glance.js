// Lights a part in the plot while the pointer rests on its row or cell.

import { glance } from '../state/light.js';

/** Milliseconds of rest before, so that a pointer on its way repaints nothing. */
const REST_MS = 120;

/** @param {import('../app.js').App} app */
export function makeGlance(app) {
  let timer = 0;
  let wanted = '';
  return {
    /** @param {import('../data/breakdown.js').Part | null} part null: the pointer is elsewhere */
    at(part) {
      const next = part ? part.by + part.key : '';
      if (next === wanted) return;
      wanted = next;
      clearTimeout(timer);
      timer = setTimeout(() => glance(app, part), REST_MS);
    },

    /** Forgets what the pointer rests on. */
    drop() {
      clearTimeout(timer);
      glance(app, null);
    },
  };
}
