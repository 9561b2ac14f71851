// One device's history, decoded into columns.

import { addressesOf } from './addresses.js';
import { ColumnReader } from './columns.js';
import { countBelow } from './math.js';

/**
 * State k is the allocator before event k. With n events there are n+1 states,
 * 0 to n, and an allocation is live in the states first to last, both included.
 */
export class DeviceData {
  /** @type {Maps} */
  #maps;
  /** @type {{recorded?: Promise<Space>, predicted?: Promise<Space>}} */
  #spaces = {};
  #time;
  #freeCode;
  #stream;
  #rule;
  #pool;

  /**
   * @param {Uint8Array} bytes the payload "device-F-D"
   * @param {import('./report.js').DeviceReport} report
   * @param {Maps} maps
   */
  constructor(bytes, report, maps = {}) {
    const r = new ColumnReader(bytes);
    this.#maps = maps;
    this.events = report.events;
    this.count = report.allocations;
    this.preExisting = report.pre_existing;

    this.#time = r.signedSums();
    this.hasTime = report.has_time && this.#time.length === this.events;

    const start = r.ascending();
    const lifetime = r.unsigned();
    check(start.length === this.count - this.preExisting && lifetime.length === this.count, 'allocations');
    /** First state in which each allocation is live; 0 when pre-existing. Never falls from one to the next. */
    this.first = new Uint32Array(this.count);
    this.first.set(start.values, this.preExisting);
    /** Last state in which each is live: its end event, or the last state of all when live at end. */
    this.last = lastStates(this.first, lifetime.values, this.events);

    this.pendingAlloc = r.ascending().values;
    this.pendingWait = r.unsigned().values;
    this.size = r.unsigned().values;
    this.address = addressesOf(r, report, this.size, {
      space: () => maps.now?.(this),
      isQuick: () => maps.isQuick?.(this) ?? true,
    });

    this.stack = r.unsigned().values;
    this.#freeCode = r.unsigned();
    this.#stream = r.unsigned();
    this.family = r.unsigned().values;
    r.unsigned(); // how each pre-existing one is known, which nothing shows
    this.reservedEvent = r.ascending().values;
    this.reservedDelta = r.signed().values;
    this.retries = report.retries ?? [];
    this.markers = [
      ...readMarkers(r),
      ...this.retries.map(({ state }) => /** @type {Marker} */ ({ state, kind: 'retry', size: 0, free: 0 })),
    ].sort((a, b) => a.state - b.state);
    this.ooms = this.markers.filter((m) => m.kind === 'oom');
    this.context = new Texts(r);
    this.metadata = new Texts(r);
    this.#rule = r.unsigned();
    this.#pool = r.unsigned();
    for (const column of [this.size, this.stack, this.#freeCode, this.#stream, this.family, this.#rule])
      check(column.length === this.count, 'a column');
    check(this.#pool.length === 0 || this.#pool.length === this.count, 'pools');
    check(this.reservedEvent.length === this.reservedDelta.length, 'reserved memory');
  }

  /** Whether it is known where the tensors lay. */
  get hasMap() {
    return this.#maps.recorded !== undefined;
  }

  /** Whether there is also the address space that another setting of the allocator would have made. */
  get hasPredictedMap() {
    return this.#maps.predicted !== undefined;
  }

  /**
   * Where the tensors lay. It is decoded when it is first asked for, which takes a while and leaves the page usable.
   * @param {Progress} [progress] of the first call only
   * @returns {Promise<Space>}
   */
  space(progress) {
    return this.#space('recorded', progress);
  }

  /**
   * Where the tensors would have lain under the best setting of the report's "predicted". Allocation i is the same
   * as in space(); one that would have failed is OUTSIDE.
   * @param {Progress} [progress] of the first call only
   * @returns {Promise<Space>}
   */
  predictedSpace(progress) {
    return this.#space('predicted', progress);
  }

  /** @param {'recorded' | 'predicted'} which @param {Progress} [progress] @returns {Promise<Space>} */
  #space(which, progress = () => {}) {
    const decode = this.#maps[which];
    if (!decode) return Promise.reject(new Error('the report does not say where tensors lie'));
    return (this.#spaces[which] ??= decode(this, progress));
  }

  /** The address of allocation i, or '' for as long as it has to be worked out. @param {number} i @returns {string} */
  addressSoon(i) {
    if (this.address.ready()) return this.address.text(i);
    this.space().catch(() => {}); // whoever shows the space says so
    return '';
  }

  // Columns that no picture needs are decoded when they are asked for.

  /** Microseconds since the first event, per event; null when not recorded. @returns {Column | null} */
  get time() {
    return this.hasTime ? this.#time.values : null;
  }

  /** Per allocation: an index into the file's streams. */
  get stream() {
    return this.#stream.values;
  }

  /** Per allocation: an index into the report's rules. */
  get rule() {
    return this.#rule.values;
  }

  /** Per allocation: an index into the device's pools; empty when there is only one. */
  get pool() {
    return this.#pool.values;
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
    const code = this.#freeCode.values[i];
    return code === 1 ? this.stack[i] : Math.max(0, code - 2);
  }

  /**
   * The event that requested the free of an allocation, where the free was pending for a
   * while; null otherwise.
   * @param {number} i
   */
  freeRequest(i) {
    const at = this.pendingAlloc.indexOf(i);
    return at < 0 ? null : this.last[i] - this.pendingWait[at];
  }
}

/**
 * @typedef {import('./columns.js').Column} Column
 * @typedef {import('./space.js').Space} Space
 * @typedef {(share: number) => void} Progress of work that is done, 0 to 1
 *
 * @typedef {object} Maps functions that decode the address spaces, where the report has them
 * @property {(data: DeviceData, progress: Progress) => Promise<Space>} [recorded]
 * @property {(data: DeviceData, progress: Progress) => Promise<Space>} [predicted]
 * @property {(data: DeviceData) => Space} [now] gives the recorded one at once, which may keep the page busy
 * @property {(data: DeviceData) => boolean} [isQuick] whether that takes no time worth the name
 */

/**
 * @param {Uint32Array} first start event + 1
 * @param {Column} lifetime 0 live at end, else end event - start event
 * @param {number} events
 */
function lastStates(first, lifetime, events) {
  const last = new Uint32Array(lifetime.length);
  for (let i = 0; i < lifetime.length; i++) {
    const end = first[i] - 1 + lifetime[i];
    if (lifetime[i] === 0) last[i] = events;
    else if (end < events) last[i] = end;
    else check(false, 'an allocation');
  }
  return last;
}

/**
 * @typedef {object} Marker
 * @property {number} state the state it was recorded in, which is the event's index
 * @property {'oom' | 'snapshot' | 'retry'} kind
 * @property {number} size bytes asked for, or active bytes
 * @property {number} free bytes free on the device
 */

/** @param {ColumnReader} r @returns {Marker[]} */
function readMarkers(r) {
  const event = r.ascending().values;
  const kind = r.unsigned().values;
  const size = r.unsigned().values;
  const free = r.unsigned().values;
  return Array.from(event, (state, i) => ({
    state,
    kind: kind[i] === 0 ? 'oom' : 'snapshot',
    size: size[i],
    free: free[i],
  }));
}

/** The texts that some allocations have. */
class Texts {
  /** @param {ColumnReader} r */
  constructor(r) {
    this.alloc = r.ascending().values;
    this.text = r.unsigned().values;
    check(this.alloc.length === this.text.length, 'texts');
  }

  /** @param {number} id of an allocation @returns {number | undefined} its string */
  get(id) {
    const i = countBelow(this.alloc, id);
    return this.alloc[i] === id ? this.text[i] : undefined;
  }
}

/** @param {boolean} ok @param {string} what the column that does not fit */
function check(ok, what) {
  if (!ok) throw new Error(`the payload does not fit the report: ${what}`);
}
