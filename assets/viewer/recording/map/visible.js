// Which allocations are live at the states that the columns of a picture show.

/** Parts of the states in view, for each column, in a table that finds the column of a state. */
const FINE = 4;

/** Allocations in a block and in a group of a Timeline's maxima. */
const BLOCK = 64;
const GROUP = BLOCK * BLOCK;

/**
 * Allocations in order, each with its first and last column. The arrays are overwritten by the next call of find.
 */
export class Visible {
  count = 0;
  id = new Int32Array(1024);
  from = new Int32Array(1024);
  to = new Int32Array(1024);

  /**
   * @param {import('../../data/timeline.js').Timeline} timeline
   * @param {Int32Array} states of the columns, not falling
   */
  find(timeline, states) {
    this.count = 0;
    const end = states.length - 1;
    if (end < 0) return;
    const { blockLast, groupLast } = timeline;
    const { first, last, count } = timeline.data;
    const latest = states[end];
    const columnOf = columnTable(states);
    let c = 0;
    for (let i = 0; i < count; ) {
      const begins = first[i];
      if (begins > latest) break;
      while (states[c] < begins) c++;
      // What begins after the column before, and ends before this one, is in neither.
      if (i % BLOCK === 0 && blockLast[i / BLOCK] < states[c]) {
        i += i % GROUP === 0 && groupLast[i / GROUP] < states[c] ? GROUP : BLOCK;
        continue;
      }
      const ends = last[i];
      if (ends >= states[c]) {
        if (this.count === this.id.length) this.#grow();
        this.id[this.count] = i;
        this.from[this.count] = c;
        this.to[this.count++] = ends >= latest ? end : columnOf(ends);
      }
      i++;
    }
  }

  #grow() {
    for (const key of /** @type {const} */ (['id', 'from', 'to'])) {
      const more = new Int32Array(this[key].length * 2);
      more.set(this[key]);
      this[key] = more;
    }
  }
}

/**
 * Finds the last column that shows a state or one before it.
 * @param {Int32Array} states not falling
 * @returns {(state: number) => number} for states from the first on
 */
function columnTable(states) {
  const end = states.length - 1;
  const [from, to] = [states[0], states[end]];
  const parts = states.length * FINE;
  const scale = parts / Math.max(1, to - from);
  const table = new Int32Array(parts + 1);
  for (let q = 0, c = 0; q <= parts; q++) {
    while (c < end && states[c + 1] <= from + q / scale) c++;
    table[q] = c;
  }
  return (state) => {
    let c = table[Math.floor((state - from) * scale)];
    while (c < end && states[c + 1] <= state) c++;
    while (c > 0 && states[c] > state) c--; // rounding
    return c;
  };
}

/**
 * Chains of what has the same number.
 * @param {Int32Array} of number of each @param {number} count @param {number} numbers how many there are
 * @returns {{head: Int32Array, next: Int32Array}} -1 ends a chain
 */
export function chain(of, count, numbers) {
  const head = new Int32Array(numbers).fill(-1);
  const next = new Int32Array(count);
  for (let i = count - 1; i >= 0; i--) {
    next[i] = head[of[i]];
    head[of[i]] = i;
  }
  return { head, next };
}
