// Patterns as a second cue besides colour: lines and dots over the picture, on pixels
// that belong to one group only.

import { channels, ColourTable, pixel } from '../../pile/colour_table.js';
import { Picture } from '../../pile/picture.js';

/** Client pixels from one line to the next, and what is added for each five groups that have patterns already. */
const PITCH = 6;
const WIDER = 4;

/** How much of the group's label ink a pattern puts on a pixel, of 255. */
const INK = 0.12 * 255;

/**
 * Which pixels a pattern covers; the fifth is dots.
 * @type {((x: number, y: number, pitch: number, thick: number) => boolean)[]}
 */
const PATTERNS = [
  (x, y, pitch, thick) => (x + y) % pitch < thick,
  (x, y, pitch, thick) => (x + (pitch - (y % pitch))) % pitch < thick,
  (_, y, pitch, thick) => y % pitch < thick,
  (x, _, pitch, thick) => x % pitch < thick,
  (x, y, pitch, thick) => x % pitch < 2 * thick && y % pitch < 2 * thick,
];

/**
 * The groups that have allocations; the position of a group is the number of its pattern.
 * @param {ArrayLike<number>} present
 */
export function patterned(present) {
  return Array.from(present, (is, group) => (is ? group : -1)).filter((group) => group >= 0);
}

/**
 * Colours from which the group of a pixel can be read. Where groups are mixed the second
 * channel is not the square of the first, and where paper is mixed in there is blue.
 * @param {number} groups
 * @param {Uint8Array} of group of each allocation
 */
export function groupColours(groups, of) {
  const hex = (/** @type {number} */ v) => v.toString(16).padStart(2, '0');
  const colors = Array.from({ length: groups }, (_, i) => `#${hex(16 * i + 8)}${hex(i * i)}00`);
  return new ColourTable('light', '#0000ff', colors, of);
}

/** @param {number} pixel of a picture in those colours @returns {number} its group; -1: none, or several */
export function groupOf(pixel) {
  const group = ((pixel & 255) - 8) / 16;
  const isPure = ((pixel >> 8) & 255) === group * group && ((pixel >> 16) & 255) === 0;
  return Number.isInteger(group) && isPure ? group : -1;
}

/**
 * The picture of the pile in the colours of groups.
 * @param {import('../../pile/picture.js').Rasterizer<any, any>} raster
 * @param {import('../../data/grouping.js').Grouping} grouping
 * @param {import('../../pile/raster.js').RasterView} view
 */
export function pileOfGroups(raster, { groups, of }, view) {
  return { raster, colours: groupColours(groups.length, of), view: { ...view, lines: false } };
}

export class Patterns {
  constructor() {
    this.element = document.createElement('canvas');
    /** @type {Picture<any, any> | null} of groups */
    this.picture = null;
  }

  /** Whether there was no time for every column. */
  get isUnfinished() {
    return this.picture?.isCoarse ?? false;
  }

  /**
   * @param {{raster: import('../../pile/picture.js').Rasterizer<any, any>, colours: {paper: number}, view: any}} source
   *   of a picture in the colours of groups
   * @param {import('../../data/grouping.js').Grouping} grouping
   * @param {string} beside ink of what the picture has as a group behind all others
   * @param {number} ms that painting may take, about
   */
  paint({ raster, colours, view }, grouping, beside, ms) {
    let { picture } = this;
    if (picture?.raster !== raster) this.picture = picture = new Picture(raster);
    picture.paint(colours, view, ms);
    const { pixels } = picture;
    const width = view.states.length;
    const out = new Uint32Array(pixels.length);
    const order = patterned(grouping.present);
    const ratio = Math.max(1, Math.round(devicePixelRatio));
    const inks = [...grouping.groups.map((group) => group.ink), beside];
    const kinds = inks.map((ink, group) => {
      const pattern = Math.max(0, order.indexOf(group));
      const color = (pixel(channels(ink)) & 0xffffff) + Math.round(INK) * 2 ** 24;
      return { covers: PATTERNS[pattern % 5], pitch: (PITCH + WIDER * Math.floor(pattern / 5)) * ratio, color };
    });
    for (let i = 0, y = 0; i < pixels.length; y++) {
      for (let x = 0; x < width; x++, i++) {
        const group = groupOf(pixels[i]);
        if (group >= 0 && kinds[group].covers(x, y, kinds[group].pitch, ratio)) out[i] = kinds[group].color;
      }
    }
    const image = new ImageData(new Uint8ClampedArray(out.buffer), width);
    this.element.width = image.width;
    this.element.height = image.height;
    this.element.getContext('2d')?.putImageData(image, 0, 0);
  }
}
