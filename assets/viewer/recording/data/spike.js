// Spikes: totals that exceed both of their sides within a few pixels.

/**
 * The column of the spike within reach of a column of the picture.
 * @param {ArrayLike<number>} active bytes by state @param {ArrayLike<number>} columns state of each, below 0: none
 * @param {number} x column @param {number} reach columns @param {number} least bytes by which it exceeds them
 * @returns {{column: number, before: number} | null} before: the state of the lowest column close to its left; null:
 *   there is none, or x is as high
 */
export function spikeNear(active, columns, x, reach, least) {
  const total = (/** @type {number} */ c) => (columns[c] >= 0 ? active[columns[c]] : -1);
  let column = x;
  for (let c = Math.max(0, x - reach); c <= Math.min(columns.length - 1, x + reach); c++)
    if (total(c) > total(column) || (total(c) === total(column) && Math.abs(c - x) < Math.abs(column - x))) column = c;
  /** The lowest column close to the spike on one side. @param {1 | -1} by */
  const lowest = (by) => {
    let low = column;
    for (let c = column, n = 0; n <= 2 * reach && c >= 0 && c < columns.length; c += by, n++) {
      if (total(c) > total(column)) return column; // the slope of a higher one
      if (columns[c] >= 0 && total(c) < total(low)) low = c;
    }
    return low;
  };
  const [left, right] = [lowest(-1), lowest(1)];
  return Math.max(total(left), total(right)) + least <= total(column) ? { column, before: columns[left] } : null;
}

/**
 * The call sites of allocations that are live in a state but not in an earlier one, the largest first.
 * @param {Pick<import('../../data/open.js').OpenDevice, 'timeline' | 'data' | 'sites'>} device
 * @param {number} before state @param {number} state
 */
export function spikeSites({ timeline, data, sites }, before, state) {
  /** @type {Map<string, {name: string, location: string, bytes: number, largest: number}>} */
  const found = new Map();
  for (const id of timeline.live(state)) {
    if (data.first[id] <= before) continue;
    const { key, name, location } = sites.site(id);
    const site = found.get(key) ?? { name, location, bytes: 0, largest: id };
    found.set(key, site);
    site.bytes += data.size[id];
    if (data.size[id] > data.size[site.largest]) site.largest = id;
  }
  return [...found.values()].sort((a, b) => b.bytes - a.bytes);
}
