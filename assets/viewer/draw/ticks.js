// Where the axes have their labels.

import { axisBytes, axisChange, axisTime, bytes, byteStep, count, decimalStep } from '../data/format.js';

/** Pixels between labels, about. */
const APART_X = 130;
const APART_Y = 92;

/** Pixels kept free for the axis' name at the right end. */
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
  const y = [];
  const stepY = byteStep(high - low, Math.max(3, height / APART_Y));
  for (let v = base > 0 ? base : Math.ceil(low / stepY) * stepY; v <= high; v += stepY) y.push(v);

  const x = [];
  const stepX = decimalStep(to - from, Math.max(3, width / APART_X));
  for (let v = Math.ceil(from / stepX) * stepX; v <= axis.extent; v += stepX) {
    if (((v - from) / (to - from)) * width > width - NAME) break;
    x.push(v);
  }
  return {
    x,
    y,
    labelX: (v) => (axis.kind === 'time' ? axisTime(v, to - from, stepX) : count(v)),
    labelY: (v) => (base > 0 ? (v - base < 1 ? bytes(base) : axisChange(v - base)) : axisBytes(v, high, stepY)),
  };
}
