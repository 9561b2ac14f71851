// Callouts beside the dots: the findings of the ranks in view.

import { change } from '../../kit/format.js';
import { spread } from '../data/rows.js';
import { dotScale } from './chart.js';

/** Height of a callout. */
const CALLOUT = 34;

/** @typedef {{rank: number, y: number}} Callout */

/** @param {import('./marks.js').Frame} frame @returns {Callout[]} */
export function drawCallouts(frame) {
  const { state, rows, layout } = frame;
  /** @type {Map<number, import('../data/job.js').Finding>} */
  const first = new Map();
  for (const f of state.job.view.findings)
    for (const rank of [f.rank, ...(f.also ?? [])]) if (!first.has(rank) && rows.indexOf.has(rank)) first.set(rank, f);
  const room = Math.floor(layout.plotHeight / CALLOUT);
  const list = [...first].slice(0, room).sort(([a], [b]) => rows.middle(a) - rows.middle(b));
  const ys = spread(
    list.map(([rank]) => rows.middle(rank)),
    CALLOUT,
    layout.top + 15,
    layout.top + layout.plotHeight - 15,
  );
  list.forEach(([rank, finding], i) => drawCallout(frame, rank, finding, ys[i]));
  return list.map(([rank], i) => ({ rank, y: ys[i] }));
}

/**
 * A callout, and the line from the dot of its rank to it.
 * @param {import('./marks.js').Frame} frame @param {number} rank @param {import('../data/job.js').Finding} finding
 * @param {number} y of its middle
 */
function drawCallout({ painter, state, rows, layout }, rank, finding, y) {
  const { g, style } = painter;
  const { job, matches } = state;
  const { calloutLeft: left, calloutWidth: width, dotsLeft, dotsWidth } = layout;
  const { low, high } = dotScale(job);
  const r = job.ranks[rank];
  const isPlain = !job.isOdd(finding) && finding.kind !== 'out_of_memory';
  const odd = (finding.change ?? 0) > 0 ? style.more : style.less;
  const color = finding.kind === 'out_of_memory' ? style.oom : isPlain ? style.ink2 : odd;
  const edge = dotsLeft + dotsWidth + 8;
  const dot = dotsLeft + ((r.peak - low) / (high - low)) * dotsWidth;
  const at = rows.middle(rank);
  g.globalAlpha = matches && !matches[rank] ? 0.25 : 1;
  g.beginPath();
  g.moveTo(r.error ? edge : Math.min(edge, dot + 5), at);
  g.lineTo(edge, at);
  g.lineTo(left - 6, y);
  painter.stroke(color, 1);
  const size = finding.change ? `  ${change(finding.change)}${finding.kind === 'leaks' ? '/step' : ''}` : '';
  const name = { color: isPlain ? style.ink : color, weight: 600, size: 12, width };
  painter.text(`rank ${r.name}${size}`, left, y - 7, name);
  painter.text(finding.what, left, y + 8, { color: style.ink2, width });
  g.globalAlpha = 1;
}
