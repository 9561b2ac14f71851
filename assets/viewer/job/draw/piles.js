// A small pile for each rank, where rows are high enough: on one scale, and without the
// base that all ranks share.

import { MISSING } from '../data/job.js';
import { hatch } from './heat.js';
import { axisOf, stepEdges } from './layout.js';

const GIB = 1 << 30;

/** What all piles have below them, in units. @param {import('../data/job.js').Job} job */
export function baseOf({ lowest, highest, view }) {
  if (lowest <= highest / 2) return 0;
  const bytes = lowest * view.unit;
  const whole = bytes >= 2 * GIB ? GIB : 1 << 20;
  return (Math.floor(bytes / whole) * whole) / view.unit;
}

/** The top of the scale of all piles, in units. @param {import('../data/job.js').Job} job */
export const topOf = (job) => (Math.max(job.peakHigh, job.reservedHigh) / job.view.unit) * 1.005;

/** Room above and below a pile. @param {number} height of its row */
export const gapOf = (height) => (height > 60 ? 10 : 4);

export class Piles {
  canvas = document.createElement('canvas');

  /**
   * @param {import('../state/state.js').State} state @param {import('../data/rows.js').Rows} rows
   * @param {import('./layout.js').Layout} layout @param {import('../../kit/painter.js').Style} style
   */
  paint(state, rows, layout, style) {
    const { job, choice, matches } = state;
    const ratio = devicePixelRatio;
    const { canvas } = this;
    canvas.width = Math.max(1, Math.round(layout.plotWidth * ratio));
    canvas.height = Math.max(1, Math.round(layout.plotHeight * ratio));
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    const pattern = hatch(ctx, style, 1);
    const order = job.families.map((_, f) => f).sort((a, b) => job.families[a].place - job.families[b].place);
    rows.list.forEach((rank, i) => {
      const gap = gapOf(rows.rest);
      const y = rows.edges[i] - rows.top + gap / 2;
      const height = rows.edges[i + 1] - rows.edges[i] - gap;
      ctx.save();
      ctx.beginPath();
      ctx.rect(0, y, layout.plotWidth, height);
      ctx.clip();
      ctx.fillStyle = pattern;
      ctx.fillRect(0, y, layout.plotWidth, height);
      ctx.globalAlpha = matches && !matches[rank] ? 0.25 : 1;
      this.#pile(ctx, state, rank, y, height, layout.plotWidth, order, style);
      if (job.differs(rank) || (rank === choice.selected && job.group(rank)))
        this.#median(ctx, state, rank, y, height, layout.plotWidth, style);
      ctx.restore();
    });
    ctx.globalAlpha = 0.6;
    ctx.fillStyle = style.paper;
    for (const x of stepEdges(state, layout.plotWidth)) ctx.fillRect(x, 0, 1, layout.plotHeight);
    return canvas;
  }

  /**
   * @param {CanvasRenderingContext2D} ctx @param {import('../state/state.js').State} state @param {number} rank
   * @param {number} y @param {number} height @param {number} width @param {number[]} order
   * @param {import('../../kit/painter.js').Style} style
   */
  #pile(ctx, state, rank, y, height, width, order, style) {
    const { job } = state;
    const few = job.view.few_per_stretch;
    const x = columnEdges(state, rank, few, width);
    const curves = order.map((f) => job.familyCurve(rank, f));
    const [base, top] = [baseOf(job), topOf(job)];
    const at = (/** @type {number} */ v) => y + height - (Math.max(0, v - base) / (top - base)) * height;
    const active = job.curve(rank);
    const per = job.view.per_stretch;
    ctx.fillStyle = style.panel;
    for (let c = 0; c < job.fewColumns; c++)
      if (!Number.isNaN(x[c]) && isRecorded(active, Math.floor((c * per) / few)))
        ctx.fillRect(x[c] - 0.2, y, x[c + 1] - x[c] + 0.6, height);
    const below = new Float32Array(job.fewColumns);
    curves.forEach((curve, k) => {
      ctx.fillStyle = job.families[order[k]][style.theme];
      for (let c = 0; c < curve.length; c++) {
        if (curve[c] <= 0 || Number.isNaN(x[c])) continue;
        const low = at(below[c]);
        below[c] += curve[c];
        const high = at(below[c]);
        if (low - high > 0.1) ctx.fillRect(x[c], high, x[c + 1] - x[c] + 0.4, low - high + 0.4);
      }
    });
    const reserved = job.reservedCurve(rank);
    if (reserved) line(ctx, reserved, columnEdges(state, rank, per, width), at, style.ink2, 1.1);
  }

  /** The group's median of the highest of each step. */
  #median(
    /** @type {CanvasRenderingContext2D} */ ctx,
    /** @type {import('../state/state.js').State} */ state,
    /** @type {number} */ rank,
    /** @type {number} */ y,
    /** @type {number} */ height,
    /** @type {number} */ width,
    /** @type {import('../../kit/painter.js').Style} */ style,
  ) {
    const { job } = state;
    const middle = job.group(rank)?.middle;
    if (!middle) return;
    const per = job.view.per_stretch;
    const [base, top] = [baseOf(job), topOf(job)];
    const at = (/** @type {number} */ v) => y + height - (Math.max(0, v - base) / (top - base)) * height;
    const x = columnEdges(state, rank, per, width);
    const highest = highestOfStretches(middle, per);
    line(ctx, highest, x, at, style.halo, 3);
    ctx.setLineDash([4, 3]);
    line(ctx, highest, x, at, style.ink, 1.25);
    ctx.setLineDash([]);
  }
}

/** @param {ArrayLike<number>} curve @param {number} per columns of a stretch */
export function highestOfStretches(curve, per) {
  const highest = new Int16Array(curve.length);
  for (let s = 0; s < curve.length; s += per) {
    let most = MISSING;
    for (let c = s; c < s + per; c++) most = Math.max(most, curve[c]);
    highest.fill(most, s, s + per);
  }
  return highest;
}

/** @param {Int16Array} active @param {number} c */
const isRecorded = (active, c) => active[c] !== MISSING;

/**
 * The left edges of the columns of a rank, and behind the last; NaN where a column has no time.
 * @param {import('../state/state.js').State} state
 * @param {number} rank
 * @param {number} per columns of a stretch
 * @param {number} width
 */
function columnEdges(state, rank, per, width) {
  const { job } = state;
  const axis = axisOf(state);
  const n = job.view.stretches.length;
  const edges = new Float32Array(n * per + 1);
  const scale = width / (axis.to - axis.from);
  for (let c = 0; c <= n * per; c++) {
    const s = Math.min(n - 1, Math.floor(c / per));
    let position = c / per;
    if (axis.isTime) {
      const [begin, end] = job.ranks[rank].times?.[s] ?? [MISSING, MISSING];
      position = begin < 0 ? NaN : begin + (c / per - s) * (end - begin);
    }
    edges[c] = (position - axis.from) * scale;
  }
  return edges;
}

/**
 * @param {CanvasRenderingContext2D} ctx @param {ArrayLike<number>} curve @param {Float32Array} x
 * @param {(v: number) => number} at @param {string} color @param {number} width
 */
function line(ctx, curve, x, at, color, width) {
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.beginPath();
  let isDown = false;
  for (let c = 0; c < curve.length; c++) {
    if (curve[c] === MISSING || Number.isNaN(x[c])) {
      isDown = false;
      continue;
    }
    const y = at(curve[c]);
    if (isDown) ctx.lineTo(x[c], y);
    else ctx.moveTo(x[c], y);
    ctx.lineTo(x[c + 1], y);
    isDown = true;
  }
  ctx.stroke();
}
