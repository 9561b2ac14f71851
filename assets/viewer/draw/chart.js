// The ECharts chart: axes, and two custom series that each show one picture.
//
// Its options come from the page, written by go-echarts; the viewer sets what
// moves. ECharts never sees a tensor: it places the canvas of the raster.

import { columnStates } from '../view/axis.js';
import { MINIMAP } from './layout.js';
import { Picture } from './picture.js';
import { Raster } from './raster.js';
import { revive } from './revive.js';

/**
 * @typedef {object} Scene all that a frame depends on
 * @property {import('../data/timeline.js').Timeline} timeline
 * @property {import('../view/viewport.js').Viewport} viewport
 * @property {import('./layout.js').Layout} layout
 * @property {import('./ticks.js').Ticks} ticks
 * @property {import('./tones.js').Tones} tones
 * @property {import('./tones.js').Tones} plainTones nothing faded, for the minimap
 * @property {boolean} hasHistory
 * @property {{ink3: string, strong: string, font: string}} style
 */

/** @typedef {{x: number, y: number, width: number, height: number}} Box in client pixels of the chart */

export class Chart {
  /**
   * @param {any} echarts
   * @param {HTMLElement} element
   * @param {any} options as JSON
   */
  constructor(echarts, element, options) {
    /** @type {Scene | null} */
    this.scene = null;
    /** @type {Canvas} of the device shown */
    this.plot;
    /** @type {Canvas} */
    this.minimap;
    /** What the minimap was last planned for, and then the state of each of its columns. @type {unknown[]} */
    this.minimapOf = [];
    /** @type {Int32Array} */
    this.minimapStates = new Int32Array(0);
    /** Milliseconds that a frame may take for pictures. */
    this.ms = Infinity;
    /** Whether the minimap is not painted, or not in all its columns. */
    this.minimapDue = true;
    this.chart = echarts.init(element, null, { renderer: 'canvas', width: 1, height: 1 });
    this.chart.setOption(
      revive(options, {
        timeline: (/** @type {any} */ params) => this.#plotImage(params.coordSys),
        minimap: (/** @type {any} */ params) => this.#minimapImage(params.coordSys),
        position: (/** @type {number} */ v) => this.scene?.ticks.labelX(v) ?? '',
        bytes: (/** @type {number} */ v) => this.scene?.ticks.labelY(v) ?? '',
      }),
    );
  }

  /** @param {import('./layout.js').Layout} layout */
  resize({ width, height }) {
    if (width === this.chart.getWidth() && height === this.chart.getHeight()) return;
    this.scene = null; // ECharts draws at once, but the next frame is what shall be painted
    this.chart.resize({ width, height });
  }

  /**
   * Draws a frame.
   * @param {Scene} scene
   * @param {number} ms that painting the pictures may take; when they are unfinished then, more calls finish them
   */
  draw(scene, ms) {
    if (this.plot?.raster.timeline !== scene.timeline) {
      const raster = new Raster(scene.timeline);
      this.plot = new Canvas(raster);
      this.minimap = new Canvas(raster);
    }
    this.scene = scene;
    this.ms = ms;
    this.#planMinimap(scene);
    const { layout, viewport, ticks, style, hasHistory } = scene;
    const label = { color: style.ink3, fontSize: 11, lineHeight: 11 };
    const line = { lineStyle: { color: style.strong } };
    this.chart.setOption({
      textStyle: { fontFamily: style.font },
      grid: [
        { left: layout.left, top: layout.top, width: layout.plotWidth, height: layout.plotHeight },
        {
          left: layout.left,
          top: hasHistory ? layout.minimapTop : layout.height + 50,
          width: layout.plotWidth,
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
          axisLabel: { ...label, customValues: ticks.y, margin: 8, showMinLabel: true, showMaxLabel: true },
        },
        { min: 0, max: viewport.ceiling },
      ],
    });
    // Setting options paints synchronously only what ECharts thinks has changed.
    this.chart.getZr().flush();
  }

  /** The state that each column of the plot is drawn at. @returns {Int32Array} */
  get columns() {
    return this.plot?.columns ?? new Int32Array(0);
  }

  /** Whether a picture lacks columns that there was no time for. */
  get isUnfinished() {
    return this.plot.isCoarse || this.minimapDue;
  }

  /** @param {Box} box */
  #plotImage(box) {
    const { scene } = this;
    if (!scene) return;
    const { viewport, timeline, tones } = scene;
    const { width, height } = pixelsOf(box);
    const states = columnStates(viewport.axis, timeline, viewport.from, viewport.to, width);
    const view = { states, height, bytesFrom: viewport.low, bytesTo: viewport.high, lines: true };
    this.plot.paint(tones, view, this.ms);
    return image(this.plot.element, box);
  }

  /** Notes whether the minimap has to be painted again. @param {Scene} scene */
  #planMinimap({ timeline, viewport, plainTones, layout, hasHistory }) {
    const { width } = pixelsOf({ width: layout.plotWidth, height: MINIMAP });
    const of = [timeline, plainTones, viewport.axis, width, devicePixelRatio];
    if (of.every((v, i) => v === this.minimapOf[i])) return;
    this.minimapOf = of;
    this.minimapDue = hasHistory;
    this.minimapStates = columnStates(viewport.axis, timeline, 0, viewport.axis.end, width);
  }

  /** @param {Box} box */
  #minimapImage(box) {
    const { scene, ms, minimapStates: states } = this;
    if (!scene?.hasHistory) return;
    // The plot comes first: the minimap has the time of a frame that has none to paint.
    if (this.minimapDue && (ms === Infinity || this.plot.painted === 0)) {
      const { height } = pixelsOf(box);
      const view = { states, height, bytesFrom: 0, bytesTo: scene.viewport.ceiling, lines: false };
      this.minimap.paint(scene.plainTones, view, ms);
      this.minimapDue = this.minimap.isCoarse;
    }
    return image(this.minimap.element, box);
  }
}

/** @param {{width: number, height: number}} box in client pixels @returns {{width: number, height: number}} in device pixels */
function pixelsOf({ width, height }) {
  const ratio = devicePixelRatio;
  return { width: Math.max(1, Math.round(width * ratio)), height: Math.max(1, Math.round(height * ratio)) };
}

/** A picture on a canvas. */
class Canvas extends Picture {
  element = document.createElement('canvas');

  /** The pixels as a canvas takes them. @returns {ImageData | null} */
  get image() {
    const width = this.columns.length;
    return width > 0 ? new ImageData(new Uint8ClampedArray(this.pixels.buffer), width) : null;
  }

  /** @param {import('./tones.js').Tones} tones @param {import('./raster.js').View} view @param {number} ms */
  paint(tones, view, ms) {
    super.paint(tones, view, ms);
    const { element, image } = this;
    if (!image) return;
    if (element.width !== image.width) element.width = image.width;
    if (element.height !== image.height) element.height = image.height;
    element.getContext('2d')?.putImageData(image, 0, 0);
  }
}

/** @param {HTMLCanvasElement} canvas @param {Box} box */
function image(canvas, { x, y, width, height }) {
  return { type: 'image', silent: true, style: { image: canvas, x, y, width, height } };
}
