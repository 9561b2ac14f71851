// What the side panel speaks about: a moment, or what happened in the range; which of its lists is open, and
// the order of its table.

import { clamp } from '../../kit/math.js';
import { activityIn } from '../../data/range.js';
import { memoizeLast, Topic } from '../../kit/topic.js';

/** @typedef {'peak' | 'cursor' | 'end' | 'range'} MomentKind */

export class Moment {
  changed = new Topic();
  /** @type {MomentKind} */
  #kind = 'peak';
  #cursor = 0;
  /** @type {number | null} */
  #spike = null;
  /** @type {number | null} */
  #a = null;
  #shown;
  #selection;
  #activity = memoizeLast(activityIn);

  /** @param {import('./shown.js').Shown} shown @param {import('./selection.js').Selection} selection */
  constructor(shown, selection) {
    this.#shown = shown;
    this.#selection = selection;
    shown.changed.on(() => {
      const { hasHistory, timeline } = shown.device;
      this.#kind = hasHistory ? 'peak' : 'end';
      this.#cursor = timeline.peak;
      this.#spike = this.#a = null;
    });
    selection.rangeChanged.on(() => {
      if (selection.range) this.set('range');
      else if (this.#kind === 'range') this.set('peak');
    });
  }

  get kind() {
    return this.#kind;
  }

  /** The state of the cursor, also while the panel speaks about another one. */
  get cursor() {
    return this.#cursor;
  }

  /** When the cursor is on a spike: a state before it, to compare it with. */
  get spike() {
    return this.#kind === 'cursor' ? this.#spike : null;
  }

  /** Moment A: the state that others are compared with, or null. */
  get a() {
    return this.#a;
  }

  /** The state that the panel speaks about; of a range its end. */
  get state() {
    const { timeline } = this.#shown.device;
    const { range } = this.#selection;
    if (this.#kind === 'range' && range) return range.to;
    return this.#kind === 'peak' ? timeline.peak : this.#kind === 'end' ? timeline.lastState : this.#cursor;
  }

  /** What happened in the range, while the panel speaks about that; null otherwise. */
  get activity() {
    const { range } = this.#selection;
    return this.#kind === 'range' && range ? this.#activity(this.#shown.device.timeline, range) : null;
  }

  /**
   * The allocations that the panel speaks about: live in the state, or kept by the range. The
   * timeline reuses the buffer for the next question.
   */
  get live() {
    return this.activity?.kept ?? this.#shown.device.timeline.live(this.state);
  }

  /** Bytes of these. */
  get total() {
    return this.activity?.keptBytes ?? this.#shown.device.timeline.active[this.state];
  }

  /** Makes a state moment A; without one the panel's, or none when there was one. @param {number | null} [state] */
  markA(state = this.#a === null ? this.state : null) {
    this.#a = state;
    this.changed.emit();
  }

  /** @param {MomentKind} kind @param {number} [cursor] state @param {number | null} [spike] a state before it */
  set(kind, cursor, spike = null) {
    this.#kind = kind;
    if (cursor !== undefined) {
      this.#cursor = clamp(cursor, 0, this.#shown.device.timeline.lastState);
      this.#spike = spike;
    }
    this.changed.emit();
  }
}

/** How the table is cut and sorted, whatever device is shown. */
export class TableOrder {
  changed = new Topic();
  /** @type {import('../data/breakdown.js').Order} */
  #order = { by: 'site', sort: 'bytes', rising: false };

  get order() {
    return this.#order;
  }

  /** @param {Partial<import('../data/breakdown.js').Order>} order */
  set(order) {
    this.#order = { ...this.#order, ...order };
    this.changed.emit();
  }
}

/** @typedef {'table' | 'segments' | 'events' | 'allocator'} ListName */

/** The list that is open under the tabs: each of the two pictures keeps its own. */
export class OpenList {
  changed = new Topic();
  /** @type {Record<'pile' | 'map', ListName>} */
  #names = { pile: 'table', map: 'segments' };
  #isMap;

  /** @param {() => boolean} isMap whether the picture is the address space */
  constructor(isMap) {
    this.#isMap = isMap;
  }

  get name() {
    return this.#names[this.#isMap() ? 'map' : 'pile'];
  }

  /** Whether it is the one that this picture starts with. */
  get isFirst() {
    return this.name === (this.#isMap() ? 'segments' : 'table');
  }

  /** The lists that this picture has. @returns {ListName[]} */
  get all() {
    return this.#isMap() ? ['segments', 'events', 'allocator', 'table'] : ['table', 'events'];
  }

  /** @param {string | null} name one that this picture does not have opens its first */
  open(name) {
    const found = this.all.find((n) => n === name) ?? this.all[0];
    if (found === this.name) return;
    this.#names[this.#isMap() ? 'map' : 'pile'] = found;
    this.changed.emit();
  }
}
