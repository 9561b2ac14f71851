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

/**
 * What is pending in view, unless that is too much to be told apart.
 * @param {import('../../data/timeline.js').Timeline} timeline @param {import('./layout.js').DrawnView} viewport
 * @returns {{id: number, from: number, to: number}[]} the states in view in which each waits
 */
export function waitingIn({ data }, { axis, from, to }) {
  const covered = axis.states(from, to);
  if (!covered || covered[1] - covered[0] > MOST_STATES) return [];
  /** @type {{id: number, from: number, to: number}[]} */
  const waiting = [];
  data.pendingAlloc.forEach((id, i) => {
    const first = Math.max(covered[0], data.last[id] - data.pendingWait[i] + 1);
    const last = Math.min(covered[1], data.last[id]);
    if (first <= last) waiting.push({ id, from: first, to: last });
  });
  return waiting.length > MOST_TENSORS ? [] : waiting;
}

/** @param {import('./overlay.js').Frame} frame */
export function drawPending({ painter, scales, layout, timeline, viewport, style }) {
  const { axis } = viewport;
  /** @type {[number, number, number, number][]} */
  const areas = [];
  for (const { id, from, to } of waitingIn(timeline, viewport)) {
    const outline = new Outline(timeline, id);
    const size = timeline.data.size[id];
    for (let k = from; k <= to; k++) {
      const x = scales.x(axis.begins(k));
      const right = k === timeline.lastState ? scales.x(axis.extent) : scales.x(axis.begins(k + 1));
      const offset = outline.offset(k);
      const y = scales.y(offset + size);
      const height = scales.y(offset) - y;
      if (right - x >= LEAST_WIDTH && height >= LEAST_HEIGHT) areas.push([x, y, right - x, height]);
    }
  }
  const { left, top, plotWidth, plotHeight } = layout;
  painter.clip(left, top, plotWidth, plotHeight, () =>
    hatchIn(painter, areas, style.theme === 'dark' ? '#000000aa' : '#ffffffba', 1.5, PITCH),
  );
}

/**
 * Hatches areas with lines that run on from one to the next.
 * @param {import('../../kit/painter.js').Painter} painter
 * @param {[number, number, number, number][]} areas x, y, width, height
 * @param {string} color @param {number} width of a line @param {number} pitch
 */
export function hatchIn(painter, areas, color, width, pitch) {
  if (areas.length === 0) return;
  const { g } = painter;
  const left = Math.min(...areas.map(([x]) => x));
  const right = Math.max(...areas.map(([x, , w]) => x + w));
  const top = Math.min(...areas.map(([, y]) => y));
  const bottom = Math.max(...areas.map(([, y, , h]) => y + h));
  g.save();
  g.beginPath();
  for (const area of areas) g.rect(...area);
  g.clip();
  g.beginPath();
  // Lines stand where they do in every other area.
  for (let x = Math.floor((left - (bottom - top)) / pitch) * pitch + (bottom % pitch); x < right; x += pitch) {
    g.moveTo(x, bottom);
    g.lineTo(x + bottom - top, top);
  }
  painter.stroke(color, width);
  g.restore();
}
