// The four answers. They are the report's, except where they depend on the meaning of colour
// or on the pinned tensor.

import { bytes, counted, share } from '../../kit/format.js';
import { totalsByGroup } from '../../data/grouping.js';
import { NO_STACK } from '../../data/sites.js';

/** Position of the question who allocated it. */
const WHO = 2;

/**
 * @typedef {import('../../data/report.js').Card & {segments: {color: string, bytes: number}[]}} Answer
 *   segments: of the bar, from left to right
 */

/**
 * @param {import('../../data/open.js').OpenDevice} device
 * @param {import('../../data/grouping.js').Grouping} grouping
 * @param {number | null} pinned
 * @returns {Answer[]}
 */
export function answersOf(device, grouping, pinned) {
  return device.report.answers.map((card, i) => {
    const shown = i === WHO && pinned !== null ? allocatedThis(card, device, pinned) : card;
    return card.bar.length > 0 && grouping.mode !== 'family'
      ? { ...shown, ...atPeak(device, grouping) }
      : {
          ...shown,
          segments: card.bar.map((s) => ({ color: grouping.groups[s.family]?.color ?? '', bytes: s.bytes })),
        };
  });
}

/** Groups named in the line, the largest first. */
const NAMED = 3;

/**
 * What each group holds at the peak.
 * @param {import('../../data/open.js').OpenDevice} device @param {import('../../data/grouping.js').Grouping} grouping
 */
function atPeak({ timeline, data }, grouping) {
  const totals = totalsByGroup(grouping, data.size, timeline.live(timeline.peak));
  const segments = grouping.groups
    .map(({ color, label }, i) => ({ color, label, bytes: totals[i].bytes }))
    .filter((segment) => segment.bytes > 0);
  const largest = [...segments].sort((a, b) => b.bytes - a.bytes).slice(0, NAMED);
  const total = timeline.active[timeline.peak];
  return { line: largest.map((s) => `${s.label} ${share(s.bytes, total)}`).join(', '), segments };
}

/**
 * @param {import('../../data/report.js').Card} card
 * @param {import('../../data/open.js').OpenDevice} device
 * @param {number} pinned
 * @returns {import('../../data/report.js').Card}
 */
function allocatedThis(card, { timeline, data, sites }, pinned) {
  const site = sites.site(pinned);
  const size = bytes(data.size[pinned]);
  /** @type {import('../../data/report.js').Card} */
  const answer = {
    ...card,
    question: 'Who allocated this?',
    value: site.name,
    small: site.location,
    mood: 'known',
    detail: '',
    line: `${size}, pinned; ${counted(sites.tensors(site), 'tensor')} from this site`,
    evidence: { from: 0, to: 0, state: Math.min(data.first[pinned], timeline.lastState), allocation: pinned },
  };
  if (site.name !== NO_STACK) return answer;
  const why = data.isPreExisting(pinned) ? 'allocated before the recording' : 'stacks were not recorded';
  return { ...answer, value: 'No stack recorded', small: '', mood: 'unknown', line: `${size}, pinned; ${why}` };
}
