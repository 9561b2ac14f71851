// Hatches memory that the program has freed and that is still pending: another stream may
// read it.

import { Outline } from './outline.js';

/** Views of more states, and more pending tensors than this, are not hatched. */
const MOST_STATES = 600;
const MOST_TENSORS = 200;

/** Pixels between the lines of the hatching, and the least width and height of what is hatched. */
const PITCH = 5;
const LEAST_WIDTH = 3;
const LEAST_HEIGHT = 5;

/** @param {import('./overlay.js').Frame} frame */
export function drawPending({ painter, scales, layout, timeline, viewport, style }) {
  const { g } = painter;
  const { axis } = viewport;
  const { data } = timeline;
  const covered = axis.states(viewport.from, viewport.to);
  if (!covered || covered[1] - covered[0] > MOST_STATES) return;
  /** @type {{id: number, from: number, to: number}[]} states in view in which it waits */
  const waiting = [];
  data.pendingAlloc.forEach((id, i) => {
    const from = Math.max(covered[0], data.last[id] - data.pendingWait[i] + 1);
    const to = Math.min(covered[1], data.last[id]);
    if (from <= to) waiting.push({ id, from, to });
  });
  if (waiting.length === 0 || waiting.length > MOST_TENSORS) return;

  /** @type {[number, number, number, number][]} */
  const areas = [];
  for (const { id, from, to } of waiting) {
    const outline = new Outline(timeline, id);
    const size = data.size[id];
    for (let k = from; k <= to; k++) {
      const x = scales.x(axis.begins(k));
      const right = k === timeline.lastState ? scales.x(axis.extent) : scales.x(axis.begins(k + 1));
      const offset = outline.offset(k);
      const y = scales.y(offset + size);
      const height = scales.y(offset) - y;
      if (right - x >= LEAST_WIDTH && height >= LEAST_HEIGHT) areas.push([x, y, right - x, height]);
    }
  }
  const { left, top, plotWidth, plotHeight, bottom } = layout;
  painter.clip(left, top, plotWidth, plotHeight, () => {
    g.beginPath();
    for (const area of areas) g.rect(...area);
    g.clip();
    g.beginPath();
    for (let x = -plotHeight; x < plotWidth; x += PITCH) {
      g.moveTo(left + x, bottom);
      g.lineTo(left + x + plotHeight, top);
    }
    painter.stroke(style.theme === 'dark' ? '#000000aa' : '#ffffffba', 1.5);
  });
}
