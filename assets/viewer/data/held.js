// What each group holds.

/**
 * @param {import('./grouping.js').Grouping} grouping
 * @param {import('./columns.js').Column} size of each allocation
 * @param {Iterable<number>} ids
 * @returns {{bytes: number, tensors: number}[]} by group
 */
export function heldBy({ groups, of }, size, ids) {
  const held = groups.map(() => ({ bytes: 0, tensors: 0 }));
  for (const id of ids) {
    held[of[id]].bytes += size[id];
    held[of[id]].tensors++;
  }
  return held;
}
