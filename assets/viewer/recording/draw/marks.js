// Marks on the timeline: the peak, out-of-memory events, requests served only after a
// retry, snapshots taken while recording, and where a fitted view leaves out the base.

import { bytes } from '../../kit/format.js';
import { clamp } from '../../kit/math.js';

/** @typedef {import('./overlay.js').Frame} Frame */
/** @typedef {import('../../data/device.js').Marker} Marker */

/** @param {Frame} frame */
export function drawPeak({ painter, scales, timeline, viewport, layout, style, markers }) {
  const { left, top, right, bottom } = layout;
  const { axis } = viewport;
  const x = scales.x(axis.middle(timeline.peak));
  const value = timeline.active[timeline.peak];
  if (x < left || x > right) return;
  if (markers.some((m) => m.kind === 'oom' && Math.abs(scales.x(axis.middle(m.state)) - x) < 14)) return;
  const y = scales.y(value);
  if (y > bottom) return;
  const line = Math.round(x) + 0.5;
  painter.line(line, Math.max(y, top), line, bottom, { color: style.ink, dash: [3, 3] });
  if (y < top - 2) return;
  painter.triangle(x, y - 1, 5, 7, style.ink);
  const reserved = scales.y(timeline.reservedAt(timeline.peak));
  // Moved above the reserved line where it would touch that.
  const flag = Math.abs(y - 18 - reserved) < 12 ? reserved - 13 : y - 18;
  painter.flag(`peak ${bytes(value)}`, x, Math.max(top - 10, flag), {
    fill: style.paper,
    color: style.ink,
    border: style.strong,
    min: left,
    max: right,
  });
}

/** A state that is wider than this, in pixels, has the line of its out-of-memory event in its middle. */
const WIDE = 6;

/** @param {Frame} frame @returns {[number, number][]} left and right edges of the flags */
export function drawOOMs(frame) {
  const { scales, layout, viewport, markers, columns } = frame;
  const { left, right, plotWidth } = layout;
  /** @type {[number, number][]} */
  const flags = [];
  for (const m of markers) {
    if (m.kind !== 'oom') continue;
    const middle = scales.x(viewport.axis.middle(m.state));
    const wide = scales.x(viewport.axis.begins(m.state + 1)) - scales.x(viewport.axis.begins(m.state)) > WIDE;
    const perColumn = plotWidth / columns.length;
    // Beside the column of its state, so that the last rise can be seen.
    const x = wide ? middle : left + (Math.floor((middle - left) / perColumn) + 1) * perColumn + 1;
    if (middle < left - 1 || middle > right + 1) continue;
    const flag = drawOOM(frame, m, x, x > (flags.at(-1)?.[1] ?? -Infinity));
    if (flag) flags.push(flag);
  }
  return flags;
}

/**
 * @param {Frame} frame @param {Marker} m @param {number} x
 * @param {boolean} named whether there is room for its flag
 * @returns {[number, number] | null} left and right edge of the flag
 */
function drawOOM(frame, m, x, named) {
  const { painter, layout, style } = frame;
  const { left, top, right, bottom } = layout;
  painter.line(x, top - 2, x, bottom, { color: style.oom, width: 1.5 });
  if (frame.isStacked) drawRequest(frame, m, x);
  if (!named) return null;
  const color = style.theme === 'dark' ? style.paper : '#ffffff';
  const asked = `${frame.isPredicted ? 'recorded ' : ''}OOM: asked ${bytes(m.size)}`;
  return painter.flag(asked, x, top - 12, { fill: style.oom, color, min: left, max: right });
}

/** The request, hatched, on top of reserved memory. @param {Frame} frame @param {Marker} m @param {number} x */
function drawRequest({ painter, scales, timeline, layout, style }, m, x) {
  const { g } = painter;
  const { top, plotWidth, plotHeight, right, bottom, left } = layout;
  const reserved = timeline.reservedAt(m.state);
  // Kept near the plot: in a view of little memory, heights may be millions of pixels.
  const near = (/** @type {number} */ y) => clamp(y, top - 20, bottom + 20);
  const low = near(scales.y(reserved));
  const high = near(Math.min(scales.y(reserved + m.size), low - 5));
  const width = Math.max(26, Math.min(right - x - 2, 120));
  painter.clip(left, top - 2, plotWidth, plotHeight + 2, () => {
    painter.clip(x, high, width, low - high, () => {
      g.beginPath();
      for (let q = high - low; q < width; q += 4) {
        g.moveTo(x + q, low);
        g.lineTo(x + q + (low - high), high);
      }
      painter.stroke(style.oom, 1);
    });
    g.beginPath();
    g.rect(x, high, width, low - high);
    painter.stroke(style.oom, 1.25);
  });
}

/**
 * Retries, which say nothing of a predicted address space, and snapshots.
 * @param {Frame} frame
 * @param {[number, number][]} flags that their names must not touch
 */
export function drawTicks({ painter, scales, layout, viewport, markers, style, isPredicted }, flags) {
  let free = -Infinity;
  for (const m of markers) {
    if (m.kind === 'oom' || (m.kind === 'retry' && isPredicted)) continue;
    const x = scales.x(viewport.axis.middle(m.state));
    const { left, top, right, bottom } = layout;
    if (x < left || x > right) continue;
    painter.line(x, top, x, bottom, { color: style.ink3, dash: [1, 3] });
    painter.line(x, top - 5, x, top, { color: style.ink3 });
    const width = painter.measure(m.kind);
    const atRight = x + width + 4 > right;
    const [from, to] = atRight ? [x - 4 - width, x] : [x, x + 4 + width];
    if (x < free + 6 || flags.some(([a, b]) => from < b + 4 && to > a - 4)) continue;
    painter.text(m.kind, atRight ? x - 4 : x + 4, top - 6, {
      align: atRight ? 'right' : 'left',
      color: style.ink3,
      halo: true,
    });
    free = x + (atRight ? 0 : width);
  }
}

/** What a fitted view has cut away. @param {Frame} frame */
export function drawFoot({ painter, scales, viewport, layout, style }) {
  if (viewport.base <= 0 || viewport.low <= 0) return;
  const { g } = painter;
  const { left, plotWidth, right, bottom } = layout;
  const y = Math.min(bottom - 12, (scales.y(viewport.base) + bottom) / 2);
  painter.text(`↓ ${bytes(viewport.base)} below, unchanged in this view`, left + plotWidth / 2, y, {
    align: 'center',
    weight: 600,
    halo: true,
  });
  g.beginPath();
  g.moveTo(left, bottom - 4);
  for (let x = left, notch = 0; x <= right; x += 6, notch++) g.lineTo(x, bottom - (notch % 2 ? 1 : 4));
  painter.stroke(style.paper, 2);
}

/**
 * The line of moment A, which others are compared with.
 * @param {Pick<Frame, 'painter' | 'layout' | 'style' | 'scales' | 'viewport'>} frame @param {number} state
 */
export function drawMomentA({ painter, layout, style, scales, viewport }, state) {
  const { left, right, top, bottom } = layout;
  const x = Math.round(scales.x(viewport.axis.middle(state))) + 0.5;
  if (x < left || x > right) return;
  painter.line(x, top, x, bottom, { color: style.ink, dash: [4, 3] });
  painter.flag('A', x, bottom - 12, { fill: style.ink, color: style.paper, min: left, max: right });
}
