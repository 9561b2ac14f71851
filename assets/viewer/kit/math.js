// Keeping numbers in bounds, and binary searches in sorted columns.

/**
 * @param {number} v @param {number} least @param {number} most
 * @returns {number} v, kept between the two; least when they cross
 */
export function clamp(v, least, most) {
  return Math.max(least, Math.min(most, v));
}

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
  let stride = 1;
  let low = from;
  // Galloping: in a sweep the answer lies near the last one.
  while (low + stride <= column.length && column[low + stride - 1] <= v) {
    low += stride;
    stride *= 2;
  }
  return bisect(low, Math.min(column.length, low + stride - 1), (i) => column[i] <= v);
}

/**
 * How many values of a sorted column are below v.
 * @param {ArrayLike<number>} column
 * @param {number} v
 */
export function countBelow(column, v) {
  return bisect(0, column.length, (i) => column[i] < v);
}
