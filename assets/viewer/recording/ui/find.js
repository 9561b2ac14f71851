// The search box: the query, how much it finds, and buttons from match to match.

import { bytes, count, counted, exactBytes } from '../../kit/format.js';
import { highlightedBytes } from '../data/masks.js';
import { goTo, reveal } from '../state/navigate.js';
import { listen } from '../../kit/topic.js';
import { field, h, popoverUnder, signButton } from '../../kit/dom.js';
import { searchBox } from '../../kit/find.js';
import { mountFilters } from './filters.js';

/** @typedef {import('../state/stores.js').Stores} Stores */

/**
 * @param {Stores} stores @param {HTMLElement} root
 * @param {(by: 1 | -1) => boolean} goToEvent goes to the next event of a match; false: the list of events is not open
 */
export function mountFind(stores, root, goToEvent) {
  const { shown, appearance, highlight, viewport, selection, moment } = stores;
  /** @type {import('../data/find.js').Found | null} whose matches ids are, the largest first */
  let listed = null;
  let ids = new Uint32Array(0);

  /**
   * Pins the next match, from the largest to the smallest: the largest first, when none is pinned. After the last comes
   * the first. While the list of events is open, goes to the next event of one.
   * @param {1 | -1} by
   */
  const pinMatch = (by) => {
    search.ask();
    if (ids.length === 0 || goToEvent(by)) return;
    const at = selection.pinned === null ? -1 : ids.indexOf(selection.pinned);
    const id = ids[at < 0 ? (by > 0 ? 0 : ids.length - 1) : (at + by + ids.length) % ids.length];
    selection.pin(id);
    reveal(stores, id);
  };

  const search = searchBox(
    'Find',
    'Find function, file, address, /regex/',
    (query) => highlight.search(query),
    (by) => pinMatch(by),
  );
  const others = h(
    'span',
    signButton('‹', 'Previous match', 'N', () => pinMatch(-1)),
    signButton('›', 'Next match', 'n', () => pinMatch(1)),
  );
  const box = search.element(others);
  box.title = HELP;
  const filter = h('button', { title: 'By size, lifetime, stream … (L: live at the end)' });
  root.append(box, filter);
  mountFilters(stores, filter);
  const where = popoverUnder(box, 'Go to', () => {
    const problem = h('span');
    const goal = listen(field('Go to', 'event 1,525 · 54.4 ms · 0x7f06…'), {
      keydown({ key }) {
        if (key !== 'Enter') return;
        problem.textContent = goTo(stores, goal.value);
        if (!problem.textContent) where.hidePopover();
      },
    });
    return [h('div.go', h('span', 'Go to'), goal), h('div.foot', problem)];
  });

  const update = () => {
    const { found } = highlight;
    if (found !== listed) {
      listed = found;
      ids = new Uint32Array(found.count);
      for (let id = 0, n = 0; n < found.count; id++) if (found.hits?.[id]) ids[n++] = id;
      const { size } = shown.device.data;
      ids.sort((a, b) => size[b] - size[a] || a - b);
    }
    search.show(found.query);
    Object.assign(search.words, sentence(stores, ids));
    others.hidden = found.count === 0;
    const n = found.filters.length;
    filter.textContent = n > 0 ? `Filter ${count(n)}` : 'Filter';
    filter.setAttribute('aria-pressed', String(n > 0));
  };
  viewport.afterPicture(
    [shown.changed, appearance.changed, highlight.changed, moment.changed, selection.pinChanged],
    update,
  );
  return {
    pinMatch,
    focus: search.focus,
    /** Opens the "Go to" panel. */
    askWhere: () => where.showPopover(),
  };
}

const HELP = `Words, "one phrase" or /regex/ in functions, files, operators, annotations and metadata
0x7f06 or b7f06_0: addresses; _0 is the first allocation there
size>1MiB  life<20  life>5ms  live:yes  pre:no  stream:0  pool:default`;

/**
 * Says how much was found.
 * @param {Stores} stores @param {Uint32Array} ids
 * @returns {{textContent: string, title: string}}
 */
function sentence({ shown, highlight, selection: { pinned }, moment }, ids) {
  const { timeline, hasHistory } = shown.device;
  const { hits, problem } = highlight.found;
  if (!hits) return { textContent: problem, title: problem };
  if (ids.length === 0) return { textContent: 'nothing found', title: '' };
  const ordinal = pinned !== null && hits[pinned] ? `${count(ids.indexOf(pinned) + 1)} of ` : '';
  /** @type {[string, number][]} */
  const states = [['peak', timeline.peak]];
  if (hasHistory && (moment.kind === 'cursor' || moment.kind === 'end')) states.push([moment.kind, moment.state]);
  const sums = states.map(([name, state]) => ({
    name: hasHistory ? ` at ${name}` : '',
    sum: highlightedBytes(timeline, hits, state),
  }));
  const said = (/** @type {(n: number) => string} */ words) =>
    [ordinal + counted(ids.length, 'tensor'), ...sums.map(({ name, sum }) => words(sum) + name)].join(', ');
  return { textContent: said(bytes), title: said(exactBytes) };
}
