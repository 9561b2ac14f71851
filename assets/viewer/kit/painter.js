// Draws text, flags and lines on a canvas, or as SVG, in the fonts and colours of the page.

import { bisect } from './math.js';

/**
 * @typedef {object} Style the page's tokens, read from the style sheet
 * @property {'light' | 'dark'} theme
 * @property {string} font
 * @property {string} paper
 * @property {string} ink
 * @property {string} ink2
 * @property {string} ink3
 * @property {string} strong
 * @property {string} grid
 * @property {string} oom
 * @property {string} ok
 * @property {string} halo
 * @property {string} select
 * @property {string} stuck free memory that cannot be returned
 * @property {string} returnable free memory that can
 * @property {string} seam between segments
 * @property {string} panel
 * @property {string} sunk
 * @property {string} hair
 * @property {string} more of a page of ranks: more than the others
 * @property {string} less
 */

/** @returns {Style} */
export function readStyle() {
  const computed = getComputedStyle(document.documentElement);
  const token = (/** @type {string} */ name) => computed.getPropertyValue(name).trim();
  return {
    theme: document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light',
    font: token('--sans'),
    paper: token('--bg'),
    ink: token('--ink'),
    ink2: token('--ink2'),
    ink3: token('--ink3'),
    strong: token('--strong'),
    grid: token('--grid'),
    oom: token('--oom'),
    ok: token('--ok'),
    halo: token('--halo'),
    select: token('--select'),
    stuck: token('--stuck'),
    returnable: token('--returnable'),
    seam: token('--seam'),
    panel: token('--panel'),
    sunk: token('--sunk'),
    hair: token('--hair'),
    more: token('--more'),
    less: token('--less'),
  };
}

/**
 * @typedef {object} TextOptions
 * @property {CanvasTextAlign} [align]
 * @property {string} [color]
 * @property {number} [weight]
 * @property {number} [size]
 * @property {boolean} [halo] paper behind the letters
 * @property {number} [width] that the text has to fit
 */

/** @typedef {CanvasRenderingContext2D | import('./svg.js').SvgContext} Context */

export class Painter {
  /** @param {Context} g @param {Style} style */
  constructor(g, style) {
    this.g = g;
    this.style = style;
  }

  /** @param {string} text @param {number} x @param {number} y middle @param {TextOptions} [options] */
  text(text, x, y, { align = 'left', color = this.style.ink, weight = 400, size = 11, halo = false, width } = {}) {
    const { g } = this;
    const fitted = width === undefined ? text : this.fit(text, width, weight, size);
    g.font = `${weight} ${size}px ${this.style.font}`;
    g.textAlign = align;
    g.textBaseline = 'middle';
    if (halo) {
      g.lineWidth = 3;
      g.lineJoin = 'round';
      g.strokeStyle = this.style.paper;
      g.strokeText(fitted, x, y);
    }
    g.fillStyle = color;
    g.fillText(fitted, x, y);
  }

  /** @param {string} text @param {number} [weight] @param {number} [size] */
  measure(text, weight = 400, size = 11) {
    this.g.font = `${weight} ${size}px ${this.style.font}`;
    return this.g.measureText(text).width;
  }

  /**
   * As much of a text as fits a width.
   * @param {string} text @param {number} width @param {number} [weight] @param {number} [size]
   */
  fit(text, width, weight = 400, size = 11) {
    const cut = (/** @type {number} */ n) => (n < text.length ? `${text.slice(0, n).trimEnd()}…` : text);
    const fits = (/** @type {number} */ n) => this.measure(cut(n), weight, size) <= width;
    return fits(text.length) ? text : cut(Math.max(1, bisect(1, text.length, fits) - 1));
  }

  /**
   * A label in a box, centred on x but kept between two edges.
   * @param {string} text @param {number} x @param {number} y middle
   * @param {{fill: string, color: string, border?: string, min: number, max: number}} options
   * @returns {[number, number]} left and right edge
   */
  flag(text, x, y, { fill, color, border, min, max }) {
    const { g } = this;
    const width = this.measure(text, 600) + 10;
    const left = Math.round(Math.min(Math.max(min, x - width / 2), max - width));
    g.beginPath();
    g.roundRect(left + 0.5, Math.round(y) - 8.5, width, 17, 3);
    g.fillStyle = fill;
    g.fill();
    if (border) {
      g.lineWidth = 1;
      g.strokeStyle = border;
      g.stroke();
    }
    this.text(text, left + 5.5, Math.round(y) + 0.5, { color, weight: 600 });
    return [left, left + width];
  }

  /**
   * @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1
   * @param {{color: string, width?: number, dash?: number[]}} options
   */
  line(x0, y0, x1, y1, { color, width = 1, dash = [] }) {
    this.g.beginPath();
    this.g.moveTo(x0, y0);
    this.g.lineTo(x1, y1);
    this.stroke(color, width, dash);
  }

  /** @param {string} color @param {number} x @param {number} y @param {number} width @param {number} height */
  fill(color, x, y, width, height) {
    this.g.fillStyle = color;
    this.g.fillRect(x, y, width, height);
  }

  /** Strokes the path. @param {string} color @param {number} width @param {number[]} [dash] */
  stroke(color, width, dash = []) {
    const { g } = this;
    g.strokeStyle = color;
    g.lineWidth = width;
    g.setLineDash(dash);
    g.stroke();
    g.setLineDash([]);
  }

  /**
   * @param {number} x tip @param {number} y tip @param {number} half half the width @param {number} height
   * @param {string} color
   */
  triangle(x, y, half, height, color) {
    const { g } = this;
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(x - half, y - height);
    g.lineTo(x + half, y - height);
    g.closePath();
    g.fillStyle = color;
    g.fill();
  }

  /**
   * Draws inside a rectangle only.
   * @param {number} x @param {number} y @param {number} width @param {number} height @param {() => void} draw
   */
  clip(x, y, width, height, draw) {
    const { g } = this;
    g.save();
    g.beginPath();
    g.rect(x, y, width, height);
    g.clip();
    draw();
    g.restore();
  }
}

/**
 * Gives a canvas the size of its element in device pixels and clears it.
 * @param {HTMLCanvasElement} canvas @param {number} width client pixels @param {number} height
 * @returns {CanvasRenderingContext2D}
 */
export function freshContext(canvas, width, height) {
  const ratio = devicePixelRatio;
  const w = Math.round(width * ratio);
  const h = Math.round(height * ratio);
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  return g;
}
