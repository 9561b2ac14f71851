// Pieces of memory in order, and the one that is looked for.

/** The most pieces a chunk holds. */
const CHUNK = 128;

class Chunk {
  length = 0;
  size = new Uint32Array(CHUNK);
  place = new Uint32Array(CHUNK);
  id = new Int32Array(CHUNK);

  /** @param {number} i @param {number} size @param {number} place whether piece i comes before such a one */
  isBefore(i, size, place) {
    const own = this.size[i];
    return own < size || (own === size && this.place[i] < place);
  }

  /** @param {number} from @param {number} to @param {number} at what moves to another position */
  move(from, to, at) {
    this.size.copyWithin(at, from, to);
    this.place.copyWithin(at, from, to);
    this.id.copyWithin(at, from, to);
  }
}

/**
 * Pieces by size, then place: a sorted list cut into chunks, so that a change moves few of them however many there
 * are. It has a position, which find sets.
 */
export class Gaps {
  /** @type {Chunk[]} none of them empty */
  #chunks = [];
  #chunk = 0;
  #at = 0;

  /** Goes to the first piece that is not before a size and place. @param {number} size @param {number} place */
  find(size, place) {
    const chunks = this.#chunks;
    let low = 0;
    let high = chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const chunk = chunks[middle];
      if (chunk.isBefore(chunk.length - 1, size, place)) low = middle + 1;
      else high = middle;
    }
    this.#chunk = low;
    this.#at = 0;
    if (low === chunks.length) return;
    const chunk = chunks[low];
    low = 0;
    high = chunk.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (chunk.isBefore(middle, size, place)) low = middle + 1;
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

  /** @param {number} size @param {number} place @param {number} id */
  add(size, place, id) {
    this.find(size, place);
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
    chunk.move(at, chunk.length, at + 1);
    chunk.size[at] = size;
    chunk.place[at] = place;
    chunk.id[at] = id;
    chunk.length++;
  }

  /** Takes out a piece that is in the list. @param {number} size @param {number} place */
  remove(size, place) {
    this.find(size, place);
    const chunk = this.#chunks[this.#chunk];
    chunk.move(this.#at + 1, chunk.length, this.#at);
    if (--chunk.length === 0) this.#chunks.splice(this.#chunk, 1);
  }

  /** The ids of all pieces. @returns {number[]} */
  all() {
    return this.#chunks.flatMap((chunk) => Array.from(chunk.id.subarray(0, chunk.length)));
  }
}

/** Moves the upper half of a full chunk to a new one. @param {Chunk} chunk */
function split(chunk) {
  const upper = new Chunk();
  const half = CHUNK / 2;
  upper.size.set(chunk.size.subarray(half));
  upper.place.set(chunk.place.subarray(half));
  upper.id.set(chunk.id.subarray(half));
  upper.length = half;
  chunk.length = half;
  return upper;
}
