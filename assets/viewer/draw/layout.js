// Where the parts of the timeline stand, in client pixels of its element.

const LEFT = 66;
const RIGHT = 14;
const TOP = 34;
const AXIS = 24;
const GAP = 6;
const FOOT = 8;

/** Height of the minimap. */
export const MINIMAP = 42;

/**
 * @typedef {object} Layout
 * @property {number} width of the element
 * @property {number} height
 * @property {number} left of the plot
 * @property {number} top
 * @property {number} plotWidth
 * @property {number} plotHeight
 * @property {number} minimapTop
 */

/**
 * @param {number} width
 * @param {number} height
 * @param {boolean} hasHistory without one there is no x axis and no minimap
 * @returns {Layout}
 */
export function layoutOf(width, height, hasHistory) {
  const below = hasHistory ? AXIS + GAP + MINIMAP + FOOT : 18;
  return {
    width,
    height,
    left: LEFT,
    top: TOP,
    plotWidth: Math.max(1, width - LEFT - RIGHT),
    plotHeight: Math.max(1, height - TOP - below),
    minimapTop: height - MINIMAP - FOOT,
  };
}

/** Between positions, bytes and client pixels of the timeline's element. */
export class Scales {
  /**
   * @param {Layout} layout
   * @param {import('../view/viewport.js').Viewport} viewport
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

  /** @param {number} x @param {number} y @returns {'plot' | 'minimap' | 'bytes' | null} the part under a point */
  part(x, y) {
    const { left, top, plotWidth, plotHeight, minimapTop } = this.layout;
    const across = x >= left && x < left + plotWidth;
    if (across && y >= top && y < top + plotHeight) return 'plot';
    if (x >= left - 4 && x < left + plotWidth + 4 && y >= minimapTop - 3 && y < minimapTop + MINIMAP + 3)
      return 'minimap';
    return x < left && y >= top && y < top + plotHeight ? 'bytes' : null;
  }
}
