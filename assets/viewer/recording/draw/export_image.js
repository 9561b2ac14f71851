// The view as an image to export: a heading, the timeline, and the legend with its
// numbers. It is drawn the same on a canvas and as SVG.

import { bytes, share } from '../../kit/format.js';
import { MINIMAP } from './layout.js';
import { Painter } from '../../kit/painter.js';

const HEAD = 58;
const MARGIN = 16;

/** The width of text at 11 px, which is measured, to its width at 12 px. */
const SMALLER = 11 / 12;

/** An entry of the legend. */
const ENTRY = 262;
const ROW = 20;

/**
 * @typedef {object} ExportImage
 * @property {import('../../kit/painter.js').Style} style
 * @property {import('./layout.js').Layout} layout of the timeline
 * @property {import('./layout.js').Scales} scales
 * @property {import('./layout.js').Ticks} ticks
 * @property {boolean} hasHistory
 * @property {string} title
 * @property {string} facts under it
 * @property {string} words of the moment that the legend speaks about
 * @property {number} total its bytes
 * @property {{label: string, color: string, bytes: number}[]} groups those that hold something
 * @property {HTMLCanvasElement} plot the picture
 * @property {HTMLCanvasElement} minimap
 * @property {(painter: Painter) => void} drawOver draws the marks and the cursor
 */

/** @param {ExportImage} image @returns {{width: number, height: number}} in client pixels */
export function exportSize({ layout, groups }) {
  const rows = 1 + Math.ceil(groups.length / across(layout));
  return { width: layout.width, height: HEAD + layout.height + ROW * rows + 2 * 12 };
}

/** How many entries of the legend are side by side. @param {import('./layout.js').Layout} layout */
function across({ width }) {
  return Math.max(1, Math.floor((width - 2 * MARGIN) / ENTRY));
}

/** @param {import('../../kit/painter.js').Context} g @param {ExportImage} image */
export function drawExport(g, image) {
  const { style, layout } = image;
  const { width, height } = exportSize(image);
  const painter = new Painter(g, style);
  painter.fill(style.paper, 0, 0, width, height);
  painter.text(painter.fit(image.title, (width - 2 * MARGIN) * SMALLER), MARGIN, 20, { weight: 600, size: 14 });
  painter.text(painter.fit(image.facts, (width - 2 * MARGIN) * SMALLER), MARGIN, 40, { color: style.ink2, size: 12 });

  g.save();
  g.translate(0, HEAD);
  drawTimeline(painter, image);
  g.restore();
  drawLegend(painter, image, HEAD + layout.height + 12);
}

/** The timeline alone, from the origin on. @param {Painter} painter @param {ExportImage} image */
export function drawTimeline(painter, image) {
  const { g } = painter;
  const { style, layout, scales, ticks, hasHistory } = image;
  const { left, top, plotWidth, plotHeight, bottom } = layout;
  g.drawImage(image.plot, left, top, plotWidth, plotHeight);
  if (hasHistory) g.drawImage(image.minimap, left, layout.minimapTop, layout.minimapWidth, MINIMAP);
  painter.line(left, bottom + 0.5, left + layout.minimapWidth, bottom + 0.5, { color: style.strong });
  for (const v of ticks.y) painter.text(ticks.labelY(v), left - 8, scales.y(v), { align: 'right', color: style.ink3 });
  for (const v of hasHistory ? ticks.x : []) {
    const x = Math.round(scales.x(v)) + 0.5;
    painter.line(x, bottom, x, bottom + 4, { color: style.strong });
    painter.text(ticks.labelX(v), x, bottom + 14, { align: 'center', color: style.ink3 });
  }
  image.drawOver(painter);
}

/** @param {Painter} painter @param {ExportImage} image @param {number} top */
function drawLegend(painter, { layout, style, groups, total, words }, top) {
  painter.line(MARGIN, top - 6, layout.width - MARGIN, top - 6, { color: style.strong });
  painter.text(`${bytes(total)} ${words}`, MARGIN, top + ROW / 2, { weight: 600, size: 12 });
  const columns = across(layout);
  groups.forEach((group, i) => {
    const x = MARGIN + ENTRY * (i % columns);
    const y = top + ROW * (1.5 + Math.floor(i / columns));
    painter.fill(group.color, x, y - 5, 10, 10);
    painter.text(painter.fit(group.label, 120 * SMALLER), x + 16, y, { size: 12 });
    painter.text(bytes(group.bytes), x + 206, y, { size: 12, align: 'right' });
    painter.text(share(group.bytes, total), x + 242, y, { size: 12, align: 'right', color: style.ink3 });
  });
}
