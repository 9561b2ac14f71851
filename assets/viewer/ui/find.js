// The search box: what is asked for, how much of it there is, and the way from
// one match to the next.

import { bytes, count, counted, exactBytes } from '../data/format.js';
import { litBytes } from '../data/lit.js';
import { countBelow, countUpTo } from '../data/search.js';
import { search } from '../state/light.js';
import { goTo, reveal } from '../view/goto.js';
import { h } from './dom.js';
import { mountFilters } from './filters.js';
import { field, popUnder } from './pop.js';

/** How long typing must pause before a search. */
const PAUSE_MS = 120;

export class FindBox {
  /** @param {import('../app.js').App} app @param {HTMLElement} root */
  constructor(app, root) {
    this.app = app;
    this.timer = 0;
    /** @type {import('../data/find.js').Found | null} whose matches ids are */
    this.found = null;
    this.ids = new Uint32Array(0);
    this.input = field('Find', 'Find function, file, address, /regex/');
    this.words = h('output');
    const step = (/** @type {number} */ by, /** @type {string} */ text, /** @type {string} */ title) =>
      h('button', { text, title, label: title, click: () => this.step(by) });
    this.steps = h('span', step(-1, '‹', 'Previous match (N)'), step(1, '›', 'Next match (n)'));
    this.box = h('label.box', { title: HELP }, h('span.faint', '⌕'), this.input, this.words, this.steps, h('kbd', '/'));
    this.filter = h('button', { title: 'By size, lifetime, stream … (L: live at the end)' });
    root.append(this.box, this.filter);
    mountFilters(app, this.filter);
    this.where = popUnder(this.box, 'Go to', () => this.#whereTo());
    this.input.addEventListener('input', () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.#search(), PAUSE_MS);
    });
    this.input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.step(event.shiftKey ? -1 : 1);
      else if (event.key === 'Escape') this.input.blur();
    });
    this.input.addEventListener('blur', () => this.#search());
    app.onBeside(['device', 'colour', 'moment', 'pin'], () => this.#update());
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  #search() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.input.value !== this.app.found.query) search(this.app, this.input.value);
  }

  #update() {
    const { app, input } = this;
    const { found } = app;
    if (found !== this.found) {
      this.found = found;
      this.ids = new Uint32Array(found.count);
      for (let id = 0, n = 0; n < found.count; id++) if (found.hits?.[id]) this.ids[n++] = id;
    }
    if (this.timer === 0) input.value = found.query; // else more is being typed
    const said = sentence(app, this.ids);
    [this.words.textContent, this.words.title] = [said.text, said.title];
    this.steps.hidden = found.count === 0;
    const n = found.filters.length;
    this.filter.textContent = n > 0 ? `Filter ${count(n)}` : 'Filter';
    this.filter.setAttribute('aria-pressed', String(n > 0));
  }

  /**
   * Pins the next match, in the order of allocation: after the pinned tensor, or
   * else from the view on. After the last comes the first.
   * @param {number} by 1 or -1
   */
  step(by) {
    this.#search();
    const { app, ids } = this;
    const { pinned, viewport, device } = app;
    if (ids.length === 0) return;
    const { first } = device.data;
    const { axis, from, to } = viewport;
    const at =
      by > 0
        ? countUpTo(ids, pinned ?? countBelow(first, axis.stateAt(from)) - 1)
        : countBelow(ids, pinned ?? countUpTo(first, axis.stateAt(to))) - 1;
    const id = ids[(at + ids.length) % ids.length];
    app.pin(id);
    reveal(app, id);
  }

  /** Asks where to go. */
  askWhere() {
    this.where.showPopover();
  }

  #whereTo() {
    const input = field('Go to', 'event 1,525 · 54.4 ms · 0x7f06…');
    const problem = h('span');
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      problem.textContent = goTo(this.app, input.value);
      if (!problem.textContent) this.where.hidePopover();
    });
    return [h('div.go', h('span', 'Go to'), input), h('div.foot', problem)];
  }
}

const HELP = `Words, "one phrase" or /regex/ in functions, files, operators, annotations and metadata
0x7f06 or b7f06_0: addresses; _0 is the first allocation there
size>1MiB  life<20  life>5ms  live:yes  pre:no  stream:0  pool:default`;

/**
 * How much was found.
 * @param {import('../app.js').App} app @param {ArrayLike<number>} ids
 * @returns {{text: string, title: string}}
 */
function sentence({ found, pinned, moment, momentState, device: { timeline, hasHistory } }, ids) {
  const { hits, problem } = found;
  if (!hits) return { text: problem, title: problem };
  if (ids.length === 0) return { text: 'nothing found', title: '' };
  const place = pinned !== null && hits[pinned] ? `${count(countUpTo(ids, pinned))} of ` : '';
  /** @type {[string, number][]} */
  const states = [['peak', timeline.peak]];
  if (hasHistory && (moment === 'cursor' || moment === 'end')) states.push([moment, momentState]);
  const sums = states.map(([name, state]) => ({
    name: hasHistory ? ` at ${name}` : '',
    sum: litBytes(timeline, hits, state),
  }));
  const said = (/** @type {(n: number) => string} */ words) =>
    [place + counted(ids.length, 'tensor'), ...sums.map(({ name, sum }) => words(sum) + name)].join(', ');
  return { text: said(bytes), title: said(exactBytes) };
}
