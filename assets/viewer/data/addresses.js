// Addresses of allocations: as text, and searched for by their first digits.

import { address } from '../kit/format.js';
import { OUTSIDE } from './space.js';

/** @typedef {import('./columns.js').Column} Column @typedef {import('./columns.js').PackedColumn} PackedColumn */

/**
 * @typedef {object} Addresses
 * @property {(i: number) => string} text address of allocation i in hex, or "" when addresses were left out
 * @property {() => boolean} ready whether asking for one takes no time worth the name
 * @property {() => void} prepare makes many calls of text fast; one call is faster without it
 * @property {(ranges: [bigint, bigint][]) => (i: number) => boolean} within whether allocation i lies in one of some
 *   ranges, each from an address to before another
 */

/**
 * Reads the three columns of addresses, of which a payload fills one or two, or none.
 * @param {import('./columns.js').ColumnReader} r
 * @param {import('./report.js').DeviceReport} report
 * @param {Column} size
 * @param {{space: () => import('./space.js').Space | undefined, isQuick: () => boolean}} maps from which they follow,
 *   where the report has them, and whether asking takes no time worth the name
 * @returns {Addresses}
 */
export function addressesOf(r, { has_addr, wide_addr, base_addr, space: placed }, size, maps) {
  const difference = r.signed();
  const high = r.unsigned();
  const low = r.unsigned();
  if (!has_addr) return { ready: () => true, text: () => '', prepare: () => {}, within: () => () => false };
  if (placed) return new PlacedAddresses(maps.space, maps.isQuick);
  if ((wide_addr ? Math.min(high.length, low.length) : difference.length) !== size.length)
    throw new Error('the payload does not fit the report: addresses');
  return wide_addr ? new WideAddresses(high, low) : new NearAddresses(base_addr, difference, size);
}

/**
 * Differences to the address before of the same size.
 * @implements {Addresses}
 */
class NearAddresses {
  /**
   * @param {string} base hex
   * @param {PackedColumn} difference
   * @param {Column} size
   */
  constructor(base, difference, size) {
    this.base = BigInt(base.startsWith('0x') ? base : '0x' + base);
    this.difference = difference;
    this.size = size;
    /** @type {Float64Array | null} */
    this.sums = null;
  }

  ready() {
    return true;
  }

  prepare() {
    this.sums ??= sumsBySize(this.difference.values, this.size);
  }

  /** @param {number} i */
  text(i) {
    const offset = this.sums ? this.sums[i] : this.#sum(i);
    return address(this.base + BigInt(offset));
  }

  /** @param {[bigint, bigint][]} ranges */
  within(ranges) {
    this.prepare();
    const sums = /** @type {Float64Array} */ (this.sums);
    const near = ranges
      .map(([from, to]) => [Number(from - this.base), Number(to - this.base)])
      .filter(([from, to]) => to > 0 && from < Number.MAX_SAFE_INTEGER);
    return (/** @type {number} */ i) => near.some(([from, to]) => from <= sums[i] && sums[i] < to);
  }

  /** The sum for one: quicker than all of them, and a person asks for one at a time. @param {number} i */
  #sum(i) {
    const {
      difference: { values },
      size,
    } = this;
    const own = size[i];
    let sum = 0;
    for (let j = 0; j <= i; j++) if (size[j] === own) sum += values[j];
    return sum;
  }
}

/**
 * The sum of each value and those before it of the same size.
 * @param {Column} values
 * @param {Column} size
 */
function sumsBySize(values, size) {
  const sums = new Float64Array(values.length);
  /** @type {Map<number, number>} */
  const last = new Map();
  for (let i = 0; i < sums.length; i++) {
    sums[i] = values[i] + (last.get(size[i]) ?? 0);
    last.set(size[i], sums[i]);
  }
  return sums;
}

/**
 * Addresses spread over more than 2^53 bytes, in two halves.
 * @implements {Addresses}
 */
class WideAddresses {
  /** @param {PackedColumn} high @param {PackedColumn} low */
  constructor(high, low) {
    this.high = high;
    this.low = low;
  }

  ready() {
    return true;
  }

  prepare() {}

  /** @param {[bigint, bigint][]} ranges */
  within(ranges) {
    return (/** @type {number} */ i) => {
      const at = this.#address(i);
      return ranges.some(([from, to]) => from <= at && at < to);
    };
  }

  /** @param {number} i */
  text(i) {
    return address(this.#address(i));
  }

  /** @param {number} i */
  #address(i) {
    return (BigInt(this.high.values[i] ?? 0) << 32n) | BigInt(this.low.values[i] ?? 0);
  }
}

/**
 * Addresses that follow from where the tensors lay.
 * @implements {Addresses}
 */
class PlacedAddresses {
  /** @type {import('./space.js').Space | null | undefined} null: the report is damaged */
  #space;
  /** @type {Float64Array | null} bytes from the lowest lane */
  #offsets = null;
  #find;
  #isQuick;

  /** @param {() => import('./space.js').Space | undefined} find @param {() => boolean} isQuick whether that is */
  constructor(find, isQuick) {
    this.#find = find;
    this.#isQuick = isQuick;
  }

  ready() {
    return this.#space !== undefined || this.#isQuick();
  }

  prepare() {
    if (this.#space !== undefined) return;
    try {
      this.#space = this.#find() ?? null;
    } catch {
      this.#space = null;
    }
  }

  /** @param {number} i */
  text(i) {
    this.prepare();
    return this.#space?.address(i) ?? '';
  }

  /** @param {[bigint, bigint][]} ranges */
  within(ranges) {
    this.prepare();
    const space = this.#space;
    const base = space?.laneAddress(0) ?? null;
    if (!space || base === null) return () => false;
    const offsets = (this.#offsets ??= offsetsOf(space, base));
    const near = ranges
      .map(([from, to]) => [Number(from - base), Number(to - base)])
      .filter(([from, to]) => to > -Number.MAX_SAFE_INTEGER && from < Number.MAX_SAFE_INTEGER);
    return (/** @type {number} */ i) => near.some(([from, to]) => from <= offsets[i] && offsets[i] < to);
  }
}

/**
 * @param {import('./space.js').Space} space
 * @param {bigint} base
 * @returns {Float64Array} address - base, by allocation
 */
function offsetsOf(space, base) {
  const { place, reservation, reservations, laneStart, unit } = space;
  const lanes = Float64Array.from({ length: space.lanes }, (_, lane) =>
    Number((space.laneAddress(lane) ?? base) - base),
  );
  return Float64Array.from(place, (at, i) => {
    if (at === OUTSIDE) return Number((space.addressOf(i) ?? base) - base);
    const lane = reservations.lane[reservation[i]];
    return lanes[lane] + (at - laneStart[lane]) * unit;
  });
}

/** Hex digits of the longest address. */
const DIGITS = 16;

/**
 * Which allocations lie at an address that begins with some digits.
 * @param {import('./device.js').DeviceData} data
 * @param {import('./query.js').AddressPrefix} prefix
 * @returns {(id: number) => boolean}
 */
export function addressTest({ address, count }, { digits, generation }) {
  // One range for each number of digits that may follow.
  /** @type {[bigint, bigint][]} */
  const ranges = [];
  for (let more = 0; more <= DIGITS - digits.length; more++) {
    const shift = BigInt(4 * more);
    const from = BigInt('0x' + digits);
    ranges.push([from << shift, (from + 1n) << shift]);
  }
  const within = address.within(ranges);
  if (generation === null) return within;
  address.prepare();
  // Allocations of one address are in pile order in the order in which they were made.
  const wanted = new Set();
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (let id = 0; id < count; id++) {
    if (!within(id)) continue;
    const text = address.text(id);
    const n = seen.get(text) ?? 0;
    seen.set(text, n + 1);
    if (n === generation) wanted.add(id);
  }
  return (id) => wanted.has(id);
}
