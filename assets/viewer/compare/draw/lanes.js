// The lanes over the plots: the phases that the recordings are aligned by, and their steps.

import { count } from '../../kit/format.js';
import { LANE } from './layout.js';

/** Fills of the phases, from light to dark. */
const FILLS = {
  light: { before: '#f7f8f9', load: '#f1f3f5', forward: '#e6e8ea', backward: '#d6d9dc', optimizer: '#c2c6cb' },
  dark: { before: '#1c2025', load: '#22262c', forward: '#2a2f36', backward: '#383e47', optimizer: '#48505b' },
};

/** Stretches narrower than this many pixels have no name, and those narrower still are drawn together. */
const NAMED = 18;
const CROWDED = 2;

/** From this width on there is room for the numbers of events. */
const COUNTED = 150;

/** @typedef {import('./plot.js').Frame} Frame @typedef {import('../data/alignment.js').Stretch} Stretch */

/** @param {Frame} frame */
export function drawLanes(frame) {
  const { layout, painter, style } = frame;
  const { left, plotWidth, laneTop, stepsTop } = layout;
  if (laneTop >= 0) {
    painter.clip(left, laneTop, plotWidth, LANE.height, () => drawPhases(frame));
    painter.text('≈ phase', left - 8, laneTop + LANE.height / 2 + 0.5, { align: 'right', color: style.ink3 });
  }
  if (stepsTop >= 0) {
    painter.clip(left, stepsTop, plotWidth, LANE.height, () => drawSteps(frame));
    painter.text('step', left - 8, stepsTop + LANE.height / 2 + 0.5, { align: 'right', color: style.ink3 });
  }
}

/** The ends of stretches in client pixels, as far as they are in view. @param {Frame} frame @param {Stretch} stretch */
function edges({ scales, layout }, { from, to }) {
  return [Math.max(layout.left - 1, scales.x(from)), Math.min(layout.right + 1, scales.x(to))];
}

/** @param {Frame} frame */
function drawPhases(frame) {
  const { painter, layout, style, stretches, chosen } = frame;
  const { laneTop: top } = layout;
  const fills = FILLS[style.theme];
  const middle = top + LANE.height / 2 + 0.5;
  let drawn = -Infinity;
  for (const stretch of stretches) {
    const [a, b] = edges(frame, stretch);
    if (b <= layout.left || a >= layout.right || b - drawn < CROWDED) continue;
    drawn = b;
    const { phase } = stretch;
    const isChosen = chosen(stretch);
    const fill = isChosen ? style.ink : (fills[/** @type {'load'} */ (phase)] ?? fills.load);
    painter.fill(fill, a, top, Math.max(1, b - a - 1), LANE.height);
    const width = b - a - 10;
    if (width < NAMED - 10) continue;
    const color = isChosen ? style.paper : style.ink;
    const only = onlyWords(stretch);
    const name = phaseName(phase);
    const full = only ? `${name} · ${only}` : name;
    const said = painter.measure(full) <= width ? full : painter.measure(name) <= width ? name : name[0].toUpperCase();
    if (painter.measure(said) <= width) painter.text(said, a + 5, middle, { color });
    const numbers = b - a > COUNTED && !only ? eventWords(stretch) : '';
    if (numbers && painter.measure(said) + painter.measure(numbers) + 16 < width)
      painter.text(numbers, b - 7, middle, { align: 'right', color: isChosen ? style.paper : style.ink2 });
  }
}

/** @param {string} phase */
function phaseName(phase) {
  return phase === 'before' ? 'before the first phase' : phase;
}

/** Which side alone has a stretch. @param {import('../data/alignment.js').Run} run @returns {string} */
function onlyWords({ states: [a, b] }) {
  return a && b ? '' : a ? 'only before' : 'only after';
}

/** "7,438 → 9,660 events" @param {import('../data/alignment.js').Run} run */
function eventWords({ states: [a, b] }) {
  return a && b
    ? `${count(eventsIn(a))} → ${count(eventsIn(b))} events`
    : `${count(eventsIn(a ?? b ?? [0, -1]))} events`;
}

/**
 * The events that lead to some states; none leads to the first of all.
 * @param {import('../data/alignment.js').States} states
 */
function eventsIn([a, b]) {
  return b - a + (a > 0 ? 1 : 0);
}

/** @param {Frame} frame */
function drawSteps(frame) {
  const { painter, layout, style, stretches, pair } = frame;
  const { stepsTop: top } = layout;
  const middle = top + LANE.height / 2 + 0.5;
  for (let i = 0; i < stretches.length;) {
    const { step, from } = stretches[i];
    let end = i;
    while (end + 1 < stretches.length && stretches[end + 1].step === step) end++;
    const [a, b] = edges(frame, { ...stretches[i], from, to: stretches[end].to });
    i = end + 1;
    if (b <= layout.left || a >= layout.right || step < 0) continue;
    painter.line(Math.round(a) + 0.5, top, Math.round(a) + 0.5, top + LANE.height, { color: style.ink3 });
    const { label, has } = pair.steps[step];
    const name = `${label}${has[0] && has[1] ? '' : has[0] ? ' · only before' : ' · only after'}`;
    for (const text of [`step ${name}`, name, label]) {
      if (painter.measure(text) > b - a - 9) continue;
      painter.text(text, a + 5, middle, { color: style.ink2 });
      break;
    }
  }
}
