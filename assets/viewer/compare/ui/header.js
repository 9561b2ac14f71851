// The header: both files, facts of both, and the mark that says whether the pictures can be trusted.

import { choice, h } from '../../kit/dom.js';
import { count, duration } from '../../kit/format.js';
import { mountHeading } from '../../kit/strip.js';

/**
 * @param {import('../state/stores.js').Stores} stores
 * @param {(index: number) => void} openPair
 */
export function mountHeader({ shown, report }, openPair) {
  const show = mountHeading();
  shown.changed.on(() => {
    const { pair } = shown;
    const [a, b] = pair.sides.map(({ device }) => device);
    const name = (/** @type {string} */ which, /** @type {string} */ file) =>
      h('span.file', { title: file }, h('i', which), h('span', file));
    // What both files have is about the page: names that were replaced, what was left out.
    const common = a.report.warnings.filter(({ fact }) => b.report.warnings.some((w) => w.fact === fact));
    show({
      file: [name('before', a.file.name), h('span.faint', '→'), name('after', b.file.name)],
      device: deviceChoice(pair, report, openPair),
      facts: facts(pair),
      verdict: verdictOf([a.report.verdict, b.report.verdict]),
      warnings: [...pair.warnings, ...common.filter(({ fact }) => pair.warnings.every((w) => w.fact !== fact))],
    });
  });
}

/** @param {{ok: boolean, text: string, why: string}[]} verdicts before and after */
function verdictOf(verdicts) {
  const limited = verdicts.filter(({ ok }) => !ok);
  const text = ['both add up', limited[0]?.text, 'both are limited'][limited.length];
  const why = verdicts.map((v, i) => `${i ? 'after' : 'before'}: ${v.why}`).join('\n');
  return { ok: limited.length === 0, text, why };
}

/**
 * @param {import('../data/pair.js').Pair} pair @param {import('../../data/report.js').Report} report
 * @param {(index: number) => void} open
 */
function deviceChoice({ all, index }, report, open) {
  if (all.length < 2) return null;
  const options = all.map(({ devices }, i) => ({
    text: report.files[0].devices[devices[0]].label,
    value: String(i),
  }));
  return choice('Device', options, String(index), (i) => open(Number(i)));
}

/** @param {import('../data/pair.js').Pair} pair @returns {import('../../kit/strip.js').Fact[]} */
function facts({ sides, hasTime }) {
  const [a, b] = sides.map(({ device: { report, file } }) => ({ ...report, torch: file.torch }));
  /** @type {[string, string, boolean][]} name, words, always shown */
  const list = [
    ['tensors', both(count(a.allocations), count(b.allocations)), true],
    ['events', both(count(a.events), count(b.events)), false],
  ];
  if (hasTime && sides.every(({ device: { file } }) => !file.predicted))
    list.push(['span', both(duration(a.span_us), duration(b.span_us)), false]);
  if (a.label !== b.label) list.push(['device', both(a.label, b.label), true]);
  if (a.torch !== b.torch) list.push(['torch', both(a.torch || 'unknown', b.torch || 'unknown'), false]);
  return list.map(([name, value, always]) => ({ name, value, isWide: !always }));
}

/** @param {string} a @param {string} b */
function both(a, b) {
  return a === b ? a : `${a} → ${b}`;
}
