// The views that were settled on, to go back and forward between.

import { setRange } from '../state/range.js';

/** Views kept. */
const MOST = 100;

/** @typedef {import('../app.js').App} App @typedef {ReturnType<typeof mountHistory>} ViewHistory */
/** @typedef {{axis: 'events' | 'time', view: import('./viewport.js').View, range: import('../data/range.js').Range | null, alone: boolean}} Entry */

/** @param {App} app */
export function mountHistory(app) {
  /** @type {Entry[]} */
  let views = [];
  let at = -1;

  /** Makes the view shown an entry, where it is another one than the last. */
  const keep = () => {
    const { viewport, range, alone } = app;
    const entry = { axis: viewport.axis.kind, view: viewport.view, range, alone: alone !== null };
    const now = views[at];
    if (now && traits(now).every((v, i) => v === traits(entry)[i])) return;
    views = [...views.slice(Math.max(0, at + 1 - MOST), at + 1), entry];
    at = views.length - 1;
  };

  /** @param {-1 | 1} by */
  const go = (by) => {
    if (app.moving) keep(); // a view left in haste is one to come back to as well
    const entry = views[at + by];
    if (!entry) return;
    at += by;
    if (entry.range !== app.range || entry.alone !== (app.alone !== null)) setRange(app, entry.range, entry.alone);
    app.setAxis(entry.axis);
    app.viewport.restore(entry.view);
    app.settle();
  };

  app.on(['device'], () => {
    views = [];
    at = -1;
    keep();
  });
  app.on(['settled'], keep);
  return {
    keep,
    back: () => go(-1),
    forward: () => go(1),
    get canBack() {
      return at > 0;
    },
    get canForward() {
      return at < views.length - 1;
    },
  };
}

/** What makes two views different. @param {Entry} entry */
function traits({ axis, range, alone, view: { from, to, low, high } }) {
  return [axis, range, alone, from, to, low, high];
}
