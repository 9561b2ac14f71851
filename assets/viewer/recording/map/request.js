// A request that failed, drawn beside the holes that might have served it, at the scale of the address space.

import { bytes, counted } from '../../kit/format.js';
import { holesOf, servingSegments } from '../data/segments.js';
import { hatchIn } from '../draw/pending.js';

/** Client pixels at the right of the plot for both, the most of the plot's width that they take,
 * and the least that they need. */
const WIDTH = 150;
const MOST = 0.24;
const LEAST = 120;

/** Client pixels: from the plot to the request, between it and the holes, and from a box to its text. */
const AWAY = 10;
const BETWEEN = 12;
const OVER = 8;
const LINE = 13;

/** @typedef {import('./overlay.js').SpaceFrame} SpaceFrame @typedef {import('../../data/device.js').Marker} Marker */

/**
 * How many pixels a request takes beside the plot; 0 where it does not fit.
 * @param {number} width of the plot with them
 */
export function requestWidth(width) {
  const part = Math.min(WIDTH, Math.round(width * MOST));
  return part < LEAST ? 0 : part;
}

/**
 * The holes that may serve a request, the largest first: with its pool, stream and size class.
 * @param {SpaceFrame['shown']} shown @param {Marker} oom
 */
function holesFor(shown, oom) {
  const { space, device, layout } = shown;
  const { pool = 0, stream = 0 } = device.report.failures.find((f) => f.state >= oom.state) ?? {};
  const serving = servingSegments(shown.segments(oom.state), space.kinds, { pool, stream, bytes: oom.size });
  return { holes: holesOf(serving), band: layout.bandOf(serving[0]?.reservation ?? -1) };
}

/**
 * @param {SpaceFrame} frame @param {Marker} oom
 * @param {number} left where they begin @param {number} width that they may take
 */
export function drawRequest({ painter, layout, style, shown, viewport }, oom, left, width) {
  const { g } = painter;
  const { top, bottom, plotHeight } = layout;
  const { holes, band } = holesFor(shown, oom);
  const perByte = ((band.perUnit / shown.space.unit) * plotHeight) / (viewport.high - viewport.low);
  const each = Math.floor((width - AWAY - BETWEEN - 4) / 2);
  const total = holes.reduce((sum, b) => sum + b, 0);
  painter.clip(left, top - 2, width, plotHeight + 2, () => {
    painter.fill(style.paper, left, top - 2, width, plotHeight + 2);
    const x = left + AWAY;
    const high = bottom - oom.size * perByte;
    const edge = Math.max(top - 3, high);
    hatchIn(painter, [[x, edge, each, bottom - edge]], style.oom, 1, 6);
    g.beginPath();
    g.rect(x + 0.5, edge + 0.5, each - 1, bottom - edge - 1);
    painter.stroke(style.oom, 1.25);
    const beside = x + each + BETWEEN;
    let y = bottom;
    for (const hole of holes) {
      const height = hole * perByte;
      painter.fill(style.stuck, beside, y - height, each, height);
      y -= height;
      if (height >= 3) painter.fill(style.ink3, beside, y, each, 1);
      if (y < top) break;
    }
    if (holes.length > 0) {
      g.beginPath();
      g.rect(beside + 0.5, y + 0.5, each - 1, Math.max(1, bottom - y - 1));
      painter.stroke(style.ink3, 1);
    }
    const write = (
      /** @type {string[]} */ lines,
      /** @type {number} */ at,
      /** @type {number} */ over,
      /** @type {string} */ color,
    ) => {
      // Where a box reaches the top, its words are inside it.
      const base = Math.max(over - OVER, top + LINE * lines.length);
      lines.forEach((text, n) =>
        painter.text(text, at, base - LINE * (lines.length - 1 - n), {
          weight: n === 0 ? 600 : 400,
          color,
          halo: true,
        }),
      );
    };
    write([bytes(oom.size), 'asked'], x, edge, style.oom);
    const largest = holes.length > 0 ? [`max ${bytes(holes[0])}`] : [];
    write([bytes(total), `in ${counted(holes.length, 'hole')}`, ...largest], beside, y, style.ink2);
  });
}
