// What lies over the charts: the lane of steps, names of rows, bands and the selection.

import { multiples } from '../../kit/axes.js';
import { axisTime, bytes, counted, decimalInterval } from '../../kit/format.js';
import { showsGroups } from '../data/order.js';
import { drawCallouts } from './callouts.js';
import { dotScale } from './chart.js';
import { axisOf, scaleOf } from './layout.js';
import { baseOf, gapOf, topOf } from './piles.js';

/** More runs of ranks of a group than these have no names. */
const MOST_RUNS = 64;

/** @typedef {import('../../kit/axes.js').Scale} Scale */

/**
 * @typedef {object} Frame
 * @property {import('../../kit/painter.js').Painter} painter
 * @property {import('../state/state.js').State} state
 * @property {import('../data/rows.js').Rows} rows
 * @property {import('./layout.js').Layout} layout
 */

/** Draws all but the selection. @param {Frame} frame @returns {import('./callouts.js').Callout[]} where callouts are */
export function drawMarks(frame) {
  const { painter, state, rows, layout } = frame;
  drawLane(frame);
  if (rows.areHigh) drawNames(frame);
  else drawGutter(frame);
  drawEnds(frame);
  drawBand(frame);
  drawCaptions(frame);
  const callouts = layout.calloutWidth > 0 ? drawCallouts(frame) : [];
  if (state.shown.length === 0)
    painter.text('no rank', layout.left + 8, layout.top + 16, { color: painter.style.ink3 });
  return callouts;
}

/** @param {Frame} frame */
function drawLane(frame) {
  const { painter, state, layout } = frame;
  const { left, plotWidth, top } = layout;
  const axis = axisOf(state);
  const name = axis.isTime ? 'time' : state.job.view.steps ? 'step' : '';
  painter.text(name, left - 10, 14, { align: 'right', color: painter.style.ink3 });
  const scale = scaleOf(state, layout);
  painter.clip(left, 0, plotWidth, top, () => (axis.isTime ? drawTimes(frame, scale) : drawSteps(frame, scale)));
}

/** @param {Frame} frame @param {Scale} scale in milliseconds */
function drawTimes({ painter, layout }, scale) {
  const { style } = painter;
  const { from, to } = scale;
  painter.fill(style.sunk, layout.left, 6, layout.plotWidth, 16);
  const span = (to - from) * 1000;
  const interval = decimalInterval(span, Math.max(2, layout.plotWidth / 90));
  for (const us of multiples(from * 1000, to * 1000, interval)) {
    painter.fill(style.strong, Math.round(scale.x(us / 1000)), 6, 1, 16);
    painter.text(axisTime(us, span, interval), scale.x(us / 1000) + 5, 14.5, { color: style.ink2 });
  }
}

/** @param {Frame} frame @param {Scale} scale in stretches */
function drawSteps({ painter, state }, scale) {
  const { style } = painter;
  const { stretches, steps } = state.job.view;
  stretches.forEach((name, s) => {
    const x = scale.x(s);
    const width = scale.x(s + 1) - x;
    painter.fill(style.sunk, x + 0.5, 6, width - 1, 16);
    const words = s >= steps && width < 68 ? '…' : name;
    if (width > 14)
      painter.text(words, x + 6, 14.5, { color: s < steps ? style.ink : style.ink3, width: width - 8 });
  });
}

/** The name of each rank beside its pile. @param {Frame} frame */
function drawNames(frame) {
  const { painter, state, rows, layout } = frame;
  const { style } = painter;
  const { job } = state;
  const x = layout.left - 10;
  const small = /** @type {const} */ ({ align: 'right', color: style.ink3 });
  rows.list.forEach((rank, i) => {
    const r = job.ranks[rank];
    const [y0, y1] = [rows.edges[i], rows.edges[i + 1]];
    const y = (y0 + y1) / 2;
    const isHigh = y1 - y0 > 34;
    const color = job.ranOut(rank) ? style.oom : style.ink;
    painter.text(`rank ${r.name}`, x, y - (isHigh ? 8 : 0), { ...NAME, color, width: x - 4 });
    if (!isHigh) return;
    painter.text(r.error ? 'not read' : bytes(r.peak), x, y + 8, { ...small, width: x - 4 });
    if (y1 - y0 < 76 || (i > 0 && y1 - y0 <= 120)) return;
    const gap = gapOf(rows.rest) / 2;
    painter.text(bytes(topOf(job) * job.view.unit), x, y0 + gap + 5, small);
    painter.text(bytes(baseOf(job) * job.view.unit), x, y1 - gap - 5, small);
  });
}

/** How the name of a row is written. */
const NAME = /** @type {const} */ ({ align: 'right', weight: 600, size: 12 });

/** Runs of neighbours in one group. @param {Frame} frame */
function runsOf({ state, rows }) {
  const { job } = state;
  /** @type {{group: number, from: number, to: number, first: number, last: number}[]} */
  const runs = [];
  rows.list.forEach((rank, i) => {
    const { group } = job.ranks[rank];
    const run = runs.at(-1);
    if (run?.group === group) [run.to, run.last] = [rows.edges[i + 1], rank];
    else runs.push({ group, from: rows.edges[i], to: rows.edges[i + 1], first: rank, last: rank });
  });
  return runs;
}

/** Names of groups, or what the order begins and ends with. @param {Frame} frame */
function drawGutter(frame) {
  const { job, choice } = frame.state;
  const runs = showsGroups(choice.order) && job.groups.length > 0 ? runsOf(frame) : null;
  if (runs && runs.length <= MOST_RUNS) for (const run of runs) drawRun(frame, run);
  else drawOrder(frame);
}

/** @param {Frame} frame @param {ReturnType<typeof runsOf>[0]} run */
function drawRun({ painter, state, rows, layout }, { group, from, to, first, last }) {
  const { style } = painter;
  const { job } = state;
  const { left, top, plotWidth } = layout;
  const x = left - 10;
  painter.fill(style.strong, left - 5, from + 3, 1, Math.max(1, to - from - 6));
  if (from > top + 1) painter.fill(style.paper, left, from - 1, plotWidth, 2);
  if (to - from <= 14) return;
  const g = job.groups[group];
  const isWhole = rows.list.length === job.ranks.length;
  const name = g && isWhole ? g.name : `${job.ranks[first].name}–${job.ranks[last].name}`;
  const y = (from + to) / 2;
  const isHigh = to - from > 46;
  painter.text(g ? `ranks ${name}` : 'no group', x, y - (isHigh ? 15 : 0), { ...NAME, width: x - 4 });
  if (!isHigh || !g) return;
  const small = /** @type {const} */ ({ align: 'right', color: style.ink3, width: x - 4 });
  painter.text(`${isWhole ? '' : 'of '}${counted(g.ranks, 'rank')}`, x, y, small);
  painter.text(`median ${bytes(g.median)}`, x, y + 15, small);
}

/** What an order begins and ends with. */
const ENDS = {
  rank: ['first rank', 'last rank'],
  group: ['first group', 'last group'],
  peak: ['highest peak', 'lowest peak'],
  reserved: ['most reserved', 'least'],
  growth: ['grows most', 'grows least'],
  differs: ['differs most', 'least'],
};

/** @param {Frame} frame */
function drawOrder({ painter, state, layout }) {
  const { job, choice } = state;
  const [first, last] = ENDS[choice.order];
  const x = layout.left - 10;
  const below = job.ranks.length - choice.to;
  const small = /** @type {const} */ ({ align: 'right', color: painter.style.ink3, width: x - 4 });
  painter.text(choice.from === 0 ? first : `${choice.from} above`, x, layout.top + 7, small);
  painter.text(below === 0 ? last : `${below} below`, x, layout.top + layout.plotHeight - 7, small);
}

/** Where ranks ran out of memory. @param {Frame} frame */
function drawEnds({ painter, state, rows, layout }) {
  const { style } = painter;
  const { job } = state;
  const { left, plotWidth } = layout;
  const { isTime } = axisOf(state);
  const scale = scaleOf(state, layout);
  rows.list.forEach((rank, i) => {
    if (!job.ranOut(rank)) return;
    const end = isTime
      ? Math.max(...(job.ranks[rank].times ?? []).map(([, t]) => t))
      : job.endColumn(rank) / job.view.per_stretch;
    const x = scale.x(end);
    if (x < left || x > left + plotWidth + 1) return;
    const [y0, y1] = [rows.edges[i], rows.edges[i + 1]];
    if (!rows.areHigh) {
      painter.fill(style.oom, x - 4, y0 + rows.own[i], 4, Math.max(1, y1 - y0 - 2 * rows.own[i]));
      return;
    }
    const gap = gapOf(rows.rest) / 2;
    painter.fill(style.oom, x - 1, y0 + gap, 2, y1 - y0 - 2 * gap);
    const width = painter.measure('out of memory', 600) + 10;
    if (y1 - y0 < 36 || width > plotWidth) return;
    const at = Math.min(x + 1, left + plotWidth + 1) - width;
    painter.fill(style.oom, at, y0 + gap, width, 16);
    painter.text('out of memory', at + 5, y0 + gap + 8.5, { color: style.paper, weight: 600 });
  });
}

/** The scale of the dots, and what is not different in each group. @param {Frame} frame */
function drawBand(frame) {
  const { painter, state, rows, layout } = frame;
  const { style, g: canvas } = painter;
  const { job, choice } = state;
  const { dotsLeft: left, dotsWidth: width, top, plotHeight } = layout;
  if (width === 0 || !job.ranks.some((r) => !r.error)) return;
  const { low, high } = dotScale(job);
  const x = (/** @type {number} */ v) => left + ((v - low) / (high - low)) * width;
  const isWide = painter.measure(bytes(low)) + painter.measure(bytes(high)) + 6 < width + 10;
  if (isWide) painter.text(bytes(low), left - 4, 14.5, { color: style.ink3 });
  painter.text(bytes(high), left + width + 4, 14.5, { align: 'right', color: style.ink3 });
  canvas.strokeStyle = style.hair;
  canvas.lineWidth = 1;
  canvas.strokeRect(left - 4.5, top - 0.5, width + 9, plotHeight + 1);
  const shade = style.theme === 'dark' ? '#e9ebee10' : '#15181c0e';
  for (const { group, from, to } of showsGroups(choice.order) ? runsOf(frame) : []) {
    const g = job.groups[group];
    if (!g) continue;
    const a = Math.max(left - 4, x(g.median - g.limit));
    const b = Math.min(left + width + 4, x(g.median + g.limit));
    painter.fill(shade, a, from, b - a, to - from);
  }
  if (!rows.areHigh) return;
  for (const rank of rows.list)
    if (!job.ranks[rank].error)
      painter.fill(style.strong, x(job.ranks[rank].reserved) - 1, rows.middle(rank) - 7, 2, 14);
}

/** What a row of pixels is, under the plot. @param {Frame} frame */
function drawCaptions(frame) {
  const { painter, rows, layout } = frame;
  const { left, plotWidth, dotsLeft, dotsWidth, width, height } = layout;
  const y = height - 12;
  const { ink3: color } = painter.style;
  painter.text(rows.areHigh ? pileCaption(frame) : rowCaption(frame), left, y, { color, width: plotWidth });
  if (dotsWidth === 0) return;
  const words = rows.areHigh ? 'dot: peak, bar: reserved' : 'peak of each rank; grey: not different';
  painter.text(words, dotsLeft - 4, y, { color, width: width - dotsLeft - 4 });
}

/** @param {Frame} frame */
function pileCaption({ state: { job } }) {
  const base = baseOf(job) * job.view.unit;
  const parts = [
    base && `${bytes(base)} below, on every rank`,
    'line: reserved',
    job.groups.length > 0 && 'dashed: highest of each step, median of the group',
  ];
  return parts.filter(Boolean).join(' · ');
}

/** @param {Frame} frame */
function rowCaption({ rows, layout }) {
  const per = 1 / (rows.rest * devicePixelRatio);
  const ranks = per < 10 ? per.toFixed(1) : Math.round(per);
  const words =
    per > 1.05
      ? `1 row of pixels = ${ranks} ranks, drawn as the one that differs most`
      : `1 rank = ${rows.rest.toFixed(1)} px`;
  return words + (rows.isUneven && layout.plotWidth > 480 ? '; ranks with a finding are drawn larger' : '');
}

/**
 * Outlines the selected rank and the one under the pointer.
 * @param {Frame} frame
 * @param {[number, number] | null} brush pixels
 */
export function drawSelection({ painter, state, rows, layout }, brush) {
  const { g, style } = painter;
  const { left, top, plotWidth, plotHeight } = layout;
  const outline = (/** @type {number} */ rank, /** @type {string} */ color) => {
    const i = rows.indexOf.get(rank);
    if (i === undefined) return;
    const gap = rows.areHigh ? gapOf(rows.rest) / 2 - 2 : 0;
    const height = Math.max(rows.edges[i + 1] - rows.edges[i] - 2 * gap, 5);
    g.strokeStyle = color;
    g.lineWidth = 1.75;
    g.strokeRect(left - 2, rows.middle(rank) - height / 2 - 0.5, plotWidth + 4, height + 1);
  };
  if (state.hover >= 0) outline(state.hover, style.ink3);
  if (state.choice.selected >= 0) outline(state.choice.selected, style.select);
  if (!brush) return;
  const [a, b] = [Math.min(...brush), Math.max(...brush)];
  g.globalAlpha = 0.6;
  painter.fill(style.paper, left, top, a - left, plotHeight);
  painter.fill(style.paper, b, top, left + plotWidth - b, plotHeight);
  g.globalAlpha = 1;
  painter.fill(style.ink, a, 3, b - a, 3);
  for (const x of [a, b]) painter.fill(style.ink, x - 0.75, top, 1.5, plotHeight);
}
