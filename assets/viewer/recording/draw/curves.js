// The lines over the picture: the top of the pile, its lowest total in crowded columns,
// reserved memory, recorded and predicted, and the capacity of the device.

import { countUpTo } from '../../kit/math.js';

/** A column with fewer states than this, or a gap of fewer pixels, has no line of lowest totals. */
const CROWDED = 3;
const GAP = 3;

/** @typedef {import('./overlay.js').Frame} Frame */

/** @param {Frame} frame */
export function drawGrid({ painter, scales, ticks, layout, style }) {
  for (const v of ticks.y) {
    if (v <= 0) continue;
    const y = Math.round(scales.y(v)) + 0.5;
    painter.line(layout.left, y, layout.right, y, { color: style.grid });
  }
}

/** @param {Frame} frame */
export function drawTop(frame) {
  const { painter, scales, layout, timeline, columns, style } = frame;
  const { g } = painter;
  const columnWidth = layout.plotWidth / columns.length;
  g.beginPath();
  for (let x = 0; x < columns.length && columns[x] >= 0; x++) {
    const left = layout.left + x * columnWidth;
    const y = scales.y(timeline.active[columns[x]]);
    if (x === 0) g.moveTo(left, y);
    else g.lineTo(left, y);
    g.lineTo(left + columnWidth, y);
  }
  painter.stroke(style.theme === 'dark' ? '#e9ebee99' : '#15181c99', 1);
}

/** @param {Frame} frame */
export function drawLowest({ painter, scales, layout, timeline, viewport, columns, style }) {
  const { g } = painter;
  const { axis, from, width } = viewport;
  const columnWidth = layout.plotWidth / columns.length;
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
    const left = layout.left + x * columnWidth;
    if (down) g.lineTo(left, y);
    else g.moveTo(left, y);
    g.lineTo(left + columnWidth, y);
    down = drawn = true;
  }
  if (drawn) painter.stroke(style.theme === 'dark' ? '#14161aaa' : '#15181c66', 1, [2, 2]);
}

/** @param {Frame} frame */
export function drawReserved(frame) {
  const { timeline, style, predicted } = frame;
  if (predicted) drawStaircase(frame, predicted.curve.states, predicted.curve.bytes, style.ok, [4, 3]);
  drawStaircase(frame, timeline.reservedFrom, timeline.reserved, style.ink2);
}

/**
 * A line of level stretches: values[i] from state states[i] on.
 * @param {Frame} frame @param {ArrayLike<number>} states @param {ArrayLike<number>} values
 * @param {string} color @param {number[]} [dash]
 */
function drawStaircase({ painter, scales, viewport, layout }, states, values, color, dash) {
  if (values.length === 0) return;
  const { g } = painter;
  const { axis } = viewport;
  const right = Math.min(layout.right, scales.x(axis.extent));
  let i = countUpTo(states, axis.stateAt(viewport.from)) - 1;
  let y = scales.y(values[i]);
  g.beginPath();
  g.moveTo(layout.left, y);
  const xOf = (/** @type {number} */ n) => scales.x(axis.begins(states[n]));
  for (i++; i < values.length && xOf(i) <= right; ) {
    const x = xOf(i);
    g.lineTo(x, y);
    // Where many stretches fall into one pixel only the extremes can be seen, and strokes are slow.
    let low = Infinity;
    let high = 0;
    do {
      low = Math.min(low, values[i]);
      high = Math.max(high, values[i]);
      y = scales.y(values[i++]);
    } while (i < values.length && Math.floor(xOf(i)) === Math.floor(x));
    if (low < high) {
      g.lineTo(x, scales.y(high));
      g.lineTo(x, scales.y(low));
    }
    g.lineTo(x, y);
  }
  g.lineTo(right, y);
  painter.stroke(color, 1.25, dash);
}

/** @param {import('./overlay.js').Frame} frame */
export function drawCapacity({ painter, scales, layout, style, capacity }) {
  if (!capacity) return;
  const { left, top, right, bottom } = layout;
  const y = Math.round(scales.y(capacity.bytes)) + 0.5;
  const label = { color: style.oom, halo: true };
  if (y > bottom) return;
  if (y < top - 2) {
    painter.text(`↑ ${capacity.text}`, left + 8, top + 8, label);
    return;
  }
  painter.line(left, y, right, y, { color: style.oom, dash: [6, 3] });
  painter.text(capacity.text, left + 8, y - top > 12 ? y - 8 : y + 9, label);
}
