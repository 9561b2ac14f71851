// One device's history, decoded into columns.

import { ColumnReader } from './columns.js';

/**
 * State k is the allocator before event k. With n events there are n+1 states,
 * 0 to n, and an allocation is live in the states first to last, both included.
 */
export class DeviceData {
  /**
   * @param {Uint8Array} bytes the payload "device-F-D"
   * @param {import('./report.js').DeviceReport} report
   */
  constructor(bytes, report) {
    const r = new ColumnReader(bytes);
    this.events = report.events;
    this.count = report.allocations;
    this.preExisting = report.pre_existing;

    const time = r.signedSums();
    /** Microseconds since the first event, per event; null when not recorded. */
    this.time = report.has_time && time.length === this.events ? time : null;

    const start = r.ascending();
    const life = r.unsigned();
    expect(start.length === this.count - this.preExisting && life.length === this.count, 'allocations');
    /** First state in which each allocation is live; 0 when pre-existing. Never falls from one to the next. */
    this.first = new Uint32Array(this.count);
    this.first.set(start, this.preExisting);
    /** Last state in which each is live: its end event, or the last state of all when live at end. */
    this.last = lastStates(this.first, life, this.events);

    this.pendingAlloc = r.ascending();
    this.pendingWait = r.unsigned();
    this.size = r.unsigned();
    const offset = r.signed();
    const high = r.unsigned();
    const low = r.unsigned();
    this.address = addresses(report, offset, high, low, this.size);

    this.stack = r.unsigned();
    this.freeCode = r.unsigned();
    this.stream = r.unsigned();
    this.family = r.unsigned();
    this.source = r.unsigned();
    this.reservedEvent = r.ascending();
    this.reservedDelta = r.signed();
    this.markers = readMarkers(r);
    this.context = readTexts(r);
    this.metadata = readTexts(r);
    this.rule = r.unsigned();
    for (const column of [this.size, this.stack, this.freeCode, this.stream, this.family, this.rule])
      expect(column.length === this.count, 'a column');
    expect(this.reservedEvent.length === this.reservedDelta.length, 'reserved memory');
  }

  /** @param {number} i */
  isPreExisting(i) {
    return i < this.preExisting;
  }

  /** @param {number} i */
  isLiveAtEnd(i) {
    return this.last[i] === this.events;
  }

  /** @param {number} i @returns {number | null} the event that allocated it */
  startEvent(i) {
    return this.isPreExisting(i) ? null : this.first[i] - 1;
  }

  /** @param {number} i @returns {number | null} the event that ended it */
  endEvent(i) {
    return this.isLiveAtEnd(i) ? null : this.last[i];
  }

  /** @param {number} i @returns {number} the stack that freed it, 0 when there is none */
  freeStack(i) {
    const code = this.freeCode[i];
    return code === 1 ? this.stack[i] : Math.max(0, code - 2);
  }

  /**
   * The event in which the user gave an allocation up, where the allocator
   * needed other events to complete that; null otherwise.
   * @param {number} i
   */
  freeRequest(i) {
    const at = this.pendingAlloc.indexOf(i);
    return at < 0 ? null : this.last[i] - this.pendingWait[at];
  }
}

/** @typedef {import('./columns.js').Column} Column */

/**
 * @param {Uint32Array} first start event + 1
 * @param {Column} life 0 live at end, else end event - start event
 * @param {number} events
 */
function lastStates(first, life, events) {
  const last = new Uint32Array(life.length);
  for (let i = 0; i < life.length; i++) {
    const end = first[i] - 1 + life[i];
    if (life[i] === 0) last[i] = events;
    else if (end < events) last[i] = end;
    else expect(false, 'an allocation');
  }
  return last;
}

/**
 * What gives the address of an allocation as text.
 * @param {import('./report.js').DeviceReport} report
 * @param {Column} offset
 * @param {Column} high
 * @param {Column} low
 * @param {Column} size
 * @returns {{text: (i: number) => string}}
 */
function addresses(report, offset, high, low, size) {
  if (!report.has_addr) return { text: () => '' }; // left out to keep the file small
  return report.wide_addr ? new WideAddresses(high, low) : new Addresses(report.base_addr, offset, size);
}

/** Addresses as differences to the one before of the same size, summed up when the first is asked for. */
class Addresses {
  /**
   * @param {string} base hex
   * @param {Column} difference
   * @param {Column} size
   */
  constructor(base, difference, size) {
    this.base = BigInt(base.startsWith('0x') ? base : '0x' + base);
    this.difference = difference;
    this.size = size;
    /** @type {Float64Array | null} */
    this.offset = null;
  }

  /** @param {number} i @returns {string} hex */
  text(i) {
    this.offset ??= sumBySize(this.difference, this.size);
    return '0x' + (this.base + BigInt(this.offset[i] ?? 0)).toString(16);
  }
}

/**
 * Each value added to the sum of those before it of the same size.
 * @param {Column} values
 * @param {Column} size
 */
function sumBySize(values, size) {
  const sums = new Float64Array(values.length);
  // The sizes in use sit in slots, for a Map is too slow to be asked for every value.
  const SLOTS = 1024;
  const sizeIn = new Float64Array(SLOTS).fill(-1);
  const sumIn = new Float64Array(SLOTS);
  /** @type {Map<number, number>} */
  const others = new Map();
  for (let i = 0; i < values.length; i++) {
    const s = size[i];
    const slot = ((s >>> 9) ^ (s >>> 19)) % SLOTS;
    if (sizeIn[slot] !== s) {
      others.set(sizeIn[slot], sumIn[slot]);
      sizeIn[slot] = s;
      sumIn[slot] = others.get(s) ?? 0;
    }
    sums[i] = sumIn[slot] += values[i];
  }
  return sums;
}

/** Addresses spread over more than 2^53 bytes, in two halves. */
class WideAddresses {
  /** @param {Column} high @param {Column} low */
  constructor(high, low) {
    this.high = high;
    this.low = low;
  }

  /** @param {number} i @returns {string} hex */
  text(i) {
    return '0x' + ((BigInt(this.high[i] ?? 0) << 32n) | BigInt(this.low[i] ?? 0)).toString(16);
  }
}

/**
 * @typedef {object} Marker
 * @property {number} state the state it was recorded in, which is the event's index
 * @property {'oom' | 'snapshot'} kind
 * @property {number} size bytes asked for, or active bytes
 * @property {number} free bytes free on the device
 */

/** @param {ColumnReader} r @returns {Marker[]} */
function readMarkers(r) {
  const event = r.ascending();
  const kind = r.unsigned();
  const size = r.unsigned();
  const free = r.unsigned();
  return Array.from(event, (state, i) => ({
    state,
    kind: kind[i] === 0 ? 'oom' : 'snapshot',
    size: size[i],
    free: free[i],
  }));
}

/** @param {ColumnReader} r @returns {Map<number, number>} allocation to string */
function readTexts(r) {
  const alloc = r.ascending();
  const text = r.unsigned();
  return new Map(Array.from(alloc, (id, i) => [id, text[i]]));
}

/** @param {boolean} ok @param {string} what */
function expect(ok, what) {
  if (!ok) throw new Error(`the payload does not fit the report: ${what}`);
}
