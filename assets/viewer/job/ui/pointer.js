// The pointer over the plot: tooltip, selection, zoom, pan, and a brush over the steps.

import { bytes, change } from '../../kit/format.js';
import { listen } from '../../kit/topic.js';
import { fill, h } from '../../kit/dom.js';
import { MISSING } from '../data/job.js';
import { axisOf } from '../draw/layout.js';

/** Pixels that a drag begins with. */
const SLACK = 4;

/**
 * @param {import('../state/state.js').State} state
 * @param {import('../view/stage.js').JobStage} stage
 * @param {HTMLElement} tooltip
 */
export function mountPointer(state, stage, tooltip) {
  const { cursor } = stage.elements;
  /** @type {{x: number, y: number, from: number, isBrush: boolean, hasMoved: boolean} | null} */
  let drag = null;

  const rankAt = (/** @type {number} */ x, /** @type {number} */ y) => {
    const { layout, rows, callouts } = stage;
    if (layout.calloutWidth && x >= layout.calloutLeft - 10) {
      return callouts.find((c) => Math.abs(c.y - y) < 17)?.rank ?? -1;
    }
    const i = rows.at(y);
    return i < 0 ? -1 : rows.list[i];
  };
  const isOverPlot = (/** @type {number} */ x) =>
    x >= stage.layout.left && x < stage.layout.left + stage.layout.plotWidth;
  const hide = () => {
    tooltip.hidden = true;
    state.point(-1);
  };

  listen(cursor, {
    pointermove(event) {
      const { offsetX: x, offsetY: y } = event;
      if (drag && !drag.hasMoved && Math.hypot(x - drag.x, y - drag.y) > SLACK) {
        drag.hasMoved = true;
        hide();
      }
      if (!drag?.hasMoved) {
        const rank = rankAt(x, y);
        state.point(rank);
        if (rank < 0) tooltip.hidden = true;
        else showTooltip(tooltip, state, stage, rank, isOverPlot(x) ? x : null, event);
        return;
      }
      if (drag.isBrush) {
        const { left, plotWidth } = stage.layout;
        const inside = (/** @type {number} */ v) => Math.max(left, Math.min(left + plotWidth, v));
        stage.brush = [inside(drag.x), inside(x)];
        stage.drawSelection();
      } else {
        const rows = Math.round((drag.y - y) / Math.max(0.5, stage.layout.plotHeight / stage.rows.list.length));
        state.pan(drag.from + rows - state.choice.from);
      }
    },
    pointerdown(event) {
      if (event.button !== 0) return;
      const { offsetX: x, offsetY: y } = event;
      drag = { x, y, from: state.choice.from, isBrush: event.shiftKey || y < stage.layout.top, hasMoved: false };
      if (event.pointerType === 'mouse') cursor.setPointerCapture(event.pointerId);
    },
    pointerup(event) {
      const { offsetX: x, offsetY: y } = event;
      const ended = drag;
      drag = null;
      if (!ended) return;
      if (!ended.hasMoved) {
        if (y < stage.layout.top) chooseStep(state, stage, x);
        else state.select(rankAt(x, y));
      } else if (stage.brush) {
        const { left, plotWidth } = stage.layout;
        const { choice } = state;
        const at = (/** @type {number} */ v) => choice.left + ((v - left) / plotWidth) * (choice.right - choice.left);
        const [a, b] = [at(Math.min(...stage.brush)), at(Math.max(...stage.brush))];
        stage.brush = null;
        if (b - a > 0.002) state.choose({ left: a, right: b });
        else stage.drawSelection();
      }
    },
    pointercancel() {
      drag = null;
      stage.brush = null;
    },
    pointerleave: hide,
    dblclick() {
      state.choose({ from: 0, to: state.job.ranks.length, left: 0, right: 1 });
    },
  });
  cursor.addEventListener(
    'wheel',
    (event) => {
      if (event.ctrlKey && event.deltaY === 0) return;
      // A page that scrolls, on a small screen, keeps the wheel where nothing is left to zoom.
      event.preventDefault();
      const { rows } = stage;
      const at = state.choice.from + Math.max(0, rows.at(event.offsetY));
      if (event.shiftKey) state.pan(Math.sign(event.deltaY || event.deltaX) * Math.max(1, rows.list.length >> 3));
      else state.zoom(at + 0.5, Math.exp(Math.max(-1, Math.min(1, event.deltaY / 240))));
      tooltip.hidden = true;
    },
    { passive: false },
  );
}

/**
 * A click on a step shows it alone; another shows all again.
 * @param {import('../state/state.js').State} state
 * @param {import('../view/stage.js').JobStage} stage
 * @param {number} x
 */
function chooseStep(state, stage, x) {
  const { layout } = stage;
  const axis = axisOf(state);
  if (axis.isTime || x < layout.left || x > layout.left + layout.plotWidth) return;
  if (axis.to - axis.from <= 1.001) {
    state.choose({ left: 0, right: 1 });
    return;
  }
  const step = Math.floor(axis.from + ((x - layout.left) / layout.plotWidth) * (axis.to - axis.from));
  state.choose({ left: step / axis.all, right: (step + 1) / axis.all });
}

/**
 * @param {HTMLElement} tooltip
 * @param {import('../state/state.js').State} state
 * @param {import('../view/stage.js').JobStage} stage
 * @param {number} rank
 * @param {number | null} x over the plot
 * @param {PointerEvent} event
 */
function showTooltip(tooltip, state, stage, rank, x, event) {
  const { job } = state;
  const r = job.ranks[rank];
  const group = job.group(rank);
  fill(
    tooltip,
    h('div.first', h('b', `rank ${r.name}`), r.host && h('span.id', `host ${r.host}`)),
    r.error
      ? h('div', `could not be read: ${r.error}`)
      : h(
          'div',
          `peak ${bytes(r.peak)}${group ? `, ${change(r.peak - group.median)} against ranks ${group.name}` : ''}`,
        ),
    !r.error && x !== null && h('div', hereWords(state, stage, rank, x)),
    job.findingsOf[rank]
      .slice(0, 3)
      .map((f) => h('div', `${f.what}${f.change && f.kind === 'differs' ? `  ${change(f.change)}` : ''}`)),
    h('div.faint', group ? 'Click to compare it with its group' : 'Click to see its call sites'),
  );
  tooltip.hidden = false;
  const { offsetWidth: width, offsetHeight: height } = tooltip;
  const left = event.clientX + 16 + width > innerWidth ? event.clientX - 16 - width : event.clientX + 16;
  tooltip.style.left = `${Math.max(4, left)}px`;
  tooltip.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - height - 8))}px`;
}

/**
 * @param {import('../state/state.js').State} state
 * @param {import('../view/stage.js').JobStage} stage
 * @param {number} rank
 * @param {number} x
 */
function hereWords(state, { layout }, rank, x) {
  const { job } = state;
  const axis = axisOf(state);
  const position = axis.from + ((x - layout.left) / layout.plotWidth) * (axis.to - axis.from);
  const column = axis.isTime
    ? job.columnAtTime(rank, position)
    : Math.min(job.columns - 1, Math.floor(position * job.view.per_stretch));
  const v = column < 0 ? MISSING : job.curve(rank)[column];
  if (v === MISSING) return 'not recorded here';
  const middle = job.group(rank)?.middle[column] ?? MISSING;
  return `${bytes(v * job.view.unit)} here${middle < 0 ? '' : `, median ${bytes(middle * job.view.unit)}`}`;
}
