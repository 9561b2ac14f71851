// The ECharts chart of a compare page: three grids with axes, in each of which a custom
// series shows a finished canvas: the pile before, the pile after, and their difference.

import { Chart, picture } from '../../kit/chart.js';
import { Picture } from '../../pile/picture.js';
import { BandRaster } from './raster.js';

/** @typedef {import('./layout.js').Layout} Layout @typedef {import('./layout.js').PlotBox} PlotBox */
/** @typedef {{values: number[], label: (v: number) => string}} AxisTicks */

/**
 * @typedef {object} ChartFrame
 * @property {import('../data/pair.js').Pair} pair
 * @property {Layout} layout
 * @property {import('./layout.js').Scales} scales
 * @property {[Int32Array, Int32Array]} columns the state of each pixel column, by side; -1: none
 * @property {[import('../state/stores.js').PileColours, import('../state/stores.js').PileColours]} colours
 * @property {(g: CanvasRenderingContext2D, width: number, height: number) => void} difference draws it
 * @property {AxisTicks} pileTicks
 * @property {AxisTicks} differenceTicks
 * @property {import('../../kit/painter.js').Style} style
 */

/** Where a grid is put that is not shown. */
const AWAY = 50;

export class CompareChart {
  #chart;
  /** @type {[PileCanvas | null, PileCanvas | null]} */
  #piles = [null, null];
  #difference = document.createElement('canvas');

  /** @param {ECharts} echarts @param {HTMLElement} element @param {unknown} options as JSON */
  constructor(echarts, element, options) {
    this.#chart = new Chart(echarts, element, options, {
      before: picture(() => this.#piles[0]?.element),
      after: picture(() => this.#piles[1]?.element),
      difference: picture(() => this.#difference),
      bytes: () => '', // each frame brings its own labels
    });
  }

  /** Whether a pile lacks columns that there was no time for. */
  get isUnfinished() {
    return this.#piles.some((pile) => pile?.isCoarse);
  }

  /** The pixels of a side's pile. @param {number} side @returns {ImageData | null} */
  pixels(side) {
    return this.#piles[side]?.image ?? null;
  }

  /** @param {ChartFrame} frame @param {number} ms that painting the piles may take */
  draw(frame, ms) {
    const { pair, layout, scales, columns, colours } = frame;
    layout.piles.forEach((box, side) => {
      if (!box) return;
      let pile = this.#piles[side];
      if (!pile || pile.timeline !== pair.sides[side].timeline)
        this.#piles[side] = pile = new PileCanvas(new BandRaster(pair.sides[side]));
      const height = Math.max(1, Math.round(box.height * devicePixelRatio));
      const view = { height, bytesFrom: scales.pile.low, bytesTo: scales.pile.high, lines: true };
      pile.draw(colours[side], columns[side], view, ms / 2);
    });
    const { difference } = layout;
    if (difference) {
      const canvas = this.#difference;
      canvas.width = columns[0].length;
      canvas.height = Math.max(1, Math.round(difference.height * devicePixelRatio));
      const g = canvas.getContext('2d');
      if (g) frame.difference(g, canvas.width, canvas.height);
    }
    this.#place(frame);
  }

  /** @param {ChartFrame} frame */
  #place({ layout, scales, pileTicks, differenceTicks, style }) {
    const { height, left, plotWidth, piles, difference } = layout;
    const grid = (/** @type {PlotBox | null} */ box) =>
      box
        ? { left, top: box.top, width: plotWidth, height: box.height }
        : { left, top: height + AWAY, width: plotWidth, height: AWAY };
    const y = (/** @type {AxisTicks} */ ticks, /** @type {import('./layout.js').Bytes} */ { low, high }) => ({
      min: low,
      max: high,
      axisTick: { show: false },
      axisLabel: {
        ...{ color: style.ink3, fontSize: 11, lineHeight: 11, margin: 8, showMinLabel: true, showMaxLabel: true },
        customValues: ticks.values,
        formatter: ticks.label,
      },
    });
    const x = { min: scales.from, max: scales.to };
    this.#chart.show(layout, {
      textStyle: { fontFamily: style.font },
      grid: [grid(piles[0]), grid(piles[1]), grid(difference)],
      xAxis: [x, x, x],
      yAxis: [y(pileTicks, scales.pile), y(pileTicks, scales.pile), y(differenceTicks, scales.difference)],
    });
  }
}

/**
 * A pile on a canvas. Columns that a side has not recorded stay paper; the picture leaves them out.
 * @extends {Picture<any, any>}
 */
class PileCanvas extends Picture {
  element = document.createElement('canvas');

  /** @param {BandRaster} raster */
  constructor(raster) {
    super(raster);
    this.timeline = raster.timeline;
  }

  /** All columns as a canvas takes them. @returns {ImageData | null} */
  get image() {
    const { width, height } = this.element;
    return width > 0 && height > 0 ? (this.element.getContext('2d')?.getImageData(0, 0, width, height) ?? null) : null;
  }

  /**
   * @param {import('../state/stores.js').PileColours} colours @param {Int32Array} states of all columns
   * @param {{height: number, bytesFrom: number, bytesTo: number, lines: boolean}} view @param {number} ms
   */
  draw(colours, states, view, ms) {
    const { element } = this;
    const recorded = states.filter((k) => k >= 0);
    if (element.width !== states.length) element.width = states.length;
    if (element.height !== view.height) element.height = view.height;
    const g = /** @type {CanvasRenderingContext2D} */ (element.getContext('2d'));
    g.clearRect(0, 0, element.width, element.height);
    if (recorded.length === 0) return;
    super.paint(colours, { ...view, states: recorded }, ms);
    const image = new ImageData(new Uint8ClampedArray(this.pixels.buffer), recorded.length);
    for (let x = 0, from = 0; x < states.length;) {
      if (states[x] < 0) {
        x++;
        continue;
      }
      let width = 1;
      while (x + width < states.length && states[x + width] >= 0) width++;
      g.putImageData(image, x - from, 0, from, 0, width, view.height);
      x += width;
      from += width;
    }
  }
}
