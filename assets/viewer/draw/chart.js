// The ECharts chart: axes, and two custom series that each show one picture.
//
// Its options come from the page, written by go-echarts; the viewer sets what
// moves. ECharts never sees a tensor: it places the canvas of the raster.

import { columnStates } from '../view/axis.js';
import { MINIMAP } from './layout.js';
import { Raster } from './raster.js';
import { revive } from './revive.js';

/** A frame slower than this halves the columns of the next one while moving. */
const SLOW_MS = 22;
const MOST_COARSE = 8;

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

export class Chart {
  /**
   * @param {any} echarts
   * @param {HTMLElement} element
   * @param {any} options as JSON
   */
  constructor(echarts, element, options) {
    /** @type {Scene | null} */
    this.scene = null;
    /** States that the columns of the last raster show. @type {Int32Array} */
    this.columns = new Int32Array(0);
    /** 1 paints every pixel column, 2 every second, ... */
    this.coarse = 1;
    this.moving = false;
    this.plot = new Picture();
    this.minimap = new Picture();
    /** What the minimap was painted for. @type {unknown[]} */
    this.minimapOf = [];
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
    if (width !== this.chart.getWidth() || height !== this.chart.getHeight()) this.chart.resize({ width, height });
  }

  /**
   * Draws a frame. While moving, a slow raster gets fewer columns.
   * @param {Scene} scene
   * @param {boolean} moving
   */
  draw(scene, moving) {
    if (this.scene?.timeline !== scene.timeline) {
      this.plot.raster = new Raster(scene.timeline);
      this.coarse = 1;
    }
    this.scene = scene;
    this.moving = moving;
    const { layout, viewport, ticks, style, hasHistory } = scene;
    const label = { color: style.ink3, fontSize: 11 };
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

  /** @param {{x: number, y: number, width: number, height: number}} box */
  #plotImage(box) {
    const { scene } = this;
    if (!scene) return;
    const ratio = devicePixelRatio;
    const full = Math.max(1, Math.round(box.width * ratio));
    const coarse = this.moving ? this.coarse : 1;
    const width = Math.max(1, Math.ceil(full / coarse));
    const height = Math.max(1, Math.round(box.height * ratio));
    const { viewport, timeline, tones } = scene;
    const began = performance.now();
    this.columns = columnStates(viewport.axis, timeline, viewport.from, viewport.to, width);
    this.plot.paint(tones, {
      states: this.columns,
      height,
      bytesFrom: viewport.low,
      bytesTo: viewport.high,
      lines: true,
    });
    this.#adapt(performance.now() - began, coarse);
    return image(this.plot.canvas, box);
  }

  /** @param {number} ms @param {number} coarse what it was painted at */
  #adapt(ms, coarse) {
    if (ms > SLOW_MS && coarse === this.coarse) this.coarse = Math.min(MOST_COARSE, this.coarse * 2);
    else if (ms < SLOW_MS / 3 && coarse === this.coarse) this.coarse = Math.max(1, this.coarse / 2);
  }

  /** Whether the last frame had fewer columns than pixels. */
  get isCoarse() {
    return this.moving && this.coarse > 1;
  }

  /** @param {{x: number, y: number, width: number, height: number}} box */
  #minimapImage(box) {
    const { scene } = this;
    if (!scene || !scene.hasHistory) return;
    const { viewport, timeline, plainTones: tones } = scene;
    const width = Math.max(1, Math.round(box.width * devicePixelRatio));
    const height = Math.max(1, Math.round(box.height * devicePixelRatio));
    const of = [timeline, tones, viewport.axis, width, height];
    if (of.some((v, i) => v !== this.minimapOf[i])) {
      this.minimapOf = of;
      this.minimap.raster = this.plot.raster;
      const states = columnStates(viewport.axis, timeline, 0, viewport.axis.end, width);
      this.minimap.paint(tones, { states, height, bytesFrom: 0, bytesTo: viewport.ceiling, lines: false });
    }
    return image(this.minimap.canvas, box);
  }
}

/** A canvas and the pixels it is filled from. */
class Picture {
  canvas = document.createElement('canvas');
  /** @type {Raster | null} */
  raster = null;
  /** @type {ImageData | null} */
  pixels = null;

  /**
   * @param {import('./tones.js').Tones} tones
   * @param {import('./raster.js').Picture} picture
   */
  paint(tones, picture) {
    const { canvas } = this;
    const width = picture.states.length;
    const { height } = picture;
    const context = canvas.getContext('2d');
    if (!context || !this.raster) return;
    if (canvas.width !== width || canvas.height !== height || !this.pixels) {
      canvas.width = width;
      canvas.height = height;
      this.pixels = context.createImageData(width, height);
    }
    this.raster.paint(tones, picture, new Uint32Array(this.pixels.data.buffer));
    context.putImageData(this.pixels, 0, 0);
  }
}

/** @param {HTMLCanvasElement} canvas @param {{x: number, y: number, width: number, height: number}} box */
function image(canvas, { x, y, width, height }) {
  return { type: 'image', silent: true, style: { image: canvas, x, y, width, height } };
}
