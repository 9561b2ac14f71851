// Binary searches in sorted columns.

/**
 * The first index, of those from low on, that does not come before; high when all do.
 * @param {number} low @param {number} high @param {(i: number) => boolean} isBefore
 */
export function bisect(low, high, isBefore) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * How many values of a sorted column are at most v.
 * @param {ArrayLike<number>} column
 * @param {number} v
 * @param {number} [from] a lower bound of the answer
 */
export function countUpTo(column, v, from = 0) {
  let step = 1;
  let low = from;
  // Galloping: in a sweep the answer lies near the last one.
  while (low + step <= column.length && column[low + step - 1] <= v) {
    low += step;
    step *= 2;
  }
  return bisect(low, Math.min(column.length, low + step - 1), (i) => column[i] <= v);
}

/**
 * How many values of a sorted column are below v.
 * @param {ArrayLike<number>} column
 * @param {number} v
 */
export function countBelow(column, v) {
  return bisect(0, column.length, (i) => column[i] < v);
}
