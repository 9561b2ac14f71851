// The address: only what differs from the start is written; unknown keys are kept.

import { listen } from '../../kit/topic.js';
import { ORDERS } from '../data/order.js';

const OWN = ['job', 'rank', 'order', 'show', 'along', 'rows', 'x', 'q'];

/**
 * What an address asks for.
 * @param {string} hash
 * @param {import('../data/job.js').Job} job
 * @returns {Partial<import('../state/state.js').Choice>}
 */
export function choiceOf(hash, job) {
  const asked = new URLSearchParams(hash.replace(/^#/, ''));
  const n = job.ranks.length;
  /** @type {Partial<import('../state/state.js').Choice>} */
  const choice = {};
  const order = ORDERS.find(([key]) => key === asked.get('order'));
  if (order) choice.order = order[0];
  if (asked.get('show') === 'bytes') choice.show = 'bytes';
  if (asked.get('along') === 'time') choice.axis = 'time';
  const rank = job.ranks.findIndex((r) => r.name === asked.get('rank'));
  if (rank >= 0) choice.selected = rank;
  const rows = /^(\d+)-(\d+)$/.exec(asked.get('rows') ?? '');
  if (rows && Number(rows[1]) < Math.min(n, Number(rows[2])))
    [choice.from, choice.to] = [Number(rows[1]), Math.min(n, Number(rows[2]))];
  const x = /^(0(?:\.\d+)?)-([01](?:\.\d+)?)$/.exec(asked.get('x') ?? '');
  if (x && Number(x[1]) < Math.min(1, Number(x[2])))
    [choice.left, choice.right] = [Number(x[1]), Math.min(1, Number(x[2]))];
  if (asked.get('q')) choice.query = asked.get('q') ?? '';
  return choice;
}

/**
 * The address of what is chosen, in place of one before.
 * @param {import('../state/state.js').State} state
 * @param {string} before
 */
export function hashOf({ job, choice }, before) {
  const hash = new URLSearchParams(before.replace(/^#/, ''));
  for (const key of OWN) hash.delete(key);
  if (job.index > 0) hash.set('job', String(job.index));
  if (choice.selected >= 0) hash.set('rank', job.ranks[choice.selected].name);
  if (choice.order !== 'rank') hash.set('order', choice.order);
  if (choice.show !== 'differences') hash.set('show', choice.show);
  if (choice.axis !== 'step') hash.set('along', choice.axis);
  if (choice.from > 0 || choice.to < job.ranks.length) hash.set('rows', `${choice.from}-${choice.to}`);
  const round = (/** @type {number} */ v) => String(Math.round(v * 1e4) / 1e4);
  if (choice.left > 0 || choice.right < 1) hash.set('x', `${round(choice.left)}-${round(choice.right)}`);
  if (choice.query) hash.set('q', choice.query);
  return hash.toString();
}

/** @param {string} hash @param {number} jobs */
export function jobOf(hash, jobs) {
  const job = Number(new URLSearchParams(hash.replace(/^#/, '')).get('job') ?? 0);
  return Number.isInteger(job) && job >= 0 && job < jobs ? job : 0;
}

/** How long a view stays before Back returns to it. */
const SETTLED_MS = 400;

/**
 * @param {import('../state/state.js').State} state
 * @param {(job: number) => Promise<void>} open
 * @param {number} jobs
 */
export function mountHash(state, open, jobs) {
  let timer = 0;
  let isApplying = false;
  const write = (/** @type {'pushState' | 'replaceState'} */ how) => {
    const hash = hashOf(state, location.hash);
    if (hash === location.hash.replace(/^#/, '')) return;
    history[how](null, '', hash ? `#${hash}` : location.pathname + location.search);
  };
  const apply = () => {
    isApplying = true;
    state.choose({ ...state.defaults, ...choiceOf(location.hash, state.job) });
    isApplying = false;
  };
  state.changed.on(() => {
    if (isApplying) return;
    clearTimeout(timer);
    timer = setTimeout(() => write('pushState'), SETTLED_MS);
  });
  const read = () => {
    const job = jobOf(location.hash, jobs);
    if (job === state.job.index) apply();
    else void open(job).then(apply);
  };
  listen(window, { popstate: read, hashchange: read });
  return { apply };
}
