// What the hash of the address holds:
//
//   job    index of the job
//   rank   name of the one that is selected
//   order  of the rows
//   show   bytes: no differences
//   along  time
//   rows   FROM-TO: those that are shown
//   x      FROM-TO: the part of the axis that is shown, from 0 to 1
//   q      text of the search box

import { asked, mountHash } from '../../kit/hash.js';
import { ORDERS } from '../data/order.js';

/**
 * What an address asks for.
 * @param {string} hash
 * @param {import('../data/job.js').Job} job
 * @returns {Partial<import('../state/state.js').Choice>}
 */
export function choiceOf(hash, job) {
  const of = (/** @type {string} */ key) => asked(key, hash) ?? '';
  const n = job.ranks.length;
  /** @type {Partial<import('../state/state.js').Choice>} */
  const choice = {};
  const order = ORDERS.find(([key]) => key === of('order'));
  if (order) choice.order = order[0];
  if (of('show') === 'bytes') choice.show = 'bytes';
  if (of('along') === 'time') choice.axis = 'time';
  const rank = job.ranks.findIndex((r) => r.name === of('rank'));
  if (rank >= 0) choice.selected = rank;
  const rows = /^(\d+)-(\d+)$/.exec(of('rows'));
  if (rows && Number(rows[1]) < Math.min(n, Number(rows[2])))
    [choice.from, choice.to] = [Number(rows[1]), Math.min(n, Number(rows[2]))];
  const x = /^(0(?:\.\d+)?)-([01](?:\.\d+)?)$/.exec(of('x'));
  if (x && Number(x[1]) < Math.min(1, Number(x[2])))
    [choice.left, choice.right] = [Number(x[1]), Math.min(1, Number(x[2]))];
  if (of('q')) choice.query = of('q');
  return choice;
}

/** @param {import('../state/state.js').State} state @returns {import('../../kit/hash.js').Values} */
export function valuesOf({ job, choice }) {
  const { selected, order, show, axis, from, to, left, right, query } = choice;
  const round = (/** @type {number} */ v) => String(Math.round(v * 1e4) / 1e4);
  return {
    job: job.index > 0 && String(job.index),
    rank: selected >= 0 && job.ranks[selected].name,
    order: order !== 'rank' && order,
    show: show !== 'differences' && show,
    along: axis !== 'step' && axis,
    rows: (from > 0 || to < job.ranks.length) && `${from}-${to}`,
    x: (left > 0 || right < 1) && `${round(left)}-${round(right)}`,
    q: query,
  };
}

/** The index of the job that the address names. @param {number} jobs how many there are */
export function jobAsked(jobs) {
  const job = Number(asked('job') ?? 0);
  return Number.isInteger(job) && job >= 0 && job < jobs ? job : 0;
}

/**
 * @param {import('../state/state.js').State} state
 * @param {(job: number) => Promise<void>} open
 * @param {number} jobs
 */
export function mountJobHash(state, open, jobs) {
  return mountHash([state.changed], {
    values: () => valuesOf(state),
    show: () => state.choose({ ...state.defaults, ...choiceOf(location.hash, state.job) }),
    open: async () => {
      const job = jobAsked(jobs);
      if (job !== state.job.index) await open(job);
    },
  });
}
