// The colours and fonts of the page, as canvases need them.

/** @typedef {[number, number, number]} Rgb */

/** @param {string} hex @returns {Rgb} */
export function rgb(hex) {
  return [parseInt(hex.slice(1, 3), 16), parseInt(hex.slice(3, 5), 16), parseInt(hex.slice(5, 7), 16)];
}

/** @param {Rgb} a @param {Rgb} b @param {number} t @returns {Rgb} */
export function mix(a, b, t) {
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
}

const NAMES = [
  'bg',
  'panel',
  'sunk',
  'hair',
  'strong',
  'ink',
  'ink2',
  'ink3',
  'oom',
  'more',
  'less',
  'grid',
  'select',
  'halo',
];

/** @typedef {Record<string, string> & {isDark: boolean}} Style */

/** The styles of the page as they are now. @returns {any} */
export function readStyle() {
  const style = getComputedStyle(document.documentElement);
  const all = Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  return {
    ...all,
    font: style.getPropertyValue('--sans').trim(),
    isDark: document.documentElement.dataset.theme === 'dark',
  };
}

/**
 * Text that fits into a width, cut with an ellipsis.
 * @param {CanvasRenderingContext2D} ctx
 * @param {string} text
 * @param {number} width
 */
export function fitted(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ctx.measureText(`${text.slice(0, middle).trimEnd()}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? `${text.slice(0, low).trimEnd()}…` : '';
}

/**
 * Prepares a canvas of a size in client pixels.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function prepare(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.textBaseline = 'middle';
  return ctx;
}
