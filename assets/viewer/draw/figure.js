// The view as a figure of its own: a head, the timeline, and the legend with
// its numbers. It is drawn the same on a canvas and as SVG.

import { bytes, share } from '../data/format.js';
import { MINIMAP } from './layout.js';
import { Pen } from './pen.js';

const HEAD = 58;
const MARGIN = 16;

/** An entry of the legend. */
const ENTRY = 262;
const ROW = 20;

/**
 * @typedef {object} Figure
 * @property {import('./pen.js').Style} style
 * @property {import('./layout.js').Layout} layout of the timeline
 * @property {import('./layout.js').Scales} scales
 * @property {import('./ticks.js').Ticks} ticks
 * @property {boolean} hasHistory
 * @property {string} title
 * @property {string} facts under it
 * @property {string} words of the moment that the legend speaks about
 * @property {number} total its bytes
 * @property {{label: string, color: string, bytes: number}[]} held by each group
 * @property {HTMLCanvasElement} plot the picture
 * @property {HTMLCanvasElement} minimap
 * @property {(g: any) => void} over draws the marks
 */

/** @param {Figure} figure @returns {{width: number, height: number}} in client pixels */
export function figureSize({ layout, held }) {
  return { width: layout.width, height: HEAD + layout.height + ROW * (1 + Math.ceil(held.length / across(layout))) + 2 * 12 };
}

/** Entries of the legend side by side. @param {import('./layout.js').Layout} layout */
function across({ width }) {
  return Math.max(1, Math.floor((width - 2 * MARGIN) / ENTRY));
}

/** @param {CanvasRenderingContext2D} g @param {Figure} figure */
export function drawFigure(g, figure) {
  const { style, layout, scales, ticks, hasHistory } = figure;
  const { width, height } = figureSize(figure);
  const pen = new Pen(g, style);
  pen.fill(style.paper, 0, 0, width, height);
  pen.text(fitting(pen, figure.title, width - 2 * MARGIN), MARGIN, 20, { weight: 600, size: 14 });
  pen.text(fitting(pen, figure.facts, width - 2 * MARGIN), MARGIN, 40, { color: style.ink2, size: 12 });

  g.save();
  g.translate(0, HEAD);
  const { left, top, plotWidth, plotHeight, right, bottom } = layout;
  g.drawImage(figure.plot, left, top, plotWidth, plotHeight);
  if (hasHistory) g.drawImage(figure.minimap, left, layout.minimapTop, plotWidth, MINIMAP);
  pen.line(left, bottom + 0.5, right, bottom + 0.5, { color: style.strong });
  for (const v of ticks.y) pen.text(ticks.labelY(v), left - 8, scales.y(v), { align: 'right', color: style.ink3 });
  for (const v of hasHistory ? ticks.x : []) {
    const x = Math.round(scales.x(v)) + 0.5;
    pen.line(x, bottom, x, bottom + 4, { color: style.strong });
    pen.text(ticks.labelX(v), x, bottom + 14, { align: 'center', color: style.ink3 });
  }
  figure.over(g);
  g.restore();
  drawLegend(pen, figure, HEAD + layout.height + 12);
}

/** @param {Pen} pen @param {Figure} figure @param {number} top */
function drawLegend(pen, { layout, style, held, total, words }, top) {
  pen.line(MARGIN, top - 6, layout.width - MARGIN, top - 6, { color: style.strong });
  pen.text(`${bytes(total)} ${words}`, MARGIN, top + ROW / 2, { weight: 600, size: 12 });
  const columns = across(layout);
  held.forEach((group, i) => {
    const x = MARGIN + ENTRY * (i % columns);
    const y = top + ROW * (1.5 + Math.floor(i / columns));
    pen.fill(group.color, x, y - 5, 10, 10);
    pen.text(fitting(pen, group.label, 120), x + 16, y, { size: 12 });
    pen.text(bytes(group.bytes), x + 206, y, { size: 12, align: 'right' });
    pen.text(share(group.bytes, total), x + 242, y, { size: 12, align: 'right', color: style.ink3 });
  });
}

/** As much of a text as fits a width. @param {Pen} pen @param {string} text @param {number} width */
function fitting(pen, text, width) {
  const fits = (/** @type {string} */ t) => pen.measure(t) * (12 / 11) <= width;
  if (fits(text)) return text;
  let length = text.length;
  while (length > 1 && !fits(`${text.slice(0, length)}…`)) length--;
  return `${text.slice(0, length)}…`;
}
