// Binary searches in sorted columns.

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
  let high = Math.min(column.length, low + step - 1);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] <= v) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * How many values of a sorted column are below v.
 * @param {ArrayLike<number>} column
 * @param {number} v
 */
export function countBelow(column, v) {
  let low = 0;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] < v) low = middle + 1;
    else high = middle;
  }
  return low;
}
