// Names written into the largest band of each group, as a second cue besides colour.

/** Columns are looked at every so many pixels; a label takes HALF of its width on each side. */
const STEP = 27;
const HALF = 2 * STEP;

/** Above so many tensors in a column, columns are looked at every HALF. */
const MANY = 40_000;

/** Least height of a band in pixels, and of what two neighbours share. */
const HEIGHT = 17;
const SHARED = 15;

/**
 * @typedef {{x: number, low: number, high: number}} Spot a band at one place: bytes
 * @typedef {{group: number, x: number, low: number, high: number}} BandLabel x from the plot's left edge
 */

/**
 * How many tensors the middle column shows, by which the time to look for labels grows.
 * @param {import('../data/timeline.js').Timeline} timeline
 * @param {Int32Array} columns state of each column
 */
export function crowd(timeline, columns) {
  const state = columns[columns.length >> 1] ?? -1;
  return state < 0 ? 0 : timeline.live(state).length;
}

/**
 * One label per group, where its band is tallest over the label's own width.
 * @param {import('../data/timeline.js').Timeline} timeline
 * @param {ArrayLike<number>} groups group of each allocation
 * @param {Int32Array} columns state of each column
 * @param {import('../view/viewport.js').Viewport} viewport
 * @param {import('./layout.js').Layout} layout
 * @returns {BandLabel[]}
 */
export function bandLabels(timeline, groups, columns, viewport, layout) {
  const perByte = layout.plotHeight / (viewport.high - viewport.low);
  const step = crowd(timeline, columns) > MANY ? HALF : STEP;
  /** @type {{group: number, spots: Spot[]}[]} */
  const runs = [];
  /** @type {{group: number, low: number, high: number, run: {group: number, spots: Spot[]}, continued: boolean}[]} */
  let before = [];
  for (let x = STEP; x < layout.plotWidth - STEP; x += step) {
    const state = columns[Math.min(columns.length - 1, Math.round((x / layout.plotWidth) * columns.length))];
    if (state < 0) break;
    before = bandsOf(timeline, groups, state, viewport, HEIGHT / perByte).map((band) => {
      const left = before.find(
        (b) =>
          !b.continued &&
          b.group === band.group &&
          Math.min(b.high, band.high) - Math.max(b.low, band.low) > SHARED / perByte,
      );
      const run = left ? left.run : { group: band.group, spots: [] };
      if (left) left.continued = true;
      else runs.push(run);
      run.spots.push({ x, low: band.low, high: band.high });
      return { ...band, run, continued: false };
    });
  }
  return bestSpots(runs, perByte, viewport, step);
}

/**
 * The bands of a state: neighbours of one group in the pile, in view and tall enough.
 * @param {import('../data/timeline.js').Timeline} timeline
 * @param {ArrayLike<number>} groups
 * @param {number} state
 * @param {{low: number, high: number}} view
 * @param {number} least bytes
 */
function bandsOf(timeline, groups, state, view, least) {
  /** @type {{group: number, low: number, high: number}[]} */
  const bands = [];
  const { size } = timeline.data;
  let group = -1;
  let low = 0;
  let offset = 0;
  const close = () => {
    if (group >= 0 && Math.min(offset, view.high) - Math.max(low, view.low) >= least)
      bands.push({ group, low, high: offset });
  };
  for (const id of timeline.live(state)) {
    if (groups[id] !== group) {
      close();
      group = groups[id];
      low = offset;
    }
    offset += size[id];
  }
  close();
  return bands;
}

/**
 * @param {{group: number, spots: Spot[]}[]} runs
 * @param {number} perByte
 * @param {{low: number, high: number}} view
 * @param {number} step pixels between two spots
 * @returns {BandLabel[]}
 */
function bestSpots(runs, perByte, view, step) {
  const wide = HALF / step;
  /** @type {Map<number, BandLabel & {score: number}>} */
  const best = new Map();
  for (const { group, spots } of runs) {
    for (let i = wide; i < spots.length - wide; i++) {
      let low = view.low;
      let high = view.high;
      for (let j = i - wide; j <= i + wide; j++) {
        low = Math.max(low, spots[j].low);
        high = Math.min(high, spots[j].high);
      }
      const tall = (high - low) * perByte;
      if (tall < HEIGHT) continue;
      const score = Math.min(tall, 60) + Math.min(i, spots.length - 1 - i, 10) * 4;
      if (score > (best.get(group)?.score ?? -1)) best.set(group, { group, x: spots[i].x, low, high, score });
    }
  }
  return [...best.values()];
}
