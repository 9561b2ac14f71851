// The filters, as a panel under their button. They are words that the search
// box knows as well; each control stands for one of them.

import { parseFilter } from '../data/query.js';
import { streamName } from '../data/report.js';
import { search } from '../state/light.js';
import { listen } from '../view/listen.js';
import { button, h, segmented } from './dom.js';
import { field, popUnder } from './pop.js';

/** @typedef {import('../app.js').App} App */

/** Replaces the filters that a word begins by another, or by none. @param {App} app @param {RegExp} old @param {string} word */
function change(app, old, word) {
  const others = app.found.filters.filter((w) => !old.test(w));
  search(app, app.found.query, word ? [...others, word] : others);
}

/** Only what is live at the end, or again all. @param {App} app */
export function toggleLive(app) {
  change(app, /^live/, app.found.filters.includes('live') ? '' : 'live');
}

/** The panel that a button opens. @param {App} app @param {HTMLButtonElement} button */
export function mountFilters(app, button) {
  const pop = popUnder(button, 'Filter', () => controls(app, () => pop.hidePopover()));
  button.popoverTargetElement = pop;
}

/** @param {App} app @param {() => void} close */
function controls(app, close) {
  const {
    data,
    file,
    report: { pools },
    hasHistory,
  } = app.device;
  const streams = file.streams.map((_, i) => streamName(file.streams, i).slice('stream '.length));
  return [
    bounds(app, 'Size', 'size', '1 MiB'),
    hasHistory && bounds(app, 'Lifetime', 'life', data.hasTime ? '100 or 5 ms' : '100'),
    hasHistory && trait(app, 'At the end', 'live', ['live', 'freed']),
    hasHistory && trait(app, 'Allocated', 'pre', ['before', 'recorded']),
    streams.length > 1 && choice(app, 'Stream', 'stream', streams),
    pools.length > 1 && choice(app, 'Pool', 'pool', pools),
    h(
      'div.foot',
      h('span', hasHistory ? 'Lifetimes in events, µs, ms or s' : ''),
      button('Clear', '', () => {
        search(app, app.found.query, []);
        close();
      }),
    ),
  ];
}

/** @param {App} app @param {string} label @param {string} key @param {string} example */
function bounds(app, label, key, example) {
  const [least, most] = ['>', '<'].map((sign) => {
    const old = new RegExp(`^${key}${sign}`);
    const word = app.found.filters.find((w) => old.test(w)) ?? '';
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
      else change(app, old, next);
    };
    return listen(input, { change: take });
  });
  return h('div.line', h('span', label), least, h('span', 'to'), most);
}

/** @param {App} app @param {string} label @param {string} key @param {string[]} names of yes and no */
function trait(app, label, key, names) {
  const old = new RegExp(`^${key}`);
  const words = ['', key, `${key}:no`];
  const now = app.found.filters.find((w) => old.test(w)) ?? '';
  const choose = (/** @type {number} */ i) => {
    change(app, old, words[i]);
    [...group.children].forEach((b, j) => b.setAttribute('aria-pressed', String(i === j)));
  };
  const group = segmented(
    label,
    ...['any', ...names].map((text, i) => button(text, '', () => choose(i), { pressed: words[i] === now })),
  );
  return h('div.line', h('span', label), group);
}

/** @param {App} app @param {string} label @param {string} key @param {string[]} names */
function choice(app, label, key, names) {
  const old = new RegExp(`^${key}:`);
  const now = app.found.filters.find((w) => old.test(w))?.slice(key.length + 1) ?? '';
  const select = h('select', ['', ...names].map((value) => h('option', { value, text: value || 'any' })));
  select.value = now;
  listen(select, { change: () => change(app, old, select.value && `${key}:${select.value}`) });
  return h('label', h('span', label), select);
}
