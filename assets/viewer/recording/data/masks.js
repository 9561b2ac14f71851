// Masks of allocations: 1 for each that is highlighted, and null when all are. What
// is isolated, searched for and filtered is one mask, so that every part of the page
// fades the same allocations.

import { membersOf } from './breakdown.js';

/** @typedef {Uint8Array | null} Mask by allocation */

/**
 * The allocations of isolated groups that a search found.
 * @param {import('../../data/grouping.js').Grouping} grouping
 * @param {ReadonlySet<number>} isolated groups; empty: all
 * @param {Mask} hits what a search found
 * @returns {Mask}
 */
export function maskOf({ of, groups }, isolated, hits) {
  if (isolated.size === 0) return hits;
  const isIsolated = groups.map((_, group) => Number(isolated.has(group)));
  const mask = new Uint8Array(of.length);
  for (let i = 0; i < mask.length; i++) mask[i] = hits && !hits[i] ? 0 : isIsolated[of[i]];
  return mask;
}

/**
 * Leaves in a mask only the allocations of a subset.
 * @param {import('../../data/open.js').OpenDevice} device
 * @param {Mask} mask
 * @param {import('./breakdown.js').Subset | null} subset null: all
 * @returns {Mask}
 */
export function restrictMask(device, mask, subset) {
  if (!subset) return mask;
  const isMember = membersOf(device, subset);
  const out = new Uint8Array(device.data.count);
  for (let id = 0; id < out.length; id++) out[id] = mask && !mask[id] ? 0 : Number(isMember(id));
  return out;
}

/**
 * The colours of a grouping, faded where the mask is 0.
 * @param {import('../../data/grouping.js').Grouping} grouping
 * @param {Mask} mask
 * @returns {Uint8Array} index of each allocation's colour; behind all colours come the same ones faded
 */
export function fadeOthers({ colourIndex, colors }, mask) {
  return mask ? colourIndex.map((index, i) => (mask[i] ? index : index + colors.length)) : colourIndex;
}

/**
 * The keys of table rows that hold something highlighted.
 * @template Key
 * @param {Mask} mask
 * @param {Iterable<number>} ids
 * @param {(id: number) => Key} keyOf
 * @returns {{has: (key: Key) => boolean}}
 */
export function highlightedKeys(mask, ids, keyOf) {
  if (!mask) return { has: () => true };
  const keys = new Set();
  for (const id of ids) if (mask[id]) keys.add(keyOf(id));
  return keys;
}

/**
 * @param {import('../../data/timeline.js').Timeline} timeline
 * @param {Uint8Array} mask
 * @param {number} state
 * @returns {number} bytes of the highlighted allocations that are live in it
 */
export function highlightedBytes(timeline, mask, state) {
  let sum = 0;
  for (const id of timeline.live(state)) if (mask[id]) sum += timeline.data.size[id];
  return sum;
}
