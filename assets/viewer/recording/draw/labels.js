// Names written into the largest band of each group, as a second cue besides colour.
// While the view moves over many tensors no new positions are looked for; the labels move
// with their bands, whose positions are states and bytes.

/** Pixels between the columns that are looked at, and on each side of the middle of a label. */
const INTERVAL = 27;
const HALF = 2 * INTERVAL;

/** Above this many tensors in a column, every HALF columns are searched, and only when the view is still. */
const MANY = 40_000;
const STILL = 2_000;

/** Least height of a band in pixels, and of what two neighbouring columns of it have in common. */
const HEIGHT = 17;
const SHARED = 15;

/**
 * @typedef {{x: number, at: number, low: number, high: number}} Spot
 *   a band at one place: pixel of the plot, position, bytes
 * @typedef {object} BandLabel
 * @property {number} group
 * @property {number} at its position on the axis
 * @property {number} from where its band belongs to the group, as far as was searched
 * @property {number} to
 * @property {number} low bytes; all of the band around the label reaches from low to high
 * @property {number} high
 */

/** The labels of a picture, and of the pictures that follow until the view is still. */
export class BandLabels {
  /** @type {{labels: BandLabel[], of: unknown[]}} */
  #found = { labels: [], of: [] };

  /**
   * @param {import('./overlay.js').Frame} frame
   * @returns {{labels: BandLabel[], groups: import('./overlay.js').Names['groups']}}
   */
  of({ timeline, names, columns, viewport, layout, moving }) {
    const tensors = crowd(timeline, columns);
    const look = !moving || tensors < STILL;
    for (const { of, groups } of names) {
      const key = [timeline, of, viewport.axis];
      if (look) this.#found = { labels: bandLabels(timeline, of, columns, viewport, layout, tensors), of: key };
      const { labels } = this.#found;
      if (labels.length > 0 && key.every((v, i) => v === this.#found.of[i])) return { labels, groups };
    }
    return { labels: [], groups: [] };
  }
}

/**
 * Where the middle of a label is in client pixels; null when its band has no room for it in view.
 * @param {BandLabel} label @param {import('./layout.js').Scales} scales @param {number} width of its text
 */
export function labelPosition({ at, from, to, low, high }, scales, width) {
  const { layout, viewport } = scales;
  const x = scales.x(at);
  const bottom = scales.y(Math.max(low, viewport.low));
  const top = scales.y(Math.min(high, viewport.high));
  // A position that was just found has enough room, also for a longer name.
  const half = Math.min(width / 2, HALF - 2);
  const left = Math.max(layout.left, scales.x(from));
  const right = Math.min(layout.right, scales.x(to));
  return x - half < left || x + half > right || bottom - top < HEIGHT - 1 ? null : { x, y: (bottom + top) / 2 };
}

/**
 * How many tensors the middle column shows: a measure of the time that finding labels takes.
 * @param {import('../../data/timeline.js').Timeline} timeline
 * @param {Int32Array} columns state of each column
 */
function crowd(timeline, columns) {
  const state = columns[columns.length >> 1] ?? -1;
  return state < 0 ? 0 : timeline.live(state).length;
}

/**
 * One label per group, where its band is tallest over the label's own width.
 * @param {import('../../data/timeline.js').Timeline} timeline
 * @param {ArrayLike<number>} groups group of each allocation
 * @param {Int32Array} columns state of each column
 * @param {import('./layout.js').DrawnView} viewport
 * @param {import('./layout.js').Layout} layout
 * @param {number} tensors in a column
 * @returns {BandLabel[]}
 */
function bandLabels(timeline, groups, columns, viewport, layout, tensors) {
  const { axis, from } = viewport;
  const perByte = layout.plotHeight / (viewport.high - viewport.low);
  const interval = tensors > MANY ? HALF : INTERVAL;
  /** @type {{group: number, spots: Spot[]}[]} */
  const runs = [];
  /** @type {{group: number, low: number, high: number, run: {group: number, spots: Spot[]}, continued: boolean}[]} */
  let before = [];
  for (let x = INTERVAL; x < layout.plotWidth - INTERVAL; x += interval) {
    const state = columns[Math.min(columns.length - 1, Math.round((x / layout.plotWidth) * columns.length))];
    if (state < 0) break;
    // A column of many states hangs the label on the one it shows; a wide state, on the position looked at.
    const position = from + (x / layout.plotWidth) * (viewport.to - from);
    const at = axis.stateAt(position) === state ? position : axis.middle(state);
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
      run.spots.push({ x, at, low: band.low, high: band.high });
      return { ...band, run, continued: false };
    });
  }
  /** The lowest total between two pixels of the plot: a dip may lie between the columns that are looked at. */
  const lowest = (/** @type {number} */ left, /** @type {number} */ right) => {
    let low = Infinity;
    const perPixel = columns.length / layout.plotWidth;
    for (let c = Math.floor(left * perPixel); c < Math.min(columns.length, right * perPixel); c++)
      if (columns[c] >= 0) low = Math.min(low, timeline.active[columns[c]]);
    return low;
  };
  return bestSpots(runs, perByte, viewport, interval, lowest);
}

/**
 * The bands of a state: neighbours of one group in the pile, in view and tall enough.
 * @param {import('../../data/timeline.js').Timeline} timeline
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
 * @param {number} interval pixels between two spots
 * @param {(left: number, right: number) => number} lowest total between two pixels
 * @returns {BandLabel[]}
 */
function bestSpots(runs, perByte, view, interval, lowest) {
  const wide = HALF / interval;
  /** @type {Map<number, BandLabel & {score: number}>} */
  const best = new Map();
  for (const { group, spots } of runs) {
    for (let i = wide; i < spots.length - wide; i++) {
      let low = view.low;
      let high = Math.min(view.high, lowest(spots[i - wide].x, spots[i + wide].x));
      for (let j = i - wide; j <= i + wide; j++) {
        low = Math.max(low, spots[j].low);
        high = Math.min(high, spots[j].high);
      }
      const tall = (high - low) * perByte;
      const isWithin = (/** @type {Spot} */ spot) => spot.low <= low && spot.high >= high;
      if (tall < HEIGHT) continue;
      const score = Math.min(tall, 60) + Math.min(i, spots.length - 1 - i, 10) * 4;
      if (score <= (best.get(group)?.score ?? -1)) continue;
      let [from, to] = [i - wide, i + wide];
      while (from > 0 && isWithin(spots[from - 1])) from--;
      while (to < spots.length - 1 && isWithin(spots[to + 1])) to++;
      best.set(group, { group, at: spots[i].at, from: spots[from].at, to: spots[to].at, low, high, score });
    }
  }
  return [...best.values()];
}
