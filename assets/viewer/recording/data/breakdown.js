// The breakdown in the side panel: the allocations of a moment or of a range as rows
// of a table, and which allocations a row is about.

import { membersOfCell } from './icicle.js';

/**
 * @typedef {import('../../data/sites.js').By} By
 * @typedef {import('../../data/sites.js').Row & {allocated: number}} Row allocated: bytes in the range, or else live
 * @typedef {{by: By | 'stack', key: string}} Subset the allocations of a row of the table, or of a cell of the icicle
 * @typedef {'name' | 'bytes' | 'tensors' | 'allocated'} Sort
 * @typedef {{by: By, sort: Sort, rising: boolean}} Order how a table is cut and sorted
 */

/**
 * @param {import('../../data/open.js').OpenDevice} device
 * @param {Int32Array} live what is live, or for a range what it keeps
 * @param {import('../../data/range.js').RangeActivity | null} activity of the range, null for a moment
 * @param {By} by
 * @param {import('../../data/columns.js').Column} groups group of each allocation
 * @returns {{rows: Row[], gone: Row[]}} gone: rows that allocated in the range and have freed all of it
 */
export function breakdown({ sites }, live, activity, by, groups) {
  const rows = sites.rows(live, by, groups).map((row) => ({ ...row, allocated: row.bytes }));
  if (!activity) return { rows, gone: [] };
  const known = new Map(rows.map((row) => [row.key, row]));
  const gone = [];
  for (const all of sites.rows(between(activity.first, activity.after), by, groups)) {
    const row = known.get(all.key);
    if (row) row.allocated = all.bytes;
    else gone.push({ ...all, allocated: all.bytes, bytes: 0 });
  }
  return { rows, gone };
}

/** @param {number} from @param {number} to not included */
function* between(from, to) {
  for (let id = from; id < to; id++) yield id;
}

/**
 * Puts the rows in the order asked for; only a range has one by what it allocated.
 * @param {{rows: Row[], gone: Row[]}} table
 * @param {Omit<Order, 'by'>} order
 * @param {import('../../data/range.js').RangeActivity | null} activity of the range, null for a moment
 * @returns {{rows: Row[], gone: Row[], sort: Sort}} sort: the column really sorted by
 */
export function sorted({ rows, gone }, order, activity) {
  const sort = order.sort === 'allocated' && !activity ? 'bytes' : order.sort;
  sortRows(rows, sort, order.rising);
  sortRows(gone, sort === 'bytes' ? 'allocated' : sort, order.rising);
  return { rows, gone, sort };
}

/** @param {Row[]} rows @param {Sort} sort @param {boolean} rising @returns {Row[]} the same array */
export function sortRows(rows, sort, rising) {
  const sign = rising ? 1 : -1;
  return rows.sort(
    (a, b) =>
      sign * (sort === 'name' ? (a.name + a.location).localeCompare(b.name + b.location) : a[sort] - b[sort]) ||
      b.bytes - a.bytes,
  );
}

/**
 * Which allocations are in a subset, of the whole recording.
 * @param {import('../../data/open.js').OpenDevice} device @param {Subset} subset
 * @returns {(id: number) => boolean}
 */
export function membersOf({ sites, stacks, data }, { by, key }) {
  return by === 'stack' ? membersOfCell(stacks, data.stack, key) : sites.members(by, key);
}

/**
 * Groups the allocations live at a timeline's peak by call site, for the names in the bands.
 * @param {import('../../data/sites.js').SiteTable} sites
 * @param {import('../../data/timeline.js').Timeline} timeline
 * @param {import('../../data/grouping.js').Grouping} grouping whose colours the bands have
 */
export function siteNames(sites, timeline, grouping) {
  const of = new Int32Array(sites.data.count);
  /** @type {Map<string, number>} */
  const known = new Map();
  /** @type {{label: string, ink: string}[]} */
  const groups = [];
  for (const id of timeline.live(timeline.peak)) {
    const { key, name, location } = sites.site(id);
    let group = known.get(key);
    if (group === undefined) {
      known.set(key, (group = groups.length));
      groups.push({ label: `${name}  ${location}`.trimEnd(), ink: grouping.groups[grouping.of[id]].ink });
    }
    of[id] = group;
  }
  return { of, groups };
}

/**
 * @typedef {object} Difference of a call site
 * @property {string} name
 * @property {string} location
 * @property {number} bytes signed
 * @property {number} largest the largest tensor that is live in only one of the two moments
 */

/**
 * The call sites that do not hold the same in two states, the largest difference first.
 * @param {Pick<import('../../data/open.js').OpenDevice, 'timeline' | 'data' | 'sites'>} device
 * @param {number} state @param {number} a the state that it is compared with
 * @returns {Difference[]}
 */
export function differences({ timeline, data, sites }, state, a) {
  const { first, last, size } = data;
  /** @type {Map<string, Difference>} */
  const found = new Map();
  const add = (/** @type {number} */ id, /** @type {1 | -1} */ sign) => {
    const { key, name, location } = sites.site(id);
    const row = found.get(key) ?? { name, location, bytes: 0, largest: id };
    found.set(key, row);
    row.bytes += sign * size[id];
    if (size[id] > size[row.largest]) row.largest = id;
  };
  // What is live in both makes no difference.
  for (const id of timeline.live(state)) if (a < first[id] || last[id] < a) add(id, 1);
  for (const id of timeline.live(a)) if (state < first[id] || last[id] < state) add(id, -1);
  return [...found.values()]
    .filter(({ bytes }) => bytes !== 0)
    .sort((x, y) => Math.abs(y.bytes) - Math.abs(x.bytes) || Number(x.name > y.name) - 0.5);
}
