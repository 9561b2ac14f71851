// The views that were settled on, to go back and forward between.

import { setRange } from '../state/range.js';

/** Views kept. */
const MOST = 100;

/** @typedef {{axis: 'events' | 'time', view: import('./viewport.js').View, range: import('../data/range.js').Range | null, alone: boolean}} Entry */

export class ViewHistory {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** @type {Entry[]} */
    this.views = [];
    this.at = -1;
    app.on(['device'], () => {
      this.views = [];
      this.at = -1;
      this.keep();
    });
    app.on(['settled'], () => this.keep());
  }

  get canBack() {
    return this.at > 0;
  }
  get canForward() {
    return this.at < this.views.length - 1;
  }

  back() {
    this.#go(-1);
  }
  forward() {
    this.#go(1);
  }

  /** @param {-1 | 1} by */
  #go(by) {
    if (this.app.moving) this.keep(); // a view left in haste is one to come back to as well
    const entry = this.views[this.at + by];
    if (!entry) return;
    this.at += by;
    const { app } = this;
    if (entry.range !== app.range || entry.alone !== (app.alone !== null)) setRange(app, entry.range, entry.alone);
    this.app.setAxis(entry.axis);
    this.app.viewport.restore(entry.view);
    this.app.settle();
  }

  /** Makes the view shown an entry, where it is another one than the last. */
  keep() {
    const { viewport, range, alone } = this.app;
    const entry = { axis: viewport.axis.kind, view: viewport.view, range, alone: alone !== null };
    const now = this.views[this.at];
    if (now && traits(now).every((v, i) => v === traits(entry)[i])) return;
    this.views = [...this.views.slice(Math.max(0, this.at + 1 - MOST), this.at + 1), entry];
    this.at = this.views.length - 1;
  }
}

/** What makes two views different. @param {Entry} entry */
function traits({ axis, range, alone, view: { from, to, low, high } }) {
  return [axis, range, alone, from, to, low, high];
}
