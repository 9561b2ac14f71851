// Where everything in the timeline is, in client pixels of its element; and the labels
// of its axes.

import { multiples, Scale } from '../../kit/axes.js';
import { axisBytes, axisChange, axisTime, bytes, byteInterval, count, decimalInterval } from '../../kit/format.js';

const LEFT = 66;
const RIGHT = 14;
const TOP = 34;
const AXIS = 24;
const GAP = 6;
const FOOT = 8;

/** Lanes above the plot: the top of the first, and the height and spacing of all; folded ones are strips. */
const LANES = { top: 6, height: 17, pitch: 19, strip: 5, stripPitch: 7 };

/** Height for flags between the lanes and the plot, and the fraction of the whole height that lanes may take. */
const FLAGS = 23;
const LANES_FRACTION = 0.25;

/** Height of the minimap. */
export const MINIMAP = 42;

/**
 * @typedef {object} Layout
 * @property {number} width of the element
 * @property {number} height
 * @property {number} left of the plot
 * @property {number} top
 * @property {number} right
 * @property {number} bottom
 * @property {number} plotWidth
 * @property {number} plotHeight
 * @property {number} minimapTop
 * @property {number} minimapWidth
 * @property {LaneRow[]} lanes
 * @property {boolean} lanesFolded
 *
 * @typedef {{lane: import('../../data/lanes.js').Lane, label: string, top: number, height: number}} LaneRow
 *
 * @typedef {object} DrawnView what is in view
 * @property {import('../../data/axis.js').Axis} axis
 * @property {number} from position on the axis
 * @property {number} to
 * @property {number} width
 * @property {boolean} isWhole
 * @property {number} low bytes at the lower edge
 * @property {number} high
 * @property {number} base bytes below, unchanged in a fitted view; 0 when the axis starts at zero
 * @property {number} ceiling bytes at the upper edge of the whole view
 */

/**
 * @param {number} width
 * @param {number} height
 * @param {boolean} hasHistory without one there is neither an x axis nor a minimap
 * @param {import('../../data/lanes.js').Lanes | null} [above]
 * @param {boolean} [lanesFolded]
 * @param {number} [aside] pixels at the right of the plot that are left to something else
 * @returns {Layout}
 */
export function layoutOf(width, height, hasHistory, above = null, lanesFolded = false, aside = 0) {
  const below = hasHistory ? AXIS + GAP + MINIMAP + FOOT : 18;
  const lanes = hasHistory && above ? laneRows(above, height, lanesFolded) : [];
  const last = lanes.at(-1);
  const top = last ? last.top + last.height + FLAGS : TOP;
  const minimapWidth = Math.max(1, width - LEFT - RIGHT);
  const plotWidth = Math.max(1, minimapWidth - aside);
  const plotHeight = Math.max(1, height - top - below);
  return {
    width,
    height,
    left: LEFT,
    top,
    right: LEFT + plotWidth,
    bottom: top + plotHeight,
    plotWidth,
    plotHeight,
    minimapTop: height - MINIMAP - FOOT,
    minimapWidth,
    lanes,
    lanesFolded,
  };
}

/**
 * The rows of the lanes. Ranges nested too deep for the height have none, and the last label says so.
 * @param {import('../../data/lanes.js').Lanes} lanes @param {number} height @param {boolean} folded
 * @returns {LaneRow[]}
 */
function laneRows({ annotated, phases }, height, folded) {
  const most = folded ? 1 : Math.max(2, Math.floor((height * LANES_FRACTION) / LANES.pitch)) - (phases ? 1 : 0);
  const shown = phases ? [...annotated.slice(0, most), phases] : annotated.slice(0, most);
  const [each, pitch] = folded ? [LANES.strip, LANES.stripPitch] : [LANES.height, LANES.pitch];
  const hidden = annotated.length - most;
  return shown.map((lane, i) => ({
    lane,
    label: hidden > 0 && i > 0 && i === most - 1 ? `+${hidden} deeper` : lane.label,
    top: LANES.top + i * pitch,
    height: each,
  }));
}

/** Between positions, bytes and client pixels of the timeline's element. */
export class Scales extends Scale {
  /**
   * @param {Layout} layout
   * @param {Pick<DrawnView, 'axis' | 'from' | 'to' | 'low' | 'high'>} viewport
   */
  constructor(layout, viewport) {
    super(layout, viewport);
    this.layout = layout;
    this.viewport = viewport;
  }

  /** @param {number} bytes */
  y(bytes) {
    const { low, high } = this.viewport;
    return this.layout.top + this.layout.plotHeight * (1 - (bytes - low) / (high - low));
  }

  /** @param {number} y @returns {number} bytes */
  bytes(y) {
    const { low, high } = this.viewport;
    return low + (1 - (y - this.layout.top) / this.layout.plotHeight) * (high - low);
  }

  /** @param {number} position @returns {number} x in the minimap */
  minimapX(position) {
    return this.layout.left + (position / this.viewport.axis.end) * this.layout.minimapWidth;
  }

  /** @param {number} x @returns {number} position */
  minimapPosition(x) {
    return ((x - this.layout.left) / this.layout.minimapWidth) * this.viewport.axis.end;
  }

  /**
   * The region that a point is in; bytes: the labels of the y axis, fold: the labels of the lanes.
   * @param {number} x @param {number} y
   * @returns {'plot' | 'minimap' | 'bytes' | 'lanes' | 'fold' | null}
   */
  regionAt(x, y) {
    const { left, top, minimapTop, minimapWidth, lanes, right, bottom } = this.layout;
    const across = x >= left && x < right;
    const last = lanes.at(-1);
    if (last && y >= lanes[0].top - 3 && y < last.top + last.height + 3)
      return across ? 'lanes' : x < left ? 'fold' : null;
    if (across && y >= top && y < bottom) return 'plot';
    if (x >= left - 4 && x < left + minimapWidth + 4 && y >= minimapTop - 3 && y < minimapTop + MINIMAP + 3)
      return 'minimap';
    return x < left && y >= top && y < bottom ? 'bytes' : null;
  }
}

/** Pixels from one label to the next, about. */
const APART_X = 130;
const APART_Y = 92;

/** Pixels at the right end that are left to the name of the axis. */
const NAME = 64;

/**
 * @typedef {object} Ticks
 * @property {number[]} x positions
 * @property {number[]} y bytes
 * @property {(x: number) => string} labelX
 * @property {(y: number) => string} labelY
 */

/**
 * @param {import('./layout.js').DrawnView} viewport
 * @param {number} width of the plot in client pixels
 * @param {number} height
 * @returns {Ticks}
 */
export function ticksOf(viewport, width, height) {
  const { axis, from, to, low, high, base } = viewport;
  const intervalY = byteInterval(high - low, Math.max(3, height / APART_Y));
  const y = base > 0 ? multiples(0, high - base, intervalY).map((v) => base + v) : multiples(low, high, intervalY);
  const intervalX = decimalInterval(to - from, Math.max(3, width / APART_X));
  const end = Math.min(axis.extent, from + (1 - NAME / width) * (to - from));
  const x = multiples(from, end, intervalX);
  return {
    x,
    y,
    labelX: (v) => (axis.kind === 'time' ? axisTime(v, to - from, intervalX) : count(v)),
    labelY: (v) => (base > 0 ? (v - base < 1 ? bytes(base) : axisChange(v - base)) : axisBytes(v, high, intervalY)),
  };
}
