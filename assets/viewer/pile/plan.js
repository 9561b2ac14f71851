// Which columns of a picture are painted, when the previous picture shows most of them
// already and there may not be time for all the others.
//
// A moving view keeps drawing the same states: the highest of a stretch of the
// recording stays the highest while the stretch moves a little. So most columns are
// copies. Where there is no time for the others, the highest of a block of neighbours
// replaces all of them, so that no peak is lost.

/** The widest block: how many columns may be copies of one while there is no time. */
const MOST_COARSE = 16;

/**
 * @typedef {object} Plan
 * @property {Int32Array} old the column of the previous picture that shows what this one should, or -1
 * @property {number[]} paint columns to paint, from left to right
 * @property {Int32Array} like the column that each one is a copy of: itself when it is old or painted
 * @property {boolean} isCoarse whether a column does not show its own state
 */

/**
 * @param {Int32Array} wanted the state of each column, not falling
 * @param {ArrayLike<number>} active bytes per state
 * @param {Int32Array} before the states that the columns of the previous picture show, not falling
 * @param {number} limit columns that there is time to paint; one of each widest block is painted anyhow
 * @returns {Plan}
 */
export function planColumns(wanted, active, before, limit) {
  const old = sameStates(wanted, before);
  let coarse = 1;
  let paint = highestOfBlocks(wanted, active, old, coarse);
  while (paint.length > limit && coarse < MOST_COARSE) {
    coarse *= 2;
    paint = highestOfBlocks(wanted, active, old, coarse);
  }
  if (coarse > 1 && paint.length < limit) paint = withOthers(wanted, old, paint, limit);
  const like = nearest(wanted, old, paint, coarse);
  return { old, paint, like, isCoarse: like.some((l, x) => wanted[l] !== wanted[x]) };
}

/** @param {Int32Array} wanted @param {Int32Array} before @returns {Int32Array} */
function sameStates(wanted, before) {
  const old = new Int32Array(wanted.length).fill(-1);
  for (let x = 0, b = 0; x < wanted.length; x++) {
    while (b < before.length && before[b] < wanted[x]) b++;
    if (before[b] === wanted[x]) old[x] = b;
  }
  return old;
}

/**
 * The highest column of each block, where it is neither old nor like the last of these.
 * @param {Int32Array} wanted @param {ArrayLike<number>} active @param {Int32Array} old @param {number} coarse
 */
function highestOfBlocks(wanted, active, old, coarse) {
  const paint = [];
  let last = -1;
  for (let from = 0; from < wanted.length; from += coarse) {
    const to = Math.min(wanted.length, from + coarse);
    let best = from;
    for (let x = from + 1; x < to; x++) if (active[wanted[x]] > active[wanted[best]]) best = x;
    if (old[best] >= 0 || wanted[best] === last) continue;
    last = wanted[best];
    paint.push(best);
  }
  return paint;
}

/**
 * As many columns as there is time for, the others from the left.
 * @param {Int32Array} wanted @param {Int32Array} old @param {number[]} paint @param {number} limit
 */
function withOthers(wanted, old, paint, limit) {
  const states = new Set(paint.map((x) => wanted[x]));
  const all = [...paint];
  for (let x = 0; x < wanted.length && all.length < limit; x++) {
    if (old[x] >= 0 || states.has(wanted[x])) continue;
    states.add(wanted[x]);
    all.push(x);
  }
  return all.sort((a, b) => a - b);
}

/**
 * The column that each one is a copy of: one with its state, or else the next one to the
 * left in its block, or else to the right.
 * @param {Int32Array} wanted @param {Int32Array} old @param {number[]} paint @param {number} coarse
 */
function nearest(wanted, old, paint, coarse) {
  const like = new Int32Array(wanted.length).fill(-1);
  for (const x of paint) like[x] = x;
  for (let x = 0; x < like.length; x++) {
    if (old[x] >= 0) like[x] = x;
    if (like[x] >= 0 || x === 0) continue;
    if (x % coarse !== 0 || wanted[x] === wanted[like[x - 1]]) like[x] = like[x - 1];
  }
  for (let x = like.length - 2; x >= 0; x--) if (like[x] < 0) like[x] = like[x + 1];
  return like;
}
