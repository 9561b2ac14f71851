// What a person has selected: a pinned tensor or segment, and a range of states, of which
// everything or only what it keeps is drawn. Beside that, what the pointer is over.

import { activityIn, restackedTimeline } from '../../data/range.js';
import { Outline } from '../draw/outline.js';
import { memoizeLast, Topic } from '../../kit/topic.js';

/**
 * @typedef {import('../../data/range.js').Range} Range
 * @typedef {import('../../data/timeline.js').Timeline} Timeline
 */

export class Selection {
  /** Another tensor or segment is pinned, or none. */
  pinChanged = new Topic();
  /** Another range is selected, or none; or the rest of it is hidden, or shown again. */
  rangeChanged = new Topic();
  /** A range is being brushed: it is drawn, and selected when the pointer lets go. */
  brushed = new Topic();
  /** @type {number | null} */
  #pinned = null;
  /** @type {number | null} */
  #segment = null;
  /** @type {Range | null} */
  #range = null;
  /** @type {Timeline | null} */
  #kept = null;
  #shown;
  #outlineOf = memoizeLast((/** @type {Timeline} */ timeline, /** @type {number} */ id) => new Outline(timeline, id));

  /** @param {import('./shown.js').Shown} shown */
  constructor(shown) {
    this.#shown = shown;
    shown.changed.on(() => {
      this.#pinned = this.#segment = this.#range = this.#kept = null;
    });
  }

  /** The pinned allocation, or null. */
  get pinned() {
    return this.#pinned;
  }

  /** The pinned segment, an index into the reservations of the address space, or null; never beside a tensor. */
  get segment() {
    return this.#segment;
  }

  /** The range selected or being brushed, or null. */
  get range() {
    return this.#range;
  }

  /** Whether only what the range keeps is drawn, stacked from zero. */
  get keptOnly() {
    return this.#kept !== null;
  }

  /** The timeline that is drawn: of the whole recording, or of what the range keeps. */
  get timeline() {
    return this.#kept ?? this.#shown.device.timeline;
  }

  /** The outline of the pinned tensor in the timeline drawn; null where that does not have it. */
  get outline() {
    const id = this.#pinned;
    return id === null || this.#kept?.data.last[id] === 0 ? null : this.#outlineOf(this.timeline, id);
  }

  /** Pins an allocation; none, when there is none of that id. @param {number | null} id */
  pin(id) {
    this.#pinned = id !== null && id >= 0 && id < this.#shown.device.data.count ? id : null;
    this.#segment = null;
    this.pinChanged.emit();
  }

  /**
   * Pins a segment in place of a tensor.
   * @param {number | null} reservation whoever uses it knows whether there is one
   */
  pinSegment(reservation) {
    this.#pinned = null;
    this.#segment = reservation;
    this.pinChanged.emit();
  }

  /** While a range is brushed. @param {Range} range */
  brush(range) {
    this.#range = range;
    this.brushed.emit();
  }

  /** @param {Range | null} range @param {boolean} [keptOnly] whether to draw only what it keeps */
  selectRange(range, keptOnly = false) {
    const { timeline } = this.#shown.device;
    this.#range = range;
    this.#kept = range && keptOnly ? restackedTimeline(timeline, activityIn(timeline, range).kept) : null;
    this.rangeChanged.emit();
  }
}

/**
 * @typedef {{x: number, y?: number, state: number, hit: {id: number, offset: number} | null, spike?: number,
 *   spot?: import('../map/places.js').Spot | null}} HoverPoint
 *   x and y in client pixels of the timeline's element; hit: the tensor there, null over none; spike: a state before
 *   it, when the state is a spike's; spot: what lies there, when the address space is shown
 * @typedef {import('../../data/lanes.js').LaneHit & {x: number, y: number}} LaneHover
 *   a range of a lane, and where its tooltip is in client pixels of the timeline's element
 */

/** What the pointer is over, or the keyboard's focus on the lanes. */
export class Hover {
  pointChanged = new Topic();
  laneChanged = new Topic();
  /** @type {HoverPoint | null} */
  #point = null;
  /** @type {LaneHover | null} */
  #lane = null;

  /** @param {import('./shown.js').Shown} shown */
  constructor(shown) {
    shown.changed.on(() => {
      this.#point = this.#lane = null;
    });
  }

  /** The point of the plot, or null. */
  get point() {
    return this.#point;
  }

  /** The range of a lane, or null. */
  get lane() {
    return this.#lane;
  }

  /** @param {HoverPoint | null} point */
  setPoint(point) {
    if (!point && !this.#point) return;
    this.#point = point;
    this.pointChanged.emit();
  }

  /** @param {LaneHover | null} lane */
  setLane(lane) {
    const before = this.#lane;
    if (lane === before || (lane && before && lane.lane === before.lane && lane.i === before.i)) return;
    this.#lane = lane;
    this.laneChanged.emit();
  }
}
