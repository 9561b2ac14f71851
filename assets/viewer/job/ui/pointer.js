// The pointer over the plot: tooltip, selection, zoom, pan, and a brush over the steps.

import { bytes, change } from '../../kit/format.js';
import { Scale } from '../../kit/axes.js';
import { fill, h } from '../../kit/dom.js';
import { mountGestures } from '../../kit/gestures.js';
import { clamp } from '../../kit/math.js';
import { placeTooltip } from '../../kit/tooltip.js';
import { MISSING } from '../data/job.js';
import { axisOf, scaleOf } from '../draw/layout.js';
import { whole } from './frame.js';

/** A part of the axis less than this was not meant. */
const LEAST_BRUSH = 0.002;

/** @typedef {import('../../kit/gestures.js').Point} Point @typedef {import('../../kit/gestures.js').Drag} Drag */

/**
 * @param {import('../state/state.js').State} state
 * @param {import('../view/stage.js').JobStage} stage
 * @param {HTMLElement} tooltip
 */
export function mountPointer(state, stage, tooltip) {
  const { cursor } = stage.elements;
  const rankAt = (/** @type {Point} */ { x, y }) => {
    const { layout, rows, callouts } = stage;
    if (layout.calloutWidth && x >= layout.calloutLeft - 10)
      return callouts.find((c) => Math.abs(c.y - y) < 17)?.rank ?? -1;
    return rows.list[rows.at(y)] ?? -1;
  };
  const isOverPlot = (/** @type {number} */ x) =>
    x >= stage.layout.left && x < stage.layout.left + stage.layout.plotWidth;
  const tap = (/** @type {Point} */ p) => {
    if (p.y < stage.layout.top) chooseStep(state, stage, p.x);
    else state.select(rankAt(p));
  };

  /** @param {Point} start @returns {Drag} */
  const brushFrom = (start) => {
    const show = (/** @type {[number, number] | null} */ brush) => {
      stage.brush = brush;
      stage.drawSelection();
    };
    return {
      tap,
      move({ x }) {
        const { left, plotWidth } = stage.layout;
        const inside = (/** @type {number} */ v) => clamp(v, left, left + plotWidth);
        show([inside(start.x), inside(x)]);
      },
      end() {
        const scale = new Scale(stage.layout, { from: state.choice.left, to: state.choice.right });
        const [a, b] = (stage.brush ?? []).map((x) => scale.position(x)).sort((v, w) => v - w);
        show(null);
        if (b - a > LEAST_BRUSH) state.choose({ left: a, right: b });
      },
      cancel: () => show(null),
    };
  };

  /** @param {Point} start @returns {Drag} */
  const panFrom = (start) => {
    const { from } = state.choice;
    const height = Math.max(0.5, stage.layout.plotHeight / stage.rows.list.length);
    return { tap, move: ({ y }) => state.pan(from + Math.round((start.y - y) / height) - state.choice.from) };
  };

  mountGestures(cursor, {
    isReady: () => true,
    press: (p, { shiftKey }) => (shiftKey || p.y < stage.layout.top ? brushFrom(p) : panFrom(p)),
    hover(p) {
      const rank = rankAt(p);
      state.point(rank);
      tooltip.hidden = rank < 0;
      if (rank >= 0) showTooltip(tooltip, state, stage, rank, isOverPlot(p.x) ? p.x : null, p);
      return 'default';
    },
    leave() {
      tooltip.hidden = true;
      state.point(-1);
    },
    wheel({ dx, dy }, p, { shiftKey }) {
      const { rows } = stage;
      if (shiftKey) state.pan(Math.sign(dy || dx) * Math.max(1, rows.list.length >> 3));
      else if (dy === 0) return false;
      else state.zoom(state.choice.from + Math.max(0, rows.at(p.y)) + 0.5, Math.exp(clamp(dy / 240, -1, 1)));
      return true;
    },
    double: () => whole(state),
  });
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
  const step = Math.floor(scaleOf(state, layout).position(x));
  state.choose({ left: step / axis.all, right: (step + 1) / axis.all });
}

/**
 * @param {HTMLElement} tooltip
 * @param {import('../state/state.js').State} state
 * @param {import('../view/stage.js').JobStage} stage
 * @param {number} rank
 * @param {number | null} x over the plot
 * @param {Point} point
 */
function showTooltip(tooltip, state, stage, rank, x, point) {
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
  placeTooltip(tooltip, stage.elements.plot, point);
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
  const position = scaleOf(state, layout).position(x);
  const column = axis.isTime
    ? job.columnAtTime(rank, position)
    : Math.min(job.columns - 1, Math.floor(position * job.view.per_stretch));
  const v = column < 0 ? MISSING : job.curve(rank)[column];
  if (v === MISSING) return 'not recorded here';
  const middle = job.group(rank)?.middle[column] ?? MISSING;
  return `${bytes(v * job.view.unit)} here${middle < 0 ? '' : `, median ${bytes(middle * job.view.unit)}`}`;
}
