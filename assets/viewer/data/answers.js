// The four questions, answered from what the page holds exactly.

import { bytes, change, count, counted, share } from './format.js';
import { NO_STACK } from './sites.js';

/** Points of the small picture of growth. */
const POINTS = 24;

/** Above this part of the peak without stacks, no call site is named. */
const NO_STACKS = 0.9;

/**
 * @typedef {object} Answer
 * @property {string} question
 * @property {string} value
 * @property {string} [small] beside the value
 * @property {string} line
 * @property {'known' | 'unknown' | 'alarm'} mood
 * @property {{color: string, part: number}[]} [bar]
 * @property {number[]} [curve] lowest totals from left to right
 * @property {number} [pin] the allocation that proves it
 */

/** @param {import('./open.js').OpenDevice} device @param {import('./grouping.js').Grouping} grouping @returns {Answer} */
export function atPeak({ timeline, data, report, hasHistory }, grouping) {
  const total = timeline.active[timeline.peak];
  const byGroup = new Float64Array(grouping.groups.length);
  for (const id of timeline.live(timeline.peak)) byGroup[grouping.of[id]] += data.size[id];
  const largest = [...byGroup]
    .map((b, i) => ({ b, group: grouping.groups[i] }))
    .filter((g) => g.b > 0)
    .sort((a, b) => b.b - a.b);
  const named = largest
    .filter((g) => g.b >= total * 0.005)
    .slice(0, 3)
    .map(({ b, group }) => `${lowered(group.label)} ${share(b, total)}`);
  const bySize = grouping.mode === 'size' && report.with_stack < data.count * 0.1;
  return {
    question: 'What is in memory at the peak?',
    mood: 'known',
    value: bytes(total),
    small: hasHistory ? `at event ${count(timeline.peak)}` : 'final state',
    line: bySize
      ? `${counted(data.count, 'tensor')} without stacks, coloured by size`
      : named.join(', ') || 'no tensor is live',
    bar: largest.map(({ b, group }) => ({ color: group.color, part: b })),
  };
}

/** @param {import('./open.js').OpenDevice} device @returns {Answer} */
export function growing({ timeline, data, sites, hasHistory }) {
  const question = 'What keeps growing?';
  if (!hasHistory) return { question, value: 'Not recorded', line: 'needs a history of events', mood: 'unknown' };
  const { active, lastState, lowest } = timeline;
  const net = active[lastState] - active[0];
  const kept = timeline.live(lastState).filter((i) => i >= data.preExisting);
  const top = sites.rows(kept, 'site', data.family)[0];
  const points = Math.min(POINTS, lastState + 1);
  const curve = [];
  for (let p = 0; p < points; p++) {
    const from = Math.floor(((lastState + 1) * p) / points);
    const to = Math.floor(((lastState + 1) * (p + 1)) / points) - 1;
    curve.push(active[lowest.best(from, Math.max(from, to))]);
  }
  return {
    question,
    mood: 'known',
    value: change(net),
    small: 'first to last event',
    curve,
    line:
      top && top.bytes > 0
        ? `${siteName(top)} keeps ${bytes(top.bytes)} in ${counted(top.tensors, 'tensor')}`
        : 'nothing allocated here is still live',
  };
}

/** @param {import('./open.js').OpenDevice} device @param {number | null} pinned @returns {Answer} */
export function allocatedBy({ timeline, data, sites }, pinned) {
  if (pinned !== null) return allocatedThis({ data, sites }, pinned);
  const question = 'Who allocated it?';
  const total = timeline.active[timeline.peak];
  const live = timeline.live(timeline.peak).slice();
  const rows = sites.rows(live, 'site', data.family);
  const without = rows.find((r) => r.name === NO_STACK);
  const top = rows.find((r) => r.name !== NO_STACK);
  if (!top || (without && without.bytes > total * NO_STACKS)) {
    return {
      question,
      value: 'No stacks recorded',
      line: `${count(live.length - (without?.tensors ?? 0))} of ${counted(live.length, 'tensor')} carry one`,
      mood: 'unknown',
    };
  }
  return {
    question,
    mood: 'known',
    value: top.name,
    small: top.place,
    pin: top.largest,
    line: `largest site at the peak: ${bytes(top.bytes)}, ${share(top.bytes, total)}, ${counted(top.tensors, 'tensor')}`,
  };
}

/**
 * @param {{data: import('./device.js').DeviceData, sites: import('./sites.js').SiteTable}} device
 * @param {number} pinned
 * @returns {Answer}
 */
function allocatedThis({ data, sites }, pinned) {
  const question = 'Who allocated this?';
  const site = sites.site(pinned);
  const size = bytes(data.size[pinned]);
  if (site.name === NO_STACK) {
    const why = data.isPreExisting(pinned) ? 'allocated before the recording' : 'stacks were not recorded';
    return { question, value: 'No stack recorded', line: `${size}, pinned; ${why}`, mood: 'unknown', pin: pinned };
  }
  return {
    question,
    value: site.name,
    small: site.place,
    line: `${size}, pinned; ${counted(sites.tensors(site), 'tensor')} from this site`,
    mood: 'known',
    pin: pinned,
  };
}

/** @param {import('./open.js').OpenDevice} device @returns {Answer} */
export function outOfMemory({ timeline, data, hasHistory }) {
  const question = 'What happened at the OOM?';
  const ooms = data.markers.filter((m) => m.kind === 'oom');
  const last = ooms.at(-1);
  if (!last) {
    const unused = Math.max(0, timeline.reservedAt(timeline.peak) - timeline.active[timeline.peak]);
    return {
      question,
      value: 'No out-of-memory event',
      mood: 'unknown',
      line: hasHistory ? `${bytes(unused)} of the reserved memory unused at the peak` : 'needs a history of events',
    };
  }
  const unused = Math.max(0, timeline.reservedAt(last.state) - timeline.active[last.state]);
  return {
    question,
    mood: 'alarm',
    value: `Asked ${bytes(last.size)}`,
    small: `${bytes(last.free)} free on the device`,
    line:
      `${bytes(unused)} reserved but unused` + (ooms.length > 1 ? `; the last of ${count(ooms.length)} events` : ''),
  };
}

/** @param {import('./sites.js').Site} site */
function siteName(site) {
  return site.place ? `${site.name} ${site.place}` : site.name;
}

/** A label inside a sentence; abbreviations stay. @param {string} label */
function lowered(label) {
  return /^[A-Z][a-z]/.test(label) ? label[0].toLowerCase() + label.slice(1) : label;
}
