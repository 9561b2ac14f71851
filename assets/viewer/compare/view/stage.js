// The three plots on the page: the chart, the canvases over it, and when each is drawn again.

import { HOST_MEMORY } from '../../data/report.js';
import { CURSOR, EVERYTHING, Stage } from '../../kit/stage.js';
import { on } from '../../kit/topic.js';
import { alignedStates } from '../data/alignment.js';
import { pileOrder } from '../data/side.js';
import { CompareChart } from '../draw/chart.js';
import { differenceColumns, drawDifference } from '../draw/difference.js';
import { differenceLabel, differenceScale, layoutOf, pileLabel, pileScale, Scales, ticksOf } from '../draw/layout.js';
import { drawCrosshair, drawMarks, drawMoment } from '../draw/plot.js';
import { runOf } from '../state/moments.js';

/** @typedef {import('../state/stores.js').Stores} Stores */

export class CompareStage extends Stage {
  #stores;
  #order;
  /** @type {import('../draw/plot.js').Frame | null} of the last drawing */
  #frame = null;

  /**
   * @param {Stores} stores
   * @param {import('../../kit/stage.js').Elements} elements
   * @param {ECharts} echarts @param {unknown} options of the chart, as JSON
   */
  constructor(stores, elements, echarts, options) {
    super(elements);
    this.#stores = stores;
    this.#order = pileOrder(stores.report.families);
    this.chart = new CompareChart(echarts, elements.chart, options);
    const { shown, choice, zoom, hover, look } = stores;
    on([shown.changed, choice.changed, zoom.changed, zoom.settled, look.changed], () => this.invalidate(EVERYTHING));
    hover.changed.on(() => this.invalidate(CURSOR));
  }

  get isMoving() {
    return this.#stores.zoom.isMoving;
  }

  get isUnfinished() {
    return this.chart.isUnfinished;
  }

  get isPending() {
    return super.isPending || this.isMoving;
  }

  get style() {
    return this.#stores.look.style;
  }

  get isDrawn() {
    return this.#frame !== null;
  }

  /** What was drawn last. */
  get frame() {
    if (!this.#frame) throw new Error('nothing is drawn yet');
    return this.#frame;
  }

  /** @param {number} what */
  invalidate(what) {
    if (this.#stores.shown.isOpen) super.invalidate(what);
  }

  /** @param {number} dirty @param {number} ms */
  draw(dirty, ms) {
    if (dirty >= EVERYTHING || this.isUnfinished) this.#drawPlots(ms);
    this.drawCursor(this.painterOf(this.elements.cursor));
  }

  /** @param {number} ms */
  #drawPlots(ms) {
    const { pair, choice, zoom, look, alignment, colours, states, report } = this.#stores;
    const { view, at, range } = choice.now;
    const { width, height } = this.size;
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
      ...{ painter: this.painterOf(this.elements.marks), style, pair, layout, scales },
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

  /** Draws the marks and the moment elsewhere. @param {import('../../kit/painter.js').Painter} painter */
  drawOver(painter) {
    drawMarks({ ...this.frame, painter });
    drawMoment({ ...this.frame, painter, states: this.#stores.states });
  }

  /** @param {import('../../kit/painter.js').Painter} painter */
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
}
