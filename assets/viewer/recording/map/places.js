// Where things of an address space are in the plot, in client pixels, and what lies at a point of it.

import { stretchOf } from '../../data/axis.js';
import { clamp } from '../../kit/math.js';
import { segmentAt, segmentsAt } from '../data/segments.js';
import { OUTSIDE } from '../../data/space.js';

/** Edges are cut this many pixels outside the plot: heights may be millions of pixels. */
const BEYOND = 9;

/**
 * @typedef {import('../data/segments.js').Segments} Segments @typedef {import('../data/segments.js').Segment} Segment
 * @typedef {{left: number, right: number, top: number, bottom: number}} Rect in client pixels
 *
 * @typedef {object} Spot what lies at a place in a state
 * @property {number} place
 * @property {Segment} segment
 * @property {number} id of the tensor, or -1
 * @property {import('../data/segments.js').Hole | null} hole
 */

/** An address space that is shown, laid out. */
export class ShownSpace {
  /** @type {Segments | null} of the state asked for last */
  #segments = null;

  /** @param {import('../../data/open.js').OpenDevice} device @param {import('./layout.js').SpaceLayout} layout */
  constructor(device, layout) {
    this.device = device;
    this.layout = layout;
    this.space = layout.space;
  }

  /** The segments of a state. @param {number} state */
  segments(state) {
    if (this.#segments?.state !== state) this.#segments = segmentsAt(this.space, this.device, state);
    return this.#segments;
  }

  /**
   * What lies at a height in a state.
   * @param {number} height fraction of the layout's @param {number} state
   * @returns {Spot | null} null: nothing is reserved there
   */
  at(height, state) {
    const { layout, space } = this;
    const r = layout.reservationAt(height, state);
    if (r < 0) return null;
    const place = space.reservations.start[r] + (height - layout.low[r]) / layout.perUnit[r];
    const segment = segmentAt(this.segments(state), place, space.unit);
    if (!segment) return null;
    const offset = (place - segment.place) * space.unit;
    const holds = (/** @type {{offset: number, bytes: number}} */ part) =>
      part.offset <= offset && offset < part.offset + part.bytes;
    return { place, segment, id: segment.blocks.find(holds)?.id ?? -1, hole: segment.holes.find(holds) ?? null };
  }

  /**
   * The height of an offset of a segment.
   * @param {Segment} segment @param {number} offset bytes
   * @returns {number} height
   */
  heightAt({ reservation, place }, offset) {
    return this.layout.at(reservation, place + offset / this.space.unit);
  }

  /** The rectangle of a block; null when it lies in nothing reserved. @param {Scales} scales @param {number} id */
  block(scales, id) {
    const { space, layout } = this;
    const { first, last } = this.device.data;
    const r = space.reservation[id];
    if (r === OUTSIDE) return null;
    const place = space.place[id];
    return rect(scales, first[id], last[id], layout.at(r, place), layout.at(r, place + space.blockSize(id)));
  }

  /** The rectangle of a reservation. @param {Scales} scales @param {number} r */
  reservation(scales, r) {
    const { first, last } = this.space.reservations;
    return rect(scales, first[r], last[r], this.layout.low[r], this.layout.high(r));
  }
}

/** @typedef {import('../draw/layout.js').Scales} Scales */

/**
 * @param {Scales} scales @param {number} first state @param {number} last state
 * @param {number} low fraction of the layout's height @param {number} high
 * @returns {Rect}
 */
function rect(scales, first, last, low, high) {
  const { layout, viewport } = scales;
  const { axis } = viewport;
  const [left, right] = stretchOf(axis, first, last === axis.lastState ? last : last + 1).map((v) =>
    clamp(scales.x(v), layout.left - BEYOND, layout.right + BEYOND),
  );
  const [bottom, top] = [low, high].map((v) => clamp(scales.y(v), layout.top - BEYOND, layout.bottom + BEYOND));
  return { left, right, top, bottom };
}
