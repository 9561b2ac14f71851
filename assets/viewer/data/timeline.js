// What is live in each state, and the totals of all states.

import { countUpTo } from '../kit/math.js';
import { Pyramid } from './pyramid.js';

/** Allocations in a block, and in a group of as many blocks. */
const BLOCK = 64;
const GROUP = BLOCK * BLOCK;

/**
 * The columns of a device that a timeline needs.
 * @typedef {Pick<import('./device.js').DeviceData, 'events' | 'count' | 'first' | 'last' | 'size' | 'pendingAlloc' |
 *   'pendingWait' | 'reservedEvent' | 'reservedDelta'>} TimelineColumns
 */

export class Timeline {
  /**
   * @param {TimelineColumns} data
   * @param {number} reservedBaseline reserved bytes in state 0
   * @param {Int32Array | null} [members] the only allocations that are ever live, in order; the others end in state 0
   */
  constructor(data, reservedBaseline, members = null) {
    this.data = data;
    this.lastState = data.events;
    /** Allocations before this one are never live. */
    this.least = members ? (members[0] ?? data.count) : 0;
    /** Active bytes per state. */
    this.active = sumActive(data, members);
    this.highest = new Pyramid(this.active, 1);
    this.lowest = new Pyramid(this.active, -1);
    /** The first state with the most active bytes. */
    this.peak = this.highest.best(0, this.lastState);

    // Two levels of maxima over `last`: a search for what is live skips blocks that hold nothing live.
    this.blockLast = blockMaxima(data.last);
    this.groupLast = blockMaxima(this.blockLast);

    /** reserved[i] bytes from state reservedFrom[i] on. */
    this.reservedFrom = new Uint32Array(data.reservedEvent.length + 1);
    this.reserved = new Float64Array(data.reservedEvent.length + 1);
    this.reserved[0] = reservedBaseline;
    for (let i = 0; i < data.reservedEvent.length; i++) {
      this.reservedFrom[i + 1] = data.reservedEvent[i] + 1;
      this.reserved[i + 1] = this.reserved[i] + data.reservedDelta[i];
    }
    this.reservedPeak = this.reserved.reduce((a, b) => Math.max(a, b), 0);
    this.buffer = new Int32Array(data.count);
  }

  /** @param {number} k @returns {number} bytes of all segments in state k */
  reservedAt(k) {
    return this.reserved[countUpTo(this.reservedFrom, k) - 1];
  }

  /**
   * The allocations live in state k, bottom of the pile first, in a shared buffer
   * that the next call overwrites.
   * @param {number} k
   * @returns {Int32Array}
   */
  live(k) {
    return this.liveOf(0, countUpTo(this.data.first, k), k);
  }

  /**
   * The same for consecutive allocations that all begin in state k or before.
   * @param {number} from first allocation
   * @param {number} to after the last one
   * @param {number} k
   * @returns {Int32Array}
   */
  liveOf(from, to, k) {
    const {
      data: { last },
      blockLast,
      groupLast,
      buffer,
    } = this;
    let n = 0;
    for (let i = Math.max(from, this.least); i < to; ) {
      const b = Math.floor(i / BLOCK);
      if (i % GROUP === 0 && groupLast[b / BLOCK] < k) {
        i += GROUP;
        continue;
      }
      const end = Math.min(to, (b + 1) * BLOCK);
      if (blockLast[b] < k) i = end;
      for (; i < end; i++) if (last[i] >= k) buffer[n++] = i;
    }
    return buffer.subarray(0, n);
  }

  /**
   * What lies at a height of the pile in state k.
   * @param {number} k
   * @param {number} byte
   * @returns {{id: number, offset: number} | null}
   */
  hit(k, byte) {
    if (byte < 0) return null;
    const { size } = this.data;
    let offset = 0;
    for (const id of this.live(k)) {
      if (byte < offset + size[id]) return { id, offset };
      offset += size[id];
    }
    return null;
  }

  /**
   * Bytes below an allocation in state k, in which it must be live.
   * @param {number} id
   * @param {number} k
   */
  offset(id, k) {
    let offset = 0;
    for (const i of this.live(k)) {
      if (i === id) break;
      offset += this.data.size[i];
    }
    return offset;
  }

  /**
   * The highest byte below which nothing changes between two states.
   * @param {number} from
   * @param {number} to
   */
  unchangedBelow(from, to) {
    let offset = 0;
    for (const i of this.live(from)) {
      if (this.data.last[i] < to) break;
      offset += this.data.size[i];
    }
    return offset;
  }
}

/** @param {TimelineColumns} data @param {Int32Array | null} members @returns {Float64Array} per state */
function sumActive({ events, count, first, last, size }, members) {
  const active = new Float64Array(events + 2); // what is live at the end ends after the last state
  for (let j = 0, n = members ? members.length : count; j < n; j++) {
    const i = members ? members[j] : j;
    active[first[i]] += size[i];
    active[last[i] + 1] -= size[i];
  }
  let sum = 0;
  for (let k = 0; k <= events; k++) active[k] = sum += active[k];
  return active.subarray(0, events + 1);
}

/** @param {Uint32Array} values */
function blockMaxima(values) {
  const out = new Uint32Array(Math.ceil(values.length / BLOCK));
  for (let b = 0; b < out.length; b++) {
    let most = 0;
    for (let i = b * BLOCK, end = Math.min(values.length, i + BLOCK); i < end; i++)
      if (values[i] > most) most = values[i];
    out[b] = most;
  }
  return out;
}
