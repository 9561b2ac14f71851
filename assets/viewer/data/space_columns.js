// The columns that say where tensors lie, as pkg/report documents them.

import { ColumnReader } from './columns.js';
import { OUTSIDE } from './space.js';
import { check } from './space_model.js';

/** The least that a request is rounded up to, in bytes, and what to a multiple of. */
const ROUNDING = 512;

/**
 * @typedef {object} SpaceCodes
 * @property {ArrayLike<number>} code of each allocation that was made in the recording
 * @property {ArrayLike<number>} offset
 * @property {ArrayLike<number>} escape
 * @property {Map<number, number>} more units of blocks that have more than the model says
 * @property {Map<number, number>} rounded bytes of requested ones that are rounded in another way than most
 */

/**
 * Events that are given by a number; 0 stands for none.
 * @typedef {{count: number, at: (number: number) => number}} Numbered
 */

/**
 * Reads a payload "space-F-D" or "predicted-F-D".
 * @param {Uint8Array} bytes
 * @param {number} unit
 * @param {Numbered} numbered
 * @param {import('./device.js').DeviceData} data
 * @param {number} [largePage] bytes, if not the usual
 */
export function readSpace(bytes, unit, numbered, data, largePage) {
  const read = readColumns(new ColumnReader(bytes), unit, numbered, data.events, largePage);
  check(read.codes.code.length === data.count - data.preExisting, 'codes');
  return read;
}

/**
 * Reads the columns of a space, before which nothing and behind which others may stand.
 * @param {ColumnReader} r @param {number} unit @param {Numbered} numbered @param {number} events
 * @param {number} [largePage] bytes, if not the usual
 */
export function readColumns(r, unit, numbered, events, largePage) {
  check(unit >= 1 && unit <= ROUNDING && Number.isInteger(Math.log2(unit)), 'unit');
  const laneStart = startsOf(r.unsigned().values);
  const kinds = readKinds(r, largePage);
  const reservations = readReservations(r, laneStart, kinds.length, numbered, events);
  const code = r.unsigned().values;
  const offset = r.unsigned().values;
  const escape = r.unsigned().values;
  const more = pairs(r.ascending().values, r.signed().values);
  const rounded = pairs(r.unsigned().values, r.unsigned().values);
  return { frame: { unit, laneStart, kinds, reservations }, codes: { code, offset, escape, more, rounded } };
}

/** @param {ArrayLike<number>} sizes @returns {Float64Array} where each starts, and the end of all */
function startsOf(sizes) {
  const starts = new Float64Array(sizes.length + 1);
  for (let i = 0; i < sizes.length; i++) starts[i + 1] = starts[i] + sizes[i];
  check(starts[sizes.length] < OUTSIDE, 'lanes');
  return starts;
}

/** @param {ArrayLike<number>} keys @param {ArrayLike<number>} values */
function pairs(keys, values) {
  check(keys.length === values.length, 'blocks');
  return new Map(Array.from(keys, (key, i) => [key, values[i]]));
}

/** @param {ColumnReader} r @param {number} [largePage] @returns {import('./space.js').Kind[]} */
function readKinds(r, largePage) {
  const pool = r.unsigned().values;
  const stream = r.unsigned().values;
  const large = r.unsigned().values;
  const expandable = r.unsigned().values;
  check(new Set([pool.length, stream.length, large.length, expandable.length]).size === 1, 'kinds');
  return Array.from(pool, (_, i) => ({
    pool: pool[i],
    stream: stream[i],
    sizeClass: large[i] ? 'large' : 'small',
    expandable: expandable[i] !== 0,
    ...(large[i] && largePage ? { page: largePage } : {}),
  }));
}

/**
 * @param {ColumnReader} r
 * @param {Float64Array} laneStart
 * @param {number} kinds how many there are
 * @param {Numbered} numbered
 * @param {number} events
 * @returns {import('./space.js').Reservations}
 */
function readReservations(r, laneStart, kinds, numbered, events) {
  const kind = r.unsigned().values;
  const lane = r.signedSums().values;
  const offset = r.unsigned().values;
  const size = r.unsigned().values;
  const from = r.ascending().values;
  const to = r.unsigned().values;
  const count = kind.length;
  check(new Set([count, lane.length, offset.length, size.length, from.length, to.length]).size === 1, 'reservations');
  const column = () => new Uint32Array(count);
  const all = {
    count,
    start: column(),
    size: column(),
    first: column(),
    last: column(),
    kind: column(),
    lane: column(),
  };
  for (let i = 0; i < count; i++) {
    const until = from[i] + to[i];
    check(kind[i] < kinds && lane[i] >= 0 && lane[i] < laneStart.length - 1, 'a reservation');
    check(from[i] <= numbered.count && until <= numbered.count, 'a reservation');
    const end = laneStart[lane[i]] + offset[i] + size[i];
    check(size[i] > 0 && end <= laneStart[lane[i] + 1], 'a reservation');
    all.start[i] = end - size[i];
    all.size[i] = size[i];
    all.first[i] = from[i] === 0 ? 0 : numbered.at(from[i]) + 1;
    all.last[i] = to[i] === 0 ? events : numbered.at(until);
    all.kind[i] = kind[i];
    all.lane[i] = lane[i];
    check(all.first[i] <= all.last[i] && all.last[i] <= events, 'a reservation');
  }
  return all;
}

/**
 * Reads a payload "addresses-F-D".
 * @param {Uint8Array} bytes
 * @param {import('./report.js').DeviceReport} report
 * @param {number} lanes
 * @returns {{lanes: bigint[], outside: bigint[]} | null} null: they were left out. outside: of the allocations that
 *   lie in nothing reserved, in their order
 */
export function readAddresses(bytes, { has_addr, base_addr }, lanes) {
  const r = new ColumnReader(bytes);
  const [ofLanes, outside] = [r.signedSums().values, r.signedSums().values];
  if (!has_addr) return null;
  check(ofLanes.length === lanes, 'addresses');
  const base = BigInt(base_addr);
  const addresses = (/** @type {ArrayLike<number>} */ list) => Array.from(list, (offset) => base + BigInt(offset));
  return { lanes: addresses(ofLanes), outside: addresses(outside) };
}

/** Units that a request is rounded up to. @param {number} bytes @param {SpaceCodes} codes @param {number} unit */
export function roundedUnits(bytes, { rounded }, unit) {
  const other = rounded.size === 0 ? undefined : rounded.get(bytes);
  return Math.floor((other ?? Math.max(ROUNDING, Math.ceil(bytes / ROUNDING) * ROUNDING)) / unit);
}
