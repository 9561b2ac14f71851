// The state of the page and everything that can be done to it. Views listen
// to topics and read the state; only the methods here change it.

import { byFamily, bySize, fadeOthers } from './data/grouping.js';
import { readStyle } from './draw/pen.js';
import { Outline } from './draw/outline.js';
import { Tones } from './draw/tones.js';
import { EventAxis, TimeAxis } from './view/axis.js';
import { Viewport } from './view/viewport.js';

/**
 * @typedef {'device' | 'view' | 'settled' | 'moment' | 'pin' | 'hover' | 'colour' | 'theme'} Topic
 *   view: the range changed; settled: it has been still for a while;
 *   colour: other groups, isolation or theme, so that the picture changes
 * @typedef {'peak' | 'cursor' | 'end'} Moment which state the panel speaks about
 * @typedef {{x: number, state: number, hit: {id: number, offset: number} | null}} Hover x in client pixels of the timeline
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
    /** @type {'family' | 'size'} */
    this.colourMode = 'family';
    /** @type {'family' | 'size'} what this device starts with */
    this.defaultColourMode = 'family';
    /** @type {Moment} */
    this.moment = 'peak';
    this.cursor = 0;
    /** @type {number | null} */
    this.pinned = null;
    /** @type {Outline | null} */
    this.outline = null;
    /** @type {Set<number>} groups; empty: nothing is isolated */
    this.isolated = new Set();
    /** @type {Hover | null} */
    this.hover = null;
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
    this.pinned = this.outline = this.hover = null;
    this.isolated = new Set();
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

  /** The state that the panel speaks about. */
  get momentState() {
    const { timeline } = this.device;
    return this.moment === 'peak' ? timeline.peak : this.moment === 'end' ? timeline.lastState : this.cursor;
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
    this.outline = known ? new Outline(this.device.timeline, id) : null;
    this.emit('pin');
  }

  /** @param {Hover | null} hover */
  setHover(hover) {
    if (!hover && !this.hover) return;
    this.hover = hover;
    this.emit('hover');
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
    this.#retone();
    this.emit('colour');
  }

  /** @param {'family' | 'size'} mode */
  setColourMode(mode) {
    this.colourMode = mode;
    this.isolated = new Set();
    this.#regroup();
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
    const { axis } = this.viewport;
    const { lastState } = this.device.timeline;
    const states = Math.max(600, Math.round(lastState * 0.08));
    const x = axis.begins(oom.state);
    const from = axis.begins(Math.max(0, oom.state - states));
    this.viewport.mode = 'auto';
    this.viewport.show(from, Math.min(axis.end, x + Math.max((x - from) * 0.06, 1)));
    this.setMoment('cursor', oom.state);
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

  /** Takes back the innermost thing: the pin, then isolation. @returns {boolean} whether there was one */
  escape() {
    if (this.pinned !== null) this.pin(null);
    else if (this.isolated.size > 0) this.setIsolated(new Set());
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
    this.grouping =
      this.colourMode === 'size'
        ? bySize(device.data, style.theme)
        : byFamily(device.data, device.stacks, report, style.theme);
    this.#retone();
  }

  #retone() {
    const { grouping, style, isolated } = this;
    this.plainTones = new Tones(style.theme, style.paper, grouping.colors, grouping.tones);
    this.tones =
      isolated.size === 0
        ? this.plainTones
        : new Tones(style.theme, style.paper, grouping.colors, fadeOthers(grouping, isolated));
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
    const ghosts = this.ooms.map((m) => Math.min(timeline.reservedAt(m.state) + m.size, recorded * 1.25));
    return Math.max(recorded, ...ghosts);
  }
}
