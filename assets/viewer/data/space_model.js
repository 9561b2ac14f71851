// A small model of PyTorch's allocator, as in pkg/internal/space: where memory is free, and where it would be taken.

import { Gaps } from './space_gaps.js';

/** Stands for no node, no kind. */
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

/**
 * The memory of a device in one state. A node is a block, or a gap; the nodes of a segment of cudaMalloc tile it, and
 * so do those of an unbroken run of pages. What is left of a cut keeps the node.
 */
export class SpaceModel {
  // By node.
  place = new Uint32Array(0);
  size = new Uint32Array(0);
  before = new Int32Array(0); // neighbours, or NONE
  behind = new Int32Array(0);
  kind = new Int32Array(0);
  within = new Int32Array(0); // the reservation, of one made by cudaMalloc
  free = new Uint8Array(0);

  /**
   * @param {object} frame
   * @param {number} frame.unit
   * @param {Float64Array} frame.laneStart
   * @param {import('./space.js').Kind[]} frame.kinds
   * @param {import('./space.js').Reservations} frame.reservations
   * @param {number} count of allocations
   */
  constructor({ unit, laneStart, kinds, reservations }, count) {
    this.unit = unit;
    this.laneStart = laneStart;
    this.reservations = reservations;
    this.gaps = kinds.map(() => new Gaps(this));
    this.expandable = Uint8Array.from(kinds, (k) => Number(k.expandable));
    this.keepsRest = Uint8Array.from(kinds, (k) => Number(!k.expandable && k.sizeClass === 'large'));
    this.budget = BUDGET + PER_ITEM * (count + reservations.count);
    /** Reservations of this state, by place. */
    this.reserved = new Gaps({ size: new Uint32Array(reservations.count), place: reservations.start });
    this.lowest = new Int32Array(reservations.count); // node of each segment of cudaMalloc
    /** @type {Map<number, number>} nodes by the lower ends of unbroken runs of pages */
    this.lowerEnds = new Map();
    /** @type {Map<number, number>} and by the upper ends */
    this.upperEnds = new Map();
    this.nodes = 0;
    /** @type {number[]} */
    this.spare = [];
    this.#grow(1024);
  }

  /** @param {number} capacity */
  #grow(capacity) {
    this.place = longer(this.place, new Uint32Array(capacity));
    this.size = longer(this.size, new Uint32Array(capacity));
    this.before = longer(this.before, new Int32Array(capacity));
    this.behind = longer(this.behind, new Int32Array(capacity));
    this.kind = longer(this.kind, new Int32Array(capacity));
    this.within = longer(this.within, new Int32Array(capacity));
    this.free = longer(this.free, new Uint8Array(capacity));
  }

  /** @param {number} place @param {number} size @param {number} kind @param {number} within */
  #make(place, size, kind, within) {
    const x = this.spare.pop() ?? this.nodes++;
    if (x === this.place.length) this.#grow(2 * x);
    this.place[x] = place;
    this.size[x] = size;
    this.kind[x] = kind;
    this.within[x] = within;
    this.before[x] = this.behind[x] = NONE;
    this.free[x] = 0;
    return x;
  }

  /** @param {number} x */
  #list(x) {
    this.free[x] = 1;
    this.gaps[this.kind[x]].add(x);
  }

  /** @param {number} x */
  #unlist(x) {
    this.free[x] = 0;
    this.gaps[this.kind[x]].remove(x);
  }

  /** Adds a reservation, which is free. @param {number} r */
  reserve(r) {
    const { start, size, kind, lane } = this.reservations;
    const end = start[r] + size[r];
    this.#occupy(r, end);
    const isExpandable = this.expandable[kind[r]] === 1;
    const x = this.#make(start[r], size[r], kind[r], isExpandable ? NONE : r);
    if (!isExpandable) {
      this.lowest[r] = x;
      this.#list(x);
      return;
    }
    // It joins the pages on both sides of it. Lanes touch in places, not in addresses.
    const low = this.upperEnds.get(start[r]);
    if (low !== undefined && this.kind[low] === kind[r] && start[r] !== this.laneStart[lane[r]]) {
      this.before[x] = low;
      this.behind[low] = x;
      this.upperEnds.delete(start[r]);
    } else this.lowerEnds.set(start[r], x);
    const high = this.lowerEnds.get(end);
    if (high !== undefined && this.kind[high] === kind[r] && end !== this.laneStart[lane[r] + 1]) {
      this.behind[x] = high;
      this.before[high] = x;
      this.lowerEnds.delete(end);
    } else this.upperEnds.set(end, x);
    this.release(x);
  }

  /** Notes that a reservation is there, where no other may be. @param {number} r @param {number} end */
  #occupy(r, end) {
    const { start, size } = this.reservations;
    const list = this.reserved;
    list.find(0, start[r]);
    const above = list.id;
    const below = list.previous() ? list.id : NONE;
    check(above === NONE || start[above] >= end, 'what is reserved overlaps');
    check(below === NONE || start[below] + size[below] <= start[r], 'what is reserved overlaps');
    list.add(r);
  }

  /** @param {number} place @returns {number} the reservation that it lies in; one there must be */
  reservationAt(place) {
    this.reserved.find(0, place + 1);
    this.reserved.previous();
    return this.reserved.id;
  }

  /** Makes a node free, and one with the gaps beside it. @param {number} x */
  release(x) {
    const low = this.before[x];
    if (low !== NONE && this.free[low]) {
      this.#unlist(low);
      this.#absorb(low, x);
      x = low;
    }
    const high = this.behind[x];
    if (high !== NONE && this.free[high]) {
      this.#unlist(high);
      this.#absorb(x, high);
    }
    this.#list(x);
  }

  /** Adds the node behind x to x. @param {number} x @param {number} high */
  #absorb(x, high) {
    this.size[x] += this.size[high];
    this.behind[x] = this.behind[high];
    this.#link(x);
    this.spare.push(high);
  }

  /** Tells what is behind a node that it is there. @param {number} x */
  #link(x) {
    if (this.behind[x] !== NONE) this.before[this.behind[x]] = x;
    else if (this.expandable[this.kind[x]]) this.upperEnds.set(this.place[x] + this.size[x], x);
  }

  /** Cuts a node in two. @param {number} x @param {number} size of the lower one @returns {number} the upper one */
  #split(x, size) {
    const high = this.#make(this.place[x] + size, this.size[x] - size, this.kind[x], this.within[x]);
    this.before[high] = x;
    this.behind[high] = this.behind[x];
    this.size[x] = size;
    this.behind[x] = high;
    this.#link(high);
    return high;
  }

  /**
   * Makes a block of a gap.
   * @param {number} x the gap
   * @param {number} offset where in it
   * @param {number} size
   * @returns {number} its node
   */
  take(x, offset, size) {
    this.#unlist(x);
    if (offset > 0) {
      const high = this.#split(x, offset);
      this.#list(x);
      x = high;
    }
    if (this.size[x] > size) this.#list(this.#split(x, size));
    return x;
  }

  /** Removes a reservation, all of which must be free. @param {number} r */
  giveBack(r) {
    const { start, size, kind } = this.reservations;
    this.reserved.remove(r);
    if (!this.expandable[kind[r]]) {
      const x = this.lowest[r];
      check(this.free[x] === 1 && this.size[x] === size[r], 'memory is returned that is not free');
      this.#unlist(x);
      this.spare.push(x);
      return;
    }
    const gap = this.gapAround(kind[r], start[r], size[r]);
    check(gap !== NONE, 'memory is returned that is not free');
    const x = this.take(gap, start[r] - this.place[gap], size[r]);
    const end = start[r] + size[r];
    const low = this.before[x];
    const high = this.behind[x];
    if (low !== NONE) {
      this.behind[low] = NONE;
      this.upperEnds.set(start[r], low);
    } else this.lowerEnds.delete(start[r]);
    if (high !== NONE) {
      this.before[high] = NONE;
      this.lowerEnds.set(end, high);
    } else this.upperEnds.delete(end);
    this.spare.push(x);
  }

  /** @param {number} kind @param {number} place @param {number} size @returns {number} the gap it lies in, or NONE */
  gapAround(kind, place, size) {
    const list = this.gaps[kind];
    for (list.find(size, 0); ; list.next()) {
      const x = list.id;
      if (x === NONE || (this.place[x] <= place && place + size <= this.place[x] + this.size[x])) return x;
      this.pay(1);
    }
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
    return this.behind[x] === NONE ? UNMAPPED - this.place[x] : this.size[x];
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

  /** The gaps of all kinds, from the lowest place up. */
  gapsByPlace() {
    return this.gaps.flatMap((list) => list.all()).sort((a, b) => this.place[a] - this.place[b]);
  }
}

/** @template {Uint8Array | Uint32Array | Int32Array} T @param {T} from @param {T} to @returns {T} */
function longer(from, to) {
  to.set(from);
  return to;
}

/** @param {boolean} ok @param {string} what is wrong */
export function check(ok, what) {
  if (!ok) throw new Error(`the payload does not fit the report: ${what}`);
}
