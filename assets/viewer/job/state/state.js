// What the person chose. Everything that draws listens to `changed`.

import { Topic } from '../../kit/topic.js';
import { matching, ordered } from '../data/order.js';

/** @typedef {import('../data/order.js').Order} Order */

/**
 * @typedef {object} Choice
 * @property {Order} order
 * @property {'differences' | 'bytes'} show
 * @property {'step' | 'time'} axis
 * @property {number} selected rank, or -1
 * @property {string} query
 * @property {number} from first row that is shown @property {number} to behind the last
 * @property {number} left @property {number} right the part of the axis that is shown, from 0 to 1
 */

export class State {
  changed = new Topic();
  hovered = new Topic();
  /** @type {number} rank under the pointer, or -1 */
  hover = -1;

  /** All ranks in their order. @type {number[]} */
  list = [];
  /** Those that are shown. @type {number[]} */
  shown = [];
  /** 1 for each rank that the search finds; null for all. @type {Uint8Array | null} */
  matches = null;

  /** @param {import('../data/job.js').Job} job */
  constructor(job) {
    this.job = job;
    this.choice = this.defaults;
    this.#derive();
  }

  /** Shows a job, with nothing chosen. @param {import('../data/job.js').Job} job */
  open(job) {
    this.job = job;
    this.choice = this.defaults;
    this.hover = -1;
    this.#derive();
    this.changed.emit();
  }

  /** @returns {Choice} */
  get defaults() {
    return {
      order: 'rank',
      show: 'differences',
      axis: 'step',
      selected: -1,
      query: '',
      from: 0,
      to: this.job.ranks.length,
      left: 0,
      right: 1,
    };
  }

  /** @param {Partial<Choice>} choice */
  choose(choice) {
    const next = { ...this.choice, ...choice };
    const n = this.job.ranks.length;
    if (next.axis === 'time' && !this.job.view.has_time) next.axis = 'step';
    if (next.order !== this.choice.order) [next.from, next.to] = [choice.from ?? 0, choice.to ?? n];
    if (next.axis !== this.choice.axis) [next.left, next.right] = [choice.left ?? 0, choice.right ?? 1];
    this.choice = next;
    this.#derive();
    this.changed.emit();
  }

  #derive() {
    const { order, query, from, to } = this.choice;
    this.list = ordered(this.job, order);
    this.shown = this.list.slice(from, to);
    this.matches = matching(this.job, query);
  }

  get isWhole() {
    const { from, to, left, right } = this.choice;
    return from === 0 && to === this.job.ranks.length && left === 0 && right === 1;
  }

  /** Selects a rank, and shows its row. @param {number} rank */
  select(rank) {
    const at = this.list.indexOf(rank);
    let { from, to } = this.choice;
    if (rank >= 0 && (at < from || at >= to)) {
      const count = to - from;
      from = Math.max(0, Math.min(this.list.length - count, at - (count >> 1)));
      to = from + count;
    }
    this.choose({ selected: rank, from, to });
  }

  /** Shows fewer or more rows. @param {number} at the row that stays @param {number} factor of how many */
  zoom(at, factor) {
    const { from, to } = this.choice;
    const n = this.list.length;
    const count = Math.max(
      1,
      Math.min(n, factor < 1 ? Math.floor((to - from) * factor) : Math.ceil((to - from) * factor)),
    );
    const part = (at - from) / Math.max(1, to - from);
    const start = Math.max(0, Math.min(n - count, Math.round(at - part * count)));
    if (start !== from || start + count !== to) this.choose({ from: start, to: start + count });
  }

  /** @param {number} rows */
  pan(rows) {
    const { from, to } = this.choice;
    const start = Math.max(0, Math.min(this.list.length - (to - from), from + rows));
    if (start !== from) this.choose({ from: start, to: start + to - from });
  }

  /** @param {number} rank */
  point(rank) {
    if (rank === this.hover) return;
    this.hover = rank;
    this.hovered.emit();
  }
}
