// The timeline on the page: the chart, the canvases over it, and when each is drawn again.

import { spikeNear } from '../../data/spike.js';
import { RecordingChart } from '../draw/chart.js';
import { layoutOf, Scales, ticksOf } from '../draw/layout.js';
import { freshContext, Painter } from '../../kit/painter.js';
import { requestWidth } from '../map/request.js';
import { on } from '../../kit/topic.js';
import { Marks } from './marks.js';
import { SpaceSource } from './space_source.js';

/** Milliseconds that a frame has for pictures: while the view moves, and while it is still. */
const MOVING_MS = 8;
const STILL_MS = 24;

/** A spike within so many pixels takes the crosshair, when it stands out so many pixels. */
const REACH = 4;
const STANDS_OUT = 3;

/** A view that lacks a smaller part of its width at the end of the recording shows the end. */
const NEAR_END = 0.005;

/** A range of a lane counts as hit up to this many pixels away. */
const LANE_SLACK = 4;

/** What has to be drawn again; everything includes the marks, and these the cursor. */
const CURSOR = 1;
const MARKS = 2;
const EVERYTHING = 3;

/** @typedef {import('../state/stores.js').Stores} Stores @typedef {import('../draw/layout.js').Layout} Layout */

export class Stage {
  #stores;
  #space;
  #marks;
  /** @type {import('../draw/overlay.js').ZoomBox | null} */
  #zoomBox = null;
  /** What the next frame draws, 0: nothing. */
  #dirty = 0;
  #requested = 0;
  /** Milliseconds that the pictures of this frame may take. */
  #ms = STILL_MS;
  /** @type {{scales: Scales, ticks: import('../draw/layout.js').Ticks} | null} of the last frame */
  #frame = null;
  /** @type {{width: number, height: number} | null} what is drawn for in place of the element, in client pixels */
  #size = null;

  /**
   * @param {Stores} stores
   * @param {{timeline: HTMLElement, chart: HTMLElement, marks: HTMLCanvasElement, cursor: HTMLCanvasElement}} elements
   * @param {ECharts} echarts
   * @param {unknown} options of the chart, as JSON
   */
  constructor(stores, elements, echarts, options) {
    this.#stores = stores;
    this.#space = new SpaceSource(stores);
    this.elements = elements;
    this.chart = new RecordingChart(echarts, elements.chart, options);
    this.#marks = new Marks(stores, this.#space, this.chart);
    const { shown, viewport, spaceView, appearance, highlight, selection, moment, hover } = stores;
    on([shown.changed, viewport.changed, spaceView.changed, appearance.changed], () => this.#invalidate(EVERYTHING));
    on([highlight.changed, highlight.previewChanged], () => this.#invalidate(EVERYTHING));
    on([selection.pinChanged, selection.brushed, viewport.settled], () => this.#invalidate(MARKS));
    on([hover.pointChanged, hover.laneChanged, spaceView.progressed], () => this.#invalidate(CURSOR));
    // Marks of an address space are of the panel's moment.
    moment.changed.on(() => this.#invalidate(viewport.isSpace ? MARKS : CURSOR));
    new ResizeObserver(() => {
      const { width, height } = this.#drawnSize();
      const drawn = this.#frame?.scales.layout;
      if (!drawn || (width === drawn.width && height === drawn.height)) return;
      this.drawNow();
      viewport.touch(); // what tells of the plot's size follows when this has settled
    }).observe(elements.timeline);
  }

  /** Whether a frame has been drawn; before there are no scales. */
  get isDrawn() {
    return this.#frame !== null;
  }

  /** Converts between positions, bytes and pixels of the last frame. */
  get scales() {
    return this.#drawn().scales;
  }

  /** The labels of the axes in the last frame. */
  get ticks() {
    return this.#drawn().ticks;
  }

  #drawn() {
    if (!this.#frame) throw new Error('nothing is drawn yet');
    return this.#frame;
  }

  /** Whether there is something left to draw. */
  get isPending() {
    return this.#requested !== 0 || this.chart.isUnfinished || this.#stores.spaceView.isDecoding;
  }

  /** Draws a box to zoom into. @param {import('../draw/overlay.js').ZoomBox | null} box */
  showZoomBox(box) {
    this.#zoomBox = box;
    this.#invalidate(CURSOR);
  }

  /** @param {number} what CURSOR, MARKS or EVERYTHING */
  #invalidate(what) {
    this.#dirty = Math.max(this.#dirty, what);
    this.#requested ||= requestAnimationFrame(() => {
      this.#draw();
      if (!this.#stores.viewport.isMoving && this.chart.isUnfinished) this.#invalidate(CURSOR);
    });
  }

  /** @param {number} [ms] that painting the pictures may take */
  #draw(ms = this.#stores.viewport.isMoving ? MOVING_MS : STILL_MS) {
    const dirty = this.#dirty;
    const { chart } = this;
    this.#requested = this.#dirty = 0;
    this.#ms = ms;
    const finishing = dirty < EVERYTHING && !this.#stores.viewport.isMoving && chart.isUnfinished;
    if (dirty >= EVERYTHING || finishing) this.#drawChart(ms);
    if (dirty >= MARKS || (finishing && chart.plot.painted > 0)) this.#drawMarks(this.#painterOf(this.elements.marks));
    this.#drawCursor(this.#painterOf(this.elements.cursor));
  }

  /**
   * Draws everything now.
   * @param {number} [ms] that painting the pictures may take; what is missing then follows when the view settles
   */
  drawNow(ms = Infinity) {
    this.#stores.viewport.hold();
    this.#dirty = EVERYTHING;
    cancelAnimationFrame(this.#requested);
    this.#draw(ms);
  }

  /**
   * Draws everything now, and from now on, for another size than that of the element.
   * @param {{width: number, height: number} | null} size in client pixels; null: that of the element again
   */
  drawSized(size) {
    this.#size = size;
    this.drawNow();
  }

  #drawnSize() {
    const { clientWidth: width, clientHeight: height } = this.elements.timeline;
    return this.#size ?? { width, height };
  }

  /** @param {number} ms */
  #drawChart(ms) {
    const { shown, viewport, appearance, highlight } = this.#stores;
    const { width, height } = this.#drawnSize();
    const { hasHistory, lanes } = shown.device;
    const layoutWith = (/** @type {number} */ aside) =>
      layoutOf(width, height, hasHistory, lanes, viewport.lanesFolded, aside);
    const layout = layoutWith(this.#aside(layoutWith(0)));
    const ticks = ticksOf(viewport, layout.plotWidth, layout.plotHeight);
    if (viewport.isSpace) ticks.y = []; // it has an axis of its own
    this.#frame = { scales: new Scales(layout, viewport), ticks };
    const { timeline } = this;
    const { style, colours: unfaded } = appearance;
    const source = viewport.isSpace ? this.#space.source(layout.plotHeight) : null;
    const { colours } = highlight;
    this.chart.draw({ timeline, viewport, layout, ticks, colours, unfaded, source, hasHistory, style }, ms);
  }

  /** The timeline that is drawn; an address space has no other than that of the whole recording. */
  get timeline() {
    const { shown, viewport, selection } = this.#stores;
    return viewport.isSpace ? shown.device.timeline : selection.timeline;
  }

  /** The address space, as it is laid out in the last frame; only while that is shown. */
  get shownSpace() {
    return this.#space.shown(this.scales.layout.plotHeight);
  }

  /** Pixels beside the plot for a request that failed, when that is the last thing in view. @param {Layout} layout */
  #aside(layout) {
    const { shown, viewport } = this.#stores;
    const { axis, to, width } = viewport;
    if (!viewport.isSpace || axis.end <= axis.extent || to < axis.extent - width * NEAR_END) return 0;
    // What another setting would have made has no request that failed.
    if (shown.device.data.ooms.length === 0 || this.#stores.spaceView.isPredicted) return 0;
    // The axis has some air already.
    const air = (Math.max(0, to - axis.extent) / width) * layout.plotWidth;
    const needed = requestWidth(layout.plotWidth);
    return needed > air ? Math.round(needed - air) : 0;
  }

  /** @param {HTMLCanvasElement} canvas over the timeline, which is cleared */
  #painterOf(canvas) {
    const { width, height } = this.scales.layout;
    return new Painter(freshContext(canvas, width, height), this.#stores.appearance.style);
  }

  /** Draws the marks and the cursor elsewhere. @param {Painter} painter */
  drawOver(painter) {
    this.#drawMarks(painter);
    this.#drawCursor(painter);
  }

  /** @param {Painter} painter */
  #drawMarks(painter) {
    if (this.#marks.draw(painter, this.#over(), this.#ms)) this.#invalidate(MARKS);
  }

  /** @param {Painter} painter */
  #drawCursor(painter) {
    this.#marks.drawCursor(painter, this.#over(), this.#zoomBox);
  }

  /** What the marks are drawn over. @returns {import('./marks.js').Drawn} */
  #over() {
    return { ...this.#drawn(), timeline: this.timeline };
  }

  /**
   * What lies under a client pixel of the timeline's element.
   * @param {number} x @param {number} y
   * @returns {import('../state/selection.js').HoverPoint | null} null outside of the plot and where nothing is recorded
   */
  at(x, y) {
    const {
      scales,
      chart: { columns },
    } = this;
    const { left, plotWidth } = scales.layout;
    if (scales.regionAt(x, y) !== 'plot' || columns.length === 0) return null;
    const column = Math.min(columns.length - 1, Math.floor(((x - left) / plotWidth) * columns.length));
    const state = columns[column];
    if (state < 0) return null;
    if (!this.#stores.viewport.isSpace) return { x, state, hit: this.timeline.hit(state, scales.bytes(y)) };
    const bars = this.#space.bars(scales.layout);
    const spot = bars ? bars.at(x, y) : this.shownSpace.at(scales.bytes(y), state);
    const id = spot?.id ?? -1;
    return { x, state, spot, hit: id < 0 ? null : { id, offset: this.timeline.offset(id, state) } };
  }

  /**
   * What the pointer means: as at, but on or beside a narrow spike the state is that of the spike.
   * @param {number} x @param {number} y
   * @returns {import('../state/selection.js').HoverPoint | null}
   */
  pointAt(x, y) {
    const found = this.at(x, y);
    const { columns } = this.chart;
    const { viewport, selection } = this.#stores;
    const { left, plotWidth, plotHeight } = this.scales.layout;
    if (!found || viewport.isSpace || !this.#stores.shown.device.hasHistory) return found;
    const perPixel = columns.length / plotWidth;
    const column = Math.min(columns.length - 1, Math.floor((x - left) * perPixel));
    const least = (STANDS_OUT * (viewport.high - viewport.low)) / plotHeight;
    const { timeline } = selection;
    const spike = spikeNear(timeline.active, columns, column, Math.round(REACH * perPixel), least);
    if (!spike) return found;
    const state = columns[spike.column];
    const hit = found.hit ?? timeline.hit(state, this.scales.bytes(y));
    return { x: left + (spike.column + 0.5) / perPixel, state, hit, spike: spike.before };
  }

  /**
   * The range of a lane under a client pixel of the timeline's element.
   * @param {number} x @param {number} y
   * @returns {import('../state/selection.js').LaneHover | null}
   */
  laneAt(x, y) {
    const { scales } = this;
    if (scales.regionAt(x, y) !== 'lanes') return null;
    const row = scales.layout.lanes.filter((r) => y >= r.top - 2).at(-1);
    if (!row) return null;
    const slack = scales.position(x + LANE_SLACK) - scales.position(x);
    const i = row.lane.at(this.#stores.viewport.axis, scales.position(x), slack);
    return i < 0 ? null : { lane: row.lane, i, x, y: row.top + row.height };
  }

  /** Resolves after the browser has painted the last frame. @returns {Promise<void>} */
  painted() {
    return new Promise((resolve) => {
      // A page in the background gets no animation frames.
      const late = setTimeout(resolve, 250);
      requestAnimationFrame(async () => {
        await nextTask();
        clearTimeout(late);
        resolve();
      });
    });
  }
}

/** Resolves in a task of its own, the next one. @returns {Promise<void>} */
export function nextTask() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    port2.postMessage(null);
  });
}
