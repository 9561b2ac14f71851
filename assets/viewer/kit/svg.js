// A drawing context that writes SVG: as much of the 2D canvas as painters use, so that
// the page can be exported as vectors and text.

import { xml } from './escape.js';

/**
 * @typedef {object} State what save keeps
 * @property {string} fillStyle
 * @property {string} strokeStyle
 * @property {number} lineWidth
 * @property {string} lineJoin
 * @property {string} font
 * @property {string} textAlign
 * @property {number} globalAlpha
 * @property {number[]} dash
 * @property {number} open groups to be closed
 */

export class SvgContext {
  /** @param {number} width @param {number} height @param {(font: string, text: string) => number} measure */
  constructor(width, height, measure) {
    this.width = width;
    this.height = height;
    this.measure = measure;
    /** @type {string[]} */
    this.out = [];
    /** @type {string[]} */
    this.path = [];
    this.clips = 0;
    /** @type {State[]} */
    this.saved = [];
    this.fillStyle = this.strokeStyle = '#000000';
    this.lineWidth = this.globalAlpha = 1;
    this.lineJoin = 'miter';
    this.font = '10px sans-serif';
    this.textAlign = 'start';
    this.textBaseline = 'middle'; // as all text is set here
    /** @type {number[]} */
    this.dash = [];
    this.open = 0;
  }

  /** @returns {string} the file */
  toString() {
    const { width, height } = this;
    return (
      '<svg xmlns="http://www.w3.org/2000/svg" ' +
      `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n` +
      `${this.out.join('\n')}\n</svg>\n`
    );
  }

  save() {
    const { fillStyle, strokeStyle, lineWidth, lineJoin, font, textAlign, globalAlpha, dash, open } = this;
    this.saved.push({ fillStyle, strokeStyle, lineWidth, lineJoin, font, textAlign, globalAlpha, dash, open });
    this.open = 0;
  }

  restore() {
    const before = this.saved.pop();
    if (!before) return;
    for (; this.open > 0; this.open--) this.out.push('</g>');
    Object.assign(this, before);
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.#group(`transform="translate(${n(x)} ${n(y)})"`);
  }

  /** @param {number} angle */
  rotate(angle) {
    this.#group(`transform="rotate(${n((angle * 180) / Math.PI)})"`);
  }

  clip() {
    const id = `c${++this.clips}`;
    this.out.push(`<clipPath id="${id}"><path d="${this.path.join('')}"/></clipPath>`);
    this.#group(`clip-path="url(#${id})"`);
  }

  /** @param {string} attributes */
  #group(attributes) {
    this.out.push(`<g ${attributes}>`);
    this.open++;
  }

  beginPath() {
    this.path = [];
  }
  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.path.push(`M${n(x)} ${n(y)}`);
  }
  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.path.push(`${this.path.length > 0 ? 'L' : 'M'}${n(x)} ${n(y)}`);
  }
  closePath() {
    this.path.push('Z');
  }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  rect(x, y, w, h) {
    this.path.push(`M${n(x)} ${n(y)}h${n(w)}v${n(h)}h${n(-w)}Z`);
  }
  /** @param {number} x @param {number} y @param {number} w @param {number} h @param {number} r */
  roundRect(x, y, w, h, r) {
    const arc = (/** @type {number} */ dx, /** @type {number} */ dy) => `a${n(r)} ${n(r)} 0 0 1 ${n(dx)} ${n(dy)}`;
    this.path.push(
      `M${n(x + r)} ${n(y)}h${n(w - 2 * r)}${arc(r, r)}v${n(h - 2 * r)}${arc(-r, r)}` +
        `h${n(2 * r - w)}${arc(-r, -r)}v${n(2 * r - h)}${arc(r, -r)}Z`,
    );
  }
  /** A full circle. @param {number} x @param {number} y @param {number} r */
  arc(x, y, r) {
    const half = (/** @type {number} */ dx) => `a${n(r)} ${n(r)} 0 1 1 ${n(dx)} 0`;
    this.path.push(`M${n(x - r)} ${n(y)}${half(2 * r)}${half(-2 * r)}Z`);
  }

  fill() {
    this.#path(this.#filled());
  }
  stroke() {
    this.#path(`fill="none"${this.#stroked()}`);
  }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  fillRect(x, y, w, h) {
    this.#rect(x, y, w, h, this.#filled());
  }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  strokeRect(x, y, w, h) {
    this.#rect(x, y, w, h, `fill="none"${this.#stroked()}`);
  }

  /** @param {string} attributes */
  #path(attributes) {
    if (this.path.length > 0) this.out.push(`<path d="${this.path.join('')}" ${attributes}/>`);
  }
  /** @param {number} x @param {number} y @param {number} w @param {number} h @param {string} attributes */
  #rect(x, y, w, h, attributes) {
    if (w > 0 && h > 0) this.out.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" ${attributes}/>`);
  }

  /** @param {number[]} dash */
  setLineDash(dash) {
    this.dash = dash;
  }

  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    this.#text(text, x, y, this.#filled());
  }
  /** @param {string} text @param {number} x @param {number} y */
  strokeText(text, x, y) {
    this.#text(text, x, y, `fill="none"${this.#stroked()}`);
  }
  /** @param {string} text */
  measureText(text) {
    return { width: this.measure(this.font, text) };
  }

  /** @param {string} text @param {number} x @param {number} y @param {string} attributes */
  #text(text, x, y, attributes) {
    const [, weight, size, family] = /^(?:(\d+) )?([\d.]+)px (.*)$/.exec(this.font) ?? ['', '400', '11', 'sans-serif'];
    const anchor = { right: 'end', end: 'end', center: 'middle' }[this.textAlign] ?? 'start';
    // Programs that show SVG agree only on the default baseline.
    const baseline = y + Number(size) * 0.36;
    this.out.push(
      `<text x="${n(x)}" y="${n(baseline)}" font-family="${xml(family)}" font-size="${size}" ` +
        `font-weight="${weight ?? 400}" text-anchor="${anchor}" ${attributes}>${xml(text)}</text>`,
    );
  }

  /** @param {HTMLCanvasElement} canvas @param {number} x @param {number} y @param {number} w @param {number} h */
  drawImage(canvas, x, y, w, h) {
    this.out.push(
      `<image x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" preserveAspectRatio="none" ` +
        `image-rendering="pixelated" href="${canvas.toDataURL('image/png')}"/>`,
    );
  }

  #filled() {
    return `fill=${this.#colour(this.fillStyle, 'fill')}`;
  }

  #stroked() {
    const { lineWidth, dash, lineJoin } = this;
    return (
      ` stroke=${this.#colour(this.strokeStyle, 'stroke')} stroke-width="${n(lineWidth)}"` +
      (dash.length > 0 ? ` stroke-dasharray="${dash.map(n).join(' ')}"` : '') +
      (lineJoin === 'miter' ? '' : ` stroke-linejoin="${lineJoin}"`)
    );
  }

  /** A colour, and as an attribute of its own how opaque it is. @param {string} color @param {'fill' | 'stroke'} of */
  #colour(color, of) {
    const [, rgb, alpha] = /^(#[0-9a-f]{6})([0-9a-f]{2})$/i.exec(color) ?? ['', color, 'ff'];
    const opacity = (parseInt(alpha, 16) / 255) * this.globalAlpha;
    return `"${xml(rgb)}"${opacity < 1 ? ` ${of}-opacity="${n(opacity)}"` : ''}`;
  }
}

/** @param {number} v @returns {string} with at most two decimals */
function n(v) {
  return String(Number(v.toFixed(2)));
}
