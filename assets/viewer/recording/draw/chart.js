// The chart of a recording: axes, and two custom series that each show one picture: the plot, of
// the pile or of another source, and the minimap, which is of the pile.

import { columnStates } from '../../data/axis.js';
import { Chart, picture } from '../../kit/chart.js';
import { MINIMAP } from './layout.js';
import { Picture } from '../../pile/picture.js';
import { Raster } from '../../pile/raster.js';

/**
 * @typedef {object} ChartFrame all that a frame depends on
 * @property {import('../../data/timeline.js').Timeline} timeline
 * @property {import('./layout.js').DrawnView} viewport
 * @property {import('./layout.js').Layout} layout
 * @property {import('./layout.js').Ticks} ticks
 * @property {import('../../pile/colour_table.js').ColourTable} colours
 * @property {import('../../pile/colour_table.js').ColourTable} unfaded nothing faded, for the minimap
 * @property {Source | null} source of the plot in place of the pile
 * @property {boolean} hasHistory
 * @property {{ink3: string, strong: string, font: string}} style
 */

/**
 * @typedef {object} Source what a plot is painted from
 * @property {import('../../pile/picture.js').Rasterizer<any, any>} raster
 * @property {{paper: number}} colours
 * @property {object} extent what a view has besides states and height
 */

export class RecordingChart {
  #chart;
  /** @type {Raster | null} of the timeline drawn last */
  #pile = null;
  /** @type {Canvas | null} of the source drawn last */
  #plot = null;
  /** @type {Canvas | null} */
  #minimap = null;
  /** What the minimap was last planned for, and then the state of each of its columns. @type {unknown[]} */
  #minimapOf = [];
  /** @type {Int32Array} */
  #minimapStates = new Int32Array(0);
  /** Whether the minimap is not painted, or not in all its columns. */
  #minimapDue = true;

  /**
   * @param {ECharts} echarts
   * @param {HTMLElement} element
   * @param {unknown} options as JSON
   */
  constructor(echarts, element, options) {
    this.#chart = new Chart(echarts, element, options, {
      timeline: picture(() => this.#plot?.element),
      minimap: picture(() => this.#minimap?.element),
      // Each frame brings its own labels.
      position: () => '',
      bytes: () => '',
    });
  }

  /** The picture of the plot; there has to be one. */
  get plot() {
    return drawn(this.#plot);
  }

  get minimap() {
    return drawn(this.#minimap);
  }

  /** The state that each column of the plot is drawn at. @returns {Int32Array} */
  get columns() {
    return this.#plot?.columns ?? new Int32Array(0);
  }

  /** The same of the minimap. */
  get minimapStates() {
    return this.#minimapStates;
  }

  /** Whether a picture lacks columns that there was no time for. */
  get isUnfinished() {
    return this.#plot !== null && (this.#plot.isCoarse || this.#minimapDue);
  }

  /**
   * Draws a frame.
   * @param {ChartFrame} frame
   * @param {number} ms that painting the pictures may take; when they are unfinished then, more calls finish them
   */
  draw(frame, ms) {
    const { timeline, viewport, layout, colours } = frame;
    let pile = this.#pile;
    let plot = this.#plot;
    let minimap = this.#minimap;
    if (!pile || !minimap || pile.timeline !== timeline) {
      this.#pile = pile = new Raster(timeline);
      this.#minimap = minimap = new Canvas(pile);
    }
    const source = frame.source ?? {
      raster: pile,
      colours,
      extent: { bytesFrom: viewport.low, bytesTo: viewport.high, lines: true },
    };
    if (!plot || plot.raster !== source.raster) this.#plot = plot = new Canvas(source.raster);
    const { width, height } = devicePixels(layout.plotWidth, layout.plotHeight);
    const states = columnStates(viewport.axis, timeline, viewport.from, viewport.to, width);
    plot.paint(source.colours, { states, height, ...source.extent }, ms);
    this.#paintMinimap(minimap, frame, ms, plot.painted === 0);
    this.#place(frame);
  }

  /** Hands the finished canvases to ECharts. @param {ChartFrame} frame */
  #place({ viewport, layout, ticks, hasHistory, style }) {
    const label = { color: style.ink3, fontSize: 11, lineHeight: 11 };
    const line = { lineStyle: { color: style.strong } };
    this.#chart.show(layout, {
      textStyle: { fontFamily: style.font },
      grid: [
        { left: layout.left, top: layout.top, width: layout.plotWidth, height: layout.plotHeight },
        {
          left: layout.left,
          top: hasHistory ? layout.minimapTop : layout.height + 50,
          width: layout.minimapWidth,
          height: MINIMAP,
        },
      ],
      xAxis: [
        {
          min: viewport.from,
          max: viewport.to,
          axisLine: { show: true, ...line },
          axisTick: { show: hasHistory, customValues: ticks.x, length: 4, ...line },
          axisLabel: {
            ...label,
            show: hasHistory,
            customValues: ticks.x,
            formatter: ticks.labelX,
            margin: 7,
            hideOverlap: true,
            showMinLabel: true,
            showMaxLabel: true,
          },
        },
        { min: 0, max: viewport.axis.end },
      ],
      yAxis: [
        {
          min: viewport.low,
          max: viewport.high,
          axisTick: { show: false },
          axisLabel: {
            ...label,
            customValues: ticks.y,
            formatter: ticks.labelY,
            margin: 8,
            showMinLabel: true,
            showMaxLabel: true,
          },
        },
        { min: 0, max: viewport.ceiling },
      ],
    });
  }

  /**
   * Paints the minimap where it is another one, when there is time: the plot comes first.
   * @param {Canvas} minimap @param {ChartFrame} frame @param {number} ms
   * @param {boolean} isIdle whether the plot took no time of this frame
   */
  #paintMinimap(minimap, { timeline, viewport, unfaded, layout, hasHistory }, ms, isIdle) {
    const { width, height } = devicePixels(layout.minimapWidth, MINIMAP);
    const of = [timeline, unfaded, viewport.axis, width, devicePixelRatio];
    if (of.some((v, i) => v !== this.#minimapOf[i])) {
      this.#minimapOf = of;
      this.#minimapDue = hasHistory;
      this.#minimapStates = columnStates(viewport.axis, timeline, 0, viewport.axis.end, width);
    }
    if (!this.#minimapDue || (ms < Infinity && !isIdle)) return;
    const view = { states: this.#minimapStates, height, bytesFrom: 0, bytesTo: viewport.ceiling, lines: false };
    minimap.paint(unfaded, view, ms);
    this.#minimapDue = minimap.isCoarse;
  }
}

/** @param {Canvas | null} canvas */
function drawn(canvas) {
  if (!canvas) throw new Error('nothing is drawn yet');
  return canvas;
}

/**
 * @param {number} width @param {number} height in client pixels
 * @returns {{width: number, height: number}} in device pixels
 */
function devicePixels(width, height) {
  const ratio = devicePixelRatio;
  return { width: Math.max(1, Math.round(width * ratio)), height: Math.max(1, Math.round(height * ratio)) };
}

/** A picture on a canvas. @extends {Picture<any, any>} */
class Canvas extends Picture {
  element = document.createElement('canvas');

  /** The pixels as a canvas takes them. @returns {ImageData | null} */
  get image() {
    const width = this.columns.length;
    return width > 0 ? new ImageData(new Uint8ClampedArray(this.pixels.buffer), width) : null;
  }

  /**
   * @param {{paper: number}} colours @param {import('../../pile/picture.js').PictureView & Record<string, any>} view
   * @param {number} ms
   */
  paint(colours, view, ms) {
    super.paint(colours, view, ms);
    const { element, image } = this;
    if (!image) return;
    if (element.width !== image.width) element.width = image.width;
    if (element.height !== image.height) element.height = image.height;
    element.getContext('2d')?.putImageData(image, 0, 0);
  }
}
