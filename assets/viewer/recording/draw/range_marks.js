// The selected range: what lies outside of it is dimmed, and a flag says how the total
// changed. Where only what it keeps is drawn, a sentence says so.

import { spanOf } from '../../data/axis.js';
import { bytes, change, counted, duration } from '../../kit/format.js';
import { clamp } from '../../kit/math.js';

/** Outside of the range, over the picture. */
const DIM = { light: '#ffffff99', dark: '#14161a99' };

/** Height of the bar over the plot. */
const BAR = 3;

/** Width that the sentence takes, about. */
const SENTENCE = 480;

/**
 * @param {import('./overlay.js').Frame} frame
 * @param {[number, number][]} flags left and right edges of those that its own must not cover
 * @returns {[number, number] | null} the edges of its own
 */
export function drawRange(frame, flags) {
  const { painter, scales, layout, viewport, style, range } = frame;
  if (!range) return null;
  const { g } = painter;
  const { left, top, plotHeight, right, bottom } = layout;
  const [a, b] = spanOf(viewport.axis, range.from, range.to).map(scales.x, scales);
  const from = clamp(a, left, right);
  const to = clamp(b, from, right);
  g.fillStyle = DIM[style.theme];
  g.fillRect(left, top, from - left, plotHeight);
  g.fillRect(to, top, right - to, plotHeight);
  for (const edge of [a, b])
    if (edge >= left && edge <= right + 1) {
      const x = Math.min(edge, right - 0.75);
      painter.line(x, top - BAR, x, bottom, { color: style.ink, width: 1.5 });
    }
  if (to <= left || from >= right) return null;
  painter.fill(style.ink, from, top - BAR, Math.max(to - from, 2), BAR);
  if (frame.keptOnly) drawSentence(frame, from);
  const words = rangeWords(frame, range);
  const half = painter.measure(words, 600) / 2 + 10;
  const middle = (from + to) / 2;
  const hit = flags.find(([a, b]) => middle - half < b && middle + half > a);
  const [min, max] = !hit ? [left, right] : hit[0] - left > right - hit[1] ? [left, hit[0] - 4] : [hit[1] + 4, right];
  return painter.flag(words, middle, top - BAR - 9, { fill: style.ink, color: style.paper, min, max });
}

/** @param {import('./overlay.js').Frame} frame @param {import('../../data/range.js').Range} range */
function rangeWords({ growth, time }, { from, to }) {
  const words = `${change(growth?.bytes ?? 0)} over ${counted(to - from, 'event')}`;
  return time ? `${words}, ${duration(time[to - 1] - time[from])}` : words;
}

/** @param {import('./overlay.js').Frame} frame @param {number} from left edge of the range */
function drawSentence({ painter, layout, style, timeline, steps, growth }, from) {
  const x = clamp(from, layout.left, layout.right - SENTENCE) + 10;
  const y = layout.top + 18;
  const kept = timeline.active[timeline.peak];
  painter.text(
    kept > 0
      ? `Alone: only the ${bytes(kept)} allocated in the range and still live at its end`
      : 'Alone: nothing allocated in the range is still live at its end',
    x,
    y,
    { weight: 600, halo: true },
  );
  const overSteps =
    growth && growth.steps > 1
      ? `${change(growth.bytes)} over ${counted(growth.steps, steps.word)}, ${change(growth.perStep)} each; `
      : '';
  painter.text(`${overSteps}everything else is hidden and the height rescaled; Esc shows it`, x, y + 16, {
    color: style.ink2,
    halo: true,
  });
}
