// The state of the page and everything that can be done to it. Views listen
// to topics and read the state; only the methods here change it.

import { groupingOf, modesOf } from './data/colours.js';
import { find, NOTHING_ASKED } from './data/find.js';
import { litPart, siteNames } from './data/breakdown.js';
import { fadeOthers, litOf } from './data/lit.js';
import { aloneTimeline, happened, rangeOf } from './data/range.js';
import { readStyle } from './draw/pen.js';
import { Outline } from './draw/outline.js';
import { Tones } from './draw/tones.js';
import { EventAxis, spanOf, TimeAxis } from './view/axis.js';
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

/** An axis has air on its right when an out-of-memory event lies in this last part. */
const LAST_PART = 0.97;

/** How long a view must be still to count as settled. */
const STILL_MS = 120;

export class App {
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
    /** @type {Tones} */
    this.tones;
    /** @type {Tones} */
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
    /** @type {{range: import('./data/range.js').Range, happened: import('./data/range.js').Happened} | null} the last sums */
    this.sums = null;
    /** @type {{alone: import('./data/timeline.js').Timeline, grouping: import('./data/grouping.js').Grouping, names: import('./draw/overlay.js').Names[]} | null} the last names */
    this.written = null;
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
    this.#regroup();
    this.viewport = new Viewport(this.#axis('events'), device.timeline, this.#ceiling());
    this.viewport.changed = () => this.#moved();
    this.waiting = new Set();
    this.emit('device');
  }

  get ooms() {
    return this.device.data.markers.filter((m) => m.kind === 'oom');
  }

  /** The state that the panel speaks about; of a range its end. */
  get momentState() {
    const { timeline } = this.device;
    if (this.moment === 'range' && this.range) return this.range.to;
    return this.moment === 'peak' ? timeline.peak : this.moment === 'end' ? timeline.lastState : this.cursor;
  }

  /** What happened in the range, while the panel speaks about it. */
  get happened() {
    const { range } = this;
    if (this.moment !== 'range' || !range) return null;
    if (this.sums?.range !== range) this.sums = { range, happened: happened(this.device.timeline, range) };
    return this.sums.happened;
  }

  /** The timeline that is drawn: of the whole recording, or of what stands alone. */
  get shown() {
    return this.alone ?? this.device.timeline;
  }

  /** What is written into the bands: call sites where something stands alone, otherwise groups. */
  get names() {
    const { alone, grouping, written } = this;
    if (!alone) return [grouping];
    if (written?.alone === alone && written.grouping === grouping) return written.names;
    const names = [siteNames(this.device.sites, alone.live(alone.peak), grouping), grouping];
    this.written = { alone, grouping, names };
    return names;
  }

  /** The states in view as a range. */
  get viewRange() {
    const { axis, from, to } = this.viewport;
    const covered = axis.states(from, to);
    return covered && rangeOf(covered[0], covered[1], this.device.timeline.lastState);
  }

  /** While a range is brushed. @param {import('./data/range.js').Range} range */
  brush(range) {
    this.range = range;
    this.emit('range');
  }

  /**
   * Chooses a range, of which the panel speaks then.
   * @param {import('./data/range.js').Range | null} range null: none
   * @param {boolean} [alone] whether only what it keeps is shown
   */
  setRange(range, alone = false) {
    const was = this.alone;
    const { timeline } = this.device;
    this.range = range;
    this.alone = range && alone ? aloneTimeline(timeline, happened(timeline, range).kept) : null;
    if (this.alone) this.viewport.restack(this.alone, this.alone.active[this.alone.peak]);
    else if (was) this.viewport.restack(timeline, this.#ceiling());
    else this.#moved();
    if (this.alone || was) this.pin(this.pinned); // its outline lies elsewhere now
    if (range) this.setMoment('range');
    else if (this.moment === 'range') this.setMoment('peak');
  }

  /** Shows what the range keeps alone, or in its place again; without a range, of what is in view. */
  toggleAlone() {
    const range = this.range ?? this.viewRange;
    if (range) this.setRange(range, !this.alone);
  }

  /**
   * Isolates a row or a cell.
   * @param {import('./data/breakdown.js').Part | null} part
   * @param {boolean} [toggle] whether the isolated one is let go again
   */
  isolatePart(part, toggle = true) {
    const same = toggle && part && this.part && part.by === this.part.by && part.key === this.part.key;
    this.part = same ? null : part;
    this.isolated = new Set();
    this.#retone();
    this.emit('colour');
  }

  /** Lights a part for as long as the pointer rests on it. @param {import('./data/breakdown.js').Part | null} part */
  glance(part) {
    if (part === this.glanced) return;
    this.glanced = part;
    this.tones = this.#tonesOf(litPart(this.device, part ? null : this.lit, part));
    this.emit('glance');
  }

  /** @param {Partial<import('./data/breakdown.js').Order>} order */
  setOrder(order) {
    this.order = { ...this.order, ...order };
    this.emit('sort');
  }

  /** @param {'events' | 'time'} kind */
  setAxis(kind) {
    if (kind === this.viewport.axis.kind || (kind === 'time' && !this.device.hasTime)) return;
    this.viewport.changeAxis(this.#axis(kind));
  }

  /** @param {Moment} moment @param {number} [state] of the cursor */
  setMoment(moment, state) {
    this.moment = moment;
    if (state !== undefined) this.cursor = Math.max(0, Math.min(this.device.timeline.lastState, state));
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
    this.#moved();
  }

  /**
   * Isolates a group; the only isolated one is let go again.
   * @param {number} group
   * @param {boolean} add to those isolated, or take it from them
   */
  isolate(group, add) {
    const only = this.isolated.size === 1 && this.isolated.has(group);
    const next = new Set(add ? this.isolated : []);
    if (add && next.has(group)) next.delete(group);
    else if (!only) next.add(group);
    this.setIsolated(next);
  }

  /** @param {Set<number>} groups */
  setIsolated(groups) {
    this.isolated = groups;
    this.part = null;
    this.#retone();
    this.emit('colour');
  }

  /**
   * Lights what a search finds, and fades the rest.
   * @param {string} query text of the search box; see data/query.js
   * @param {string[]} filters such as "size>1MiB"; those that say nothing are left out
   */
  find(query, filters = this.found.filters) {
    if (query === this.found.query && filters.join() === this.found.filters.join()) return;
    this.found = find(this.device, query, filters);
    this.#retone();
    this.emit('colour');
  }

  /** @param {string} mode one that the device has something to show of, or nothing happens */
  setColourMode(mode) {
    const known = modesOf(this.device).find((m) => m.mode === mode && m.lacks === '');
    if (!known || mode === this.colourMode) return;
    this.colourMode = known.mode;
    this.isolated = new Set();
    this.#regroup();
    this.emit('colour');
  }

  /** @param {boolean} patterns */
  setPatterns(patterns) {
    if (patterns === this.patterns) return;
    this.patterns = patterns;
    this.emit('colour');
  }

  /** The style sheet has another theme now. */
  themeChanged() {
    this.style = readStyle();
    if (!this.device) return;
    this.#regroup();
    this.emit('theme');
    this.emit('colour');
  }

  /** Shows what proves an answer. @param {import('./data/report.js').Evidence} evidence */
  showEvidence({ from, to, state, allocation }) {
    const { timeline, hasHistory } = this.device;
    const { axis } = this.viewport;
    if (this.range) this.setRange(null);
    if (from < to) this.viewport.show(axis.begins(from), to === timeline.lastState ? axis.extent : axis.begins(to));
    else this.viewport.whole();
    if (!hasHistory || state === timeline.lastState) this.setMoment('end');
    else if (state === timeline.peak) this.setMoment('peak');
    else this.setMoment('cursor', state);
    this.pin(allocation < 0 ? null : allocation);
  }

  /** Shows the last 8 percent before an out-of-memory event. */
  showOOM() {
    const oom = this.ooms.at(-1);
    if (!oom) return;
    if (this.range) this.setRange(null);
    const { axis } = this.viewport;
    const { lastState } = this.device.timeline;
    const states = Math.max(600, Math.round(lastState * 0.08));
    const x = axis.begins(oom.state);
    const from = axis.begins(Math.max(0, oom.state - states));
    this.viewport.mode = 'auto';
    this.viewport.show(from, Math.min(axis.end, x + Math.max((x - from) * 0.06, 1)));
    this.setMoment('cursor', oom.state);
  }

  /** Shows all of the range, with what it keeps alone: what keeps growing. @param {import('./data/report.js').Evidence} evidence */
  showGrowth({ from, to }) {
    const { lastState } = this.device.timeline;
    const range = rangeOf(from, from < to ? to : lastState, lastState);
    if (!range) return;
    this.pin(null);
    this.viewport.whole();
    this.setRange(range, true);
  }

  /** Pins an allocation and has its begin in view. @param {number} id */
  jump(id) {
    const { viewport } = this;
    const x = viewport.axis.middle(this.device.data.first[id]);
    if (x < viewport.from || x > viewport.to) viewport.pan(x - (viewport.from + viewport.to) / 2);
    this.pin(id);
  }

  /** Shows the range with some air around it. */
  showRange() {
    if (!this.range) return;
    const [from, to] = spanOf(this.viewport.axis, this.range.from, this.range.to);
    const air = (to - from) * 0.04;
    this.viewport.show(Math.max(0, from - air), Math.min(this.viewport.axis.end, to + air));
  }

  /** Shows the life of a tensor with some air around it. @param {number} id */
  showLife(id) {
    const { data, timeline } = this.device;
    const { axis } = this.viewport;
    const from = axis.begins(data.first[id]);
    const to = data.last[id] === timeline.lastState ? axis.extent : axis.begins(data.last[id] + 1);
    const air = Math.max((to - from) * 0.08, axis.kind === 'events' ? 2 : 1);
    this.viewport.show(Math.max(0, from - air), Math.min(axis.end, to + air));
  }

  /** Takes back the innermost thing: alone, the pin, isolation, the range, the search. @returns {boolean} whether there was one */
  escape() {
    if (this.alone) this.setRange(this.range);
    else if (this.pinned !== null) this.pin(null);
    else if (this.isolated.size > 0 || this.part) this.setIsolated(new Set());
    else if (this.range) this.setRange(null);
    else if (this.found !== NOTHING_ASKED) this.find('', []);
    else return false;
    return true;
  }

  #moved() {
    this.moving = true;
    this.emit('view');
    clearTimeout(this.stillTimer);
    if (!this.waiting) this.stillTimer = setTimeout(() => this.settle(), STILL_MS);
  }

  /** Ends the moving of a view now. */
  settle() {
    clearTimeout(this.stillTimer);
    this.moving = false;
    this.emit('settled');
    const { waiting } = this;
    this.waiting = null;
    for (const listener of waiting ?? []) listener();
  }

  #regroup() {
    const { device, style, report } = this;
    this.grouping = groupingOf(this.colourMode, device, report, style.theme);
    const { theme, paper } = style;
    this.plainTones = new Tones(theme, paper, this.grouping.colors, this.grouping.tones);
    this.#retone();
  }

  #retone() {
    const { grouping, isolated, found } = this;
    this.lit = litPart(this.device, litOf(grouping, isolated, found.hits), this.part);
    this.glanced = null;
    this.tones = this.#tonesOf(this.lit);
  }

  /** @param {Uint8Array | null} lit */
  #tonesOf(lit) {
    const { grouping, style } = this;
    return lit === null
      ? this.plainTones
      : new Tones(style.theme, style.paper, grouping.colors, fadeOthers(grouping, lit));
  }

  /** @param {'events' | 'time'} kind */
  #axis(kind) {
    const { data, timeline } = this.device;
    const air = data.markers.some((m) => m.kind === 'oom' && m.state > timeline.lastState * LAST_PART);
    return kind === 'time' && data.time ? new TimeAxis(data.time, air) : new EventAxis(timeline.lastState, air);
  }

  /** The highest thing to be seen; the ghost of an absurd request may stick out of the plot. */
  #ceiling() {
    const { timeline } = this.device;
    const recorded = Math.max(timeline.active[timeline.peak], timeline.reservedPeak);
    // A capacity far above it would make the picture flat.
    const capacity = this.device.report.capacity?.bytes ?? 0;
    const ghosts = this.ooms.map((m) => Math.min(timeline.reservedAt(m.state) + m.size, recorded * 1.25));
    return Math.max(recorded, capacity <= recorded * 2 ? capacity : 0, ...ghosts);
  }
}
