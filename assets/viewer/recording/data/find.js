// Finds allocations. Each frame and each string is searched once; an allocation is
// found when its stack, or a text of its own, was.

import { addressTest } from '../../data/addresses.js';
import { clamp, countBelow } from '../../kit/math.js';
import { parseFilter, parseQuery } from '../../data/query.js';
import { streamName } from '../../data/report.js';
import { located } from '../../data/sites.js';

/** Instructions that the regular expressions of one query may take: a fraction of a second. */
const MOST_INSTRUCTIONS = 2e7;

/**
 * @typedef {object} Found
 * @property {string} query
 * @property {string[]} filters
 * @property {Uint8Array | null} hits 1 for each allocation found; null: nothing was asked
 * @property {number} count
 * @property {string} problem what is wrong with the query, or ""
 *
 * @typedef {import('../../data/open.js').OpenDevice} OpenDevice
 * @typedef {import('../../data/query.js').Term} Term
 * @typedef {import('../../data/query.js').Filter} Filter
 */

/** @type {Found} */
export const NOTHING_ASKED = { query: '', filters: [], hits: null, count: 0, problem: '' };

/**
 * @param {OpenDevice} device
 * @param {string} query
 * @param {string[]} words filters; a word that is none is left out
 * @returns {Found}
 */
export function find(device, query, words) {
  const filters = words.filter(parseFilter);
  if (query.trim() === '' && filters.length === 0) return NOTHING_ASKED;
  const found = { ...NOTHING_ASKED, query, filters };
  try {
    const asked = parseQuery(query);
    const all = filters.map((word) => /** @type {Filter} */ (parseFilter(word)));
    const tests = [...asked.filters, ...all].map((filter) => filterTest(device, filter));
    const hits = new Uint8Array(device.data.count).fill(1);
    const budget = { left: MOST_INSTRUCTIONS };
    for (const term of asked.terms) keep(hits, hitsOf(device, term, budget));
    let count = 0;
    for (const test of tests) for (let i = 0; i < hits.length; i++) if (hits[i] && !test(i)) hits[i] = 0;
    for (let i = 0; i < hits.length; i++) count += hits[i];
    return { ...found, hits, count };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    return { ...found, problem: error.message };
  }
}

/** @param {Uint8Array} hits @param {Uint8Array} others */
function keep(hits, others) {
  for (let i = 0; i < hits.length; i++) hits[i] &= others[i];
}

/**
 * Allocations that have a term in their stack or in what is written beside it.
 * @param {OpenDevice} device @param {Term} term @param {import('../../data/regex.js').Budget} budget
 */
function hitsOf(device, { text, regex, address }, budget) {
  const { data, stacks, lanes } = device;
  const test = (/** @type {string} */ s) => (regex ? regex.test(s, budget) : s.toLowerCase().includes(text));
  /** @type {Map<number, boolean>} */
  const known = new Map();
  const named = (/** @type {number} */ string) => {
    let is = known.get(string);
    if (is === undefined) known.set(string, (is = test(stacks.strings.at(string))));
    return is;
  };
  const onStack = stackHits(stacks, test, named);
  const hits = new Uint8Array(data.count);
  for (let i = 0; i < hits.length; i++) hits[i] = onStack[data.stack[i]];
  for (const texts of [data.context, data.metadata])
    texts.alloc.forEach((id, i) => {
      if (named(texts.text[i])) hits[id] = 1;
    });
  for (const lane of lanes?.annotated ?? []) annotate(hits, data, lane, test);
  if (address) {
    const there = addressTest(data, address);
    for (let i = 0; i < hits.length; i++) if (there(i)) hits[i] = 1;
  }
  return hits;
}

/** @type {WeakMap<import('../../data/stacks.js').Stacks, string[]>} */
const frameTexts = new WeakMap();

/** "file:line function" of every frame. @param {import('../../data/stacks.js').Stacks} stacks */
function textsOf(stacks) {
  let texts = frameTexts.get(stacks);
  if (!texts) {
    texts = Array.from(stacks.frameName, (_, i) => {
      const { name, file, line } = stacks.frame(i);
      return `${located(file, line)} ${name}`;
    });
    frameTexts.set(stacks, texts);
  }
  return texts;
}

/**
 * Stacks with a frame or an operator that is found.
 * @param {import('../../data/stacks.js').Stacks} stacks
 * @param {(text: string) => boolean} test
 * @param {(string: number) => boolean} named
 */
function stackHits(stacks, test, named) {
  const frames = textsOf(stacks).map(test);
  const nodes = new Uint8Array(stacks.parent.length + 1);
  stacks.parent.forEach((parent, i) => {
    nodes[i + 1] = nodes[parent] | Number(frames[stacks.nodeFrame[i]] ?? false);
  });
  return Uint8Array.from(stacks.node, (node, stack) => nodes[node] | Number(named(stacks.operator[stack])));
}

/**
 * What was allocated in the ranges of a lane that have a name.
 * @param {Uint8Array} hits @param {import('../../data/device.js').DeviceData} data
 * @param {{from: number[], to: number[], names: string[]}} lane @param {(text: string) => boolean} test
 */
function annotate(hits, { first, preExisting }, { from, to, names }, test) {
  names.forEach((name, i) => {
    if (test(name)) hits.fill(1, Math.max(preExisting, countBelow(first, from[i] + 1)), countBelow(first, to[i] + 1));
  });
}

/** @param {OpenDevice} device @param {Filter} filter @returns {(id: number) => boolean} */
function filterTest({ data, file, report, hasTime }, filter) {
  switch (filter.key) {
    case 'size':
      return compare((id) => data.size[id], filter);
    case 'life': {
      const { first, last } = data;
      if (filter.unit === 'events') return compare((id) => last[id] - first[id] + 1, filter);
      const time = hasTime ? data.time : null;
      if (!time) throw new SyntaxError('this recording has no times');
      const at = (/** @type {number} */ event) => time[clamp(event, 0, time.length - 1)];
      return compare((id) => at(last[id]) - at(first[id] - 1), filter);
    }
    case 'live':
      return (id) => data.isLiveAtEnd(id) === (filter.name === 'yes');
    case 'pre':
      return (id) => data.isPreExisting(id) === (filter.name === 'yes');
    case 'stream': {
      const names = file.streams.map((_, i) => streamName(file.streams, i).slice('stream '.length).toLowerCase());
      return oneOf(data.stream, names, filter);
    }
    case 'pool': {
      const pools = report.pools ?? [];
      return oneOf(pools.length > 1 ? data.pool : null, pools, filter);
    }
  }
}

/**
 * @param {(id: number) => number} of @param {import('../../data/query.js').Bound} bound
 * @returns {(id: number) => boolean}
 */
function compare(of, { sign, value }) {
  if (sign[0] === '>') return sign === '>' ? (id) => of(id) > value : (id) => of(id) >= value;
  return sign === '<' ? (id) => of(id) < value : (id) => of(id) <= value;
}

/**
 * @param {ArrayLike<number> | null} column null: all have the first name
 * @param {string[]} names
 * @param {import('../../data/query.js').Trait} trait
 */
function oneOf(column, names, { key, name }) {
  const wanted = names.indexOf(name);
  if (wanted < 0) throw new SyntaxError(`there is no ${key} ${name}`);
  return (/** @type {number} */ id) => (column ? column[id] : 0) === wanted;
}
