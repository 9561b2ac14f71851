// What is drawn over the picture of an address space, and beside it.

import { drawLanes } from '../draw/lane_rows.js';
import { drawOOMs, drawTicks } from '../draw/marks.js';
import { drawMinimap } from '../draw/overlay.js';
import { hatchIn, waitingIn } from '../draw/pending.js';
import { drawRange } from '../draw/range_marks.js';
import { drawSpaceAxis } from './axis.js';
import { outlineSegment, outlineTensor } from './outlines.js';
import { drawRequest, requestWidth } from './request.js';

/** Client pixels: the least block that is hatched while its free is pending. */
const LEAST = 4;

/**
 * @typedef {object} SpaceMarks what the marks depend on beyond the marks of the pile
 * @property {import('./places.js').ShownSpace} shown
 * @property {import('../../pile/colour_table.js').SpaceColours} colours
 * @property {Uint8Array | null} mask 0: faded
 * @property {import('./labels.js').BlockLabels} blockLabels
 * @property {number | null} pinned
 * @property {number | null} segment
 * @property {number} state of the side panel
 * @property {boolean} isCursor whether it was set in the picture, where requests that failed are drawn
 * @property {import('./bars.js').SegmentBars | null} bars in place of everything else, where there are no events
 * @property {number} aside pixels beside the plot
 *
 * @typedef {import('../draw/overlay.js').Frame & SpaceMarks} SpaceFrame
 */

/** @param {SpaceFrame} frame */
export function drawSpaceMarks(frame) {
  const { painter, layout, style, viewport, pinned, segment } = frame;
  const { left, top, plotWidth, plotHeight, right, bottom } = layout;
  if (frame.bars) {
    frame.bars.draw(frame);
    return;
  }
  if (frame.patterns) painter.g.drawImage(frame.patterns, left, top, plotWidth, plotHeight);
  drawSpaceAxis(frame);
  frame.blockLabels.draw(frame);
  hatchPending(frame);
  const flags = drawOOMs(frame);
  const ofRange = drawRange(frame, flags);
  drawTicks(frame, ofRange ? [...flags, ofRange] : flags);
  drawRequests(frame);
  drawLanes(frame);
  drawMinimap(frame);
  painter.text(viewport.axis.kind === 'time' ? 'time' : 'event', right, bottom + 14, {
    align: 'right',
    color: style.ink3,
  });
  painter.clip(left, top, plotWidth, plotHeight, () => {
    if (pinned !== null) outlineTensor(frame, pinned);
    if (segment !== null) outlineSegment(frame, segment);
  });
}

/** The last request that failed, beside the plot; and that at the cursor, in it. @param {SpaceFrame} frame */
function drawRequests(frame) {
  const { layout, scales, viewport, markers, aside, state, isCursor } = frame;
  const ooms = markers.filter((m) => m.kind === 'oom');
  const last = ooms.at(-1);
  const end = Math.min(layout.right, scales.x(viewport.axis.extent)) + 2;
  if (aside > 0 && last) drawRequest(frame, last, end, layout.right + aside - end);
  const here = isCursor && ooms.find((m) => m.state === state && !(aside > 0 && m === last));
  const width = requestWidth(layout.plotWidth);
  if (!here || width === 0) return;
  const x = scales.x(viewport.axis.middle(here.state));
  if (x < layout.left || x > layout.right) return;
  drawRequest(frame, here, x + 3 + width > layout.right ? x - 3 - width : x + 3, width);
}

/** Blocks that were freed and that another stream may still use. @param {SpaceFrame} frame */
function hatchPending({ painter, scales, layout, timeline, viewport, style, shown }) {
  /** @type {[number, number, number, number][]} */
  const areas = [];
  for (const { id, from } of waitingIn(timeline, viewport)) {
    const rect = shown.block(scales, id);
    if (!rect) continue;
    const left = Math.max(rect.left, scales.x(viewport.axis.begins(from)));
    const [width, height] = [rect.right - left, rect.bottom - rect.top];
    if (width >= LEAST && height >= LEAST) areas.push([left, rect.top, width, height]);
  }
  const { left, top, plotWidth, plotHeight } = layout;
  painter.clip(left, top, plotWidth, plotHeight, () =>
    hatchIn(painter, areas, style.theme === 'dark' ? '#000000aa' : '#ffffffba', 1.5, 5),
  );
}
