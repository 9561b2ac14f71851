// Which allocations are lit. What is isolated, found and filtered is one
// answer, so that every view fades the same ones.

/**
 * @param {import('./grouping.js').Grouping} grouping
 * @param {ReadonlySet<number>} isolated groups; empty: all
 * @param {Uint8Array | null} hits 1 for each allocation that a search found; null: all
 * @returns {Uint8Array | null} 1 for each allocation that is lit; null: all are
 */
export function litOf({ of, groups }, isolated, hits) {
  if (isolated.size === 0) return hits;
  const shown = groups.map((_, group) => Number(isolated.has(group)));
  const lit = new Uint8Array(of.length);
  for (let i = 0; i < lit.length; i++) lit[i] = hits && !hits[i] ? 0 : shown[of[i]];
  return lit;
}

/**
 * Tones with everything that is not lit faded.
 * @param {import('./grouping.js').Grouping} grouping
 * @param {Uint8Array | null} lit
 * @returns {Uint8Array}
 */
export function fadeOthers({ tones, colors }, lit) {
  return lit ? tones.map((tone, i) => (lit[i] ? tone : tone + colors.length)) : tones;
}

/**
 * The keys of table rows that hold something lit.
 * @template Key
 * @param {Uint8Array | null} lit
 * @param {Iterable<number>} ids
 * @param {(id: number) => Key} keyOf
 * @returns {{has: (key: Key) => boolean}}
 */
export function litKeys(lit, ids, keyOf) {
  if (!lit) return { has: () => true };
  const keys = new Set();
  for (const id of ids) if (lit[id]) keys.add(keyOf(id));
  return keys;
}

/**
 * @param {import('./timeline.js').Timeline} timeline
 * @param {Uint8Array} hits
 * @param {number} state
 * @returns {number} bytes of those found that are live in it
 */
export function litBytes(timeline, hits, state) {
  let sum = 0;
  for (const id of timeline.live(state)) if (hits[id]) sum += timeline.data.size[id];
  return sum;
}
