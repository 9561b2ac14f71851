// Paints the pile of every pixel column: exact at pixel resolution, no cap.
//
// Row y counts from the bottom. A pixel that several tensors share is their
// average weighted by height; what no tensor covers is paper. The topmost row
// that a tensor of at least LINE_FROM rows covers wholly is its separator line.

import { clamp } from '../kit/math.js';
import { CHUNK, Pile, SUMS } from './pile.js';

/** Canvas rows from which a tensor gets a separator line. */
export const LINE_FROM = 4;

/** Columns painted before they are written out row by row, which suits the cache. */
export const TILE = 16;

/**
 * @typedef {object} RasterView what a raster shows
 * @property {Int32Array} states the state of each column, not falling; -1 for none, to the right of all others
 * @property {number} height rows
 * @property {number} bytesFrom at the lower edge
 * @property {number} bytesTo at the upper edge
 * @property {boolean} lines whether tall tensors get separator lines
 */

export class Raster {
  /** @param {import('../data/timeline.js').Timeline} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    this.pile = new Pile(timeline);
  }

  /**
   * @param {import('./colour_table.js').ColourTable} colours
   * @param {RasterView} view
   * @param {Uint32Array} out RGBA pixels, the top row first
   * @param {ArrayLike<number>} columns those to paint, from left to right; of the others nothing is written
   */
  paint(colours, view, out, columns) {
    const { pile } = this;
    const { states, height } = view;
    const column = new Uint32Array(height).fill(colours.paper);
    const tile = new Uint32Array(height * TILE);
    pile.clear(colours);
    for (let i = 0; i < columns.length; i++) {
      const changed = pile.moveTo(states[columns[i]]);
      if (changed >= 0) paintColumn(pile, view, changed, column);
      const t = i % TILE;
      tile.set(column, t * height);
      if (t === TILE - 1 || i === columns.length - 1) writeTile(tile, columns, i - t, i + 1, view, out);
    }
  }
}

/**
 * Paints the rows of a column from the first changed chunk up; the rows below
 * stay as the column before left them.
 * @param {Pile} pile
 * @param {RasterView} view
 * @param {number} changed position of the lowest changed chunk
 * @param {Uint32Array} column
 */
function paintColumn(pile, view, changed, column) {
  const { bottom } = pile;
  const { bytesFrom, height } = view;
  const scale = height / (view.bytesTo - bytesFrom);
  const start = clamp(Math.floor((bottom[changed] - bytesFrom) * scale), 0, height);
  // Chunks that reach into the first row are blended again.
  let j = changed;
  while (j > 0 && (bottom[j] - bytesFrom) * scale > start) j--;
  const brush = { y: start, red: 0, green: 0, blue: 0, covered: 0 };
  layPile(pile, j, view, column, brush);
  endColumn(pile.colours, column, brush);
}

/**
 * Where the painting of a column has come to.
 * @typedef {object} Brush
 * @property {number} y the row that is next
 * @property {number} covered fraction of that row that is taken so far
 * @property {number} red sums of that fraction, weighted by height
 * @property {number} green
 * @property {number} blue
 */

/**
 * Paints a pile over what the brush has painted.
 * @param {Pile} pile
 * @param {number} from position of the chunk to begin with
 * @param {Pick<RasterView, 'bytesFrom' | 'bytesTo' | 'height' | 'lines'>} view of bytes above the bottom of this pile
 * @param {Uint32Array} column
 * @param {Brush} brush
 */
export function layPile(pile, from, view, column, brush) {
  const { order, bottom, count, sums, colourIndex, bytes, colours } = pile;
  const { bytesFrom, lines, height } = view;
  const scale = height / (view.bytesTo - bytesFrom);
  let { y, red, green, blue, covered } = brush;
  for (let j = from; j < pile.length && y < height; j++) {
    const c = order[j];
    const chunkLow = (bottom[j] - bytesFrom) * scale;
    const chunkHigh = (bottom[j + 1] - bytesFrom) * scale;
    if (chunkHigh <= y) continue;
    if (chunkLow >= y && chunkHigh < y + 1) {
      covered += sums[c * SUMS] * scale;
      red += sums[c * SUMS + 1] * scale;
      green += sums[c * SUMS + 2] * scale;
      blue += sums[c * SUMS + 3] * scale;
      continue;
    }
    let offset = bottom[j];
    for (let q = c * CHUNK, end = q + count[c]; q < end && y < height; q++) {
      const low = (offset - bytesFrom) * scale;
      offset += bytes[q];
      const high = (offset - bytesFrom) * scale;
      if (high <= y) continue;
      const t = colourIndex[q];
      const r = colours.red[t];
      const g = colours.green[t];
      const b = colours.blue[t];
      const from = low > y ? low : y;
      if (high < y + 1) {
        const fraction = high - from;
        red += r * fraction;
        green += g * fraction;
        blue += b * fraction;
        covered += fraction;
        continue;
      }
      if (covered > 0 || from > y) {
        const rest = y + 1 - from;
        column[y++] = blend(red + r * rest, green + g * rest, blue + b * rest, covered + rest, colours.paperChannels);
      }
      const whole = Math.floor(high);
      if (whole > y) {
        column.fill(colours.fill[t], y, Math.min(whole, height));
        if (lines && high - low >= LINE_FROM && whole <= height) column[whole - 1] = colours.line[t];
        y = whole;
      }
      covered = high - whole;
      red = r * covered;
      green = g * covered;
      blue = b * covered;
    }
  }
  brush.y = y;
  brush.red = red;
  brush.green = green;
  brush.blue = blue;
  brush.covered = covered;
}

/**
 * Paints the last row, and paper above it.
 * @param {import('./colour_table.js').ColourTable} colours @param {Uint32Array} column @param {Brush} brush
 */
export function endColumn(colours, column, { y, red, green, blue, covered }) {
  if (y >= column.length) return;
  if (covered > 0) column[y++] = blend(red, green, blue, covered, colours.paperChannels);
  column.fill(colours.paper, y);
}

/**
 * @param {number} r @param {number} g @param {number} b sums weighted by height
 * @param {number} covered fraction of the pixel
 * @param {number[]} paper
 */
function blend(r, g, b, covered, paper) {
  const bare = covered < 1 ? 1 - covered : 0;
  const red = (r + paper[0] * bare + 0.5) | 0;
  const green = (g + paper[1] * bare + 0.5) | 0;
  const blue = (b + paper[2] * bare + 0.5) | 0;
  return ((255 << 24) | (Math.min(255, blue) << 16) | (Math.min(255, green) << 8) | Math.min(255, red)) >>> 0;
}

/**
 * @param {Uint32Array} tile
 * @param {ArrayLike<number>} columns
 * @param {number} from the first of those in the tile
 * @param {number} to after the last
 * @param {Pick<RasterView, 'states' | 'height'>} view
 * @param {Uint32Array} out
 */
export function writeTile(tile, columns, from, to, { states, height }, out) {
  for (let y = 0; y < height; y++) {
    const row = (height - 1 - y) * states.length;
    for (let i = from; i < to; i++) out[row + columns[i]] = tile[(i - from) * height + y];
  }
}
