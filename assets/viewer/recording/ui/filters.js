// The filters, as a panel under their button. A filter is a word that the search box
// understands too, and each control sets one.

import { parseFilter } from '../../data/query.js';
import { streamName } from '../../data/report.js';
import { listen } from '../../kit/topic.js';
import { button, field, h, popoverUnder, segmented } from '../../kit/dom.js';

/**
 * @typedef {import('../state/stores.js').Stores} Stores
 * @typedef {import('../state/highlight.js').Highlight} Highlight
 */

/**
 * Replaces the filters of one kind.
 * @param {Highlight} highlight @param {RegExp} old matches them @param {string} word the new one, or ""
 */
function change(highlight, old, word) {
  const { query, filters } = highlight.found;
  const others = filters.filter((w) => !old.test(w));
  highlight.search(query, word ? [...others, word] : others);
}

/** Only what is live at the end, or again all. @param {Highlight} highlight */
export function toggleLive(highlight) {
  change(highlight, /^live/, highlight.found.filters.includes('live') ? '' : 'live');
}

/** The panel that a button opens. @param {Stores} stores @param {HTMLButtonElement} button */
export function mountFilters(stores, button) {
  const popover = popoverUnder(button, 'Filter', () => controls(stores, () => popover.hidePopover()));
  button.popoverTargetElement = popover;
}

/** @param {Stores} stores @param {() => void} close */
function controls({ shown, highlight }, close) {
  const {
    data,
    file,
    report: { pools },
    hasHistory,
  } = shown.device;
  const streams = file.streams.map((_, i) => streamName(file.streams, i).slice('stream '.length));
  return [
    bounds(highlight, 'Size', 'size', '1 MiB'),
    hasHistory && bounds(highlight, 'Lifetime', 'life', data.hasTime ? '100 or 5 ms' : '100'),
    hasHistory && trait(highlight, 'At the end', 'live', ['live', 'freed']),
    hasHistory && trait(highlight, 'Allocated', 'pre', ['before', 'recorded']),
    streams.length > 1 && choice(highlight, 'Stream', 'stream', streams),
    pools.length > 1 && choice(highlight, 'Pool', 'pool', pools),
    h(
      'div.foot',
      h('span', hasHistory ? 'Lifetimes in events, µs, ms or s' : ''),
      button('Clear', '', () => {
        highlight.search(highlight.found.query, []);
        close();
      }),
    ),
  ];
}

/** @param {Highlight} highlight @param {string} label @param {string} key @param {string} example */
function bounds(highlight, label, key, example) {
  const [least, most] = ['>', '<'].map((sign) => {
    const old = new RegExp(`^${key}${sign}`);
    const word = highlight.found.filters.find((w) => old.test(w)) ?? '';
    const input = field(
      `${label} ${sign === '>' ? 'from' : 'to'}`,
      sign === '>' ? example : '',
      word.replace(/^.*[<>]=?/, ''),
    );
    const take = () => {
      const text = input.value.replace(/\s/g, '');
      const next = text && `${key}${sign}=${text}`;
      const isNone = next !== '' && !parseFilter(next);
      input.setCustomValidity(isNone ? `such as ${example}` : '');
      if (isNone) input.reportValidity();
      else change(highlight, old, next);
    };
    return listen(input, { change: take });
  });
  return h('div.line', h('span', label), least, h('span', 'to'), most);
}

/** @param {Highlight} highlight @param {string} label @param {string} key @param {string[]} names of yes and no */
function trait(highlight, label, key, names) {
  const old = new RegExp(`^${key}`);
  const words = ['', key, `${key}:no`];
  const now = highlight.found.filters.find((w) => old.test(w)) ?? '';
  const choose = (/** @type {number} */ i) => {
    change(highlight, old, words[i]);
    [...group.children].forEach((b, j) => b.setAttribute('aria-pressed', String(i === j)));
  };
  const group = segmented(
    label,
    ...['any', ...names].map((text, i) => button(text, '', () => choose(i), { pressed: words[i] === now })),
  );
  return h('div.line', h('span', label), group);
}

/** @param {Highlight} highlight @param {string} label @param {string} key @param {string[]} names */
function choice(highlight, label, key, names) {
  const old = new RegExp(`^${key}:`);
  const now = highlight.found.filters.find((w) => old.test(w))?.slice(key.length + 1) ?? '';
  const select = h(
    'select',
    ['', ...names].map((value) => h('option', { value, text: value || 'any' })),
  );
  select.value = now;
  listen(select, { change: () => change(highlight, old, select.value && `${key}:${select.value}`) });
  return h('label', h('span', label), select);
}
