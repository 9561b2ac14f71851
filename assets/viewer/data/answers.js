// The strip of four answers: as the report has them, but for what depends on
// the colours and on the pinned tensor.

import { bytes, counted, share } from './format.js';
import { heldBy } from './held.js';
import { NO_STACK } from './sites.js';

/** Where the question of who allocated it stands. */
const WHO = 2;

/**
 * @typedef {import('./report.js').Card & {colours: {color: string, part: number}[]}} Answer
 *   colours: of the bar, from left to right
 */

/**
 * @param {import('./open.js').OpenDevice} device
 * @param {import('./grouping.js').Grouping} grouping
 * @param {number | null} pinned
 * @returns {Answer[]}
 */
export function answersOf(device, grouping, pinned) {
  return device.report.answers.map((card, i) => {
    const shown = i === WHO && pinned !== null ? allocatedThis(card, device, pinned) : card;
    return card.bar.length > 0 && grouping.mode !== 'family'
      ? { ...shown, ...atPeak(device, grouping) }
      : { ...shown, colours: card.bar.map((p) => ({ color: grouping.groups[p.family]?.color ?? '', part: p.bytes })) };
  });
}

/** Groups named in the line, the largest first. */
const NAMED = 3;

/** What each group holds at the peak. @param {import('./open.js').OpenDevice} device @param {import('./grouping.js').Grouping} grouping */
function atPeak({ timeline, data }, grouping) {
  const held = heldBy(grouping, data.size, timeline.live(timeline.peak));
  const parts = grouping.groups
    .map(({ color, label }, i) => ({ color, label, part: held[i].bytes }))
    .filter(({ part }) => part > 0);
  const largest = [...parts].sort((a, b) => b.part - a.part).slice(0, NAMED);
  const total = timeline.active[timeline.peak];
  return {
    line: largest.map(({ label, part }) => `${label} ${share(part, total)}`).join(', '),
    colours: parts.map(({ color, part }) => ({ color, part })),
  };
}

/**
 * @param {import('./report.js').Card} card
 * @param {import('./open.js').OpenDevice} device
 * @param {number} pinned
 * @returns {import('./report.js').Card}
 */
function allocatedThis(card, { timeline, data, sites }, pinned) {
  const site = sites.site(pinned);
  const size = bytes(data.size[pinned]);
  /** @type {import('./report.js').Card} */
  const answer = {
    ...card,
    question: 'Who allocated this?',
    value: site.name,
    small: site.place,
    mood: 'known',
    detail: '',
    line: `${size}, pinned; ${counted(sites.tensors(site), 'tensor')} from this site`,
    evidence: { from: 0, to: 0, state: Math.min(data.first[pinned], timeline.lastState), allocation: pinned },
  };
  if (site.name !== NO_STACK) return answer;
  const why = data.isPreExisting(pinned) ? 'allocated before the recording' : 'stacks were not recorded';
  return { ...answer, value: 'No stack recorded', small: '', mood: 'unknown', line: `${size}, pinned; ${why}` };
}
