// A small model of PyTorch's allocator, as in pkg/internal/space: where memory is free, and where it would be taken.

import { Gaps } from './space_gaps.js';

/** Stands for no gap, no kind, no reservation. */
export const NONE = -1;

/** Bytes of the largest block that small requests get. */
export const SMALL_SIZE = 2 ** 20;

/** Steps in lists: so many are free, and so many more for each allocation and reservation. */
const BUDGET = 2 ** 26;
const PER_ITEM = 64;

/** Gaps that are compared by what they could grow to. */
const ROUNDS = 64;

/** More units than any gap that ends where no page is mapped has below its place. */
const UNMAPPED = 2 ** 40;

/** The memory of a device in one state. */
export class SpaceModel {
  // By gap.
  place = new Uint32Array(0);
  size = new Uint32Array(0);
  within = new Int32Array(0); // a reservation of its kind and lane, that which it lies in unless pages joined

  /**
   * @param {object} frame
   * @param {number} frame.unit
   * @param {import('./space.js').Kind[]} frame.kinds
   * @param {import('./space.js').Reservations} frame.reservations
   * @param {number} count of allocations
   */
  constructor({ unit, kinds, reservations }, count) {
    this.unit = unit;
    this.reservations = reservations;
    this.expandable = Uint8Array.from(kinds, (k) => Number(k.expandable));
    this.keepsRest = Uint8Array.from(kinds, (k) => Number(!k.expandable && k.sizeClass === 'large'));
    this.budget = BUDGET + PER_ITEM * (count + reservations.count);
    /** Gaps of each kind. */
    this.gaps = kinds.map(() => new Gaps(this, 'size'));
    this.free = new Gaps(this, 'place');
    /** Reservations of this state. */
    this.reserved = new Gaps({ size: reservations.size, place: reservations.start }, 'place');
    this.made = 0;
    /** @type {number[]} */
    this.spare = [];
    this.#grow(1024);
  }

  /** @param {number} capacity */
  #grow(capacity) {
    this.place = longer(this.place, new Uint32Array(capacity));
    this.size = longer(this.size, new Uint32Array(capacity));
    this.within = longer(this.within, new Int32Array(capacity));
  }

  /**
   * Makes a gap, which is not yet in the list of its kind.
   * @param {number} place @param {number} size @param {number} within
   */
  #make(place, size, within) {
    const x = this.spare.pop() ?? this.made++;
    if (x === this.place.length) this.#grow(2 * x);
    this.place[x] = place;
    this.size[x] = size;
    this.within[x] = within;
    this.free.add(x);
    return x;
  }

  /** Forgets a gap. @param {number} x */
  #drop(x) {
    this.free.remove(x);
    this.spare.push(x);
  }

  /** @param {number} x a gap @returns {number} */
  kind(x) {
    return this.reservations.kind[this.within[x]];
  }

  /** @param {number} x a gap @returns {number} the place behind it */
  end(x) {
    return this.place[x] + this.size[x];
  }

  /**
   * Whether memory of two reservations is one where it touches: pages of one kind in one lane are. Lanes touch in
   * places, not in addresses.
   * @param {number} a @param {number} b
   */
  #isJoined(a, b) {
    const { kind, lane } = this.reservations;
    return a === b || (kind[a] === kind[b] && lane[a] === lane[b] && this.expandable[kind[a]] === 1);
  }

  /** Adds a reservation, which is free. @param {number} r */
  reserve(r) {
    const { start, size } = this.reservations;
    const list = this.reserved;
    list.find(start[r]);
    const above = list.id;
    const below = list.previous() ? list.id : NONE;
    check(above === NONE || start[above] >= start[r] + size[r], 'what is reserved overlaps');
    check(below === NONE || start[below] + size[below] <= start[r], 'what is reserved overlaps');
    list.add(r);
    this.release(start[r], size[r], r);
  }

  /** @param {number} place @returns {number} the reservation that it lies in, or one below it; NONE if there is none */
  reservationAt(place) {
    this.reserved.find(place + 1);
    return this.reserved.previous() ? this.reserved.id : NONE;
  }

  /**
   * Makes a range free, and one gap with those beside it.
   * @param {number} place @param {number} size @param {number} within a reservation
   */
  release(place, size, within) {
    const { free } = this;
    const list = this.gaps[this.reservations.kind[within]];
    free.find(place);
    const above = free.id;
    const below = free.previous() ? free.id : NONE;
    const isBelow = below !== NONE && this.end(below) === place && this.#isJoined(this.within[below], within);
    const isAbove =
      above !== NONE && this.place[above] === place + size && this.#isJoined(this.within[above], within);
    let x = below;
    if (isAbove) list.remove(above);
    if (isBelow) {
      list.remove(below);
      this.size[x] += size;
      if (isAbove) {
        this.size[x] += this.size[above];
        this.#drop(above);
      }
    } else if (isAbove) {
      x = above;
      this.place[x] = place;
      this.size[x] += size;
    } else x = this.#make(place, size, within);
    list.add(x);
  }

  /**
   * Makes units of a gap a block.
   * @param {number} x the gap
   * @param {number} offset where in it
   * @param {number} size
   */
  take(x, offset, size) {
    const list = this.gaps[this.kind(x)];
    const from = this.place[x] + offset + size;
    const rest = this.end(x) - from;
    list.remove(x);
    if (offset > 0) {
      this.size[x] = offset;
      list.add(x);
      if (rest > 0) list.add(this.#make(from, rest, this.within[x]));
    } else if (rest > 0) {
      this.place[x] = from;
      this.size[x] = rest;
      list.add(x);
    } else this.#drop(x);
  }

  /** Removes a reservation, all of which must be free. @param {number} r */
  giveBack(r) {
    const { start, size } = this.reservations;
    const x = this.gapAround(start[r]);
    check(
      x !== NONE && this.end(x) >= start[r] + size[r] && this.#isJoined(this.within[x], r),
      'memory is returned that is not free',
    );
    this.take(x, start[r] - this.place[x], size[r]);
    this.reserved.remove(r);
  }

  /** @param {number} place @returns {number} the gap that it lies in, or NONE */
  gapAround(place) {
    const { free } = this;
    free.find(place + 1);
    return free.previous() && place < this.end(free.id) ? free.id : NONE;
  }

  /** @param {number} steps */
  pay(steps) {
    this.budget -= steps;
    check(this.budget >= 0, 'too many gaps have to be looked at');
  }

  /**
   * The gap of a kind in which the allocator would put so many units: the smallest that is large enough, the lowest
   * of equal ones. One of an expandable segment that ends where no page is mapped counts as large as it could grow.
   * @param {number} kind @param {number} size
   */
  pick(kind, size) {
    const list = this.gaps[kind];
    list.find(size, 0);
    let x = list.id;
    if (!this.expandable[kind] || x === NONE) return x;
    for (let i = 0; i < ROUNDS; i++) {
      list.next();
      const other = list.id;
      if (other === NONE || this.#room(other) >= this.#room(x)) break;
      x = other;
    }
    return x;
  }

  /** @param {number} x */
  #room(x) {
    const { start, size } = this.reservations;
    const end = this.end(x);
    const r = this.reservationAt(end);
    const isMapped = r !== NONE && end < start[r] + size[r] && this.#isJoined(r, this.within[x]);
    return isMapped ? this.size[x] : UNMAPPED - this.place[x];
  }

  /**
   * The units of a block that has so much room: the allocator leaves what is too small to be used to the block. It
   * has no more than is free, whatever the request is thought to be rounded up to.
   * @param {number} rounded units of the request @param {number} room @param {number} kind
   */
  unsplit(rounded, room, kind) {
    const isAll = rounded > room || (this.keepsRest[kind] === 1 && (room - rounded) * this.unit <= SMALL_SIZE);
    return isAll ? room : rounded;
  }
}

/** @template {Uint32Array | Int32Array} T @param {T} from @param {T} to @returns {T} */
function longer(from, to) {
  to.set(from);
  return to;
}

/** @param {boolean} ok @param {string} what is wrong */
export function check(ok, what) {
  if (!ok) throw new Error(`the payload does not fit the report: ${what}`);
}
