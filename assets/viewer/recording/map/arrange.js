// The order of an address space: groups of reservations, and in each group its lanes one above the other.
// A reservation is a segment from its allocation to its release, or a run of pages mapped together.

import { pack } from './pack.js';

/** @typedef {import('../../data/space.js').Space} Space */

/**
 * @typedef {object} Group the reservations of one pool, stream and size class
 * @property {number} kind of its first reservation
 * @property {number} units its height
 * @property {number} segments reservations, or expandable ranges
 * @property {boolean} isExpandable
 * @property {number[]} held its reservations
 *
 * @typedef {object} Arrangement
 * @property {Group[]} groups bottom first
 * @property {Float64Array} offset of each reservation in its group, in units
 * @property {number} units of all groups together
 *
 * @typedef {object} Row a lane, as far as a group has reservations there
 * @property {number} start place of its first unit
 * @property {number} end
 * @property {number} first state
 * @property {number} last state
 * @property {number} life units times states
 * @property {boolean} isExpandable
 * @property {number[]} held
 */

/** Whether reservations of a kind serve small requests. @param {Space['kinds'][number]} kind */
function isSmall({ sizeClass }) {
  return sizeClass === 'small';
}

/**
 * @param {Space} space
 * @param {boolean} packed whether a segment may take the place of one that was returned
 * @returns {Arrangement}
 */
export function arrange(space, packed) {
  const { reservations } = space;
  const offset = new Float64Array(reservations.count);
  const groups = groupRows(space).map((rows) => {
    rows.sort(
      (a, b) => a.first - b.first || (a.first === 0 ? lifePerUnit(b) - lifePerUnit(a) : 0) || a.start - b.start,
    );
    const units = packed ? packRows(space, rows, offset) : stackRows(space, rows, offset);
    const all = rows.flatMap((row) => row.held);
    const { isExpandable } = rows[0];
    const segments = (isExpandable ? rows : all).length;
    return { kind: reservations.kind[all[0]], units, segments, isExpandable, held: all };
  });
  return { groups, offset, units: groups.reduce((sum, g) => sum + g.units, 0) };
}

/** The rows of each group, bottom first. @param {Space} space @returns {Row[][]} */
function groupRows({ reservations: all, kinds }) {
  /** @type {Map<string, {kind: Space['kinds'][number], rows: Map<number, Row>}>} */
  const groups = new Map();
  for (let r = 0; r < all.count; r++) {
    const kind = kinds[all.kind[r]];
    const key = [kind.pool, kind.stream, isSmall(kind)].join();
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { kind, rows: new Map() }));
    let row = group.rows.get(all.lane[r]);
    const { expandable: isExpandable } = kind;
    const end = all.start[r] + all.size[r];
    if (!row) {
      row = { start: all.start[r], end, first: all.first[r], last: all.last[r], life: 0, isExpandable, held: [] };
      group.rows.set(all.lane[r], row);
    }
    row.start = Math.min(row.start, all.start[r]);
    row.end = Math.max(row.end, end);
    row.first = Math.min(row.first, all.first[r]);
    row.last = Math.max(row.last, all.last[r]);
    row.life += (all.last[r] - all.first[r] + 1) * all.size[r];
    row.isExpandable ||= isExpandable;
    row.held.push(r);
  }
  return [...groups.values()]
    .sort(
      ({ kind: a }, { kind: b }) => a.pool - b.pool || a.stream - b.stream || Number(isSmall(a)) - Number(isSmall(b)),
    )
    .map(({ rows }) => [...rows.values()]);
}

/** @param {Row} row */
function lifePerUnit({ life, start, end }) {
  return life / (end - start);
}

/** By address: a place for each lane. @param {Space} space @param {Row[]} rows @param {Float64Array} offset to fill */
function stackRows({ reservations: { start } }, rows, offset) {
  let height = 0;
  for (const row of rows) {
    for (const r of row.held) offset[r] = height + start[r] - row.start;
    height += row.end - row.start;
  }
  return height;
}

/** Packed: a place for each segment's life. @param {Space} space @param {Row[]} rows @param {Float64Array} offset */
function packRows({ reservations: { start, size, first, last } }, rows, offset) {
  const parts = rows.flatMap((row) => (row.isExpandable ? [row.held] : row.held.map((r) => [r])));
  const items = rows.flatMap((row) =>
    row.isExpandable
      ? [{ size: row.end - row.start, first: row.first, last: row.last, home: row.start }]
      : row.held.map((r) => ({ size: size[r], first: first[r], last: last[r], home: start[r] })),
  );
  const { places, height } = pack(items);
  parts.forEach((all, i) => {
    for (const r of all) offset[r] = places[i] + start[r] - items[i].home;
  });
  return height;
}
