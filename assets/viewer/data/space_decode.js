// Works out where tensors lie: runs the model of the allocator over all events, and puts right what it did otherwise.

import { HOST_MEMORY } from './report.js';
import { readAddresses, readSpace, roundedUnits } from './space_columns.js';
import { check, NONE, SMALL_SIZE, SpaceModel } from './space_model.js';
import { OUTSIDE, Space } from './space.js';

/** Milliseconds that decoding keeps the page busy at a time, and events between two looks at the clock. */
const SLICE_MS = 12;
const EVENTS = 4096;

/** Allocations of a device that is decoded within a blink. */
const QUICK = 50_000;

/** Decodes the space of a device, all at once or bit by bit. */
export class SpaceDecoder {
  /** @type {Space | null} */
  #space = null;
  #event = 0;
  #born;
  #reservation = 0; // the next that is reserved
  #return = 0; // the next that is returned
  #code = 0;
  #offset = 0;
  #escape = 0;
  #mores = 0;
  /** @type {Map<number, number>} by requested size: the place of the last escape */
  #lastEscape = new Map();
  /** @type {Map<string, number>} the kind of allocations of one pool, stream and size class */
  #kinds = new Map();
  #lastGroup = NaN;
  #lastKind = NONE;

  /**
   * @param {ReturnType<typeof readSpace>} read
   * @param {ReturnType<typeof readAddresses>} addresses
   * @param {import('./device.js').DeviceData} data
   */
  constructor({ frame, codes }, addresses, data) {
    const { count, events } = data;
    const { reservations } = frame;
    check(events <= 2 ** 20 + 4 * (count + reservations.count) && events < 2 ** 31, 'events');
    this.data = data;
    this.frame = frame;
    this.codes = codes;
    this.addresses = addresses;
    this.model = new SpaceModel(frame, count);
    this.place = new Uint32Array(count).fill(OUTSIDE);
    this.within = new Uint32Array(count).fill(OUTSIDE);
    this.block = new Uint32Array(count);
    this.pool = data.pool;
    this.stream = data.stream;
    for (let k = frame.kinds.length - 1; k >= 0; k--) {
      const { pool, stream, sizeClass } = frame.kinds[k];
      this.#kinds.set(`${pool} ${stream} ${sizeClass === 'small'}`, k);
    }
    /** By event: an allocation that ends in it. */
    this.ended = new Int32Array(events).fill(NONE);
    /** By allocation: another one that ends in the same event. */
    this.before = new Int32Array(count);
    for (let i = 0; i < count; i++) {
      if (data.last[i] >= events) continue;
      this.before[i] = this.ended[data.last[i]];
      this.ended[data.last[i]] = i;
    }
    this.returned = Uint32Array.from({ length: reservations.count }, (_, r) => r)
      .filter((r) => reservations.last[r] < events)
      .sort((a, b) => reservations.last[a] - reservations.last[b] || a - b);
    this.#born = data.preExisting;
    while (this.#reservation < reservations.count && reservations.first[this.#reservation] === 0)
      this.model.reserve(this.#reservation++);
    this.#old();
  }

  /**
   * Where the tensors lay.
   * @param {Uint8Array} bytes of the payload "space-F-D"
   * @param {Uint8Array} addresses of the payload "addresses-F-D"
   * @param {import('./report.js').DeviceReport} report
   * @param {import('./device.js').DeviceData} data
   */
  static recorded(bytes, addresses, report, data) {
    const { reservedEvent } = data;
    const numbered = { count: reservedEvent.length, at: (/** @type {number} */ number) => reservedEvent[number - 1] };
    const read = readSpace(bytes, report.space?.unit ?? 0, numbered, data, report.large_page);
    if (report.device === HOST_MEMORY) for (const kind of read.frame.kinds) kind.isHost = true;
    return new SpaceDecoder(read, readAddresses(addresses, report, read.frame.laneStart.length - 1), data);
  }

  /**
   * Where the best other setting would have put them.
   * @param {Uint8Array} bytes of the payload "predicted-F-D"
   * @param {import('./report.js').DeviceReport} report
   * @param {import('./device.js').DeviceData} data
   */
  static predicted(bytes, report, data) {
    const numbered = { count: data.events, at: (/** @type {number} */ number) => number - 1 };
    return new SpaceDecoder(readSpace(bytes, report.predicted?.space?.unit ?? 0, numbered, data), null, data);
  }

  /** How much is done, 0 to 1. */
  get share() {
    return this.data.events === 0 ? 1 : this.#event / this.data.events;
  }

  /** Goes through some events. @param {number} [events] @returns {boolean} whether it is through */
  run(events = Infinity) {
    const { data, model, ended, before, returned, place, block, within } = this;
    const { first: reserved, last, count } = this.frame.reservations;
    const { first, count: allocations } = data;
    const end = Math.min(data.events, this.#event + events);
    for (let event = this.#event; event < end; event++) {
      for (let gone = ended[event]; gone !== NONE; gone = before[gone])
        if (place[gone] !== OUTSIDE) model.release(place[gone], block[gone], within[gone]);
      for (; this.#return < returned.length && last[returned[this.#return]] === event; this.#return++)
        model.giveBack(returned[this.#return]);
      for (; this.#reservation < count && reserved[this.#reservation] === event + 1; this.#reservation++)
        model.reserve(this.#reservation);
      for (; this.#born < allocations && first[this.#born] === event + 1; this.#born++) this.#bear(this.#born);
    }
    this.#event = end;
    return end === data.events;
  }

  /** The space, once it is through. @returns {Space} */
  get space() {
    return (this.#space ??= this.#finish());
  }

  #finish() {
    const { codes, frame, place, within, block, addresses } = this;
    check(this.#offset === codes.offset.length && this.#escape === codes.escape.length, 'codes');
    check(this.#mores === codes.more.size, 'blocks');
    this.ended = this.before = new Int32Array(0);
    return new Space({
      ...frame,
      place,
      reservation: within,
      block,
      laneAddresses: addresses?.lanes ?? null,
      outside: addresses && outsiders(place, addresses.outside),
    });
  }

  /** The next place that is given as it is. @param {number} i */
  #nextEscape(i) {
    const { escape } = this.codes;
    check(this.#escape < escape.length, 'codes');
    const v = escape[this.#escape++];
    if (v === 0) return OUTSIDE;
    const size = this.data.size[i];
    const place = (this.#lastEscape.get(size) ?? 0) + (v % 2 === 1 ? (v - 1) / 2 : -v / 2);
    check(place >= 0 && place < OUTSIDE, 'a place');
    this.#lastEscape.set(size, place);
    return place;
  }

  /** Places what is there before the first event, from the lowest place up. */
  #old() {
    const { model, place } = this;
    /** @type {number[]} */
    const order = [];
    for (let i = 0; i < this.data.preExisting; i++) {
      place[i] = this.#nextEscape(i);
      if (place[i] !== OUTSIDE) order.push(i);
    }
    order.sort((a, b) => place[a] - place[b] || a - b);
    order.forEach((i, number) => {
      const x = model.gapAround(place[i]);
      check(x !== NONE, 'a place');
      const above = number + 1 < order.length ? place[order[number + 1]] : Infinity;
      this.#take(i, x, place[i] - model.place[x], this.#round(i), Math.min(model.end(x), above) - place[i]);
    });
  }

  /** Units that the request of an allocation is rounded up to. @param {number} i */
  #round(i) {
    const units = roundedUnits(this.data.size[i], this.codes, this.frame.unit);
    check(units > 0 && units < OUTSIDE, 'a size');
    return units;
  }

  /**
   * Makes the block of an allocation in a gap, where there is so much room for it.
   * @param {number} i @param {number} x the gap @param {number} offset @param {number} rounded @param {number} room
   */
  #take(i, x, offset, rounded, room) {
    const { model, codes } = this;
    const kind = model.kind(x);
    let units = model.unsplit(rounded, room, kind);
    if (codes.more.size > 0) {
      const more = codes.more.get(i);
      if (more !== undefined) {
        this.#mores++;
        units += more;
      }
    }
    check(units > 0 && units <= room, 'a block');
    const place = model.place[x] + offset;
    this.place[i] = place;
    this.block[i] = units;
    this.within[i] = model.expandable[kind] ? model.reservationAt(place) : model.within[x];
    model.take(x, offset, units);
  }

  /** Places an allocation that an event makes. @param {number} i */
  #bear(i) {
    const { model, codes } = this;
    const code = codes.code[this.#code++];
    if (code === 1) {
      this.#bearAt(i);
      return;
    }
    const rounded = this.#round(i);
    const kind = this.#kindOf(i, rounded);
    check(kind !== NONE, 'a kind');
    let x;
    let offset = 0;
    if (code === 0) x = model.pick(kind, rounded);
    else {
      if (code % 2 === 1) {
        check(this.#offset < codes.offset.length, 'codes');
        offset = codes.offset[this.#offset++];
      }
      const list = model.gaps[kind];
      list.find(rounded, 0);
      model.pay(list.skip(Math.floor(code / 2) - 1));
      x = list.id;
    }
    check(x !== NONE && offset < model.size[x], 'a place');
    this.#take(i, x, offset, rounded, model.size[x] - offset);
  }

  /** Places an allocation whose place is given. @param {number} i */
  #bearAt(i) {
    const { model } = this;
    const place = this.#nextEscape(i);
    if (place === OUTSIDE) return;
    const rounded = this.#round(i);
    const x = model.gapAround(place);
    check(x !== NONE, 'a place');
    this.#kinds.set(this.#groupName(i, rounded), model.kind(x));
    this.#lastGroup = NaN;
    this.#take(i, x, place - model.place[x], rounded, model.end(x) - place);
  }

  /** @param {number} i @param {number} rounded */
  #groupName(i, rounded) {
    return `${this.pool[i] ?? 0} ${this.stream[i]} ${rounded * this.frame.unit <= SMALL_SIZE}`;
  }

  /** The kind that an allocation is expected to be of. @param {number} i @param {number} rounded */
  #kindOf(i, rounded) {
    // Most often the group is that of the one before. Pools are few.
    const group = (this.stream[i] * 256 + (this.pool[i] ?? 0)) * 2 + Number(rounded * this.frame.unit <= SMALL_SIZE);
    if (group !== this.#lastGroup) {
      this.#lastGroup = group;
      this.#lastKind = this.#kinds.get(this.#groupName(i, rounded)) ?? NONE;
    }
    return this.#lastKind;
  }
}

/** The addresses of what lies in nothing reserved. @param {Uint32Array} place @param {bigint[]} addresses */
function outsiders(place, addresses) {
  /** @type {Map<number, bigint>} */
  const byId = new Map();
  place.forEach((at, i) => {
    if (at === OUTSIDE) {
      check(byId.size < addresses.length, 'addresses');
      byId.set(i, addresses[byId.size]);
    }
  });
  check(byId.size === addresses.length, 'addresses');
  return byId;
}

/**
 * Decodes a space bit by bit, so that the page stays usable.
 * @param {SpaceDecoder} decoder
 * @param {import('./device.js').Progress} progress
 * @returns {Promise<Space>}
 */
export async function decodeSlowly(decoder, progress) {
  for (let late = performance.now() + SLICE_MS; !decoder.run(EVENTS); ) {
    if (performance.now() < late) continue;
    progress(decoder.share);
    await new Promise((resolve) => setTimeout(resolve));
    late = performance.now() + SLICE_MS;
  }
  return decoder.space;
}

/**
 * What a device asks for its space: bit by bit, or at once when it is needed now.
 * @param {(data: import('./device.js').DeviceData) => SpaceDecoder} make
 * @returns {import('./device.js').Maps}
 */
export function recordedMap(make) {
  /** @type {SpaceDecoder | undefined} */
  let decoder;
  const of = (/** @type {import('./device.js').DeviceData} */ data) => (decoder ??= make(data));
  return {
    recorded: async (data, progress) => decodeSlowly(of(data), progress),
    isQuick: (data) => (decoder ? decoder.share === 1 : data.count < QUICK),
    now(data) {
      of(data).run();
      return of(data).space;
    },
  };
}
