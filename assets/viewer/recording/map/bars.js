// The address space of a recording without events: there is no time to spread it over, so each segment of its one state
// is a bar, as long as it has bytes, in columns.

import { bytes, counted } from '../../kit/format.js';

/** Client pixels from one bar to the next. */
const PITCH = { least: 12, most: 24 };

/** Client pixels between columns, of the label of a bar, and the least width of a column without one. */
const BETWEEN = 14;
const LABEL = 56;
const NARROW = 6;

/** The part of the pitch that a bar takes. */
const BAR = 0.72;

/** @typedef {import('../data/segments.js').Segment} Segment @typedef {import('./overlay.js').SpaceFrame} SpaceFrame */
/** @typedef {{segment: Segment, x: number, y: number, width: number, height: number}} Bar in client pixels */

export class SegmentBars {
  /** @type {Bar[]} */
  bars = [];
  /** Segments that do not fit. */
  leftOut = 0;

  /**
   * @param {import('./places.js').ShownSpace} shown @param {import('../draw/layout.js').Layout} layout
   * @param {number} state
   */
  constructor(shown, layout, state) {
    this.unit = shown.space.unit;
    const { left, top, plotWidth, plotHeight } = layout;
    const segments = [...shown.segments(state).segments].sort((a, b) => b.bytes - a.bytes);
    const mostRows = Math.max(1, Math.floor(plotHeight / PITCH.least));
    const mostColumns = Math.max(1, Math.floor(plotWidth / (BETWEEN + NARROW)));
    const columns = Math.min(mostColumns, Math.max(1, Math.ceil(segments.length / mostRows)));
    const rows = Math.min(mostRows, Math.max(1, Math.ceil(segments.length / columns)));
    const pitch = Math.min(PITCH.most, plotHeight / rows);
    const label = columns * (BETWEEN + LABEL) < plotWidth / 2 ? LABEL : 0;
    const kept = segments.slice(0, rows * columns);
    this.leftOut = segments.length - kept.length;
    this.hasLabels = label > 0;
    // The first bar of a column is its longest.
    const longest = Array.from({ length: columns }, (_, c) => kept[c * rows]?.bytes ?? 0);
    const room = plotWidth - columns * (BETWEEN + label);
    const perByte = Math.max(0, room) / Math.max(1, longest.reduce((sum, b) => sum + b, 0));
    let x = left;
    for (let c = 0; c < columns; c++) {
      x += label;
      kept.slice(c * rows, (c + 1) * rows).forEach((segment, i) => {
        const width = Math.max(1, segment.bytes * perByte);
        this.bars.push({ segment, x, y: top + i * pitch, width, height: pitch * BAR });
      });
      x += longest[c] * perByte + BETWEEN;
    }
  }

  /** @param {number} x @param {number} y @returns {import('./places.js').Spot | null} */
  at(x, y) {
    const bar = this.bars.find((b) => b.x <= x && x < b.x + b.width && b.y <= y && y < b.y + b.height);
    if (!bar) return null;
    const { segment } = bar;
    const offset = ((x - bar.x) / bar.width) * segment.bytes;
    const holds = (/** @type {{offset: number, bytes: number}} */ part) =>
      part.offset <= offset && offset < part.offset + part.bytes;
    const id = segment.blocks.find(holds)?.id ?? -1;
    return { segment, id, hole: segment.holes.find(holds) ?? null, place: segment.place + offset / this.unit };
  }

  /** @param {SpaceFrame} frame */
  draw(frame) {
    const { painter, layout, style, colours, pinned, segment: pinnedSegment } = frame;
    const { left, top, plotWidth, plotHeight, bottom } = layout;
    const color = (/** @type {ArrayLike<number>} */ rgb) => `rgb(${rgb[0]},${rgb[1]},${rgb[2]})`;
    painter.fill(style.paper, left - 1, top - 2, plotWidth + 2, plotHeight + 6);
    for (const { segment, x, y, width, height } of this.bars) {
      const at = (/** @type {number} */ offset) => x + (offset / segment.bytes) * width;
      const part = (/** @type {string} */ fill, /** @type {number} */ offset, /** @type {number} */ size) =>
        painter.fill(fill, at(offset), y, Math.max(0.7, at(offset + size) - at(offset)), height);
      for (const hole of segment.holes)
        part(color(hole.returnable > 0 ? colours.returnable : colours.stuck), hole.offset, hole.bytes);
      for (const { id, offset, bytes: size } of segment.blocks) {
        const t = colours.index[id] * 3;
        part(color(colours.tensor.subarray(t, t + 3)), offset, size);
        if (at(size) - at(0) > 4) painter.fill(style.paper, at(offset + size) - 0.5, y, 0.5, height);
        if (id === pinned) outline(frame, at(offset), y, at(offset + size) - at(offset), height);
      }
      if (segment.reservation === pinnedSegment) outline(frame, x, y, width, height);
      // Labels of the first column are where the axis would be.
      if (this.hasLabels || x === left)
        painter.text(bytes(segment.bytes), x - 6, y + height / 2, { align: 'right', color: style.ink3 });
    }
    if (this.leftOut > 0)
      painter.text(`and ${counted(this.leftOut, 'smaller segment')}`, left, bottom + 10, { color: style.ink3 });
  }
}

/** @param {SpaceFrame} frame @param {number} x @param {number} y @param {number} width @param {number} height */
function outline({ painter, style }, x, y, width, height) {
  const { g } = painter;
  g.beginPath();
  g.rect(x, y, Math.max(2, width), height);
  painter.stroke(style.halo, 4);
  painter.stroke(style.select, 1.75);
}
