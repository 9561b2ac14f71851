// The header: both files, facts of both, the mark that says whether the pictures can be
// trusted; and the warning bars under it.

import { count, duration } from '../../kit/format.js';
import { listen } from '../../kit/topic.js';
import { button, fill, h } from '../../kit/dom.js';

/**
 * @param {import('../state/stores.js').Stores} stores
 * @param {Record<'file' | 'device' | 'facts' | 'verdict' | 'warnings', HTMLElement>} elements
 * @param {(index: number) => void} openPair
 */
export function mountHeader({ shown, report }, elements, openPair) {
  /** @type {Set<string>} warnings that were closed */
  const closed = new Set();
  shown.changed.on(() => {
    const { pair } = shown;
    const [a, b] = pair.sides.map(({ device }) => device);
    const name = (/** @type {string} */ which, /** @type {string} */ file) =>
      h('span.file', { title: file }, h('i', which), h('span', file));
    fill(elements.file, name('before', a.file.name), h('span.faint', '→'), name('after', b.file.name));
    fill(elements.device, deviceChoice(pair, report, openPair));
    fill(elements.facts, facts(pair));
    const limited = [a, b].filter(({ report: { verdict } }) => !verdict.ok);
    elements.verdict.textContent =
      limited.length === 0
        ? '✓ both add up'
        : limited.length === 1
          ? `⚠ ${limited[0].report.verdict.text}`
          : '⚠ both are limited';
    elements.verdict.title = [a, b].map((d, i) => `${i ? 'after' : 'before'}: ${d.report.verdict.why}`).join('\n');
    elements.verdict.classList.toggle('limited', limited.length > 0);
    // What both files have is about the page: names that were replaced, what was left out.
    const common = a.report.warnings.filter(({ fact }) => b.report.warnings.some((w) => w.fact === fact));
    const warnings = [...pair.warnings, ...common.filter(({ fact }) => pair.warnings.every((w) => w.fact !== fact))];
    fill(
      elements.warnings,
      warnings.filter(({ fact }) => !closed.has(fact)).map((w) => warningBar(w, () => closed.add(w.fact))),
    );
  });
}

/**
 * @param {import('../data/pair.js').Pair} pair @param {import('../../data/report.js').Report} report
 * @param {(index: number) => void} open
 */
function deviceChoice(pair, report, open) {
  const { all, index } = pair;
  if (all.length < 2) return null;
  const select = h(
    'select',
    { label: 'Device' },
    all.map(({ devices }, i) => {
      const option = h('option', { text: report.files[0].devices[devices[0]].label, value: String(i) });
      option.selected = i === index;
      return option;
    }),
  );
  return listen(select, { change: () => open(Number(select.value)) });
}

/** @param {import('../data/pair.js').Pair} pair */
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
  return list.map(([name, value, always]) => h('div', { class: always ? '' : 'wide' }, h('dt', name), h('dd', value)));
}

/** @param {string} a @param {string} b */
function both(a, b) {
  return a === b ? a : `${a} → ${b}`;
}

/** @param {{fact: string, consequence: string}} warning @param {() => void} close */
function warningBar({ fact, consequence }, close) {
  const bar = h(
    'div.warning',
    { role: 'status' },
    h('span.words', h('b', fact), ` ${consequence}`),
    button('×', '', () => (bar.remove(), close()), { label: 'Close' }),
  );
  return bar;
}
