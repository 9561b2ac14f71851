// The lines over the picture: the top of the pile, its lowest total in crowded
// columns, reserved memory.

import { bytes } from '../data/format.js';
import { countUpTo } from '../data/search.js';

/** A column with fewer states than this, or a gap of fewer pixels, has no line of lowest totals. */
const CROWDED = 3;
const GAP = 3;

/** @typedef {import('./overlay.js').Frame} Frame */

/** @param {Frame} frame */
export function drawGrid({ pen, scales, ticks, layout, style }) {
  for (const v of ticks.y) {
    if (v <= 0) continue;
    const y = Math.round(scales.y(v)) + 0.5;
    pen.line(layout.left, y, layout.right, y, { color: style.grid });
  }
}

/** @param {Frame} frame */
export function drawTop(frame) {
  const { pen, scales, layout, timeline, columns, style } = frame;
  const { g } = pen;
  const step = layout.plotWidth / columns.length;
  g.beginPath();
  for (let x = 0; x < columns.length && columns[x] >= 0; x++) {
    const left = layout.left + x * step;
    const y = scales.y(timeline.active[columns[x]]);
    if (x === 0) g.moveTo(left, y);
    else g.lineTo(left, y);
    g.lineTo(left + step, y);
  }
  pen.stroke(style.theme === 'dark' ? '#e9ebee99' : '#15181c99', 1);
}

/** @param {Frame} frame */
export function drawLowest({ pen, scales, layout, timeline, viewport, columns, style }) {
  const { g } = pen;
  const { axis, from, width } = viewport;
  const step = layout.plotWidth / columns.length;
  const perColumn = width / columns.length;
  let down = false;
  let drawn = false;
  g.beginPath();
  for (let x = 0; x < columns.length && columns[x] >= 0; x++) {
    const covered = axis.states(from + perColumn * x, from + perColumn * (x + 1));
    if (!covered || covered[1] - covered[0] + 1 < CROWDED) {
      down = false;
      continue;
    }
    const low = timeline.active[timeline.lowest.best(covered[0], covered[1])];
    const y = scales.y(low);
    if (y - scales.y(timeline.active[columns[x]]) < GAP) {
      down = false;
      continue;
    }
    const left = layout.left + x * step;
    if (down) g.lineTo(left, y);
    else g.moveTo(left, y);
    g.lineTo(left + step, y);
    down = drawn = true;
  }
  if (drawn) pen.stroke(style.theme === 'dark' ? '#14161aaa' : '#15181c66', 1, [2, 2]);
}

/** @param {Frame} frame */
export function drawReserved({ pen, scales, timeline, viewport, layout, style }) {
  const { g } = pen;
  const { axis } = viewport;
  const { reserved, reservedFrom } = timeline;
  const right = Math.min(layout.right, scales.x(axis.extent));
  let i = countUpTo(reservedFrom, axis.stateAt(viewport.from)) - 1;
  let y = scales.y(reserved[i]);
  g.beginPath();
  g.moveTo(layout.left, y);
  const xOf = (/** @type {number} */ step) => scales.x(axis.begins(reservedFrom[step]));
  for (i++; i < reserved.length && xOf(i) <= right;) {
    const x = xOf(i);
    g.lineTo(x, y);
    // Of many steps in one pixel only the extremes can be seen, and strokes are dear.
    let low = Infinity;
    let high = 0;
    do {
      low = Math.min(low, reserved[i]);
      high = Math.max(high, reserved[i]);
      y = scales.y(reserved[i++]);
    } while (i < reserved.length && Math.floor(xOf(i)) === Math.floor(x));
    if (low < high) {
      g.lineTo(x, scales.y(high));
      g.lineTo(x, scales.y(low));
    }
    g.lineTo(x, y);
  }
  g.lineTo(right, y);
  pen.stroke(style.ink2, 1.25);
}

/** Where the value of reserved memory may stand: its right edge, as a part of the plot's width. */
const PLACES = [1, 0.2, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3];

/**
 * The value of reserved memory, written on its line: at the right end, or at
 * the first place where the line is level, clear of the pile and of other marks.
 * @param {Frame} frame
 */
export function labelReserved(frame) {
  const { pen, scales, timeline, viewport, layout, style } = frame;
  const end = Math.min(layout.right, scales.x(viewport.axis.extent)) - 6;
  const widest = pen.measure(`reserved ${bytes(timeline.reservedPeak)}`) + 4;
  const rights = PLACES.map((part) => Math.max(layout.left + 8 + widest, layout.left + (end - layout.left) * part));
  const right = rights.find((x) => isClear(frame, x - widest, x)) ?? end;
  const value = timeline.reservedAt(viewport.axis.stateAt(scales.position(right) - 1e-9));
  const y = scales.y(value);
  if (y < layout.top - 12 || y > layout.bottom) return;
  const above = y >= layout.top + 4 && !isUnderCapacity(frame, y);
  pen.text(`reserved ${bytes(value)}`, right, above ? y - 8 : y + 9, { align: 'right', color: style.ink2, halo: true });
}

/** Whether the line of the capacity runs through what is written above a y. @param {Frame} frame @param {number} y */
function isUnderCapacity({ scales, capacity }, y) {
  return capacity !== null && Math.abs(y - 8 - scales.y(capacity.bytes)) < 12;
}

/**
 * Whether a label of reserved memory fits between two x.
 * @param {Frame} frame @param {number} left @param {number} right
 */
function isClear(frame, left, right) {
  const { scales, timeline, viewport, markers } = frame;
  const { axis } = viewport;
  const from = axis.stateAt(scales.position(left));
  const to = axis.stateAt(scales.position(right));
  const y = scales.y(timeline.reservedAt(to));
  if (Math.abs(y - scales.y(timeline.reservedAt(from))) > 2) return false;
  if (scales.y(timeline.active[timeline.highest.best(from, to)]) < y + (isUnderCapacity(frame, y) ? 18 : 2)) return false;
  const peakX = scales.x(axis.middle(timeline.peak));
  const besidePeak = peakX < left - 75 || peakX > right + 75;
  if (!besidePeak && Math.abs(y - scales.y(timeline.active[timeline.peak])) < 46) return false;
  return !markers.some((m) => scales.x(axis.middle(m.state)) > left - 4 && scales.x(axis.middle(m.state)) < right + 4);
}
