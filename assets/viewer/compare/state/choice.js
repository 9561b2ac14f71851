// What a person has chosen on the compare page: the moment, how the recordings are
// aligned and shown, what is picked out, and how the table is cut.

import { Topic } from '../../kit/topic.js';

/**
 * @typedef {'site' | 'file' | 'function' | 'lines'} Tab lines: only on one side, or moved
 * @typedef {import('../data/alignment.js').By} By
 * @typedef {import('../data/alignment.js').Unit} Unit
 * @typedef {{by: import('../data/rows.js').By, key: string}} RowKey
 *
 * @typedef {object} Choices
 * @property {string} at the moment: a key of the page's moments, cursor, range or reserved
 * @property {[number, number] | null} cursor the states of the moment cursor
 * @property {[number, number] | null} range brushed, in positions
 * @property {By} by
 * @property {Unit} unit
 * @property {'both' | 'after'} view
 * @property {Tab} tab
 * @property {RowKey | null} row that is picked out
 * @property {number | null} family likewise
 * @property {string} query likewise
 * @property {boolean} allFrames whether the stack of the row is shown whole
 */

/** @type {Readonly<Choices>} */
const START = {
  at: 'peak',
  cursor: null,
  range: null,
  by: 'phase',
  unit: 'events',
  view: 'both',
  tab: 'site',
  row: null,
  family: null,
  query: '',
  allFrames: false,
};

export class Choice {
  changed = new Topic();
  /** @type {Readonly<Choices>} */
  #now = START;
  /** @type {Readonly<Choices>} what a page starts with that compares these recordings */
  #start = START;

  get now() {
    return this.#now;
  }

  get start() {
    return this.#start;
  }

  /** Starts over, with other recordings. @param {Partial<Choices>} start what differs from START */
  reset(start) {
    this.#start = this.#now = { ...START, ...start };
  }

  /** @param {Partial<Choices>} other what is chosen now */
  set(other) {
    const next = { ...this.#now, ...other };
    const keys = /** @type {(keyof Choices)[]} */ (Object.keys(next));
    if (keys.every((key) => next[key] === this.#now[key])) return;
    this.#now = next;
    this.changed.emit();
  }

  /** Picks out a row alone, or nothing if it is the one already. @param {RowKey} row */
  pick(row) {
    const { row: now } = this.#now;
    const isSame = now?.by === row.by && now.key === row.key;
    this.set({ row: isSame ? null : row, family: null, query: '', allFrames: false });
  }

  /** @param {number} family */
  pickFamily(family) {
    this.set({ family: this.#now.family === family ? null : family, row: null, query: '' });
  }

  /** Whether something is picked out, so that all else fades. */
  get isPicking() {
    const { row, family, query } = this.#now;
    return row !== null || family !== null || query !== '';
  }

  /** Takes back what was chosen last, from the innermost: what is picked out, the range, the cursor. */
  takeBack() {
    const { range, at } = this.#now;
    if (this.isPicking) this.set({ row: null, family: null, query: '' });
    else if (range) this.set({ range: null, ...(at === 'range' && { at: this.#start.at }) });
    else if (at !== this.#start.at) this.set({ at: this.#start.at, cursor: null });
    else return false;
    return true;
  }
}
