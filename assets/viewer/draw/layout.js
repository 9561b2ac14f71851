// Where the parts of the timeline stand, in client pixels of its element.

const LEFT = 66;
const RIGHT = 14;
const TOP = 34;
const AXIS = 24;
const GAP = 6;
const FOOT = 8;

/** Lanes above the plot: their place, height, and pitch; folded, only that of strips. */
const LANES = { top: 6, height: 17, pitch: 19, strip: 5, stripPitch: 7 };

/** What flags need between the lanes and the plot, and the part of the height that lanes may take. */
const FLAGS = 23;
const LANES_PART = 0.25;

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
 * @property {LaneRow[]} lanes
 * @property {boolean} lanesFolded
 *
 * @typedef {{lane: import('../data/lanes.js').Lane, label: string, top: number, height: number}} LaneRow
 *
 * @typedef {object} DrawnView what is in view
 * @property {import('../data/axis.js').Axis} axis
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
 * @param {boolean} hasHistory without one there is no x axis and no minimap
 * @param {import('../data/lanes.js').Lanes | null} [above]
 * @param {boolean} [lanesFolded]
 * @returns {Layout}
 */
export function layoutOf(width, height, hasHistory, above = null, lanesFolded = false) {
  const below = hasHistory ? AXIS + GAP + MINIMAP + FOOT : 18;
  const lanes = hasHistory && above ? laneRows(above, height, lanesFolded) : [];
  const last = lanes.at(-1);
  const top = last ? last.top + last.height + FLAGS : TOP;
  const plotWidth = Math.max(1, width - LEFT - RIGHT);
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
    lanes,
    lanesFolded,
  };
}

/**
 * Where the lanes stand. What is nested too deep for the height has none, and the last label says so.
 * @param {import('../data/lanes.js').Lanes} lanes @param {number} height @param {boolean} folded
 * @returns {LaneRow[]}
 */
function laneRows({ annotated, phases }, height, folded) {
  const most = folded ? 1 : Math.max(2, Math.floor((height * LANES_PART) / LANES.pitch)) - (phases ? 1 : 0);
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
export class Scales {
  /**
   * @param {Layout} layout
   * @param {Pick<DrawnView, 'axis' | 'from' | 'to' | 'low' | 'high'>} viewport
   */
  constructor(layout, viewport) {
    this.layout = layout;
    this.viewport = viewport;
  }

  /** @param {number} position */
  x(position) {
    const { from, to } = this.viewport;
    return this.layout.left + ((position - from) / (to - from)) * this.layout.plotWidth;
  }

  /** @param {number} bytes */
  y(bytes) {
    const { low, high } = this.viewport;
    return this.layout.top + this.layout.plotHeight * (1 - (bytes - low) / (high - low));
  }

  /** @param {number} x @returns {number} position */
  position(x) {
    const { from, to } = this.viewport;
    return from + ((x - this.layout.left) / this.layout.plotWidth) * (to - from);
  }

  /** @param {number} y @returns {number} bytes */
  bytes(y) {
    const { low, high } = this.viewport;
    return low + (1 - (y - this.layout.top) / this.layout.plotHeight) * (high - low);
  }

  /** @param {number} position @returns {number} x in the minimap */
  minimapX(position) {
    return this.layout.left + (position / this.viewport.axis.end) * this.layout.plotWidth;
  }

  /** @param {number} x @returns {number} position */
  minimapPosition(x) {
    return ((x - this.layout.left) / this.layout.plotWidth) * this.viewport.axis.end;
  }

  /** @param {number} x @param {number} y @returns {'plot' | 'minimap' | 'bytes' | 'lanes' | 'fold' | null} the part under a point; fold: what names the lanes */
  part(x, y) {
    const { left, top, minimapTop, lanes, right, bottom } = this.layout;
    const across = x >= left && x < right;
    const last = lanes.at(-1);
    if (last && y >= lanes[0].top - 3 && y < last.top + last.height + 3)
      return across ? 'lanes' : x < left ? 'fold' : null;
    if (across && y >= top && y < bottom) return 'plot';
    if (x >= left - 4 && x < right + 4 && y >= minimapTop - 3 && y < minimapTop + MINIMAP + 3) return 'minimap';
    return x < left && y >= top && y < bottom ? 'bytes' : null;
  }
}
