// Lights a part in the plot while the pointer rests on its row or cell.

import { glance } from '../state/light.js';

/** Milliseconds of rest before, so that a pointer on its way repaints nothing. */
const REST_MS = 120;

export class Glance {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    this.timer = 0;
    this.wanted = '';
  }

  /** @param {import('../data/breakdown.js').Part | null} part null: the pointer is elsewhere */
  at(part) {
    const wanted = part ? part.by + part.key : '';
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => glance(this.app, part), REST_MS);
  }

  /** Forgets what the pointer rests on. */
  drop() {
    clearTimeout(this.timer);
    glance(this.app, null);
  }
}
