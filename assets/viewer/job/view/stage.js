// Draws the plot whenever something is chosen, and keeps what it drew for the pointer.

import { CURSOR, EVERYTHING, Stage } from '../../kit/stage.js';
import { on } from '../../kit/topic.js';
import { Rows } from '../data/rows.js';
import { RanksChart } from '../draw/chart.js';
import { Heat } from '../draw/heat.js';
import { layOut } from '../draw/layout.js';
import { drawMarks, drawSelection } from '../draw/marks.js';
import { Piles } from '../draw/piles.js';

export class JobStage extends Stage {
  #heat = new Heat();
  #piles = new Piles();
  /** @type {[number, number] | null} steps that are being brushed, in pixels */
  brush = null;

  /**
   * @param {import('../state/state.js').State} state @param {import('../../kit/look.js').Look} look
   * @param {ECharts} echarts @param {unknown} options of the chart, as JSON
   * @param {import('../../kit/stage.js').Elements} elements
   */
  constructor(state, look, echarts, options, elements) {
    super(elements);
    this.state = state;
    this.chart = new RanksChart(echarts, elements.chart, options);
    this.look = look;
    this.layout = layOut(1, 1);
    this.rows = new Rows([], 0, 1, () => false);
    /** Whether the rows are piles. @type {boolean | undefined} */
    this.isPile = undefined;
    /** @type {import('../draw/callouts.js').Callout[]} */
    this.callouts = [];
    on([state.changed, look.changed], () => this.invalidate(EVERYTHING));
    state.hovered.on(() => this.invalidate(CURSOR));
  }

  get style() {
    return this.look.style;
  }

  /** @param {number} dirty */
  draw(dirty) {
    if (dirty >= EVERYTHING) this.#drawRows();
    this.drawSelection();
  }

  #drawRows() {
    const { state, style } = this;
    const { width, height } = this.size;
    if (width < 50 || height < 50) return;
    const layout = (this.layout = layOut(width, height));
    const { job, choice } = state;
    const isMarked = (/** @type {number} */ rank) => job.findingsOf[rank].length > 0 || rank === choice.selected;
    const rows = (this.rows = new Rows(state.shown, layout.top, layout.plotHeight, isMarked));
    const isPile = rows.areHigh && job.byFamily !== null;
    const picture = (isPile ? this.#piles : this.#heat).paint(state, rows, layout, style);
    this.isPile = isPile;
    this.chart.draw(state, rows, layout, style, picture);
    this.callouts = drawMarks({ painter: this.painterOf(this.elements.marks), state, rows, layout });
  }

  drawSelection() {
    const { state, rows, layout } = this;
    drawSelection({ painter: this.painterOf(this.elements.cursor), state, rows, layout }, this.brush);
  }

  /** Draws the marks elsewhere. @param {import('../../kit/painter.js').Painter} painter */
  drawOver(painter) {
    const { state, rows, layout } = this;
    drawMarks({ painter, state, rows, layout });
    drawSelection({ painter, state, rows, layout }, null);
  }
}
