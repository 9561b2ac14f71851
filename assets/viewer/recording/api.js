// window.memviz: a small console API over the data that the views use.
//
// State k is the allocator before event k; with n events there are states 0 to
// n. An allocation's id is its index in pile order.

import { EventList } from './data/events.js';
import { address } from '../kit/format.js';
import { highlightedBytes } from './data/masks.js';
import { segmentsAt } from './data/segments.js';

/** @typedef {import('./state/stores.js').Stores} Stores @typedef {import('./view/stage.js').RecordingStage} Stage */

/**
 * @typedef {object} Live one allocation in one state
 * @property {number} id
 * @property {string} addr hex; empty in a report that left addresses out
 * @property {number} size requested bytes
 * @property {number | null} start event index; null: before the recording
 * @property {number | null} end event index; null: live at the end
 * @property {number} offset bytes below it in the pile
 * @property {string[]} stack "file:line:function", innermost first; line 0 is unknown
 */

/**
 * @param {Stores} stores
 * @param {Stage} stage
 * @param {Promise<void>} ready
 */
export function consoleApi({ shown, highlight, viewport }, stage, ready) {
  const known = (/** @type {number} */ k) => {
    if (!Number.isInteger(k) || k < 0 || k > shown.device.timeline.lastState)
      throw new RangeError(`there is no state ${k}`);
    return k;
  };
  return {
    /** Resolves when the first picture is painted; the rest of the page follows at once. */
    ready,

    /** Resolves when the view is still, all of it is painted, and the rest of the page is up to date. */
    async settled() {
      do await stage.painted();
      while (viewport.willSettle || stage.isPending);
    },

    /** The devices of the report. */
    devices: () =>
      shown.report.files.flatMap((file, f) =>
        file.devices.map((d) => ({ file: f, device: d.device, events: d.events, allocations: d.allocations })),
      ),

    /**
     * Shows a device: its ordinal, in the file shown, or {file, device}.
     * @param {number | {file: number, device: number}} choice
     */
    async select(choice) {
      const file = typeof choice === 'number' ? (shown.isOpen ? shown.device.fileIndex : 0) : choice.file;
      const ordinal = typeof choice === 'number' ? choice : choice.device;
      const position = shown.report.files[file]?.devices.findIndex((d) => d.device === ordinal) ?? -1;
      if (position < 0) throw new RangeError(`there is no device ${ordinal} in file ${file}`);
      await shown.open(file, position);
      stage.drawNow();
      viewport.settle();
      await stage.painted();
    },

    /** Totals of state k. @param {number} k */
    state: (k) => {
      const { timeline } = shown.device;
      return {
        active_bytes: timeline.active[known(k)],
        reserved_bytes: timeline.reservedAt(k),
        allocations: timeline.live(k).length,
      };
    },

    /** The allocations live in state k, bottom of the pile first. @param {number} k @returns {Live[]} */
    live: (k) => {
      let offset = 0;
      shown.device.data.address.prepare();
      return Array.from(shown.device.timeline.live(known(k)), (id) => {
        const entry = describe(shown.device, id, offset);
        offset += entry.size;
        return entry;
      });
    },

    /**
     * Shows the states from (included) to (excluded). Resolves when they are
     * painted; ms counts from the call.
     * @param {{from: number, to: number}} range
     */
    async view({ from, to }) {
      const began = performance.now();
      const { axis } = viewport;
      const { lastState } = shown.device.timeline;
      if (!(from >= 0 && to > from)) throw new RangeError('view needs from < to');
      viewport.show(axis.begins(Math.min(from, lastState)), to > lastState ? axis.extent : axis.begins(to));
      stage.drawNow();
      await stage.painted();
      return { ms: performance.now() - began };
    },

    /**
     * Searches as the search box does, and shows the query there.
     * @param {string} text
     * @returns {{allocations: number, bytes_at_peak: number, first: number | null}} first: the id of the lowest
     *   in the pile, null when there is none
     * @throws when the text cannot be searched for
     */
    search(text) {
      highlight.search(text);
      const { hits, count, problem } = highlight.found;
      if (problem) throw new SyntaxError(problem);
      const { timeline } = shown.device;
      return {
        allocations: hits ? count : 0,
        bytes_at_peak: hits ? highlightedBytes(timeline, hits, timeline.peak) : 0,
        first: count > 0 ? /** @type {Uint8Array} */ (hits).indexOf(1) : null,
      };
    },

    /**
     * The events from (included) to (excluded), as in the recording; all without a range.
     * @param {{from?: number, to?: number}} [range]
     */
    async events({ from = 0, to = Infinity } = {}) {
      const { device } = shown;
      const list = new EventList(device.data);
      if (device.data.hasMap) list.learn(await device.data.space());
      const events = [];
      for (let i = Math.max(0, from); i < Math.min(to, list.count); i++) events.push(describeEvent(device, list.at(i)));
      return events;
    },

    /** The segments of state k, by address; none where the report does not say. @param {number} k */
    async segments(k) {
      const { device } = shown;
      known(k);
      if (!device.data.hasMap) return [];
      const space = await device.data.space();
      return segmentsAt(space, device, k).segments.map((segment) => describeSegment(space, segment));
    },

    /**
     * What lies under a client pixel of the page, or null. In the address space, segment is an index into those of the
     * state, offset counts from its first byte, and a hole has its bytes and how many of them are returnable.
     * @param {number} x @param {number} y
     */
    at: (x, y) => {
      const box = stage.elements.plot.getBoundingClientRect();
      const found = stage.at(x - box.left, y - box.top);
      if (!found) return null;
      const { state, spot, hit } = found;
      if (!spot) return hit ? { state, ...describe(shown.device, hit.id, hit.offset) } : null;
      const segment = stage.shownSpace.segments(state).segments.indexOf(spot.segment);
      const block = spot.segment.blocks.find(({ id }) => id === spot.id);
      if (block) return { state, segment, ...describe(shown.device, block.id, block.offset) };
      const { hole } = spot;
      return hole && { state, segment, offset: hole.offset, hole: hole.bytes, returnable: hole.returnable };
    },

    /**
     * Where the plot is in client pixels of the page, what it shows, and
     * the state that each column of the raster is drawn at (-1: none).
     */
    geometry: () => {
      const box = stage.elements.plot.getBoundingClientRect();
      const { layout } = stage.scales;
      return {
        left: box.left + layout.left,
        top: box.top + layout.top,
        width: layout.plotWidth,
        height: layout.plotHeight,
        from: viewport.from,
        to: viewport.to,
        axis: viewport.axis.kind,
        bytes_from: viewport.low,
        bytes_to: viewport.high,
        ratio: stage.chart.columns.length / layout.plotWidth,
        columns: Int32Array.from(stage.chart.columns),
      };
    },

    /** The raster: RGBA bytes, the top row first. */
    pixels: () => {
      const { image } = stage.chart.plot;
      return image && { width: image.width, height: image.height, data: image.data };
    },
  };
}

/**
 * @param {import('../data/open.js').OpenDevice} device
 * @param {number} id
 * @param {number} offset
 * @returns {Live}
 */
function describe({ data, stacks }, id, offset) {
  return {
    id,
    addr: data.address.text(id),
    size: data.size[id],
    start: data.startEvent(id),
    end: data.endEvent(id),
    offset,
    stack: stacks.frames(data.stack[id]).map((f) => `${f.file}:${f.line}:${f.name}`),
  };
}

/** @param {import('../data/space.js').Space} space @param {import('./data/segments.js').Segment} segment */
function describeSegment(space, { place, bytes: size, kind, blocks, stuck, returnable, largest }) {
  const { pool, stream, sizeClass, expandable } = space.kinds[kind];
  const at = space.addressAt(place);
  return {
    ...{ addr: at === null ? '' : address(at), size, pool, stream, class: sizeClass, expandable },
    ...{ stuck, returnable, largest_hole: largest },
    blocks: blocks.map(({ id, offset, bytes }) => ({ id, offset, size: bytes })),
  };
}

/**
 * @param {import('../data/open.js').OpenDevice} device @param {import('./data/events.js').RecordedEvent} event
 * @returns addr: hex, "" where it is not known; stream: its handle, id: of an allocation, both null without one
 */
function describeEvent({ data, file }, { event, name, id, bytes }) {
  const known = id >= 0;
  return {
    event,
    action: name,
    addr: known ? data.address.text(id) : '',
    size: bytes,
    stream: known ? file.streams[data.stream[id]] : null,
    id: known ? id : null,
  };
}
