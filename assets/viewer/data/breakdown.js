// What the side panel breaks down: the allocations of a moment or of a range,
// as rows of a table, and which allocations a row stands for.

import { below } from './icicle.js';

/**
 * @typedef {import('./sites.js').By} By
 * @typedef {import('./sites.js').Row & {allocated: number}} Row allocated: bytes in the range, or else those live
 * @typedef {{by: By | 'stack', key: string}} Part a row of the table, or a cell of the icicle
 * @typedef {'name' | 'bytes' | 'tensors' | 'allocated'} Sort
 * @typedef {{by: By, sort: Sort, rising: boolean}} Order how a table is cut and sorted
 */

/**
 * @param {import('./open.js').OpenDevice} device
 * @param {Int32Array} live what is live, or for a range what it keeps
 * @param {import('./range.js').Happened | null} happened
 * @param {By} by
 * @param {import('./columns.js').Column} groups group of each allocation
 * @returns {{rows: Row[], gone: Row[]}} gone: of the range, rows of which nothing is left
 */
export function breakdown({ sites }, live, happened, by, groups) {
  const rows = sites.rows(live, by, groups).map((row) => ({ ...row, allocated: row.bytes }));
  if (!happened) return { rows, gone: [] };
  const known = new Map(rows.map((row) => [row.key, row]));
  const gone = [];
  for (const all of sites.rows(between(happened.first, happened.after), by, groups)) {
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
 * @param {import('./range.js').Happened | null} happened
 * @returns {{rows: Row[], gone: Row[], sort: Sort}} sort: the one taken
 */
export function sorted({ rows, gone }, order, happened) {
  const sort = order.sort === 'allocated' && !happened ? 'bytes' : order.sort;
  sortRows(rows, sort, order.rising);
  sortRows(gone, sort === 'bytes' ? 'allocated' : sort, order.rising);
  return { rows, gone, sort };
}

/** @param {Row[]} rows @param {Sort} sort @param {boolean} rising @returns {Row[]} the same array */
export function sortRows(rows, sort, rising) {
  const sign = rising ? 1 : -1;
  return rows.sort(
    (a, b) =>
      sign * (sort === 'name' ? (a.name + a.place).localeCompare(b.name + b.place) : a[sort] - b[sort]) ||
      b.bytes - a.bytes,
  );
}

/**
 * Which allocations a part stands for, in the whole recording.
 * @param {import('./open.js').OpenDevice} device @param {Part} part
 * @returns {(id: number) => boolean}
 */
export function membersOf({ sites, stacks, data }, { by, key }) {
  return by === 'stack' ? below(stacks, data.stack, key) : sites.members(by, key);
}

/**
 * Leaves of what is lit only a part.
 * @param {import('./open.js').OpenDevice} device
 * @param {Uint8Array | null} lit null: all
 * @param {Part | null} part null: all
 * @returns {Uint8Array | null}
 */
export function litPart(device, lit, part) {
  if (!part) return lit;
  const isMember = membersOf(device, part);
  const out = new Uint8Array(device.data.count);
  for (let id = 0; id < out.length; id++) out[id] = lit && !lit[id] ? 0 : Number(isMember(id));
  return out;
}

/**
 * The call sites of what a timeline holds at its peak, to be written into their bands.
 * @param {import('./sites.js').SiteTable} sites
 * @param {import('./timeline.js').Timeline} timeline
 * @param {import('./grouping.js').Grouping} grouping whose colours the bands have
 */
export function siteNames(sites, timeline, grouping) {
  const of = new Int32Array(sites.data.count);
  /** @type {Map<string, number>} */
  const known = new Map();
  /** @type {{label: string, ink: string}[]} */
  const groups = [];
  for (const id of timeline.live(timeline.peak)) {
    const { key, name, place } = sites.site(id);
    let group = known.get(key);
    if (group === undefined) {
      known.set(key, (group = groups.length));
      groups.push({ label: `${name}  ${place}`.trimEnd(), ink: grouping.groups[grouping.of[id]].ink });
    }
    of[id] = group;
  }
  return { of, groups };
}
