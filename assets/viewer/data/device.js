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

    const start = r.ascending(Uint32Array);
    const life = r.unsigned(Uint32Array);
    expect(start.length === this.count - this.preExisting && life.length === this.count, 'allocations');
    /** First state in which each allocation is live; 0 when pre-existing. Never falls from one to the next. */
    this.first = new Uint32Array(this.count);
    this.first.set(start, this.preExisting);
    /** Last state in which each is live: its end event, or the last state of all when live at end. */
    this.last = new Uint32Array(this.count);
    for (let i = 0; i < this.count; i++) {
      // The end event is start+life, and first is start+1.
      const end = this.first[i] - 1 + life[i];
      expect(life[i] === 0 || end < this.events, 'an allocation');
      this.last[i] = life[i] === 0 ? this.events : end;
    }

    this.pendingAlloc = r.ascending(Uint32Array);
    this.pendingWait = r.unsigned(Uint32Array);
    this.size = r.unsigned(Float64Array);
    const offset = r.signed();
    const high = r.unsigned(Uint32Array);
    const low = r.unsigned(Uint32Array);
    this.address = report.wide_addr ? new WideAddresses(high, low) : new Addresses(report.base_addr, offset, this.size);

    this.stack = r.unsigned(Uint32Array);
    this.freeStack = r.unsigned(Uint32Array);
    for (let i = 0; i < this.freeStack.length; i++) {
      const code = this.freeStack[i];
      this.freeStack[i] = code === 0 ? 0 : code === 1 ? this.stack[i] : code - 2;
    }
    this.stream = r.unsigned(Uint32Array);
    this.family = r.unsigned(Uint8Array);
    this.source = r.unsigned(Uint8Array);
    this.reservedEvent = r.ascending(Uint32Array);
    this.reservedDelta = r.signed();
    this.markers = readMarkers(r);
    this.context = readTexts(r);
    this.metadata = readTexts(r);
    this.rule = r.unsigned(Uint16Array);
    for (const column of [this.size, this.stack, this.freeStack, this.stream, this.family, this.rule])
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

/** Addresses as differences to the one before of the same size. */
class Addresses {
  /**
   * @param {string} base hex
   * @param {Float64Array} offset differences; summed up here
   * @param {Float64Array} size
   */
  constructor(base, offset, size) {
    this.base = BigInt(base.startsWith('0x') ? base : '0x' + base);
    this.offset = offset;
    /** @type {Map<number, number>} */
    const previous = new Map();
    for (let i = 0; i < offset.length; i++) {
      offset[i] += previous.get(size[i]) ?? 0;
      previous.set(size[i], offset[i]);
    }
  }

  /** @param {number} i @returns {string} hex */
  text(i) {
    return '0x' + (this.base + BigInt(this.offset[i] ?? 0)).toString(16);
  }
}

/** Addresses spread over more than 2^53 bytes, in two halves. */
class WideAddresses {
  /** @param {Uint32Array} high @param {Uint32Array} low */
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
  const event = r.ascending(Uint32Array);
  const kind = r.unsigned(Uint8Array);
  const size = r.unsigned(Float64Array);
  const free = r.unsigned(Float64Array);
  return Array.from(event, (state, i) => ({
    state,
    kind: kind[i] === 0 ? 'oom' : 'snapshot',
    size: size[i],
    free: free[i],
  }));
}

/** @param {ColumnReader} r @returns {Map<number, number>} allocation to string */
function readTexts(r) {
  const alloc = r.ascending(Uint32Array);
  const text = r.unsigned(Uint32Array);
  return new Map(Array.from(alloc, (id, i) => [id, text[i]]));
}

/** @param {boolean} ok @param {string} what */
function expect(ok, what) {
  if (!ok) throw new Error(`the payload does not fit the report: ${what}`);
}
