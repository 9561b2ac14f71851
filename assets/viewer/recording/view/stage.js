// The timeline on the page: the chart, the canvases over it, and when each is drawn again.

import { spikeNear } from '../data/spike.js';
import { RecordingChart } from '../draw/chart.js';
import { layoutOf, Scales, ticksOf } from '../draw/layout.js';
import { CURSOR, EVERYTHING, MARKS, Stage } from '../../kit/stage.js';
import { requestWidth } from '../map/request.js';
import { on } from '../../kit/topic.js';
import { Marks } from './marks.js';
import { SpaceSource } from './space_source.js';

/** A spike takes the crosshair within REACH pixels, if it is STANDS_OUT pixels higher than its sides. */
const REACH = 4;
const STANDS_OUT = 3;

/** A view that lacks a smaller part of its width at the end of the recording shows the end. */
const NEAR_END = 0.005;

/** A range of a lane counts as hit up to this many pixels away. */
const LANE_SLACK = 4;

/** @typedef {import('../state/stores.js').Stores} Stores @typedef {import('../draw/layout.js').Layout} Layout */

export class RecordingStage extends Stage {
  #stores;
  #space;
  #marks;
  /** @type {import('../draw/overlay.js').ZoomBox | null} */
  #zoomBox = null;
  /** Milliseconds that the pictures of this frame may take. */
  #ms = 0;
  /** @type {{scales: Scales, ticks: import('../draw/layout.js').Ticks} | null} of the last frame */
  #frame = null;

  /**
   * @param {Stores} stores
   * @param {import('../../kit/stage.js').Elements} elements
   * @param {ECharts} echarts
   * @param {unknown} options of the chart, as JSON
   */
  constructor(stores, elements, echarts, options) {
    super(elements);
    this.#stores = stores;
    this.#space = new SpaceSource(stores);
    this.chart = new RecordingChart(echarts, elements.chart, options);
    this.#marks = new Marks(stores, this.#space, this.chart);
    const { shown, viewport, spaceView, appearance, highlight, selection, moment, hover } = stores;
    on([shown.changed, viewport.changed, spaceView.changed, appearance.changed], () => this.invalidate(EVERYTHING));
    on([highlight.changed, highlight.previewChanged], () => this.invalidate(EVERYTHING));
    on([selection.pinChanged, selection.brushed, viewport.settled], () => this.invalidate(MARKS));
    on([hover.pointChanged, hover.laneChanged, spaceView.progressed], () => this.invalidate(CURSOR));
    // Marks of an address space are of the panel's moment.
    moment.changed.on(() => this.invalidate(viewport.isSpace ? MARKS : CURSOR));
  }

  get isMoving() {
    return this.#stores.viewport.isMoving;
  }

  get isUnfinished() {
    return this.chart.isUnfinished;
  }

  get isPending() {
    return super.isPending || this.#stores.spaceView.isDecoding;
  }

  get style() {
    return this.#stores.appearance.style;
  }

  resized() {
    this.#stores.viewport.touch(); // what depends on the plot's size follows when this has settled
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

  /** Draws a box to zoom into. @param {import('../draw/overlay.js').ZoomBox | null} box */
  showZoomBox(box) {
    this.#zoomBox = box;
    this.invalidate(CURSOR);
  }

  /** @param {number} dirty @param {number} ms */
  draw(dirty, ms) {
    const { chart } = this;
    this.#ms = ms;
    const finishing = dirty < EVERYTHING && !this.isMoving && chart.isUnfinished;
    if (dirty >= EVERYTHING || finishing) this.#drawChart(ms);
    if (dirty >= MARKS || (finishing && chart.plot.painted > 0)) this.#drawMarks(this.painterOf(this.elements.marks));
    this.#drawCursor(this.painterOf(this.elements.cursor));
  }

  /** @param {number} [ms] that painting the pictures may take; what is missing then follows when the view settles */
  drawNow(ms) {
    this.#stores.viewport.hold();
    super.drawNow(ms);
  }

  /** @param {number} ms */
  #drawChart(ms) {
    const { shown, viewport, appearance, highlight } = this.#stores;
    const { width, height } = this.size;
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

  /** The timeline that is drawn; an address space always has the whole recording's. */
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

  /** Draws the marks and the cursor elsewhere. @param {import('../../kit/painter.js').Painter} painter */
  drawOver(painter) {
    this.#drawMarks(painter);
    this.#drawCursor(painter);
  }

  /** @param {import('../../kit/painter.js').Painter} painter */
  #drawMarks(painter) {
    if (this.#marks.draw(painter, this.#over(), this.#ms)) this.invalidate(MARKS);
  }

  /** @param {import('../../kit/painter.js').Painter} painter */
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
    if (!this.#stores.viewport.isSpace) return { x, y, state, hit: this.timeline.hit(state, scales.bytes(y)) };
    const bars = this.#space.bars(scales.layout);
    const spot = bars ? bars.at(x, y) : this.shownSpace.at(scales.bytes(y), state);
    const id = spot?.id ?? -1;
    return { x, y, state, spot, hit: id < 0 ? null : { id, offset: this.timeline.offset(id, state) } };
  }

  /**
   * What the pointer means: as at, but on or beside a narrow spike the state is the spike's.
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
    return { x: left + (spike.column + 0.5) / perPixel, y, state, hit, spike: spike.before };
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
}
