// What the hash of the address holds:
//
//   d      the pair of devices: its position
//   s      1: before and after are swapped
//   v      after: the pile of after alone
//   by     phase or event
//   u      time: states are spread by time
//   x      FROM-TO: what is in view, in millionths of the axis
//   at     moment: peak, end, a phase, step:N, run:N of the lane, reserved, range, or BEFORE,AFTER in states
//   r      FROM-TO: range brushed, in millionths of the axis
//   tab    what rows are: site, file, function; or lines
//   sel    BY:KEY of the row that is picked out
//   fam    key of the family that is
//   q      text of the search box

import { asked, mountHash } from '../../kit/hash.js';
import { runOf } from '../state/moments.js';

const MILLION = 1e6;

/** @type {import('../state/choice.js').Tab[]} */
const TABS = ['site', 'file', 'function', 'lines'];

/** @typedef {import('../state/stores.js').Stores} Stores */

/**
 * @param {Stores} stores @param {number} start the pair that is shown at first
 * @param {(index: number, swapped: boolean) => Promise<void>} open
 */
export function mountCompareHash(stores, start, open) {
  const { shown, choice, zoom, report } = stores;

  /** The pair that the address names. */
  const pairAsked = () => {
    const index = numberOf(asked('d'));
    return { index: index < 0 ? start : index, isSwapped: asked('s') === '1' };
  };

  /** Shows what the address asks for of the open pair. */
  const show = () => {
    const { pair } = shown;
    const { start } = choice;
    const pairOf = (/** @type {string | null} */ text) => {
      const [, a, b] = /^(\d{1,7})-(\d{1,7})$/.exec(text ?? '') ?? [];
      const both = /** @type {[number, number]} */ ([Number(a) / MILLION, Number(b) / MILLION]);
      return a && both[0] < both[1] && both[1] <= 1 ? both : null;
    };
    const at = asked('at') ?? '';
    const states = /^(\d{1,15}),(\d{1,15})$/.exec(at)?.slice(1).map(Number);
    const cursor = states?.every((k, side) => k <= pair.sides[side].timeline.lastState)
      ? /** @type {[number, number]} */ (states)
      : null;
    const range = pairOf(asked('r'));
    const known =
      at === 'reserved' || (at === 'range' && range) || runOf(pair, at) || pair.moments.some(({ key }) => key === at);
    const by = asked('by');
    const tab = TABS.find((t) => t === asked('tab'));
    const [, rowBy, key] = /^(site|file|function):([^]+)$/.exec(asked('sel') ?? '') ?? [];
    const family = report.families.findIndex((f) => f.key === asked('fam'));
    choice.set({
      ...start,
      at: cursor ? 'cursor' : known ? at : start.at,
      cursor,
      range,
      by: by === 'event' || (by === 'phase' && pair.hasPhases) ? by : start.by,
      unit: asked('u') === 'time' && pair.hasTime ? 'time' : 'events',
      view: asked('v') === 'after' ? 'after' : 'both',
      tab: tab ?? start.tab,
      row: rowBy ? { by: /** @type {import('../data/rows.js').By} */ (rowBy), key } : null,
      family: family < 0 ? null : family,
      query: asked('q') ?? '',
    });
    const view = pairOf(asked('x'));
    if (view) zoom.show(...view);
    else zoom.whole();
  };

  const openAsked = async () => {
    const { index, isSwapped } = pairAsked();
    if (index !== shown.pair.index || isSwapped !== shown.pair.isSwapped) await open(index, isSwapped);
  };
  const page = { values: () => valuesOf(stores), show, open: openAsked };
  return { pairAsked, ...mountHash([choice.changed, zoom.settled, shown.changed], page) };
}

/** @param {string | null} text @returns {number} -1: none */
function numberOf(text) {
  return /^\d{1,4}$/.test(text ?? '') ? Number(text) : -1;
}

/** @param {Stores} stores @returns {import('../../kit/hash.js').Values} */
function valuesOf({ shown: { pair }, choice: { now, start }, zoom, report }) {
  const span = (/** @type {[number, number]} */ [a, b]) => `${Math.round(a * MILLION)}-${Math.round(b * MILLION)}`;
  const { at, cursor, range, by, unit, view, tab, row, family, query } = now;
  return {
    d: pair.index !== pair.start && String(pair.index),
    s: pair.isSwapped && '1',
    v: view === 'after' && 'after',
    by: by !== start.by && by,
    u: unit === 'time' && 'time',
    x: !zoom.isWhole && span([zoom.from, zoom.to]),
    at: at === 'cursor' && cursor ? cursor.join(',') : at !== start.at && at,
    r: range !== null && span(range),
    tab: tab !== start.tab && tab,
    sel: row !== null && `${row.by}:${row.key}`,
    fam: family !== null && report.families[family].key,
    q: query,
  };
}
