// What lies over the charts: the lane of steps, names of rows, bands, callouts, the selection.

import { axisTime, bytes, change, counted, decimalInterval } from '../../kit/format.js';
import { showsGroups } from '../data/order.js';
import { spread } from '../data/rows.js';
import { dotScale } from './chart.js';
import { axisOf } from './layout.js';
import { baseOf, gapOf, topOf } from './piles.js';
import { fitted } from './style.js';

/** Height of a callout. */
const CALLOUT = 34;

/**
 * @typedef {object} Frame
 * @property {CanvasRenderingContext2D} ctx
 * @property {import('../state/state.js').State} state
 * @property {import('../data/rows.js').Rows} rows
 * @property {import('./layout.js').Layout} layout
 * @property {any} style
 */
/** @typedef {{rank: number, y: number}} Callout */

/** Draws all but the selection. @param {Frame} frame @returns {Callout[]} where callouts are */
export function drawMarks(frame) {
  const { ctx, state, rows, layout, style } = frame;
  ctx.clearRect(0, 0, layout.width, layout.height);
  drawLane(frame);
  if (rows.areHigh) drawNames(frame);
  else drawGutter(frame);
  drawEnds(frame);
  drawBand(frame);
  drawCaptions(frame);
  const callouts = layout.calloutWidth > 0 ? drawCallouts(frame) : [];
  if (state.shown.length === 0) {
    text(frame, 'no rank', layout.left + 8, layout.top + 16, style.ink3);
  }
  return callouts;
}

/**
 * @param {Frame} frame @param {string} words @param {number} x @param {number} y @param {string} color
 * @param {string} [font] @param {CanvasTextAlign} [align] @param {number} [width]
 */
function text({ ctx, style }, words, x, y, color, font = '11px', align = 'left', width = Infinity) {
  ctx.font = `${font} ${style.font}`;
  ctx.fillStyle = color;
  ctx.textAlign = align;
  ctx.fillText(width === Infinity ? words : fitted(ctx, words, width), x, y);
}

/** @param {Frame} frame */
function drawLane(frame) {
  const { ctx, state, layout, style } = frame;
  const { job } = state;
  const axis = axisOf(state);
  const at = (/** @type {number} */ v) => layout.left + ((v - axis.from) / (axis.to - axis.from)) * layout.plotWidth;
  text(frame, axis.isTime ? 'time' : job.view.steps ? 'step' : '', layout.left - 10, 14, style.ink3, '11px', 'right');
  ctx.save();
  ctx.beginPath();
  ctx.rect(layout.left, 0, layout.plotWidth, layout.top);
  ctx.clip();
  if (axis.isTime) {
    ctx.fillStyle = style.sunk;
    ctx.fillRect(layout.left, 6, layout.plotWidth, 16);
    const span = (axis.to - axis.from) * 1000;
    const step = decimalInterval(span, Math.max(2, layout.plotWidth / 90));
    for (let us = Math.ceil((axis.from * 1000) / step) * step; us < axis.to * 1000; us += step) {
      ctx.fillStyle = style.strong;
      ctx.fillRect(Math.round(at(us / 1000)), 6, 1, 16);
      text(frame, axisTime(us, span, step), at(us / 1000) + 5, 14.5, style.ink2);
    }
  } else {
    const { stretches, steps } = job.view;
    stretches.forEach((name, s) => {
      const [x, end] = [at(s), at(s + 1)];
      ctx.fillStyle = style.sunk;
      ctx.fillRect(x + 0.5, 6, end - x - 1, 16);
      text(
        frame,
        s >= steps && end - x < 68 ? '…' : name,
        x + 6,
        14.5,
        s < steps ? style.ink : style.ink3,
        '11px',
        'left',
        end - x - 8,
      );
    });
  }
  ctx.restore();
}

/** The name of each rank beside its pile. @param {Frame} frame */
function drawNames(frame) {
  const { state, rows, layout, style } = frame;
  const { job } = state;
  const x = layout.left - 10;
  rows.list.forEach((rank, i) => {
    const r = job.ranks[rank];
    const [y0, y1] = [rows.edges[i], rows.edges[i + 1]];
    const y = (y0 + y1) / 2;
    const isHigh = y1 - y0 > 34;
    text(
      frame,
      `rank ${r.name}`,
      x,
      y - (isHigh ? 8 : 0),
      job.ranOut(rank) ? style.oom : style.ink,
      '600 12px',
      'right',
      x - 4,
    );
    if (!isHigh) return;
    text(frame, r.error ? 'not read' : bytes(r.peak), x, y + 8, style.ink3, '11px', 'right', x - 4);
    if (i > 0 && y1 - y0 <= 120) return;
    const gap = gapOf(rows.rest) / 2;
    const { unit } = job.view;
    if (y1 - y0 < 76) return;
    text(frame, bytes(topOf(job) * unit), x, y0 + gap + 5, style.ink3, '11px', 'right');
    text(frame, bytes(baseOf(job) * unit), x, y1 - gap - 5, style.ink3, '11px', 'right');
  });
}

/** Runs of neighbours in one group. @param {Frame} frame */
function runsOf({ state, rows }) {
  const { job } = state;
  /** @type {{group: number, from: number, to: number, ranks: number[]}[]} */
  const runs = [];
  rows.list.forEach((rank, i) => {
    const { group } = job.ranks[rank];
    const last = runs.at(-1);
    if (last && last.group === group) [last.to, last.ranks] = [rows.edges[i + 1], [...last.ranks.slice(0, 1), rank]];
    else runs.push({ group, from: rows.edges[i], to: rows.edges[i + 1], ranks: [rank] });
  });
  return runs;
}

/** Names of groups, or what the order begins and ends with. @param {Frame} frame */
function drawGutter(frame) {
  const { ctx, state, rows, layout, style } = frame;
  const { job, choice } = state;
  const x = layout.left - 10;
  if (showsGroups(choice.order) && job.groups.length > 0) {
    const runs = runsOf(frame);
    if (runs.length <= 64) {
      for (const { group, from, to, ranks } of runs) {
        const g = job.groups[group];
        ctx.fillStyle = style.strong;
        ctx.fillRect(layout.left - 5, from + 3, 1, Math.max(1, to - from - 6));
        if (from > layout.top + 1) {
          ctx.fillStyle = style.bg;
          ctx.fillRect(layout.left, from - 1, layout.plotWidth, 2);
        }
        const y = (from + to) / 2;
        const isWhole = rows.list.length === job.ranks.length;
        const name =
          g && isWhole
            ? `ranks ${g.name}`
            : `ranks ${job.ranks[ranks[0]].name}–${job.ranks[ranks[ranks.length - 1]].name}`;
        if (to - from > 14) {
          const isHigh = to - from > 46;
          text(frame, g ? name : 'no group', x, y - (isHigh ? 15 : 0), style.ink, '600 12px', 'right', x - 4);
          if (isHigh && g) {
            text(
              frame,
              isWhole ? counted(g.ranks, 'rank') : `of ${counted(g.ranks, 'rank')}`,
              x,
              y,
              style.ink3,
              '11px',
              'right',
              x - 4,
            );
            text(frame, `median ${bytes(g.median)}`, x, y + 15, style.ink3, '11px', 'right', x - 4);
          }
        }
      }
      return;
    }
  }
  const words = {
    rank: ['first rank', 'last rank'],
    group: ['first group', 'last group'],
    peak: ['highest peak', 'lowest peak'],
    reserved: ['most reserved', 'least'],
    growth: ['grows most', 'grows least'],
    differs: ['differs most', 'least'],
  }[choice.order];
  const { from, to } = choice;
  text(frame, from === 0 ? words[0] : `${from} above`, x, layout.top + 7, style.ink3, '11px', 'right', x - 4);
  const left = job.ranks.length - to;
  text(
    frame,
    left === 0 ? words[1] : `${left} below`,
    x,
    layout.top + layout.plotHeight - 7,
    style.ink3,
    '11px',
    'right',
    x - 4,
  );
}

/** Where ranks ran out of memory. @param {Frame} frame */
function drawEnds(frame) {
  const { ctx, state, rows, layout, style } = frame;
  const { job } = state;
  const axis = axisOf(state);
  rows.list.forEach((rank, i) => {
    if (!job.ranOut(rank)) return;
    let end = job.endColumn(rank) / job.view.per_stretch;
    if (axis.isTime) end = Math.max(...(job.ranks[rank].times ?? []).map(([, t]) => t));
    const x = layout.left + ((end - axis.from) / (axis.to - axis.from)) * layout.plotWidth;
    if (x < layout.left || x > layout.left + layout.plotWidth + 1) return;
    const [y0, y1] = [rows.edges[i], rows.edges[i + 1]];
    ctx.fillStyle = style.oom;
    if (!rows.areHigh) {
      ctx.fillRect(x - 4, y0 + (rows.own[i] ? 1 : 0), 4, Math.max(1, y1 - y0 - (rows.own[i] ? 2 : 0)));
      return;
    }
    const gap = gapOf(rows.rest) / 2;
    ctx.fillRect(x - 1, y0 + gap, 2, y1 - y0 - 2 * gap);
    ctx.font = `600 11px ${style.font}`;
    const width = ctx.measureText('out of memory').width + 10;
    if (y1 - y0 < 36 || width > layout.plotWidth) return;
    const left = Math.min(x + 1, layout.left + layout.plotWidth + 1) - width;
    ctx.fillRect(left, y0 + gap, width, 16);
    text(frame, 'out of memory', left + 5, y0 + gap + 8.5, style.bg, '600 11px');
  });
}

/** The scale of the dots, and what is not different in each group. @param {Frame} frame */
function drawBand(frame) {
  const { ctx, state, rows, layout, style } = frame;
  const { job, choice } = state;
  const { dotsLeft: x0, dotsWidth: width, top, plotHeight } = layout;
  if (width === 0 || !job.ranks.some((r) => !r.error)) return;
  const { low, high } = dotScale(job);
  const at = (/** @type {number} */ v) => x0 + ((v - low) / (high - low)) * width;
  const names = [bytes(low), bytes(high)];
  ctx.font = `11px ${style.font}`;
  const isWide = names.reduce((w, n) => w + ctx.measureText(n).width, 6) < width + 10;
  if (isWide) text(frame, names[0], x0 - 4, 14.5, style.ink3);
  text(frame, names[1], x0 + width + 4, 14.5, style.ink3, '11px', 'right');
  ctx.strokeStyle = style.hair;
  ctx.lineWidth = 1;
  ctx.strokeRect(x0 - 4.5, top - 0.5, width + 9, plotHeight + 1);
  if (showsGroups(choice.order)) {
    ctx.fillStyle = style.isDark ? '#e9ebee10' : '#15181c0e';
    for (const { group, from, to } of runsOf(frame)) {
      const g = job.groups[group];
      if (!g) continue;
      const a = Math.max(x0 - 4, at(g.median - g.limit));
      const b = Math.min(x0 + width + 4, at(g.median + g.limit));
      ctx.fillRect(a, from, b - a, to - from);
    }
  }
  if (!rows.areHigh) return;
  ctx.fillStyle = style.strong;
  rows.list.forEach((rank, i) => {
    const y = (rows.edges[i] + rows.edges[i + 1]) / 2;
    if (!job.ranks[rank].error) ctx.fillRect(at(job.ranks[rank].reserved) - 1, y - 7, 2, 14);
  });
}

/** What a row of pixels is, under the plot. @param {Frame} frame */
function drawCaptions(frame) {
  const { state, rows, layout, style } = frame;
  const { job } = state;
  const y = layout.height - 12;
  const unit = job.view.unit;
  let words;
  if (rows.areHigh) {
    const base = baseOf(job) * unit;
    words = [
      base ? `${bytes(base)} below, on every rank` : '',
      'line: reserved',
      job.groups.length ? 'dashed: highest of each step, median of the group' : '',
    ]
      .filter(Boolean)
      .join(' · ');
  } else {
    const per = 1 / (rows.rest * (devicePixelRatio || 1));
    words =
      per > 1.05
        ? `1 row of pixels = ${per < 10 ? per.toFixed(1) : Math.round(per)} ranks, drawn as the one that differs most`
        : '1 rank = ' + rows.rest.toFixed(1) + ' px';
    if (rows.isUneven && layout.plotWidth > 480) words += '; ranks with a finding are drawn larger';
  }
  text(frame, words, layout.left, y, style.ink3, '11px', 'left', layout.plotWidth);
  if (layout.dotsWidth === 0) return;
  const room = layout.width - layout.dotsLeft - 4;
  text(
    frame,
    rows.areHigh ? 'dot: peak, bar: reserved' : 'peak of each rank; grey: not different',
    layout.dotsLeft - 4,
    y,
    style.ink3,
    '11px',
    'left',
    room,
  );
}

/** @param {Frame} frame @returns {Callout[]} */
function drawCallouts(frame) {
  const { ctx, state, rows, layout, style } = frame;
  const { job } = state;
  const { low, high } = dotScale(job);
  /** @type {Map<number, import('../data/job.js').Finding>} */
  const first = new Map();
  for (const f of job.view.findings)
    for (const rank of [f.rank, ...(f.also ?? [])]) if (!first.has(rank) && rows.indexOf.has(rank)) first.set(rank, f);
  const room = Math.floor(layout.plotHeight / CALLOUT);
  const list = [...first].slice(0, room).map(([rank, finding]) => ({ rank, finding, at: rows.middle(rank) }));
  list.sort((a, b) => a.at - b.at);
  const ys = spread(
    list.map(({ at }) => at),
    CALLOUT,
    layout.top + 15,
    layout.top + layout.plotHeight - 15,
  );
  list.forEach(({ rank, finding: f, at }, i) => {
    const y = ys[i];
    const color =
      f.kind === 'out_of_memory'
        ? style.oom
        : !job.isOdd(f)
          ? style.ink2
          : (f.change ?? 0) > 0
            ? style.more
            : style.less;
    const r = job.ranks[rank];
    const x = layout.dotsLeft + ((r.peak - low) / (high - low)) * layout.dotsWidth;
    ctx.globalAlpha = state.matches && !state.matches[rank] ? 0.25 : 1;
    ctx.strokeStyle = color;
    ctx.lineWidth = 1;
    ctx.beginPath();
    const edge = layout.dotsLeft + layout.dotsWidth + 8;
    if (r.error) ctx.moveTo(edge, at);
    else ctx.moveTo(Math.min(edge, x + 5), at);
    ctx.lineTo(edge, at);
    ctx.lineTo(layout.calloutLeft - 6, y);
    ctx.stroke();
    const size = f.change ? `  ${change(f.change)}${f.kind === 'leaks' ? '/step' : ''}` : '';
    const isPlain = !job.isOdd(f) && f.kind !== 'out_of_memory';
    text(
      frame,
      `rank ${r.name}${size}`,
      layout.calloutLeft,
      y - 7,
      isPlain ? style.ink : color,
      '600 12px',
      'left',
      layout.calloutWidth,
    );
    text(frame, f.what, layout.calloutLeft, y + 8, style.ink2, '11px', 'left', layout.calloutWidth);
    ctx.globalAlpha = 1;
  });
  return list.map(({ rank }, i) => ({ rank, y: ys[i] }));
}

/**
 * Outlines the selected rank and the one under the pointer.
 * @param {Frame} frame
 * @param {[number, number] | null} brush pixels
 */
export function drawSelection({ ctx, state, rows, layout, style }, brush) {
  ctx.clearRect(0, 0, layout.width, layout.height);
  const outline = (/** @type {number} */ rank, /** @type {string} */ color) => {
    const i = rows.indexOf.get(rank);
    if (i === undefined) return;
    const gap = rows.areHigh ? gapOf(rows.rest) / 2 - 2 : 0;
    const height = Math.max(rows.edges[i + 1] - rows.edges[i] - 2 * gap, 5);
    const y = (rows.edges[i] + rows.edges[i + 1]) / 2 - height / 2;
    ctx.strokeStyle = color;
    ctx.lineWidth = 1.75;
    ctx.strokeRect(layout.left - 2, y - 0.5, layout.plotWidth + 4, height + 1);
  };
  if (state.hover >= 0) outline(state.hover, style.ink3);
  if (state.choice.selected >= 0) outline(state.choice.selected, style.select);
  if (!brush) return;
  const [a, b] = [Math.min(...brush), Math.max(...brush)];
  ctx.globalAlpha = 0.6;
  ctx.fillStyle = style.bg;
  ctx.fillRect(layout.left, layout.top, a - layout.left, layout.plotHeight);
  ctx.fillRect(b, layout.top, layout.left + layout.plotWidth - b, layout.plotHeight);
  ctx.globalAlpha = 1;
  ctx.fillStyle = style.ink;
  ctx.fillRect(a, 3, b - a, 3);
  for (const x of [a, b]) ctx.fillRect(x - 0.75, layout.top, 1.5, layout.plotHeight);
}
