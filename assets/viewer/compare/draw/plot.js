// What is drawn over the pictures of the three plots: titles, lines of totals and of
// reserved memory, names of families, the moment that is compared, and the range.

import { bytes, counted } from '../../kit/format.js';
import { changeWords } from '../data/words.js';
import { drawLanes } from './lanes.js';
import { LANE } from './layout.js';

/**
 * @typedef {object} Frame all that the marks depend on
 * @property {import('../../kit/painter.js').Painter} painter
 * @property {import('../../kit/painter.js').Style} style
 * @property {import('../data/pair.js').Pair} pair
 * @property {import('./layout.js').Layout} layout
 * @property {import('./layout.js').Scales} scales
 * @property {[Int32Array, Int32Array]} columns the state of each pixel column, by side; -1: none
 * @property {import('../data/alignment.js').Alignment} alignment
 * @property {import('../data/alignment.js').Stretch[]} stretches
 * @property {(stretch: import('../data/alignment.js').Stretch) => boolean} chosen whether the moment is in it
 * @property {[number, number]} states of the moment
 * @property {[number, number] | null} range positions
 * @property {import('./difference.js').DifferenceColumns | null} difference
 * @property {{values: number[]}} pileTicks
 * @property {{values: number[]}} differenceTicks
 * @property {(family: number) => {color: string, ink: string, label: string}} family
 * @property {boolean} isPicking
 */

const SIDES = ['before', 'after'];

/** Outside of a range, over the picture. */
const DIM = { light: '#ffffff99', dark: '#14161a99' };

/** Most lines that part the stretches. */
const PARTED = 60;

/** @param {Frame} frame */
export function drawMarks(frame) {
  drawGrid(frame);
  drawParts(frame);
  drawRange(frame);
  drawPile(frame, 0);
  drawPile(frame, 1);
  drawNet(frame);
  drawLanes(frame);
  drawTitles(frame);
}

/** @param {Frame} frame */
function drawGrid({ painter, layout, scales, style, pileTicks, differenceTicks }) {
  const { left, right, piles, difference } = layout;
  const lines = (/** @type {number[]} */ values, /** @type {(v: number) => number} */ y) => {
    for (const v of values) {
      const at = Math.round(y(v)) + 0.5;
      painter.line(left, at, right, at, { color: v === 0 ? style.ink : style.grid });
    }
  };
  for (const box of piles)
    if (box)
      lines(
        pileTicks.values.filter((v) => v > 0),
        (v) => scales.y(v, box, scales.pile),
      );
  if (difference) lines(differenceTicks.values, (v) => scales.y(v, difference, scales.difference));
}

/** Lines where stretches begin. @param {Frame} frame */
function drawParts({ painter, layout, scales, style, stretches }) {
  const inView = stretches.filter(({ from }) => from > 0 && from > scales.from && from < scales.to);
  if (inView.length > PARTED) return;
  let last = -Infinity;
  for (const { from } of inView) {
    const x = Math.round(scales.x(from)) + 0.5;
    if (x - last < 4 || x - layout.left < 4) continue;
    last = x;
    painter.line(x, layout.laneTop + LANE.height, x, layout.bottom, { color: style.strong, dash: [2, 3] });
  }
}

/** @param {Frame} frame */
function drawRange({ painter, layout, scales, style, range }) {
  if (!range) return;
  const { left, right, piles, difference } = layout;
  const clamped = range.map((x) => Math.min(right, Math.max(left, scales.x(x))));
  const top = (piles[0] ?? piles[1] ?? { top: 0 }).top;
  for (const box of [...piles, difference]) {
    if (!box) continue;
    painter.fill(DIM[style.theme], left, box.top, clamped[0] - left, box.height);
    painter.fill(DIM[style.theme], clamped[1], box.top, right - clamped[1], box.height);
  }
  painter.fill(style.ink, clamped[0], top - 3, Math.max(2, clamped[1] - clamped[0]), 3);
  for (const x of range.map((p) => scales.x(p)))
    if (x >= left && x <= right) painter.line(x, top, x, layout.bottom, { color: style.ink, width: 1.5 });
}

/**
 * A line through a value of each column, with gaps where there is none.
 * @param {Frame} frame @param {(column: number) => number} yOf NaN: none
 */
function columnPath({ painter, layout, columns }, yOf) {
  const { g } = painter;
  const n = columns[0].length;
  const width = layout.plotWidth / n;
  let isDown = false;
  g.beginPath();
  for (let x = 0; x < n; x++) {
    const y = yOf(x);
    if (Number.isNaN(y)) {
      isDown = false;
      continue;
    }
    const left = layout.left + x * width;
    if (isDown) g.lineTo(left, y);
    else g.moveTo(left, y);
    g.lineTo(left + width, y);
    isDown = true;
  }
}

/** @param {Frame} frame @param {number} side */
function drawPile(frame, side) {
  const { painter, layout, scales, style, pair, columns } = frame;
  const box = layout.piles[side];
  if (!box) return;
  const { timeline } = pair.sides[side];
  const y = (/** @type {number} */ v) => scales.y(v, box, scales.pile);
  const of = (/** @type {number} */ from, /** @type {(k: number) => number} */ value) => (/** @type {number} */ x) =>
    columns[from][x] < 0 ? NaN : y(value(columns[from][x]));
  painter.clip(layout.left, box.top - 1, layout.plotWidth, box.height + 2, () => {
    columnPath(
      frame,
      of(side, (k) => timeline.active[k]),
    );
    painter.stroke(style.theme === 'dark' ? '#e9ebee99' : '#15181c99', 1);
    columnPath(
      frame,
      of(side, (k) => timeline.reservedAt(k)),
    );
    painter.stroke(style.ink2, 1.25);
  });
  if (side === 1) {
    const before = pair.sides[0].timeline;
    painter.clip(layout.left, box.top - 1, layout.plotWidth, box.height + 2, () => {
      columnPath(
        frame,
        of(0, (k) => before.active[k]),
      );
      painter.stroke(style.halo, 4);
      painter.stroke(style.ink, 1.5, [4, 3]);
    });
  }
  const { left, right } = layout;
  const bottom = box.top + box.height;
  painter.line(left, bottom + 0.5, right, bottom + 0.5, { color: style.strong });
  if (!frame.isPicking) drawNames(frame, side);
}

/** Room that a name needs, and how far the columns are apart that are looked at. */
const NAME_HEIGHT = 17;
const LOOK = 24;

/** The names of families, each where its band is tallest. @param {Frame} frame @param {number} side */
function drawNames({ painter, layout, scales, pair, columns, family, alignment, states }, side) {
  const box = layout.piles[side];
  if (!box) return;
  const { bands } = pair.sides[side];
  const n = columns[side].length;
  const perByte = box.height / (scales.pile.high - scales.pile.low);
  const moment = scales.x(alignment.middle(side, states[side])) - layout.left;
  bands.forEach((band, b) => {
    const { label, ink } = family(band.family);
    const half = painter.measure(label, 600) / 2 + 8;
    /** @type {{x: number, y: number, score: number} | null} */
    let best = null;
    for (let x = half; x < layout.plotWidth - half; x += LOOK) {
      // What the band has in common over the width of the name.
      let low = -Infinity;
      let high = Infinity;
      for (const at of [x - half, x - half / 2, x, x + half / 2, x + half - 1]) {
        const k = columns[side][Math.min(n - 1, Math.floor((at / layout.plotWidth) * n))];
        if (k < 0) high = -1;
        let below = 0;
        for (let i = 0; i < b; i++) below += bands[i].timeline.active[k] ?? 0;
        low = Math.max(low, below);
        high = Math.min(high, below + (band.timeline.active[k] ?? 0));
      }
      const tall = (high - low) * perByte;
      if (tall < NAME_HEIGHT) continue;
      const y = scales.y((low + high) / 2, box, scales.pile);
      // Not where the total of before is drawn over it.
      const total = side === 1 ? columns[0][Math.min(n - 1, Math.floor((x / layout.plotWidth) * n))] : -1;
      const isUnder = total >= 0 && Math.abs(scales.y(pair.sides[0].timeline.active[total], box, scales.pile) - y) < 12;
      const isCrossed = Math.abs(moment - x) < half;
      const score =
        Math.min(tall, 60) - Math.abs(x / layout.plotWidth - 0.45) * 20 - (isUnder ? 80 : 0) - (isCrossed ? 30 : 0);
      if (!best || score > best.score) best = { x, y, score };
    }
    if (best) painter.text(label, layout.left + best.x, best.y, { align: 'center', weight: 600, size: 12, color: ink });
  });
}

/** The net difference. @param {Frame} frame */
function drawNet(frame) {
  const { painter, layout, scales, style, difference } = frame;
  const box = layout.difference;
  if (!box || !difference) return;
  painter.clip(layout.left, box.top - 1, layout.plotWidth, box.height + 2, () => {
    columnPath(frame, (x) => scales.y(difference.net[x], box, scales.difference));
    painter.stroke(style.halo, 3.5);
    painter.stroke(style.ink, 1.25);
  });
}

/** @param {Frame} frame */
function drawTitles({ painter, layout, pair, style, columns }) {
  const { left, right, piles, difference } = layout;
  /** @param {number} y @param {string} name @param {string} words @param {string} [aside] */
  const title = (y, name, words, aside = '') => {
    painter.text(name, left, y, { weight: 600, size: 12 });
    const from = left + painter.measure(name, 600) * (12 / 11) + 10;
    const room = right - from - (aside ? painter.measure(aside) + 16 : 0);
    painter.text(painter.fit(words, Math.max(20, room)), from, y, { color: style.ink3 });
    if (aside) painter.text(aside, right, y, { align: 'right', color: style.ink3 });
  };
  piles.forEach((box, side) => {
    if (!box) return;
    const { device, timeline } = pair.sides[side];
    const peak = bytes(timeline.active[timeline.peak]);
    const words = `${device.file.name}   peak ${peak}, reserved ${bytes(timeline.reservedPeak)}`;
    title(box.top - 12, SIDES[side], words, side === 1 ? 'dashed: total of before' : '');
  });
  if (!difference) return;
  const perColumn = statesPerColumn(pair, columns);
  title(
    difference.top - 12,
    'difference',
    perColumn > 1
      ? 'after less before, at the highest state of each column; line: net'
      : 'after less before; line: net',
  );
}

/** @param {import('../data/pair.js').Pair} pair @param {[Int32Array, Int32Array]} columns */
function statesPerColumn({ sides }, columns) {
  return Math.max(...sides.map(({ data }, side) => data.events / Math.max(1, columns[side].length)));
}

/** The states that are compared, in both piles. @param {Frame} frame */
export function drawMoment({ painter, layout, scales, style, pair, alignment, states }) {
  layout.piles.forEach((box, side) => {
    if (!box) return;
    const k = states[side];
    const { timeline } = pair.sides[side];
    const x = scales.x(alignment.middle(side, k));
    if (x < layout.left - 1 || x > layout.right + 1) return;
    const total = timeline.active[k];
    const y = scales.y(total, box, scales.pile);
    painter.line(x, y, x, box.top + box.height, { color: style.ink, dash: [3, 3] });
    painter.triangle(x, y - 1, 5, 8, style.ink);
    // Beside the line where there is no room above it.
    const words = bytes(total);
    const isHigh = y - 28 < box.top;
    const half = painter.measure(words, 600) / 2 + 14;
    const aside = x + 2 * half > layout.right ? -half : half;
    painter.flag(words, isHigh ? x + aside : x, isHigh ? Math.max(box.top + 9, y - 4) : y - 19, {
      ...{ fill: style.paper, color: style.ink, border: style.strong, min: layout.left - 4, max: layout.right + 10 },
    });
  });
}

/**
 * The crosshair through all plots.
 * @param {Frame} frame @param {import('../state/stores.js').Point} point
 */
export function drawCrosshair({ painter, layout, scales, style, pair }, { x, states }) {
  const top = layout.laneTop + LANE.height;
  painter.line(Math.round(x) + 0.5, Math.max(0, top), Math.round(x) + 0.5, layout.bottom, { color: style.ink3 });
  layout.piles.forEach((box, side) => {
    if (!box || states[side] < 0) return;
    const y = scales.y(pair.sides[side].timeline.active[states[side]], box, scales.pile);
    painter.fill(style.halo, x - 3, y - 3, 7, 7);
    painter.fill(style.ink, x - 2, y - 2, 5, 5);
  });
  const box = layout.difference;
  if (!box || states.includes(-1)) return;
  const totals = pair.sides.map(({ timeline }, side) => timeline.active[states[side]]);
  painter.flag(changeWords(totals[1] - totals[0]), x, layout.bottom - 9, {
    ...{ fill: style.ink, color: style.paper, min: layout.left, max: layout.right },
  });
}

/** What the picture is, for those who do not see it. @param {import('../data/pair.js').Pair} pair */
export function describePlots({ sides }) {
  const [a, b] = sides.map(({ timeline: t }) => t.active[t.peak]);
  const events = sides.map(({ data }) => counted(data.events, 'event'));
  const before = `before, ${events[0]} with a peak of ${bytes(a)}`;
  const after = `after, ${events[1]} with a peak of ${bytes(b)}, ${changeWords(b - a)}`;
  return `Memory of two recordings over a common axis: ${before}; ${after}; and the difference between them`;
}
