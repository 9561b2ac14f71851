// Draws the lanes above the chart. However many ranges they have, a frame takes no
// longer: ranges that share a pixel are drawn as one block.

import { shortName } from '../../data/lanes.js';

/** Ranges narrower than this many pixels are drawn together. */
const CROWDED = 3;

/** From this width on, annotations begin with a line. */
const TICKED = 6;

/** Steps closer than this many pixels have no ticks. */
const STEPS_APART = 5;

/** Fills of annotations and phases, from light to dark. */
const FILLS = {
  light: { annotated: ['#e4e8ec', '#eef0f2'], phase: ['#f1f3f5', '#e6e8ea', '#d6d9dc', '#c2c6cb'] },
  dark: { annotated: ['#2b3139', '#22272d'], phase: ['#22262c', '#2a2f36', '#383e47', '#48505b'] },
};

/** @typedef {import('./layout.js').LaneRow} LaneRow */

/** @param {import('./overlay.js').Frame} frame */
export function drawLanes(frame) {
  const { painter, layout, style } = frame;
  const { left, plotWidth, lanes, lanesFolded } = layout;
  if (lanes.length === 0) return;
  for (const row of lanes) {
    painter.clip(left, row.top, plotWidth, row.height, () => drawRow(frame, row));
    if (row.label && !lanesFolded)
      painter.text(row.label, left - 8, row.top + row.height / 2 + 0.5, { align: 'right', color: style.ink3 });
  }
  if (lanesFolded) {
    const { top, height } = lanes[lanes.length - 1];
    painter.text('▸ lanes', left - 8, (lanes[0].top + top + height) / 2, { align: 'right', color: style.ink3 });
  }
  drawStepTicks(frame);
}

/** @param {import('./overlay.js').Frame} frame @param {LaneRow} row */
function drawRow({ painter, scales, layout, viewport, style }, { lane, top, height }) {
  const { g } = painter;
  const { left, lanesFolded, right } = layout;
  const { axis } = viewport;
  const { kinds } = lane;
  const fills = FILLS[style.theme].phase;
  const [plain, other] = FILLS[style.theme].annotated;
  for (let i = lane.after(axis, scales.position(left - 2)); i < lane.length; ) {
    const [a, b] = lane.span(axis, i).map(scales.x, scales);
    if (a > right) break;
    const width = b - a;
    g.fillStyle = kinds ? fills[kinds[i]] : i % 2 ? other : plain;
    if (width < CROWDED) {
      painter.fill(kinds ? fills[2] : style.strong, a, top, CROWDED - 1, height);
      i = Math.max(i + 1, lane.after(axis, scales.position(a + CROWDED - 1), i));
      continue;
    }
    g.fillRect(a, top, width - 1, height);
    if (!lanesFolded) {
      const from = Math.max(left, a);
      if (!kinds && a >= left && width >= TICKED) {
        painter.fill(lane.isStep(i) ? style.ink : style.ink3, a, top, lane.isStep(i) ? 1.5 : 1, height);
      }
      const weight = lane.isStep(i) ? 600 : 400;
      const name = shortName(lane.names[i]);
      const short = kinds ? name[0].toUpperCase() : (/\d+$/.exec(name)?.[0] ?? '');
      const text = fitted(painter, name, short, Math.min(right, b) - from - 8, weight);
      painter.text(text, from + 5, top + height / 2 + 0.5, { color: kinds ? style.ink : style.ink2, weight });
    }
    i++;
  }
}

/**
 * As much of a name as fits.
 * @param {import('../../kit/painter.js').Painter} painter @param {string} name
 * @param {string} short used instead of the name where little fits
 * @param {number} width @param {number} weight
 */
function fitted(painter, name, short, width, weight) {
  if (width < 6) return '';
  const whole = painter.measure(name, weight);
  if (whole <= width) return name;
  const letters = Math.floor((width / whole) * name.length) - 1;
  if (letters >= 3 && letters >= name.length / 3 && !/\d$/.test(name)) return name.slice(0, letters) + '…';
  return painter.measure(short, weight) <= width ? short : '';
}

/** The ticks over the lanes where steps begin. @param {import('./overlay.js').Frame} frame */
function drawStepTicks({ painter, scales, layout, viewport, style, steps }) {
  const { left, plotWidth, lanes, right } = layout;
  const { top } = lanes[0];
  const { axis } = viewport;
  const first = steps.at(axis.stateAt(viewport.from)) + 1;
  const last = steps.at(axis.stateAt(viewport.to));
  if ((last - first) * STEPS_APART > plotWidth) return;
  for (let i = first; i <= last; i++) {
    const x = Math.round(scales.x(axis.begins(steps.from[i])));
    if (x > left && x < right) painter.line(x, top - 5, x, top, { color: style.ink2, width: 2 });
  }
}

/**
 * The range under the pointer: its outline, and its ends in the plot.
 * @param {import('../../kit/painter.js').Painter} painter
 * @param {import('./layout.js').Scales} scales
 * @param {import('../../data/lanes.js').LaneHit} hit
 */
export function drawLaneHit(painter, scales, { lane, i }) {
  const { layout } = scales;
  const row = layout.lanes.find((r) => r.lane === lane);
  if (!row) return;
  const { left, plotWidth, bottom } = layout;
  const { style, g } = painter;
  const [a, b] = lane.span(scales.viewport.axis, i).map(scales.x, scales);
  painter.clip(left, 0, plotWidth + 1, bottom, () => {
    for (const x of [a, Math.max(b, a + CROWDED)])
      painter.line(x, row.top + row.height, x, bottom, { color: style.ink3, dash: [1, 3] });
    g.beginPath();
    g.rect(a + 0.5, row.top + 0.5, Math.max(b - a, CROWDED) - 1, row.height - 1);
    painter.stroke(style.ink, 1);
  });
}
