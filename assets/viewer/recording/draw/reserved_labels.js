// Labels on the lines of reserved memory, recorded and predicted.

import { bytes } from '../../kit/format.js';

/** Where the right edge of the label of reserved memory may be, as a fraction of the plot's width. */
const RIGHT_EDGES = [1, 0.2, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3];

/** From a line to the middle of a label over and under it, and the height of a label. */
const OVER = -8;
const UNDER = 9;
const HEIGHT = 16;

/** How many of the longest level stretches of a line are tried. */
const STRETCHES = 6;

/** In how many equal parts of its width a label is tested for lines that cross it. */
const SAMPLES = 12;

/**
 * @typedef {import('./overlay.js').Frame} Frame
 * @typedef {{left: number, right: number, y: number}} LabelBox y: middle
 */

/**
 * The value of reserved memory, written on its line: at the right end, or at
 * the first of RIGHT_EDGES at which the line is level, clear of the pile and of other marks.
 * @param {Frame} frame @returns {LabelBox} where it stands
 */
export function labelReserved(frame) {
  const { painter, scales, timeline, viewport, layout, style } = frame;
  const end = Math.min(layout.right, scales.x(viewport.axis.extent)) - 6;
  const widest = painter.measure(`reserved ${bytes(timeline.reservedPeak)}`) + 4;
  const rights = RIGHT_EDGES.map((f) => Math.max(layout.left + 8 + widest, layout.left + (end - layout.left) * f));
  const right =
    rights.find((x) => isClear(frame, reservedAt(frame, x), x - widest, x)) ??
    rights.find((x) => isUnmarked(frame, x - widest, x, scales.y(reservedAt(frame, x)))) ??
    end;
  const value = reservedAt(frame, right);
  const line = scales.y(value);
  const above = line >= layout.top + 4 && !isUnderCapacity(frame, line);
  const y = line + (above ? OVER : UNDER);
  if (line >= layout.top - 12 && line <= layout.bottom)
    painter.text(`reserved ${bytes(value)}`, right, y, { align: 'right', color: style.ink2, halo: true });
  return { left: right - widest, right, y };
}

/**
 * The name of the predicted line, with its setting where there is room for that.
 * @param {Frame} frame @param {LabelBox} taken by the value of reserved memory
 */
export function labelPredicted(frame, taken) {
  const { painter, predicted, style } = frame;
  if (!predicted?.export) return;
  const setting = predicted.settings[0].setting.replaceAll(':True', '').replaceAll(',', ', ');
  const stretches = levels(frame, predicted.curve);
  for (const text of [`predicted, ${setting}`, 'predicted']) {
    const half = painter.measure(text) / 2 + 3;
    for (const { left, right, y } of stretches)
      for (const off of [OVER, UNDER]) {
        const x = (left + right) / 2;
        if (right - left < 2 * half || !isFree(frame, { left: x - half, right: x + half, y: y + off }, taken)) continue;
        painter.text(text, x, y + off, { align: 'center', color: style.ok, halo: true });
        return;
      }
  }
}

/**
 * The longest stretches in view in which a line is level.
 * @param {Frame} frame @param {{states: number[], bytes: number[]}} curve
 */
function levels({ scales, layout, viewport: { axis } }, { states, bytes: values }) {
  /** @type {LabelBox[]} */
  const all = [];
  states.forEach((state, i) => {
    const y = scales.y(values[i]);
    const left = Math.max(layout.left, scales.x(axis.begins(state)));
    const right = Math.min(layout.right, scales.x(i + 1 < states.length ? axis.begins(states[i + 1]) : axis.extent));
    const last = all.at(-1);
    if (last && Math.abs(last.y - y) < 2) last.right = right;
    else if (left < layout.right) all.push({ left, right, y });
  });
  return all.sort((a, b) => b.right - b.left - (a.right - a.left)).slice(0, STRETCHES);
}

/** @param {Frame} frame @param {number} x */
function reservedAt({ scales, timeline, viewport }, x) {
  return timeline.reservedAt(viewport.axis.stateAt(scales.position(x) - 1e-9));
}

/** Whether the line of the capacity runs through what is written above a y. @param {Frame} frame @param {number} y */
function isUnderCapacity({ scales, capacity }, y) {
  return capacity !== null && Math.abs(y + OVER - scales.y(capacity.bytes)) < 12;
}

/**
 * Whether a label of reserved memory fits between two x.
 * @param {Frame} frame @param {number} value at its right @param {number} left @param {number} right
 */
function isClear(frame, value, left, right) {
  const y = frame.scales.y(value);
  if (Math.abs(y - frame.scales.y(reservedAt(frame, left))) > 2) return false;
  return highest(frame, left, right) >= y + (isUnderCapacity(frame, y) ? 18 : 2) && isUnmarked(frame, left, right, y);
}

/** The y of the top of the pile between two x. @param {Frame} frame @param {number} left @param {number} right */
function highest({ scales, timeline, viewport: { axis } }, left, right) {
  const [from, to] = [left, right].map((x) => axis.stateAt(scales.position(x)));
  return scales.y(timeline.active[timeline.highest.best(from, to)]);
}

/**
 * Whether neither the peak's flag nor a marker is in the way.
 * @param {Frame} frame @param {number} left @param {number} right @param {number} y
 */
function isUnmarked({ scales, timeline, viewport: { axis }, markers }, left, right, y) {
  const peakX = scales.x(axis.middle(timeline.peak));
  const besidePeak = peakX < left - 75 || peakX > right + 75;
  if (!besidePeak && Math.abs(y - scales.y(timeline.active[timeline.peak])) < 46) return false;
  return !markers.some((m) => scales.x(axis.middle(m.state)) > left - 4 && scales.x(axis.middle(m.state)) < right + 4);
}

/**
 * Whether a box in the plot has no other label, no other line and nothing of the pile in it.
 * @param {Frame} frame @param {LabelBox} box @param {LabelBox} taken
 */
function isFree(frame, { left, right, y }, taken) {
  const { scales, layout, capacity } = frame;
  const half = HEIGHT / 2;
  const misses = (/** @type {number} */ line) => Math.abs(line - y) >= half;
  const lines = Array.from({ length: SAMPLES + 1 }, (_, i) =>
    scales.y(reservedAt(frame, left + ((right - left) * i) / SAMPLES)),
  );
  const over = lines.filter((line) => line < y).length;
  return (
    y >= layout.top + half &&
    (!capacity || misses(scales.y(capacity.bytes))) &&
    (left > taken.right || right < taken.left || Math.abs(y - taken.y) >= HEIGHT) &&
    highest(frame, left, right) >= y + half &&
    lines.every(misses) &&
    over % lines.length === 0 &&
    isUnmarked(frame, left, right, y)
  );
}
