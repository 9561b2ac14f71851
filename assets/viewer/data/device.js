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

    /** First state in which each allocation is live; 0 when pre-existing. Never falls from one to the next. */
    this.first = r.ascending(Uint32Array, this.preExisting);
    /** Last state in which each is live: its end event, or the last state of all when live at end. */
    this.last = r.unsigned(Uint32Array);
    expect(this.first.length === this.count && this.last.length === this.count, 'allocations');
    lifeToLast(this.last, this.first, this.events);

    this.pendingAlloc = r.ascending(Uint32Array);
    this.pendingWait = r.unsigned(Uint32Array);
    this.size = r.unsigned(Float64Array);
    const offset = r.signed();
    const high = r.unsigned(Uint32Array);
    const low = r.unsigned(Uint32Array);
    this.address = addresses(report, offset, high, low, this.size);

    this.stack = r.unsigned(Uint32Array);
    this.freeStack = r.unsigned(Uint32Array);
    codeToStack(this.freeStack, this.stack);
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

/**
 * Lives, in place, to the last states in which the allocations are live.
 * @param {Uint32Array} life 0 live at end, else end event - start event
 * @param {Uint32Array} first start event + 1
 * @param {number} events
 */
function lifeToLast(life, first, events) {
  for (let i = 0; i < life.length; i++) {
    const end = first[i] - 1 + life[i];
    if (life[i] === 0) life[i] = events;
    else if (end < events) life[i] = end;
    else expect(false, 'an allocation');
  }
}

/**
 * Codes of the stacks of frees, in place, to stacks.
 * @param {Uint32Array} code 0 none, 1 the same as of the allocation, else stack + 2
 * @param {Uint32Array} stack
 */
function codeToStack(code, stack) {
  for (let i = 0; i < code.length; i++) if (code[i] > 0) code[i] = code[i] === 1 ? stack[i] : code[i] - 2;
}

/**
 * What gives the address of an allocation as text.
 * @param {import('./report.js').DeviceReport} report
 * @param {Float64Array} offset
 * @param {Uint32Array} high
 * @param {Uint32Array} low
 * @param {Float64Array} size
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
   * @param {Float64Array} offset differences
   * @param {Float64Array} size
   */
  constructor(base, offset, size) {
    this.base = BigInt(base.startsWith('0x') ? base : '0x' + base);
    this.offset = offset;
    this.size = size;
    this.summed = false;
  }

  /** @param {number} i @returns {string} hex */
  text(i) {
    if (!this.summed) sumBySize(this.offset, this.size);
    this.summed = true;
    return '0x' + (this.base + BigInt(this.offset[i] ?? 0)).toString(16);
  }
}

/**
 * Adds to each value, in place, the one before it of the same size.
 * @param {Float64Array} values
 * @param {Float64Array} size
 */
function sumBySize(values, size) {
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
    values[i] = sumIn[slot] += values[i];
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
