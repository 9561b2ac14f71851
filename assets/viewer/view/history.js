// The views that were settled on, to go back and forward between.

/** Views kept. */
const MOST = 100;

export class ViewHistory {
  /** @param {import('../app.js').App} app */
  constructor(app) {
    this.app = app;
    /** @type {{axis: 'events' | 'time', view: import('./viewport.js').View, range: import('../data/range.js').Range | null, alone: boolean}[]} */
    this.views = [];
    this.at = -1;
    app.on(['device'], () => {
      this.views = [];
      this.at = -1;
      this.#keep();
    });
    app.on(['settled'], () => this.#keep());
  }

  get canBack() {
    return this.at > 0;
  }
  get canForward() {
    return this.at < this.views.length - 1;
  }

  back() {
    this.#go(this.at - 1);
  }
  forward() {
    this.#go(this.at + 1);
  }

  /** @param {number} i */
  #go(i) {
    const entry = this.views[i];
    if (!entry) return;
    this.at = i;
    const { app } = this;
    if (entry.range !== app.range || entry.alone !== (app.alone !== null)) app.setRange(entry.range, entry.alone);
    this.app.setAxis(entry.axis);
    this.app.viewport.restore(entry.view);
    this.app.settle();
  }

  #keep() {
    const { viewport, range, alone } = this.app;
    const entry = { axis: viewport.axis.kind, view: viewport.view, range, alone: alone !== null };
    const now = this.views[this.at];
    if (
      now &&
      now.axis === entry.axis &&
      now.range === range &&
      now.alone === entry.alone &&
      now.view.from === entry.view.from &&
      now.view.to === entry.view.to &&
      now.view.low === entry.view.low &&
      now.view.high === entry.view.high
    )
      return;
    this.views = [...this.views.slice(Math.max(0, this.at + 1 - MOST), this.at + 1), entry];
    this.at = this.views.length - 1;
  }
}
