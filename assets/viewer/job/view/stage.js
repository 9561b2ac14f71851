// Draws the plot whenever something is chosen, and keeps what it drew for the pointer.

import { on } from '../../kit/topic.js';
import { Rows } from '../data/rows.js';
import { RanksChart } from '../draw/chart.js';
import { Heat } from '../draw/heat.js';
import { layOut } from '../draw/layout.js';
import { drawMarks, drawSelection } from '../draw/marks.js';
import { Piles } from '../draw/piles.js';
import { prepare, readStyle } from '../draw/style.js';

export class Stage {
  #heat = new Heat();
  #piles = new Piles();
  #frame = 0;
  /** @type {[number, number] | null} steps that are being brushed, in pixels */
  brush = null;

  /**
   * @param {import('../state/state.js').State} state @param {ECharts} echarts @param {unknown} options
   * @param {{plot: HTMLElement, chart: HTMLElement, marks: HTMLCanvasElement, cursor: HTMLCanvasElement}} elements
   */
  constructor(state, echarts, options, elements) {
    this.state = state;
    this.elements = elements;
    this.chart = new RanksChart(echarts, elements.chart, options);
    this.style = readStyle();
    this.layout = layOut(1, 1);
    this.rows = new Rows([], 0, 1, () => false);
    /** Whether the rows are piles. @type {boolean | undefined} */
    this.isPile = undefined;
    /** @type {import('../draw/marks.js').Callout[]} */
    this.callouts = [];
    on([state.changed], () => this.draw());
    state.hovered.on(() => this.drawSelection());
    // Before the next frame is painted, so that no frame shows the size before.
    new ResizeObserver(() => this.drawNow()).observe(elements.plot);
  }

  /** The theme has changed. */
  restyle() {
    this.style = readStyle();
    this.state.refresh();
  }

  /** Draws in the next frame. */
  draw() {
    if (!this.#frame) this.#frame = requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const { state, style } = this;
    const { plot, marks } = this.elements;
    const { clientWidth: width, clientHeight: height } = plot;
    if (width < 50 || height < 50) return;
    const layout = (this.layout = layOut(width, height));
    const { job, choice } = state;
    const isMarked = (/** @type {number} */ rank) => job.findingsOf[rank].length > 0 || rank === choice.selected;
    const rows = (this.rows = new Rows(state.shown, layout.top, layout.plotHeight, isMarked));
    const isPile = rows.areHigh && job.byFamily !== null;
    const picture = (isPile ? this.#piles : this.#heat).paint(state, rows, layout, style);
    this.isPile = isPile;
    this.chart.draw(state, rows, layout, style, picture);
    const ctx = prepare(marks, width, height);
    this.callouts = drawMarks({ ctx, state, rows, layout, style });
    if (document.documentElement.classList.contains('printing')) {
      // ECharts paints in a frame of its own, for which paper does not wait.
      ctx.globalCompositeOperation = 'destination-over';
      ctx.drawImage(picture, layout.left, layout.top, layout.plotWidth, layout.plotHeight);
    }
    this.drawSelection();
  }

  drawSelection() {
    const { state, rows, layout, style } = this;
    const ctx = prepare(this.elements.cursor, layout.width, layout.height);
    drawSelection({ ctx, state, rows, layout, style }, this.brush);
  }

  /** When what is chosen now has been drawn. */
  painted() {
    return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }
}
