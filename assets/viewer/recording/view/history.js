// The views that have settled, to go back and forward between.

import { showAxis } from '../state/navigate.js';

/** The most views that are kept. */
const MOST = 100;

/** @typedef {ReturnType<typeof mountHistory>} ViewHistory */
/**
 * @typedef {object} Entry
 * @property {'events' | 'time'} axis
 * @property {import('../state/viewport.js').Kept} view
 * @property {import('../../data/range.js').Range | null} range
 * @property {boolean} keptOnly
 */

/** @param {import('../state/stores.js').Stores} stores */
export function mountHistory(stores) {
  const { shown, viewport, selection } = stores;
  /** @type {Entry[]} */
  let views = [];
  let at = -1;

  /** Adds what is in view, unless it is that already. */
  const keep = () => {
    const { range, keptOnly } = selection;
    const entry = { axis: viewport.axis.kind, view: viewport.kept, range, keptOnly };
    const now = views[at];
    if (now && traits(now).every((v, i) => v === traits(entry)[i])) return;
    views = [...views.slice(Math.max(0, at + 1 - MOST), at + 1), entry];
    at = views.length - 1;
  };

  /** @param {-1 | 1} by */
  const go = (by) => {
    if (viewport.isMoving) keep(); // a view left in haste is one to come back to as well
    const entry = views[at + by];
    if (!entry) return;
    at += by;
    const { range, keptOnly } = entry;
    if (range !== selection.range || keptOnly !== selection.keptOnly) selection.selectRange(range, keptOnly);
    showAxis(stores, entry.axis);
    viewport.restore(entry.view);
    viewport.settle();
  };

  shown.changed.on(() => {
    views = [];
    at = -1;
    keep();
  });
  viewport.settled.on(keep);
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
function traits({ axis, range, keptOnly, view: { from, to, low, high, space } }) {
  return [axis, range, keptOnly, from, to, low, high, space.low, space.high];
}
