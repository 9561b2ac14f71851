// One device's history, decoded into columns.

import { addressesOf } from './addresses.js';
import { ColumnReader } from './columns.js';
import { countBelow } from '../kit/math.js';

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
   * @param {Uint8Array | DeviceColumns} source the payload "device-F-D", or what replaces it
   * @param {import('./report.js').DeviceReport} report
   * @param {Maps} maps
   */
  constructor(source, report, maps = {}) {
    const c = source instanceof Uint8Array ? columnsOf(source, report, maps, this) : source;
    this.#maps = maps;
    this.events = report.events;
    this.count = report.allocations;
    this.preExisting = report.pre_existing;
    this.#time = c.time;
    this.hasTime = report.has_time && this.#time.length === this.events;
    /** First state in which each allocation is live; 0 when pre-existing. Never falls from one to the next. */
    this.first = c.first;
    /** Last state in which each is live: its end event, or the last state of all when live at end. */
    this.last = c.last;
    this.pendingAlloc = c.pendingAlloc;
    this.pendingWait = c.pendingWait;
    this.size = c.size;
    this.address = c.address;
    this.stack = c.stack;
    this.#freeCode = c.freeCode;
    this.#stream = c.stream;
    this.family = c.family;
    this.reservedEvent = c.reservedEvent;
    this.reservedDelta = c.reservedDelta;
    this.retries = report.retries ?? [];
    this.markers = [
      ...c.markers,
      ...this.retries.map(({ state }) => /** @type {Marker} */ ({ state, kind: 'retry', size: 0, free: 0 })),
    ].sort((a, b) => a.state - b.state);
    this.ooms = this.markers.filter((m) => m.kind === 'oom');
    this.context = c.context;
    this.metadata = c.metadata;
    this.#rule = c.rule;
    this.#pool = c.pool;
    for (const column of [this.size, this.stack, this.#freeCode, this.#stream, this.family, this.#rule])
      check(column.length === this.count, 'a column');
    check(this.#pool.length === 0 || this.#pool.length === this.count, 'pools');
    check(this.reservedEvent.length === this.reservedDelta.length, 'reserved memory');
  }

  /**
   * The columns of a device with other tensors, each made from one of these.
   * @param {Edited} edited
   * @returns {DeviceColumns}
   */
  columnsWith({ of, first, last, size, reservedEvent, reservedDelta }) {
    const lazy = (/** @type {LazyColumn} */ column) => lazyColumn(column, of);
    const waits = new Map(Array.from(this.pendingAlloc, (id, i) => [id, this.pendingWait[i]]));
    /** @type {[number, number][]} */
    const pending = [];
    of.forEach((id, i) => {
      const wait = waits.get(id);
      if (wait !== undefined && last[i] === this.last[id]) pending.push([i, wait]);
    });
    return {
      time: this.#time,
      first,
      last,
      pendingAlloc: Uint32Array.from(pending, ([i]) => i),
      pendingWait: Uint32Array.from(pending, ([, wait]) => wait),
      size,
      address: { ready: () => true, text: () => '', prepare() {}, within: () => () => false },
      stack: Uint32Array.from(of, (id) => this.stack[id]),
      freeCode: lazy(this.#freeCode),
      stream: lazy(this.#stream),
      family: Uint8Array.from(of, (id) => this.family[id]),
      reservedEvent,
      reservedDelta,
      markers: this.markers.filter(({ kind }) => kind === 'snapshot'),
      context: this.context.with(of),
      metadata: this.metadata.with(of),
      rule: lazy(this.#rule),
      pool: this.#pool.length === 0 ? this.#pool : lazy(this.#pool),
    };
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
 * @param {Uint8Array} bytes the payload "device-F-D"
 * @param {import('./report.js').DeviceReport} report
 * @param {Maps} maps
 * @param {DeviceData} data
 * @returns {DeviceColumns}
 */
function columnsOf(bytes, report, maps, data) {
  const r = new ColumnReader(bytes);
  const { events, allocations: count, pre_existing: preExisting } = report;
  const time = r.signedSums();
  const start = r.ascending();
  const lifetime = r.unsigned();
  check(start.length === count - preExisting && lifetime.length === count, 'allocations');
  const first = new Uint32Array(count);
  first.set(start.values, preExisting);
  const last = lastStates(first, lifetime.values, events);
  const pendingAlloc = r.ascending().values;
  const pendingWait = r.unsigned().values;
  const size = r.unsigned().values;
  const address = addressesOf(r, report, size, {
    space: () => maps.now?.(data),
    isQuick: () => maps.isQuick?.(data) ?? true,
  });
  const stack = r.unsigned().values;
  const freeCode = r.unsigned();
  const stream = r.unsigned();
  const family = r.unsigned().values;
  r.unsigned(); // how each pre-existing one is known, which nothing shows
  const reservedEvent = r.ascending().values;
  const reservedDelta = r.signed().values;
  const markers = readMarkers(r);
  const context = readTexts(r);
  const metadata = readTexts(r);
  const [rule, pool] = [r.unsigned(), r.unsigned()];
  return {
    ...{ time, first, last, pendingAlloc, pendingWait, size, address, stack, freeCode, stream, family, reservedEvent },
    ...{ reservedDelta, markers, context, metadata, rule, pool },
  };
}

/** A column of other allocations, each like one of these. @param {LazyColumn} column @param {Uint32Array} of */
function lazyColumn(column, of) {
  /** @type {Column | undefined} */
  let values;
  return {
    length: of.length,
    get values() {
      return (values ??= Float64Array.from(of, (id) => column.values[id]));
    },
  };
}

/**
 * @typedef {import('./columns.js').Column} Column
 * @typedef {{readonly length: number, readonly values: Column}} LazyColumn decoded when its values are asked for
 *
 * @typedef {object} DeviceColumns
 * @property {LazyColumn} time
 * @property {Uint32Array} first
 * @property {Uint32Array} last
 * @property {Column} pendingAlloc
 * @property {Column} pendingWait
 * @property {Column} size
 * @property {import('./addresses.js').Addresses} address
 * @property {Column} stack
 * @property {LazyColumn} freeCode
 * @property {LazyColumn} stream
 * @property {Column} family
 * @property {Column} reservedEvent
 * @property {Column} reservedDelta
 * @property {Marker[]} markers
 * @property {Texts} context
 * @property {Texts} metadata
 * @property {LazyColumn} rule
 * @property {LazyColumn} pool
 *
 * @typedef {object} Edited tensors of a training that was never run, in the order of their first states
 * @property {Uint32Array} of the recorded allocation that each is, or comes from
 * @property {Uint32Array} first
 * @property {Uint32Array} last
 * @property {Float64Array} size
 * @property {Uint32Array} reservedEvent
 * @property {Float64Array} reservedDelta
 *
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
  /** @param {Column} alloc ascending @param {Column} text index of a string, for each of them */
  constructor(alloc, text) {
    this.alloc = alloc;
    this.text = text;
    check(alloc.length === text.length, 'texts');
  }

  /** @param {number} id of an allocation @returns {number | undefined} its string */
  get(id) {
    const i = countBelow(this.alloc, id);
    return this.alloc[i] === id ? this.text[i] : undefined;
  }

  /** The texts of other allocations, each like one of these. @param {Uint32Array} of */
  with(of) {
    const alloc = Uint32Array.from(of.keys()).filter((i) => this.get(of[i]) !== undefined);
    return new Texts(alloc, Uint32Array.from(alloc, (i) => this.get(of[i]) ?? 0));
  }
}

/** @param {ColumnReader} r */
function readTexts(r) {
  return new Texts(r.ascending().values, r.unsigned().values);
}

/** @param {boolean} ok @param {string} what the column that does not fit */
function check(ok, what) {
  if (!ok) throw new Error(`the payload does not fit the report: ${what}`);
}
