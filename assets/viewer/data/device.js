// One device's history, decoded into columns.

import { addressesOf } from './addresses.js';
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
    this.address = addressesOf(r, report, this.size);

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
