// The address space of a device: what the allocator had reserved, and where in it each tensor lay.

import { address } from '../kit/format.js';

/** Stands for the place and the reservation of an allocation that lies in nothing reserved. */
export const OUTSIDE = 2 ** 32 - 1;

/**
 * Memory that came from the driver at once: a segment of cudaMalloc, or a run of pages that was mapped into an
 * expandable segment. Column i is of reservation i; they are in the order in which they were reserved, then by place.
 * @typedef {object} Reservations
 * @property {number} count
 * @property {Uint32Array} start place of the first unit
 * @property {Uint32Array} size in units
 * @property {Uint32Array} first the first state in which it is reserved; 0 when it was before the recording
 * @property {Uint32Array} last the last one, inclusive; the last state of all when it was never returned
 * @property {Uint32Array} kind index into Space.kinds
 * @property {Uint32Array} lane index of the lane that it lies in
 */

/**
 * Which requests a reservation may serve. Pool and stream have the numbers of `memviz segments`, 0 is the default.
 * @typedef {object} Kind
 * @property {number} pool
 * @property {number} stream
 * @property {'small' | 'large'} sizeClass
 * @property {boolean} [isHost] of host memory
 * @property {boolean} expandable
 * @property {number} [page] bytes of a page, if not the usual
 */

/**
 * @typedef {object} SpaceColumns
 * @property {number} unit
 * @property {Float64Array} laneStart
 * @property {bigint[] | null} laneAddresses
 * @property {Reservations} reservations
 * @property {Kind[]} kinds
 * @property {Uint32Array} place
 * @property {Uint32Array} reservation
 * @property {Uint32Array} block units of the block of each allocation; 0 for what is outside
 * @property {Map<number, bigint> | null} [outside] addresses of what is outside; null when they were left out
 */

/**
 * Where the tensors of a device lie. A place counts units from the first byte of the first lane over all lanes, which
 * are in address order and have no gaps between them. A lane is a range of addresses that reservations shared at
 * different times; runs of pages that touch and are of one kind are in one lane. So places say nothing about
 * addresses but their order, and two reservations that are side by side in places need not be in addresses.
 *
 * What is reserved in a state never overlaps, and a block lies in what is reserved. A block of an expandable segment may
 * reach over several runs of pages: `reservation` is that of its first byte. Its pages are those of its place and size,
 * not of that reservation.
 */
export class Space {
  /** @param {SpaceColumns} columns */
  constructor({ unit, laneStart, laneAddresses, reservations, kinds, place, reservation, block, outside }) {
    /** Bytes: the largest power of two up to 512 that divides every place and size. */
    this.unit = unit;
    /** Place of the first unit of each lane; one more value is that behind the last lane. */
    this.laneStart = laneStart;
    this.reservations = reservations;
    this.kinds = kinds;
    /** By allocation: the place of its first byte, or OUTSIDE. */
    this.place = place;
    /** By allocation: index into the reservations of what its first byte lies in, or OUTSIDE. */
    this.reservation = reservation;
    this.block = block;
    this.laneAddresses = laneAddresses;
    this.outside = outside ?? null;
  }

  get lanes() {
    return this.laneStart.length - 1;
  }

  /** Units of all lanes. */
  get total() {
    return this.laneStart[this.lanes];
  }

  /** @param {number} place @returns {number} the lane that it lies in */
  laneAt(place) {
    let from = 0;
    let to = this.lanes;
    while (to - from > 1) {
      const middle = (from + to) >>> 1;
      if (this.laneStart[middle] <= place) from = middle;
      else to = middle;
    }
    return from;
  }

  /** @param {number} lane @returns {bigint | null} of its first byte; null when addresses were left out */
  laneAddress(lane) {
    return this.laneAddresses?.[lane] ?? null;
  }

  /** @param {number} place @returns {bigint | null} null when addresses were left out */
  addressAt(place) {
    const lane = this.laneAt(place);
    const start = this.laneAddress(lane);
    return start === null ? null : start + BigInt((place - this.laneStart[lane]) * this.unit);
  }

  /** @param {number} i @returns {number} units of the block of allocation i: the request, rounded up */
  blockSize(i) {
    return this.block[i];
  }

  /** @param {number} i @returns {string} the address of allocation i in hex, or '' when it is not known */
  address(i) {
    const at = this.addressOf(i);
    return at === null ? '' : address(at);
  }

  /** @param {number} i @returns {bigint | null} the address of allocation i; null when it was left out */
  addressOf(i) {
    return this.place[i] === OUTSIDE ? (this.outside?.get(i) ?? null) : this.addressAt(this.place[i]);
  }
}
