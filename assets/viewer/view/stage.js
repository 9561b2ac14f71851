// The timeline's place on the page: the chart, the canvases over it, and when
// each is drawn again.

import { Chart } from '../draw/chart.js';
import { BandLabels } from '../draw/labels.js';
import { layoutOf, Scales } from '../draw/layout.js';
import { drawCursor, drawMarks } from '../draw/overlay.js';
import { Patterns } from '../draw/patterns.js';
import { ticksOf } from '../draw/ticks.js';

/** Milliseconds for the pictures of a frame: while the view moves, and while it is still and pictures are finished. */
const MOVING_MS = 8;
const STILL_MS = 24;

/** Pixels from the pointer to a range of a lane that is meant. */
const LANE_SLACK = 4;

/** @typedef {import('../app.js').App} App */

export class Stage {
  /**
   * @param {App} app
   * @param {{timeline: HTMLElement, chart: HTMLElement, marks: HTMLCanvasElement, cursor: HTMLCanvasElement}} elements
   * @param {any} echarts
   * @param {any} options of the chart, as JSON
   */
  constructor(app, elements, echarts, options) {
    this.app = app;
    this.elements = elements;
    this.patterns = new Patterns();
    this.labels = new BandLabels();
    this.chart = new Chart(echarts, elements.chart, options);
    /** @type {Scales} */
    this.scales;
    /** @type {import('../draw/ticks.js').Ticks} */
    this.ticks;
    /** @type {{x0: number, y0: number, x1: number, y1: number} | null} */
    this.box = null;
    /** What the next frame draws: 3 everything, 2 the marks, 1 the cursor. */
    this.dirty = 0;
    this.requested = 0;
    /** Milliseconds that the pictures of this frame may take. */
    this.ms = STILL_MS;
    app.on(['device', 'view', 'colour', 'glance'], () => this.invalidate(3));
    app.on(['pin', 'range'], () => this.invalidate(2));
    app.on(['moment', 'hover', 'lane'], () => this.invalidate(1));
    app.on(['settled'], () => this.invalidate(2));
    new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = elements.timeline;
      const drawn = this.scales?.layout;
      if (drawn && (width !== drawn.width || height !== drawn.height)) this.drawNow();
    }).observe(elements.timeline);
  }

  /** @param {1 | 2 | 3} what */
  invalidate(what) {
    this.dirty = Math.max(this.dirty, what);
    this.requested ||= requestAnimationFrame(() => {
      this.#frame();
      if (!this.app.moving && this.chart.isUnfinished) this.invalidate(1);
    });
  }

  /** @param {number} [ms] that painting the pictures may take */
  #frame(ms = this.app.moving ? MOVING_MS : STILL_MS) {
    this.requested = 0;
    this.ms = ms;
    const { app, chart, dirty } = this;
    this.dirty = 0;
    const finishing = dirty < 3 && !app.moving && chart.isUnfinished;
    if (dirty >= 3 || finishing) this.#drawChart(ms);
    if (dirty >= 2 || (finishing && chart.plot.painted > 0)) this.#drawMarks();
    this.#drawCursor();
  }

  /**
   * Draws everything now.
   * @param {number} [ms] that painting the pictures may take; what is missing then follows when the view settles
   */
  drawNow(ms = Infinity) {
    this.app.moving = false;
    this.dirty = 3;
    cancelAnimationFrame(this.requested);
    this.#frame(ms);
  }

  /** @param {number} ms */
  #drawChart(ms) {
    const { app } = this;
    const { timeline: element } = this.elements;
    const layout = layoutOf(element.clientWidth, element.clientHeight, app.device.hasHistory, app.device.lanes, app.lanesFolded);
    this.scales = new Scales(layout, app.viewport);
    this.ticks = ticksOf(app.viewport, layout.plotWidth, layout.plotHeight);
    this.chart.resize(layout);
    this.chart.draw(
      {
        timeline: app.shown,
        viewport: app.viewport,
        layout,
        ticks: this.ticks,
        tones: app.tones,
        plainTones: app.plainTones,
        hasHistory: app.device.hasHistory,
        style: app.style,
      },
      ms,
    );
  }

  /** Draws the marks and the cursor once more. @param {HTMLCanvasElement} canvas */
  drawOver(canvas) {
    this.#drawMarks(canvas);
    this.#drawCursor(canvas);
  }

  #drawMarks(canvas = this.elements.marks) {
    const { app } = this;
    drawMarks(canvas, {
      ...this.#scene(),
      columns: this.chart.columns,
      minimap: this.chart.minimapStates,
      markers: app.device.data.markers,
      names: app.names,
      labels: this.labels,
      faded: app.lit !== null || app.glanced !== null,
      moving: app.moving || this.chart.plot.isCoarse,
      outline: app.outline,
      range: app.range,
      alone: app.alone !== null,
      capacity: app.device.report.capacity,
      predicted: app.device.report.predicted,
      steps: app.device.lanes.steps,
      time: app.range && app.device.data.time,
      patterns: this.#patterns(),
    });
  }

  /** The patterns over a finished picture. */
  #patterns() {
    const { app, chart, patterns } = this;
    const view = chart.plot.shown?.view;
    if (!app.patterns || app.moving || chart.plot.isCoarse || !view) return null;
    patterns.paint(app.shown, app.grouping, view, this.ms);
    if (patterns.isUnfinished) this.invalidate(2);
    return patterns.element;
  }

  #drawCursor(canvas = this.elements.cursor) {
    const { app } = this;
    const { hover } = app;
    const cursor = hover
      ? { x: hover.x, state: hover.state, hovered: true }
      : app.moment === 'cursor'
        ? { x: this.scales.x(app.viewport.axis.middle(app.cursor)), state: app.cursor, hovered: false }
        : null;
    drawCursor(canvas, this.#scene(), cursor, this.box, app.lane);
  }

  #scene() {
    const { app } = this;
    return {
      layout: this.scales.layout,
      scales: this.scales,
      ticks: this.ticks,
      style: app.style,
      timeline: app.shown,
      viewport: app.viewport,
      hasHistory: app.device.hasHistory,
    };
  }

  /**
   * What lies under a client pixel of the timeline's element.
   * @param {number} x @param {number} y
   * @returns {import('../app.js').Hover | null} null outside of the plot and where nothing was recorded
   */
  at(x, y) {
    const {
      scales,
      chart: { columns },
    } = this;
    const { left, plotWidth } = scales.layout;
    if (scales.part(x, y) !== 'plot' || columns.length === 0) return null;
    const column = Math.min(columns.length - 1, Math.floor(((x - left) / plotWidth) * columns.length));
    const state = columns[column];
    return state < 0 ? null : { x, state, hit: this.app.shown.hit(state, scales.bytes(y)) };
  }

  /**
   * The range of a lane under a client pixel of the timeline's element.
   * @param {number} x @param {number} y
   * @returns {import('../app.js').LaneHover | null}
   */
  laneAt(x, y) {
    const { scales } = this;
    if (scales.part(x, y) !== 'lanes') return null;
    const row = scales.layout.lanes.filter((r) => y >= r.top - 2).at(-1);
    if (!row) return null;
    const slack = scales.position(x + LANE_SLACK) - scales.position(x);
    const i = row.lane.at(this.app.viewport.axis, scales.position(x), slack);
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
