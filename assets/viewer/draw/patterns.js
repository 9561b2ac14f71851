// Patterns as a second cue besides colour: lines and dots over the picture, on
// pixels that belong to one group alone.

import { Picture } from './picture.js';
import { Raster } from './raster.js';
import { channels, pixel, Tones } from './tones.js';

/** Client pixels from one line to the next, and what is added for each five groups that have patterns already. */
const PITCH = 6;
const WIDER = 4;

/** How much of the group's label ink a pattern puts on a pixel, of 255. */
const INK = 0.12 * 255;

/** Which pixels a pattern covers; the fifth is of dots. @type {((x: number, y: number, pitch: number, thick: number) => boolean)[]} */
const PATTERNS = [
  (x, y, pitch, thick) => (x + y) % pitch < thick,
  (x, y, pitch, thick) => (x + (pitch - (y % pitch))) % pitch < thick,
  (x, y, pitch, thick) => y % pitch < thick,
  (x, y, pitch, thick) => x % pitch < thick,
  (x, y, pitch, thick) => x % pitch < 2 * thick && y % pitch < 2 * thick,
];

/** The groups that allocations belong to, by the pattern they get; the position is the pattern. @param {ArrayLike<number>} present */
export function patterned(present) {
  return Array.from(present, (is, group) => (is ? group : -1)).filter((group) => group >= 0);
}

/**
 * Colours that say which group a pixel belongs to. Of a mixed pixel the second
 * channel is not the square of the first, and one that is not full is blue.
 * @param {number} groups
 * @param {Uint8Array} of group of each allocation
 */
export function idTones(groups, of) {
  const hex = (/** @type {number} */ v) => v.toString(16).padStart(2, '0');
  const colors = Array.from({ length: groups }, (_, i) => `#${hex(16 * i + 8)}${hex(i * i)}00`);
  return new Tones('light', '#0000ff', colors, of);
}

/** @param {number} pixel of a picture in those colours @returns {number} its group; -1: none alone */
export function idOf(pixel) {
  const id = ((pixel & 255) - 8) / 16;
  return Number.isInteger(id) && ((pixel >> 8) & 255) === id * id && ((pixel >> 16) & 255) === 0 ? id : -1;
}

export class Patterns {
  constructor() {
    this.element = document.createElement('canvas');
    /** @type {Picture | null} of groups */
    this.picture = null;
    /** The colours that stand for the groups of a grouping. @type {{tones: Tones, grouping: import('../data/grouping.js').Grouping} | null} */
    this.ids = null;
  }

  /** Whether there was no time for every column. */
  get isUnfinished() {
    return this.picture?.isCoarse ?? false;
  }

  /**
   * @param {import('../data/timeline.js').Timeline} timeline
   * @param {import('../data/grouping.js').Grouping} grouping
   * @param {import('./raster.js').View} view
   * @param {number} ms that painting may take, about
   */
  paint(timeline, grouping, view, ms) {
    let { picture, ids } = this;
    if (picture?.raster.timeline !== timeline) this.picture = picture = new Picture(new Raster(timeline));
    if (ids?.grouping !== grouping) this.ids = ids = { tones: idTones(grouping.groups.length, grouping.of), grouping };
    picture.paint(ids.tones, { ...view, lines: false }, ms);
    const { pixels } = picture;
    const width = view.states.length;
    const out = new Uint32Array(pixels.length);
    const order = patterned(grouping.present);
    const ratio = Math.max(1, Math.round(devicePixelRatio));
    const kinds = grouping.groups.map(({ ink }, group) => {
      const place = order.indexOf(group);
      const color = (pixel(channels(ink)) & 0xffffff) + Math.round(INK) * 2 ** 24;
      return { covers: PATTERNS[place % 5], pitch: (PITCH + WIDER * Math.floor(place / 5)) * ratio, color };
    });
    for (let i = 0, y = 0; i < pixels.length; y++) {
      for (let x = 0; x < width; x++, i++) {
        const group = idOf(pixels[i]);
        if (group >= 0 && kinds[group].covers(x, y, kinds[group].pitch, ratio)) out[i] = kinds[group].color;
      }
    }
    const image = new ImageData(new Uint8ClampedArray(out.buffer), width);
    this.element.width = image.width;
    this.element.height = image.height;
    this.element.getContext('2d')?.putImageData(image, 0, 0);
  }
}
