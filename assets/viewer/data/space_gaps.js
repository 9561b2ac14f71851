// Pieces of memory in order, and the one that is looked for.

/** The most pieces a chunk holds. */
const CHUNK = 64;

class Chunk {
  length = 0;
  id = new Int32Array(CHUNK);
}

/**
 * Pieces by size, then place, or by place alone: a sorted list cut into chunks, so that a change moves few of them
 * however many there are. A piece is an index into the sizes and places, whose order must not change while it is in the
 * list. The list has a position, which find sets.
 */
export class Gaps {
  /** @type {Chunk[]} none of them empty */
  #chunks = [];
  #chunk = 0;
  #at = 0;
  #of;
  #by;

  /**
   * @param {{size: Uint32Array, place: Uint32Array}} of the sizes and places of all pieces
   * @param {'size' | 'place'} by
   */
  constructor(of, by) {
    this.#of = of;
    this.#by = by;
  }

  /**
   * Goes to the first piece that is not before a size and place, or with a list by place, a place.
   * @param {number} first @param {number} place
   */
  find(first, place = 0) {
    const chunks = this.#chunks;
    const firsts = this.#of[this.#by];
    const places = this.#of.place;
    let low = 0;
    let high = chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const chunk = chunks[middle];
      const last = chunk.id[chunk.length - 1];
      if (firsts[last] < first || (firsts[last] === first && places[last] < place)) low = middle + 1;
      else high = middle;
    }
    this.#chunk = low;
    this.#at = 0;
    if (low === chunks.length) return;
    const { id, length } = chunks[low];
    low = 0;
    high = length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const x = id[middle];
      if (firsts[x] < first || (firsts[x] === first && places[x] < place)) low = middle + 1;
      else high = middle;
    }
    this.#at = low;
  }

  /** What stands at the position; -1 at the end. */
  get id() {
    const chunk = this.#chunks[this.#chunk];
    return chunk ? chunk.id[this.#at] : -1;
  }

  /** Goes to the next piece. */
  next() {
    if (++this.#at < this.#chunks[this.#chunk].length) return;
    this.#chunk++;
    this.#at = 0;
  }

  /** Goes to the piece before, if there is one. @returns {boolean} */
  previous() {
    if (this.#at > 0) this.#at--;
    else if (this.#chunk === 0) return false;
    else this.#at = this.#chunks[--this.#chunk].length - 1;
    return true;
  }

  /** Goes n pieces further, or to the end. @param {number} n @returns {number} how many chunks it went through */
  skip(n) {
    let hops = 0;
    for (; this.#chunk < this.#chunks.length; this.#chunk++, this.#at = 0, hops++) {
      const left = this.#chunks[this.#chunk].length - this.#at;
      if (n < left) {
        this.#at += n;
        break;
      }
      n -= left;
    }
    return hops;
  }

  /** @param {number} x */
  add(x) {
    this.find(this.#of[this.#by][x], this.#of.place[x]);
    const chunks = this.#chunks;
    let number = this.#chunk;
    let at = this.#at;
    if (number === chunks.length) {
      if (number === 0) chunks.push(new Chunk());
      else number--;
      at = chunks[number].length;
    }
    let chunk = chunks[number];
    if (chunk.length === CHUNK) {
      const upper = split(chunk);
      chunks.splice(number + 1, 0, upper);
      if (at > chunk.length) {
        at -= chunk.length;
        chunk = upper;
      }
    }
    // So few are moved faster one by one than by copyWithin.
    const { id } = chunk;
    for (let i = chunk.length++; i > at; i--) id[i] = id[i - 1];
    id[at] = x;
  }

  /** Takes out a piece that is in the list. @param {number} x */
  remove(x) {
    this.find(this.#of[this.#by][x], this.#of.place[x]);
    const chunk = this.#chunks[this.#chunk];
    const { id } = chunk;
    const last = --chunk.length;
    for (let i = this.#at; i < last; i++) id[i] = id[i + 1];
    if (last === 0) this.#chunks.splice(this.#chunk, 1);
  }
}

/** Moves the upper half of a full chunk to a new one. @param {Chunk} chunk */
function split(chunk) {
  const upper = new Chunk();
  const half = CHUNK / 2;
  upper.id.set(chunk.id.subarray(half));
  upper.length = half;
  chunk.length = half;
  return upper;
}
