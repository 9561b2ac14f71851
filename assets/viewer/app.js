// The state of the page. Views listen to topics and read it; only the methods
// here and the modules in state/ change it.

import { clamp } from './data/clamp.js';
import { siteNames } from './data/breakdown.js';
import { ceilingOf } from './data/ceiling.js';
import { find, NOTHING_ASKED } from './data/find.js';
import { latest } from './data/latest.js';
import { happened } from './data/range.js';
import { Outline } from './draw/outline.js';
import { readStyle } from './draw/pen.js';
import { regroup } from './state/colour.js';
import { axisOf } from './view/axis.js';
import { Viewport } from './view/viewport.js';

/**
 * @typedef {'device' | 'view' | 'settled' | 'moment' | 'pin' | 'hover' | 'colour' | 'theme' | 'range' | 'sort' | 'glance' | 'lane'} Topic
 *   view: the range changed; settled: it has been still for a while;
 *   colour: other groups, isolation or theme, so that the picture changes;
 *   range: it is being brushed; sort: the table shows other rows or another order;
 *   glance: the pointer rests on a row or cell, which the picture lights
 * @typedef {'peak' | 'cursor' | 'end' | 'range'} Moment which state the panel speaks about
 * @typedef {{x: number, state: number, hit: {id: number, offset: number} | null}} Hover x in client pixels of the timeline
 * @typedef {import('./data/lanes.js').LaneHit & {x: number, y: number}} LaneHover and where what says so stands
 * @typedef {import('./data/open.js').OpenDevice} OpenDevice
 */

/** How long a view must be still to count as settled. */
const STILL_MS = 120;

export class App {
  #happened = latest(happened);
  #siteNames = latest(siteNames);

  /** @param {import('./data/report.js').Report} report @param {import('./data/open.js').Library} library */
  constructor(report, library) {
    this.report = report;
    this.library = library;
    /** @type {OpenDevice} set by open */
    this.device;
    /** @type {Viewport} */
    this.viewport;
    /** @type {import('./data/grouping.js').Grouping} */
    this.grouping;
    /** @type {import('./draw/tones.js').Tones} */
    this.tones;
    /** @type {import('./draw/tones.js').Tones} nothing faded */
    this.plainTones;
    this.style = readStyle();
    /** Whether groups have patterns as well as colours. */
    this.patterns = false;
    /** @type {import('./data/colours.js').Mode} */
    this.colourMode = 'family';
    /** @type {import('./data/colours.js').Mode} what this device starts with */
    this.defaultColourMode = 'family';
    /** @type {Moment} */
    this.moment = 'peak';
    this.cursor = 0;
    /** @type {import('./data/range.js').Range | null} brushed */
    this.range = null;
    /** @type {import('./data/timeline.js').Timeline | null} what the range keeps, restacked */
    this.alone = null;
    /** @type {import('./data/breakdown.js').Part | null} the row or cell isolated */
    this.part = null;
    /** @type {import('./data/breakdown.js').Part | null} the one that the pointer rests on */
    this.glanced = null;
    /** @type {import('./data/breakdown.js').Order} of the table */
    this.order = { by: 'site', sort: 'bytes', rising: false };
    /** @type {number | null} */
    this.pinned = null;
    /** @type {Outline | null} */
    this.outline = null;
    /** @type {Set<number>} groups; empty: nothing is isolated */
    this.isolated = new Set();
    /** What the search box asks for, and what it found. */
    this.found = NOTHING_ASKED;
    /** @type {Uint8Array | null} 1 for each allocation that is not faded; null: none is */
    this.lit = null;
    /** @type {Hover | null} */
    this.hover = null;
    /** @type {LaneHover | null} the range of a lane under the pointer */
    this.lane = null;
    this.lanesFolded = false;
    /** @type {{i: number, from: number, to: number} | null} the step gone to last, and the view of it */
    this.step = null;
    this.moving = false;
    /** @type {Map<Topic, (() => void)[]>} */
    this.listeners = new Map();
    this.stillTimer = 0;
    this.opening = 0;
    /** @type {Set<() => void> | null} what has to follow the first picture of a device; null once it has settled */
    this.waiting = null;
  }

  /** @param {Topic[]} topics @param {() => void} listener */
  on(topics, listener) {
    for (const topic of topics) this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener]);
  }

  /**
   * Listens for what stands beside the picture: while the first one of a
   * device is not shown, it waits until then and is called once.
   * @param {Topic[]} topics @param {() => void} listener
   */
  onBeside(topics, listener) {
    this.on(topics, () => {
      if (this.waiting) this.waiting.add(listener);
      else listener();
    });
  }

  /** @param {Topic} topic */
  emit(topic) {
    for (const listener of this.listeners.get(topic) ?? []) listener();
  }

  /**
   * Opens a device and shows the whole of it; to be settled when that is drawn.
   * @param {number} fileIndex
   * @param {number} deviceIndex position in the file's list of devices
   */
  async open(fileIndex, deviceIndex) {
    const turn = ++this.opening;
    const device = await this.library.open(fileIndex, deviceIndex);
    if (turn !== this.opening) return; // a later choice has overtaken this one
    this.device = device;
    this.moment = device.hasHistory ? 'peak' : 'end';
    this.cursor = device.timeline.peak;
    this.lane = this.step = null;
    this.pinned = this.outline = this.hover = this.range = this.alone = this.part = null;
    this.isolated = new Set();
    this.found = find(device, this.found.query, this.found.filters);
    const { data, report } = device;
    const bare = !device.hasHistory && report.with_stack < data.count * 0.1;
    this.colourMode = this.defaultColourMode = bare ? 'size' : 'family';
    regroup(this);
    this.viewport = new Viewport(axisOf(device, 'events'), device.timeline, ceilingOf(device));
    this.viewport.changed = () => this.moved();
    this.waiting = new Set();
    this.emit('device');
  }

  /** The state that the panel speaks about; of a range its end. */
  get momentState() {
    const { timeline } = this.device;
    if (this.moment === 'range' && this.range) return this.range.to;
    return this.moment === 'peak' ? timeline.peak : this.moment === 'end' ? timeline.lastState : this.cursor;
  }

  /** What happened in the range, while the panel speaks about it. */
  get happened() {
    return this.moment === 'range' && this.range ? this.#happened(this.device.timeline, this.range) : null;
  }

  /** What the panel speaks about: live at its moment, or kept by the range; only until the next one is asked for. */
  get live() {
    return this.happened?.kept ?? this.device.timeline.live(this.momentState);
  }

  /** Bytes of it. */
  get total() {
    return this.happened?.keptBytes ?? this.device.timeline.active[this.momentState];
  }

  /** The timeline that is drawn: of the whole recording, or of what stands alone. */
  get shown() {
    return this.alone ?? this.device.timeline;
  }

  /** What is written into the bands: call sites where something stands alone, otherwise groups. */
  get names() {
    const { alone, grouping, device } = this;
    return alone ? [this.#siteNames(device.sites, alone, grouping), grouping] : [grouping];
  }

  /** @param {Partial<import('./data/breakdown.js').Order>} order */
  setOrder(order) {
    this.order = { ...this.order, ...order };
    this.emit('sort');
  }

  /** @param {'events' | 'time'} kind */
  setAxis(kind) {
    if (kind === this.viewport.axis.kind || (kind === 'time' && !this.device.hasTime)) return;
    this.viewport.changeAxis(axisOf(this.device, kind));
  }

  /** @param {Moment} moment @param {number} [state] of the cursor */
  setMoment(moment, state) {
    this.moment = moment;
    if (state !== undefined) this.cursor = clamp(state, 0, this.device.timeline.lastState);
    this.emit('moment');
  }

  /** @param {number | null} id */
  pin(id) {
    const known = id !== null && id >= 0 && id < this.device.data.count;
    this.pinned = known ? id : null;
    this.outline = known && this.alone?.data.last[id] !== 0 ? new Outline(this.shown, id) : null;
    this.emit('pin');
  }

  /** @param {Hover | null} hover */
  setHover(hover) {
    if (!hover && !this.hover) return;
    this.hover = hover;
    this.emit('hover');
  }

  /** @param {LaneHover | null} lane */
  setLane(lane) {
    const { lane: before } = this;
    if (lane === before || (lane && before && lane.lane === before.lane && lane.i === before.i)) return;
    this.lane = lane;
    this.emit('lane');
  }

  /** @param {boolean} folded */
  foldLanes(folded) {
    if (folded === this.lanesFolded) return;
    this.lanesFolded = folded;
    this.lane = null;
    this.moved();
  }

  /** The view is another one. */
  moved() {
    this.moving = true;
    this.emit('view');
    clearTimeout(this.stillTimer);
    if (!this.waiting) this.stillTimer = setTimeout(() => this.settle(), STILL_MS);
  }

  /** Ends the moving of a view now. */
  settle() {
    clearTimeout(this.stillTimer);
    this.stillTimer = 0;
    this.moving = false;
    this.emit('settled');
    const { waiting } = this;
    this.waiting = null;
    for (const listener of waiting ?? []) listener();
  }
}
