// One moment against another: what each call site holds more or less.

/**
 * @typedef {object} Difference of a call site
 * @property {string} name
 * @property {string} location
 * @property {number} bytes signed
 * @property {number} largest the largest tensor that is live in only one of the two moments
 */

/**
 * The call sites that do not hold the same in two states, the largest difference first.
 * @param {Pick<import('./open.js').OpenDevice, 'timeline' | 'data' | 'sites'>} device
 * @param {number} state @param {number} a the state that it is compared with
 * @returns {Difference[]}
 */
export function differences({ timeline, data, sites }, state, a) {
  const { first, last, size } = data;
  /** @type {Map<string, Difference>} */
  const found = new Map();
  const add = (/** @type {number} */ id, /** @type {1 | -1} */ sign) => {
    const { key, name, location } = sites.site(id);
    const row = found.get(key) ?? { name, location, bytes: 0, largest: id };
    found.set(key, row);
    row.bytes += sign * size[id];
    if (size[id] > size[row.largest]) row.largest = id;
  };
  // What is live in both makes no difference.
  for (const id of timeline.live(state)) if (a < first[id] || last[id] < a) add(id, 1);
  for (const id of timeline.live(a)) if (state < first[id] || last[id] < state) add(id, -1);
  return [...found.values()]
    .filter(({ bytes }) => bytes !== 0)
    .sort((x, y) => Math.abs(y.bytes) - Math.abs(x.bytes) || Number(x.name > y.name) - 0.5);
}
