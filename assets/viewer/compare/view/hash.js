// The hash of the address holds what is shown: only what differs from the start. Keys
// that are not in this list are kept as they are.
//
//   d      the pair of devices: its position
//   s      1: before and after are swapped
//   v      after: the pile of after alone
//   by     phase or event
//   u      time: states are spread by time
//   x      FROM-TO: what is in view, in millionths of the axis
//   at     moment: peak, end, a phase, step:N, run:N of those of the lane, reserved, range, or BEFORE,AFTER in states
//   r      FROM-TO: range brushed, in millionths of the axis
//   tab    what rows are: site, file, function; or lines
//   sel    BY:KEY of the row that is picked out
//   fam    key of the family that is
//   q      text of the search box
//   theme  light or dark, forced (read only)

import { listen, on } from '../../kit/topic.js';
import { runOf } from '../state/moments.js';

const MILLION = 1e6;

/** How long a view stays before it becomes an entry of the browser's history. */
const SETTLED_MS = 400;

/** @type {import('../state/choice.js').Tab[]} */
const TABS = ['site', 'file', 'function', 'lines'];

/** @typedef {import('../state/stores.js').Stores} Stores */

/**
 * @param {Stores} stores @param {number} start the pair that is shown at first
 * @param {(index: number, swapped: boolean) => Promise<void>} open
 */
export function mountHash(stores, start, open) {
  const { shown, choice, zoom, report } = stores;
  let reading = true; // until the address has been read
  let timer = 0;
  let pushed = location.hash;

  /** What the address says of the pair. */
  const asked = () => {
    const index = numberOf(read('d'));
    return { index: index < 0 ? start : index, isSwapped: read('s') === '1' };
  };

  /** Shows what the address says of the open pair. */
  const apply = () => {
    const { pair } = shown;
    const { start } = choice;
    const pairOf = (/** @type {string | null} */ text) => {
      const [, a, b] = /^(\d{1,7})-(\d{1,7})$/.exec(text ?? '') ?? [];
      const both = /** @type {[number, number]} */ ([Number(a) / MILLION, Number(b) / MILLION]);
      return a && both[0] < both[1] && both[1] <= 1 ? both : null;
    };
    const at = read('at') ?? '';
    const states = /^(\d{1,15}),(\d{1,15})$/.exec(at)?.slice(1).map(Number);
    const cursor = states?.every((k, side) => k <= pair.sides[side].timeline.lastState)
      ? /** @type {[number, number]} */ (states)
      : null;
    const range = pairOf(read('r'));
    const known =
      at === 'reserved' || (at === 'range' && range) || runOf(pair, at) || pair.moments.some(({ key }) => key === at);
    const by = read('by');
    const tab = TABS.find((t) => t === read('tab'));
    const [, rowBy, key] = /^(site|file|function):([^]+)$/.exec(read('sel') ?? '') ?? [];
    const family = report.families.findIndex((f) => f.key === read('fam'));
    reading = true;
    choice.set({
      ...start,
      at: cursor ? 'cursor' : known ? at : start.at,
      cursor,
      range,
      by: by === 'event' || (by === 'phase' && pair.hasPhases) ? by : start.by,
      unit: read('u') === 'time' && pair.hasTime ? 'time' : 'events',
      view: read('v') === 'after' ? 'after' : 'both',
      tab: tab ?? start.tab,
      row: rowBy ? { by: /** @type {import('../data/rows.js').By} */ (rowBy), key } : null,
      family: family < 0 ? null : family,
      query: read('q') ?? '',
    });
    const view = pairOf(read('x'));
    if (view) zoom.show(...view);
    else zoom.whole();
    reading = false;
  };

  const write = () => {
    if (reading || !shown.isOpen) return;
    const text = textOf(stores);
    if (text === location.hash.slice(1)) return;
    replace(text);
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      // The entry so far keeps the previous view; what is shown now becomes a new one.
      const { hash } = location;
      if (hash === pushed) return;
      replace(pushed.slice(1));
      history.pushState(null, '', addressWith(hash || '#'));
      pushed = location.hash;
    }, SETTLED_MS);
  };

  listen(window, {
    async hashchange() {
      pushed = location.hash;
      const { index, isSwapped } = asked();
      reading = true;
      if (index !== shown.pair.index || isSwapped !== shown.pair.isSwapped) await open(index, isSwapped);
      apply();
    },
  });
  on([choice.changed, zoom.settled, shown.changed], write);
  return { asked, apply };
}

/** @param {string} key */
function read(key) {
  return new URLSearchParams(location.hash.slice(1)).get(key);
}

/** @param {string | null} text @returns {number} -1: none */
function numberOf(text) {
  return /^\d{1,4}$/.test(text ?? '') ? Number(text) : -1;
}

/** @param {Stores} stores @returns {string} the hash of what is shown, without the sign */
function textOf({ shown: { pair }, choice: { now, start }, zoom, report }) {
  const span = (/** @type {[number, number]} */ [a, b]) => `${Math.round(a * MILLION)}-${Math.round(b * MILLION)}`;
  const { at, cursor, range, by, unit, view, tab, row, family, query } = now;
  /** @type {Record<string, string | false>} */
  const values = {
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
  const params = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(values)) params.delete(key);
  for (const [key, value] of Object.entries(values)) if (value) params.set(key, value);
  return params.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
}

/** @param {string} hash without the sign */
function replace(hash) {
  history.replaceState(null, '', addressWith(hash && '#' + hash));
}

/** The whole address, because a relative one is relative to another page in an iframe's srcdoc. @param {string} hash */
function addressWith(hash) {
  return location.href.replace(/#.*/s, '') + hash;
}
