// The exact outline of one allocation in the pile of every column.

import { bisect } from '../../kit/math.js';

/**
 * The offset of an allocation in the pile of each state. Only frees change what lies below
 * it, so its offset never rises.
 */
export class Outline {
  /** @param {import('../../data/timeline.js').Timeline} timeline @param {number} id */
  constructor(timeline, id) {
    this.timeline = timeline;
    this.id = id;
    const { data } = timeline;
    const first = data.first[id];
    const below = timeline.live(first).filter((i) => i < id);
    /** The allocations below it in the order in which they are freed. */
    this.below = below.sort((a, b) => data.last[a] - data.last[b]);
    let sum = 0;
    /** bytesBefore[i]: bytes of the first i of them. */
    this.bytesBefore = Float64Array.from({ length: below.length + 1 }, (_, i) =>
      i === 0 ? 0 : (sum += data.size[this.below[i - 1]]),
    );
  }

  /** @param {number} k a state in which it is live @returns {number} bytes below it */
  offset(k) {
    const { last } = this.timeline.data;
    const { length } = this.below;
    const gone = bisect(0, length, (i) => last[this.below[i]] < k);
    return this.bytesBefore[length] - this.bytesBefore[gone];
  }

  /** @param {number} k */
  isLive(k) {
    const { first, last } = this.timeline.data;
    return first[this.id] <= k && k <= last[this.id];
  }
}

/**
 * @param {import('./overlay.js').Frame} frame
 * @param {Outline} outline
 */
export function drawOutline({ painter, scales, layout, columns, timeline, style }, outline) {
  const { g } = painter;
  const columnWidth = layout.plotWidth / columns.length;
  const size = timeline.data.size[outline.id];
  const from = columns.findIndex((k) => outline.isLive(k));
  if (from < 0) return;
  let to = from;
  while (to < columns.length && columns[to] >= 0 && outline.isLive(columns[to])) to++;
  const lows = Array.from(columns.subarray(from, to), (k) => outline.offset(k));
  g.beginPath();
  for (let x = from; x < to; x++) {
    const y = scales.y(lows[x - from] + size);
    g.lineTo(layout.left + x * columnWidth, y);
    g.lineTo(layout.left + (x + 1) * columnWidth, y);
  }
  for (let x = to - 1; x >= from; x--) {
    const y = scales.y(lows[x - from]);
    g.lineTo(layout.left + (x + 1) * columnWidth, y);
    g.lineTo(layout.left + x * columnWidth, y);
  }
  g.closePath();
  g.lineJoin = 'round';
  painter.stroke(style.halo, 4);
  painter.stroke(style.select, 1.75);
}
