// Segments as bars of their blocks and holes, from the first byte to the last.

import { SpaceColours } from '../map/colours.js';
import { h } from './dom.js';

/** @typedef {import('../data/segments.js').Segment} Segment */

/**
 * A function that draws bars in the colours of now.
 * @param {import('../state/stores.js').Stores} stores
 * @returns {(segment: Segment, width: number, height: number) => HTMLCanvasElement} sizes in client pixels
 */
export function segmentBars({ appearance, highlight }) {
  const colours = new SpaceColours(highlight.colours, appearance.style, highlight.isFading);
  const rgb = (/** @type {ArrayLike<number>} */ c, at = 0) => `rgb(${c[at]},${c[at + 1]},${c[at + 2]})`;
  return ({ blocks, holes, bytes }, width, height) => {
    const canvas = h('canvas.strip');
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(height * devicePixelRatio);
    const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    const scale = canvas.width / bytes;
    const paint = (/** @type {string} */ color, /** @type {number} */ from, /** @type {number} */ to) => {
      g.fillStyle = color;
      g.fillRect(from * scale, 0, Math.max((to - from) * scale, 0.5), canvas.height);
    };
    for (const { offset, bytes: size, returnable } of holes)
      paint(rgb(returnable > 0 ? colours.returnable : colours.stuck), offset, offset + size);
    // The lines between blocks are the last thing of each that has room for one.
    for (const { id, offset, bytes: size } of blocks) {
      const at = colours.index[id] * 3;
      const line = size * scale >= 4 ? 1 / scale : 0;
      paint(rgb(colours.tensor, at), offset, offset + size - line);
      if (line > 0) paint(rgb(colours.line, at), offset + size - line, offset + size);
    }
    return canvas;
  };
}
