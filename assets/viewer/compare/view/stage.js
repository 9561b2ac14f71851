// The three plots on the page: the chart, the canvases over it, and when each is drawn again.

import { HOST_MEMORY } from '../../data/report.js';
import { freshContext, Painter } from '../../kit/painter.js';
import { on } from '../../kit/topic.js';
import { alignedStates } from '../data/alignment.js';
import { pileOrder } from '../data/side.js';
import { CompareChart } from '../draw/chart.js';
import { differenceColumns, drawDifference } from '../draw/difference.js';
import { differenceLabel, differenceScale, layoutOf, pileLabel, pileScale, Scales, ticksOf } from '../draw/layout.js';
import { drawCrosshair, drawMarks, drawMoment } from '../draw/plot.js';
import { runOf } from '../state/moments.js';

/** Milliseconds that a frame has for the piles: while the view moves, and while it is still. */
const MOVING_MS = 10;
const STILL_MS = 40;

/** What has to be drawn again; everything includes the cursor. */
const CURSOR = 1;
const EVERYTHING = 2;

/** @typedef {import('../state/stores.js').Stores} Stores */

export class Stage {
  #stores;
  #order;
  #dirty = 0;
  #requested = 0;
  /** @type {import('../draw/plot.js').Frame | null} of the last drawing */
  #frame = null;
  /** @type {{width: number, height: number} | null} what is drawn for in place of the element */
  #size = null;
  /** Milliseconds that the last whole drawing took. */
  drawMs = 0;

  /**
   * @param {Stores} stores
   * @param {{plots: HTMLElement, chart: HTMLElement, marks: HTMLCanvasElement, cursor: HTMLCanvasElement}} elements
   * @param {ECharts} echarts @param {unknown} options of the chart, as JSON
   */
  constructor(stores, elements, echarts, options) {
    this.#stores = stores;
    this.#order = pileOrder(stores.report.families);
    this.elements = elements;
    this.chart = new CompareChart(echarts, elements.chart, options);
    const { shown, choice, zoom, hover, look } = stores;
    on([shown.changed, choice.changed, zoom.changed, look.changed], () => this.#invalidate(EVERYTHING));
    zoom.settled.on(() => this.#invalidate(EVERYTHING));
    hover.changed.on(() => this.#invalidate(CURSOR));
    new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = elements.plots;
      const drawn = this.#frame?.layout;
      if (drawn && !this.#size && (width !== drawn.width || height !== drawn.height)) this.drawNow();
    }).observe(elements.plots);
  }

  get isDrawn() {
    return this.#frame !== null;
  }

  /** What was drawn last. */
  get frame() {
    if (!this.#frame) throw new Error('nothing is drawn yet');
    return this.#frame;
  }

  /** Whether there is something left to draw. */
  get isPending() {
    return this.#requested !== 0 || this.chart.isUnfinished || this.#stores.zoom.isMoving;
  }

  /** @param {number} what CURSOR or EVERYTHING */
  #invalidate(what) {
    this.#dirty = Math.max(this.#dirty, what);
    if (!this.#stores.shown.isOpen) return;
    this.#requested ||= requestAnimationFrame(() => this.#draw(this.#stores.zoom.isMoving ? MOVING_MS : STILL_MS));
  }

  /** Draws everything now, whatever time it takes. */
  drawNow() {
    cancelAnimationFrame(this.#requested);
    this.#dirty = EVERYTHING;
    this.#draw(Infinity);
  }

  /** Draws everything now, and from now on, for another size. @param {{width: number, height: number} | null} size */
  drawSized(size) {
    this.#size = size;
    this.drawNow();
  }

  /** @param {number} ms that painting the piles may take */
  #draw(ms) {
    const dirty = this.#dirty;
    this.#requested = this.#dirty = 0;
    if (dirty >= EVERYTHING || this.chart.isUnfinished) {
      const began = performance.now();
      this.#drawPlots(ms);
      this.drawMs = performance.now() - began;
    }
    this.drawCursor(this.#painterOf(this.elements.cursor));
    if (this.chart.isUnfinished && !this.#stores.zoom.isMoving) this.#invalidate(EVERYTHING);
  }

  /** @param {HTMLCanvasElement} canvas */
  #painterOf(canvas) {
    const { width, height } = this.frame.layout;
    return new Painter(freshContext(canvas, width, height), this.#stores.look.style);
  }

  /** @param {number} ms */
  #drawPlots(ms) {
    const { pair, choice, zoom, look, alignment, colours, states, report } = this.#stores;
    const { view, at, range } = choice.now;
    const { clientWidth, clientHeight } = this.elements.plots;
    const { width, height } = this.#size ?? { width: clientWidth, height: clientHeight };
    const hasLane = alignment.stretches.some(({ phase }) => phase !== '');
    const layout = layoutOf(width, height, {
      view,
      hasLane,
      hasSteps: hasLane && new Set(alignment.stretches.map(({ step }) => step)).size > 1,
      hasDifference: pair.hasPhases, // else nothing says which states of the two belong together
    });
    const n = Math.max(1, Math.round(layout.plotWidth * devicePixelRatio));
    const columns = /** @type {[Int32Array, Int32Array]} */ (
      pair.sides.map(({ timeline }, side) => alignedStates(alignment, side, timeline, zoom.from, zoom.to, n))
    );
    const difference = differenceColumns(pair, columns, this.#order, this.#stores.pickedBytes);
    const pile = pileScale(pair.ceiling);
    const scale = differenceScale(difference.least, difference.most);
    const scales = new Scales(layout, zoom, pile, scale);
    const pileTicks = ticksOf(pile, (layout.piles[1] ?? { height: 1 }).height);
    const differenceTicks = ticksOf(scale, layout.difference?.height ?? 1);
    const { style } = look;
    const colors = this.#order.map((family) => this.#stores.colourOf(family).color);
    const pickedColor = this.#pickedColor();
    this.chart.draw(
      {
        ...{ pair, layout, scales, columns, colours, style },
        difference: (g, _, h) => drawDifference(g, difference, colors, pickedColor, scale, h),
        pileTicks: { values: pileTicks.values, label: (v) => pileLabel(v, pile, pileTicks.interval) },
        differenceTicks: {
          values: differenceTicks.values,
          label: (v) => differenceLabel(v, scale, differenceTicks.interval),
        },
      },
      ms,
    );
    const isHost = pair.sides[0].device.report.device === HOST_MEMORY; // what it is for is not known
    /** @type {import('../draw/plot.js').Frame} */
    const frame = {
      ...{ painter: new Painter(freshContext(this.elements.marks, width, height), style), style, pair, layout, scales },
      ...{ columns, alignment, stretches: alignment.stretches, states, difference, pileTicks, differenceTicks },
      range,
      chosen: ({ phase, states: own }) =>
        (at === phase || runOf(pair, at) !== null) &&
        own.some((s, side) => s && s[0] <= states[side] && states[side] <= s[1]),
      family: (f) => ({ ...this.#stores.colourOf(f), label: isHost ? '' : report.families[f].label }),
      isPicking: choice.isPicking,
    };
    this.#frame = frame;
    drawMarks(frame);
  }

  /** The colour of what is picked out, in the difference. */
  #pickedColor() {
    const { choice, look } = this.#stores;
    const { row, family } = choice.now;
    if (family !== null) return this.#stores.colourOf(family).color;
    const found = row && this.#stores.rowsBy(row.by).find(({ key }) => key === row.key);
    return found ? this.#stores.colourOf(found.family).color : look.style.ink2;
  }

  /**
   * Draws the pictures and axes elsewhere.
   * @param {CanvasRenderingContext2D} g @param {number} width @param {number} height
   */
  drawChartOn(g, width, height) {
    const canvas = this.elements.chart.querySelector('canvas');
    if (canvas) g.drawImage(canvas, 0, 0, width, height);
  }

  /** Draws the marks and the moment elsewhere. @param {Painter} painter */
  drawOver(painter) {
    drawMarks({ ...this.frame, painter });
    drawMoment({ ...this.frame, painter, states: this.#stores.states });
  }

  /** @param {Painter} painter */
  drawCursor(painter) {
    const frame = { ...this.frame, painter, states: this.#stores.states };
    drawMoment(frame);
    const { point } = this.#stores.hover;
    if (point) drawCrosshair(frame, point);
  }

  /**
   * What lies at a client pixel of the plots' element.
   * @param {number} x @param {number} y
   * @returns {import('../state/stores.js').Point | null} null outside of the plots
   */
  pointAt(x, y) {
    const { scales, columns, layout, pair } = this.frame;
    if (scales.regionAt(x, y) !== 'plot') return null;
    const n = columns[0].length;
    const column = Math.min(n - 1, Math.floor(((x - layout.left) / layout.plotWidth) * n));
    const states = /** @type {[number, number]} */ ([columns[0][column], columns[1][column]]);
    const side = scales.sideAt(y);
    const box = side < 0 ? null : layout.piles[side];
    const hit = box && states[side] >= 0 ? pair.sides[side].hit(states[side], scales.bytes(y, box, scales.pile)) : null;
    return { x, y, states, side, hit };
  }

  /** Resolves after the browser has painted the last frame. @returns {Promise<void>} */
  painted() {
    return new Promise((resolve) => {
      const late = setTimeout(resolve, 250); // a page in the background gets no animation frames
      requestAnimationFrame(() => {
        setTimeout(() => {
          clearTimeout(late);
          resolve();
        });
      });
    });
  }
}
