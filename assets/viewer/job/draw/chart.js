// The ECharts charts of the page: all ranks with their dots, the histogram of the peaks, and
// the curve of one rank. Their options come from the page, written by go-echarts.

import { bytes } from '../../kit/format.js';
import { multiples } from '../../kit/axes.js';
import { Chart, picture } from '../../kit/chart.js';
import { MISSING } from '../data/job.js';
import { highestOfStretches } from './piles.js';

/** More dots than these are drawn as one shape. */
const MANY_DOTS = 200;

/** The ranks, and the dots of their peaks. */
export class RanksChart {
  #chart;
  /** @type {HTMLCanvasElement | null} */
  #picture = null;

  /** @param {ECharts} echarts @param {HTMLElement} element @param {unknown} options */
  constructor(echarts, element, options) {
    this.#chart = new Chart(echarts, element, options, { ranks: picture(() => this.#picture) });
  }

  /**
   * @param {import('../state/state.js').State} state @param {import('../data/rows.js').Rows} rows
   * @param {import('./layout.js').Layout} layout @param {import('../../kit/painter.js').Style} style
   * @param {HTMLCanvasElement} canvas
   */
  draw({ job, matches }, rows, layout, style, canvas) {
    this.#picture = canvas;
    /** @type {[number, number][][]} */
    const dots = [[], [], []];
    for (const rank of rows.list) {
      const r = job.ranks[rank];
      if (r.error || (matches && !matches[rank])) continue;
      const kind = job.ranOut(rank) ? 2 : job.differs(rank) ? 1 : 0;
      dots[kind].push([r.peak, rows.middle(rank) - rows.top]);
    }
    const isFew = rows.areHigh;
    const { low, high } = dotScale(job);
    this.#chart.show(layout, {
      textStyle: { fontFamily: style.font },
      grid: [
        { left: layout.left, top: layout.top, width: layout.plotWidth, height: layout.plotHeight },
        { left: layout.dotsLeft, top: layout.top, width: Math.max(1, layout.dotsWidth), height: layout.plotHeight },
      ],
      xAxis: [
        { min: 0, max: 1 },
        { min: low, max: high },
      ],
      yAxis: [
        { min: 0, max: 1 },
        { min: 0, max: layout.plotHeight, inverse: true },
      ],
      series: [
        { data: [[0, 0]] },
        {
          data: dots[0],
          clip: false,
          large: dots[0].length > MANY_DOTS,
          largeThreshold: 0,
          symbolSize: isFew ? 8 : rows.rest >= 8 ? 5 : 2,
          itemStyle: { color: style.ink2, opacity: isFew ? 1 : 0.55 },
        },
        { data: dots[1], clip: false, symbolSize: isFew ? 8 : 6, itemStyle: { color: style.more, opacity: 1 } },
        { data: dots[2], clip: false, symbolSize: isFew ? 8 : 6, itemStyle: { color: style.oom, opacity: 1 } },
      ],
    });
  }
}

/** What the dots are measured on, in bytes. @param {import('../data/job.js').Job} job */
export function dotScale(job) {
  const low = job.peakLow;
  const high = Math.max(job.reservedHigh, low + 1);
  return { low, high };
}

const BINS = 40;

/** How many ranks have a peak in each range of sizes. @param {import('../data/job.js').Job} job */
export function histogram(job) {
  const bins = new Array(BINS).fill(0);
  const span = job.peakHigh - job.peakLow || 1;
  for (const r of job.ranks)
    if (!r.error) bins[Math.min(BINS - 1, Math.floor(((r.peak - job.peakLow) / span) * BINS))]++;
  return bins;
}

export class HistogramChart {
  #chart;

  /** @param {ECharts} echarts @param {HTMLElement} element @param {unknown} options */
  constructor(echarts, element, options) {
    this.#chart = new Chart(echarts, element, options, {});
  }

  /**
   * @param {import('../data/job.js').Job} job @param {import('../../kit/painter.js').Style} style
   * @param {number} width @param {number} height
   */
  draw(job, style, width, height) {
    const bins = histogram(job);
    // The root, so that a rank alone can be seen beside a thousand.
    const data = bins.map((n, i) => [i + 0.5, Math.sqrt(n)]).filter(([, n]) => n > 0);
    this.#chart.show({ width, height }, {
      grid: [{ left: 0, top: 0, width, height: height - 1 }],
      xAxis: [{ min: 0, max: BINS }],
      yAxis: [{ min: 0, max: Math.sqrt(Math.max(...bins, 1)) }],
      series: [{ data, barWidth: width / BINS - 0.8, barMinHeight: 2, itemStyle: { color: style.ink3 } }],
    });
  }
}

/** Columns from which on a curve is drawn as the highest of each half step. */
const MANY_COLUMNS = 400;

/** Whether a curve shows only the highest of each half step. @param {import('../data/job.js').Job} job */
export const isThinned = (job) => job.columns > MANY_COLUMNS && job.view.per_stretch > 1;

export class CurveChart {
  #chart;
  /** @type {[number, number, number][]} column, low and high of the group */
  #band = [];
  #shade = '';

  /** @param {ECharts} echarts @param {HTMLElement} element @param {unknown} options */
  constructor(echarts, element, options) {
    this.#chart = new Chart(echarts, element, options, {
      peak: (/** @type {number} */ v) => bytes(v),
      band: (/** @type {unknown} */ _, /** @type {any} */ api) => {
        const points = [
          ...this.#band.map(([c, , high]) => api.coord([c, high])),
          ...this.#band.map(([c, low]) => api.coord([c, low])).reverse(),
        ];
        return points.length > 2 && { type: 'polygon', silent: true, shape: { points }, style: { fill: this.#shade } };
      },
    });
  }

  /**
   * @param {import('../data/job.js').Job} job @param {number} rank @param {import('../../kit/painter.js').Style} style
   * @param {number} width @param {number} height
   */
  draw(job, rank, style, width, height) {
    const { unit, stretches, per_stretch: per } = job.view;
    const group = job.group(rank);
    const thin = (/** @type {ArrayLike<number>} */ curve) =>
      isThinned(job) ? highestOfStretches(curve, Math.max(1, per >> 1)) : curve;
    const points = (/** @type {ArrayLike<number>} */ curve) =>
      Array.from(thin(curve), (v, c) => [c, v === MISSING ? null : v * unit]);
    const own = points(job.curve(rank));
    const middle = group ? points(group.middle) : [];
    const [low, high] = group ? [thin(group.low), thin(group.high)] : [[], []];
    this.#band = Array.from(
      low,
      (v, c) => /** @type {[number, number, number]} */ ([c, v * unit, high[c] * unit]),
    ).filter(([, v]) => v >= 0);
    this.#shade = style.theme === 'dark' ? '#e9ebee24' : '#15181c20';
    const all = [...own, ...middle]
      .flatMap(([, v]) => (v === null ? [] : [v]))
      .concat(this.#band.flatMap(([, a, b]) => [a, b]));
    const least = Math.min(...all);
    const most = Math.max(...all);
    let step = 1 << 20;
    while ((most - least) / step > 4) step *= 2;
    const [bottom, top] = [Math.max(0, least - step * 0.25), most + step * 0.25];
    const ticks = multiples(bottom, top, step);
    const every = Math.ceil(stretches.length / 9);
    const starts = stretches.map((_, s) => s * per).filter((_, s) => s % every === 0);
    const label = { color: style.ink3, fontSize: 11, showMinLabel: true, showMaxLabel: true };
    const color = job.ranOut(rank) ? style.oom : job.differs(rank) ? style.more : style.ink;
    this.#chart.show({ width, height }, {
      textStyle: { fontFamily: style.font },
      grid: [{ left: 62, top: 8, width: width - 74, height: height - 30 }],
      xAxis: [
        {
          min: 0,
          max: job.columns,
          axisLine: { show: false },
          axisTick: { show: false },
          axisLabel: {
            ...label,
            align: 'left',
            customValues: starts,
            formatter: (/** @type {number} */ c) =>
              c / per < job.view.steps ? stretches[c / per] : stretches.length === 1 ? '' : '…',
          },
        },
      ],
      yAxis: [
        {
          min: bottom,
          max: top,
          axisLine: { show: false },
          axisLabel: { ...label, customValues: ticks },
          axisTick: { show: false, customValues: ticks },
          splitLine: { show: false },
        },
      ],
      series: [
        { data: [[0, bottom]] },
        {
          data: middle,
          showSymbol: false,
          step: isThinned(job) ? 'end' : false,
          lineStyle: { color: style.ink2, width: 1, type: [3, 2] },
        },
        {
          data: own,
          showSymbol: false,
          step: isThinned(job) ? 'end' : false,
          connectNulls: false,
          lineStyle: { color, width: 1.5 },
        },
      ],
    });
  }
}
