// The picture by definition: a column is all live tensors laid one on the other.

import assert from 'node:assert/strict';
import { channels } from '../../pile/colour_table.js';
import { LINE_FROM } from '../../pile/raster.js';

/** As many colours as a test wants to tell apart. */
export const COLORS = Array.from(
  { length: 45 },
  (_, i) => '#' + ((i * 0x4d3c2b + 0x123456) & 0xffffff).toString(16).padStart(6, '0'),
);
export const PAPER = '#f4f6f8';
const LINE = 0.86;

/**
 * One column: every row the average of what covers it. Channels from the top row down.
 * pile: {size, colour} of what is live, bottom first.
 */
function bruteColumn(pile, { height, bytesFrom, bytesTo, lines }) {
  const rows = Array.from({ length: height }, () => ({ covered: 0, rgb: [0, 0, 0], line: null }));
  const scale = height / (bytesTo - bytesFrom);
  const paper = channels(PAPER);
  const colors = COLORS.map(channels);
  let offset = 0;
  for (const { size, colour } of pile) {
    const low = (offset - bytesFrom) * scale;
    const high = (offset + size - bytesFrom) * scale;
    offset += size;
    const rgb = colors[colour];
    for (let y = Math.max(0, Math.floor(low)); y < Math.min(height, Math.ceil(high)); y++) {
      const part = Math.min(high, y + 1) - Math.max(low, y);
      if (part <= 0) continue;
      rows[y].covered += part;
      rgb.forEach((c, i) => {
        rows[y].rgb[i] += c * part;
      });
    }
    const last = Math.floor(high) - 1;
    if (lines && high - low >= LINE_FROM && last >= 0 && last < height) rows[last].line = rgb.map((c) => c * LINE);
  }
  return rows
    .reverse()
    .map(({ covered, rgb, line }) => line ?? rgb.map((c, i) => c + paper[i] * Math.max(0, 1 - covered)));
}

/** How far a column of pixels is off, in channels of 0 to 255, from one that stacks a pile. */
export function columnError(pixels, width, x, pile, view) {
  let most = 0;
  bruteColumn(pile, view).forEach((want, y) => {
    const pixel = pixels[y * width + x];
    assert.equal(pixel >>> 24, 255);
    want.forEach((c, i) => {
      most = Math.max(most, Math.abs(((pixel >>> (8 * i)) & 255) - c));
    });
  });
  return most;
}
