// What is drawn over the chart: the marks, with every change of the view, and the
// crosshair, with every move of the pointer.

import { bytes, count, duration } from '../../kit/format.js';
import { clamp } from '../../kit/math.js';
import { drawCapacity, drawGrid, drawLowest, drawReserved, drawTop } from './curves.js';
import { labelPosition } from './labels.js';
import { drawLaneHit, drawLanes } from './lane_rows.js';
import { MINIMAP } from './layout.js';
import { drawFoot, drawOOMs, drawPeak, drawTicks } from './marks.js';
import { drawOutline } from './outline.js';
import { drawPending } from './pending.js';
import { drawRange } from './range_marks.js';
import { labelPredicted, labelReserved } from './reserved_labels.js';

/**
 * @typedef {{of: ArrayLike<number>, groups: {label: string, short?: string, ink: string}[]}} Names
 *   of: group of each allocation
 *
 * @typedef {object} Frame all that the marks depend on
 * @property {import('../../kit/painter.js').Painter} painter
 * @property {import('./layout.js').Scales} scales
 * @property {import('./layout.js').Layout} layout
 * @property {import('./layout.js').Ticks} ticks
 * @property {import('../../kit/painter.js').Style} style
 * @property {import('../../data/timeline.js').Timeline} timeline
 * @property {import('./layout.js').DrawnView} viewport
 * @property {Int32Array} columns the state of each column of the plot
 * @property {Int32Array} minimap the same of the minimap
 * @property {import('../../data/device.js').Marker[]} markers
 * @property {boolean} hasHistory
 * @property {Names[]} names written into the bands: the first that finds room
 * @property {import('./labels.js').BandLabels} labels keeps them while the view moves
 * @property {boolean} faded
 * @property {boolean} moving
 * @property {import('./outline.js').Outline | null} outline of the pinned tensor
 * @property {import('../../data/range.js').Range | null} range
 * @property {{steps: number, bytes: number, perStep: number} | null} growth of all active memory over the range
 * @property {boolean} isStacked whether the plot shows the pile, in bytes
 * @property {boolean} isPredicted whether it shows a predicted address space, while marks are those of the recording
 * @property {boolean} keptOnly whether the timeline is only of what the range keeps
 * @property {import('../../data/columns.js').Column | null} time of each event
 * @property {import('../../data/report.js').Capacity | null} capacity
 * @property {import('../../data/report.js').Predicted | null} predicted
 * @property {import('../../data/lanes.js').Steps} steps
 * @property {HTMLCanvasElement | null} patterns over the picture
 */

/** @param {Frame} frame */
export function drawMarks(frame) {
  const { painter, layout, style, hasHistory } = frame;
  const { left, top, plotWidth, plotHeight, right, bottom } = layout;
  if (frame.patterns) painter.g.drawImage(frame.patterns, left, top, plotWidth, plotHeight);
  drawGrid(frame);
  painter.clip(left, top - 4, plotWidth + 1, plotHeight + 4, () => {
    drawTop(frame);
    if (hasHistory) drawLowest(frame);
    if (!frame.keptOnly) drawReserved(frame);
  });
  if (hasHistory) drawPending(frame);
  drawNames(frame);
  drawFoot(frame);
  const flags = hasHistory ? drawOOMs(frame) : [];
  const ofRange = drawRange(frame, flags);
  if (hasHistory) drawTicks(frame, ofRange ? [...flags, ofRange] : flags);
  if (!frame.keptOnly) drawCapacity(frame);
  if (!frame.keptOnly) labelPredicted(frame, labelReserved(frame));
  drawLanes(frame);
  if (hasHistory) {
    if (!frame.keptOnly) drawPeak(frame);
    drawMinimap(frame);
    painter.text(frame.viewport.axis.kind === 'time' ? 'time' : 'event', right, bottom + 14, {
      align: 'right',
      color: style.ink3,
    });
  }
  const { outline } = frame;
  if (outline) {
    painter.clip(left, top, plotWidth, plotHeight, () => drawOutline(frame, outline));
  }
}

/** @param {Frame} frame */
function drawNames(frame) {
  const { scales, painter } = frame;
  if (frame.faded) return;
  const { labels, groups } = frame.labels.of(frame);
  for (const found of labels) {
    const { label, short, ink } = groups[found.group];
    const text = short ?? label;
    const at = labelPosition(found, scales, painter.measure(text, 600) * (12 / 11));
    if (at) painter.text(text, at.x, at.y + 0.5, { align: 'center', weight: 600, size: 12, color: ink });
  }
}

/**
 * The frame, the window and the marks of the minimap.
 * @param {Pick<Frame, 'painter' | 'scales' | 'layout' | 'viewport' | 'timeline' | 'minimap' | 'markers' |
 *   'style'>} frame
 */
export function drawMinimap({ painter, scales, layout, viewport, timeline, minimap, markers, style }) {
  const { g } = painter;
  const { left, minimapWidth, minimapTop: top } = layout;
  const right = left + minimapWidth;
  const { axis, from, to } = viewport;
  painter.text('all', left - 8, top + MINIMAP / 2, { align: 'right', color: style.ink3 });
  g.strokeStyle = style.strong;
  g.lineWidth = 1;
  g.strokeRect(left - 0.5, top - 0.5, minimapWidth + 1, MINIMAP + 1);
  drawMinimapCurve({ painter, layout, viewport, timeline, minimap, style });
  if (!viewport.isWhole) {
    const a = scales.minimapX(from);
    const b = Math.max(scales.minimapX(to), a + 3);
    g.fillStyle = style.theme === 'dark' ? '#14161ab3' : '#ffffffb3';
    g.fillRect(left, top, a - left, MINIMAP);
    g.fillRect(b, top, right - b, MINIMAP);
    g.strokeStyle = style.ink;
    g.lineWidth = 1.5;
    g.strokeRect(a - 0.5, top - 1.5, b - a + 1, MINIMAP + 3);
    g.fillStyle = style.ink;
    for (const edge of [a, b]) {
      g.beginPath();
      g.roundRect(edge - 2.5, top + MINIMAP / 2 - 8, 5, 16, 2);
      g.fill();
    }
  }
  painter.triangle(scales.minimapX(axis.middle(timeline.peak)), top + 4, 4, 6, style.ink);
  for (const m of markers) {
    if (m.kind !== 'oom') continue;
    painter.fill(style.oom, scales.minimapX(axis.middle(m.state)) - 1, top, 2, MINIMAP);
  }
}

/**
 * The total as a line on the minimap.
 * @param {Pick<Frame, 'painter' | 'layout' | 'viewport' | 'timeline' | 'minimap' | 'style'>} frame
 */
function drawMinimapCurve({ painter, layout, viewport, timeline, minimap, style }) {
  const { g } = painter;
  const { left, minimapWidth, minimapTop } = layout;
  const columnWidth = minimapWidth / minimap.length;
  g.beginPath();
  for (let x = 0; x < minimap.length && minimap[x] >= 0; x++)
    g.lineTo(
      left + (x + 0.5) * columnWidth,
      minimapTop + MINIMAP * (1 - timeline.active[minimap[x]] / viewport.ceiling),
    );
  painter.stroke(style.theme === 'dark' ? '#e9ebee80' : '#15181c80', 1);
}

/**
 * @typedef {object} Cursor what the crosshair stands on
 * @property {number} x client pixel of the timeline's element
 * @property {number} state
 * @property {boolean} hovered by the pointer, not set by a click
 *
 * @typedef {{x0: number, y0: number, x1: number, y1: number}} ZoomBox in client pixels of the timeline's element
 */

/**
 * @param {Pick<Frame, 'painter' | 'layout' | 'style' | 'scales' | 'ticks' | 'timeline' | 'viewport' | 'hasHistory' |
 *   'isStacked'>} frame
 * @param {Cursor | null} cursor
 * @param {ZoomBox | null} box being drawn to zoom into
 * @param {import('../../data/lanes.js').LaneHit | null} lane range of a lane under the pointer
 */
export function drawCursor(frame, cursor, box, lane) {
  const { painter, layout, style, scales, ticks, timeline, viewport, hasHistory, isStacked } = frame;
  const { g } = painter;
  const { left, top, right, bottom } = layout;
  if (box) {
    painter.fill(style.grid, box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0);
    g.strokeStyle = style.ink;
    g.setLineDash([4, 3]);
    g.strokeRect(Math.round(box.x0) + 0.5, Math.round(box.y0) + 0.5, box.x1 - box.x0, box.y1 - box.y0);
    return;
  }
  if (lane) drawLaneHit(painter, scales, lane);
  if (!cursor || !hasHistory || cursor.x < left || cursor.x > right) return;
  const x = Math.round(cursor.x) + 0.5;
  const total = timeline.active[cursor.state];
  const y = isStacked ? scales.y(total) : top - 1;
  g.globalAlpha = cursor.hovered ? 0.7 : 1;
  painter.line(x, clamp(y, top, bottom), x, bottom, { color: style.ink });
  g.globalAlpha = 1;
  // Flags on both axes hide the tick labels under them.
  g.fillStyle = style.paper;
  for (const v of ticks.x) if (Math.abs(scales.x(v) - x) < 62) g.fillRect(scales.x(v) - 32, bottom + 1.5, 64, 22);
  if (x > right - 92) g.fillRect(right - 34, bottom + 5, 36, 18);
  const { axis } = viewport;
  const flag = { fill: style.ink, color: style.paper };
  painter.flag(axis.kind === 'time' ? duration(axis.begins(cursor.state)) : count(cursor.state), x, bottom + 14, {
    ...flag,
    min: left,
    max: right,
  });
  if (y < top || y > bottom) return;
  g.beginPath();
  g.arc(x, y, 3, 0, 7);
  g.fillStyle = style.ink;
  g.fill();
  painter.stroke(style.paper, 1.5);
  if (!cursor.hovered) return;
  g.fillStyle = style.paper;
  for (const v of ticks.y) if (Math.abs(scales.y(v) - y) < 16) g.fillRect(0, scales.y(v) - 8, left - 3, 16);
  painter.flag(bytes(total), left - 30, y, { ...flag, min: 1, max: left - 1 });
}
