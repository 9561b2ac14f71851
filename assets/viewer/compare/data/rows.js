// What two states hold, by family and by row: a line of the program, a file or a function.

import { baseName, NO_STACK, twoLastParts } from '../../data/sites.js';

/**
 * @typedef {[number, number]} Two a number of before and one of after
 * @typedef {'site' | 'file' | 'function'} By
 *
 * @typedef {object} Sums of some allocations in two states
 * @property {Two} bytes
 * @property {Two} tensors
 * @property {Two} least bytes of a tensor; of no tensor Infinity
 * @property {Two} most
 *
 * @typedef {Sums & RowFacts} Row
 * @typedef {object} RowFacts
 * @property {string} key
 * @property {number[]} groups
 * @property {string} name function, file, or all there is
 * @property {string} location "model.py:101→104", or ""
 * @property {string} title full text
 * @property {boolean} isNamed there is a stack
 * @property {[number, number]} lines of the two sides; 0: none
 * @property {number} family that holds most of it
 * @property {number} change in bytes
 *
 * @typedef {object} Difference of two states
 * @property {[number, number]} states
 * @property {Two} bytes active
 * @property {Two[]} families
 * @property {(Sums & {families: number[]})[]} groups
 */

/** @returns {Sums} */
function nothing() {
  return { bytes: [0, 0], tensors: [0, 0], least: [Infinity, Infinity], most: [0, 0] };
}

/** @param {Sums} sums @param {number} side @param {number} bytes */
function add(sums, side, bytes) {
  sums.bytes[side] += bytes;
  sums.tensors[side]++;
  if (bytes < sums.least[side]) sums.least[side] = bytes;
  if (bytes > sums.most[side]) sums.most[side] = bytes;
}

/** @param {Sums} sums @param {Sums} other */
function merge(sums, other) {
  for (const side of [0, 1]) {
    sums.bytes[side] += other.bytes[side];
    sums.tensors[side] += other.tensors[side];
    sums.least[side] = Math.min(sums.least[side], other.least[side]);
    sums.most[side] = Math.max(sums.most[side], other.most[side]);
  }
}

/**
 * @param {import('./pair.js').Pair} pair @param {[number, number]} states
 * @param {import('../../data/report.js').Family[]} families
 * @returns {Difference}
 */
export function differenceOf(pair, states, families) {
  const byFamily = families.map(() => /** @type {Two} */ ([0, 0]));
  const groups = pair.groups.map(() => ({ ...nothing(), families: /** @type {number[]} */ ([]) }));
  const bytes = /** @type {Two} */ ([0, 0]);
  pair.sides.forEach(({ timeline, data: { size }, family, group }, side) => {
    for (const id of timeline.live(states[side])) {
      byFamily[family[id]][side] += size[id];
      bytes[side] += size[id];
      const sums = groups[group[id]];
      if (!sums) continue;
      add(sums, side, size[id]);
      sums.families[family[id]] = (sums.families[family[id]] ?? 0) + size[id];
    }
  });
  return { states, bytes, families: byFamily, groups };
}

/** Names of the groups, which are the same in all states. */
export class RowNames {
  /** @type {Record<By, (RowName | undefined)[]>} */
  #known = { site: [], file: [], function: [] };
  #pair;
  /** @type {Map<string, string> | null} */
  #files = null;

  /** @param {import('./pair.js').Pair} pair */
  constructor(pair) {
    this.#pair = pair;
  }

  /** @param {number} group @param {By} by */
  of(group, by) {
    return (this.#known[by][group] ??= this.#name(group, by));
  }

  /**
   * @typedef {{key: string, name: string, location: string, title: string, isNamed: boolean,
   *   lines: [number, number]}} RowName
   * @param {number} group @param {By} by @returns {RowName}
   */
  #name(group, by) {
    const { sides, groups } = this.#pair;
    const { isNamed, isLine } = groups[group];
    const sites = sides.map((side) => side.site(group));
    const site = sites[1] ?? sites[0];
    const none = /** @type {[number, number]} */ ([0, 0]);
    if (!site || !isNamed) return { key: 'none', name: NO_STACK, location: '', title: NO_STACK, isNamed, lines: none };
    if (by === 'file' && site.file) {
      const file = find((this.#files ??= fileSets(this.#pair)), site.file);
      return { key: `p${file}`, name: twoLastParts(file), location: '', title: file, isNamed, lines: none };
    }
    if (by !== 'site') {
      const { name } = site;
      return { key: `c${name}`, name, location: '', title: name, isNamed, lines: none };
    }
    const lines = /** @type {[number, number]} */ (sites.map((s) => (isLine && s ? lineOf(s) : 0)));
    const [a, b] = lines;
    const location = isLine ? `${baseName(site.file)}:${a && b && a !== b ? `${a}→${b}` : b || a}` : site.location;
    const title = a && b && a !== b ? `${site.title}, line ${a} before` : site.title;
    return { key: keyOf(site, group, isLine), name: site.name, location, title, isNamed, lines };
  }
}

/**
 * Joins files that have matched lines, wherever they lie: the parent of each file.
 * @param {import('./pair.js').Pair} pair
 */
function fileSets({ sides, groups }) {
  /** @type {Map<string, string>} */
  const parent = new Map();
  groups.forEach((_, group) => {
    const files = sides.flatMap((side) => side.site(group)?.file || []);
    for (const file of files) if (!parent.has(file)) parent.set(file, file);
    if (files.length === 2) parent.set(find(parent, files[0]), find(parent, files[1]));
  });
  return parent;
}

/** @param {Map<string, string>} parent @param {string} file */
function find(parent, file) {
  for (let up = parent.get(file); up !== undefined && up !== file; up = parent.get(file)) file = up;
  return file;
}

/** @param {import('../../data/sites.js').Site} site */
function lineOf(site) {
  return Number(/:(\d+)$/.exec(site.location)?.[1] ?? 0);
}

/**
 * What a row is called in the address.
 * @param {import('../../data/sites.js').Site} site @param {number} group @param {boolean} isLine
 */
function keyOf(site, group, isLine) {
  return isLine ? `${site.location}:${site.name}` : `${site.name}#${group}`;
}

/**
 * The rows of a difference that hold anything, the largest change first.
 * @param {Difference} difference @param {RowNames} names @param {By} by
 * @returns {Row[]}
 */
export function rowsOf({ groups }, names, by) {
  /** @type {Map<string, Row & {byFamily: number[]}>} */
  const rows = new Map();
  groups.forEach((sums, group) => {
    if (sums.tensors[0] + sums.tensors[1] === 0) return;
    const name = names.of(group, by);
    let row = rows.get(name.key);
    if (!row) rows.set(name.key, (row = { ...nothing(), ...name, groups: [], family: 0, change: 0, byFamily: [] }));
    merge(row, sums);
    row.groups.push(group);
    sums.families.forEach((bytes, f) => (row.byFamily[f] = (row.byFamily[f] ?? 0) + bytes));
  });
  for (const row of rows.values()) {
    row.change = row.bytes[1] - row.bytes[0];
    row.byFamily.forEach((bytes, f) => {
      if (bytes > (row.byFamily[row.family] ?? 0)) row.family = f;
    });
  }
  return [...rows.values()].sort(
    (a, b) => Math.abs(b.change) - Math.abs(a.change) || (a.name < b.name ? -1 : 1) || a.groups[0] - b.groups[0],
  );
}

/**
 * What each operator holds of some groups, the largest change first.
 * @param {import('./pair.js').Pair} pair @param {[number, number]} states @param {number[]} groups
 * @returns {(Sums & {operator: string, change: number})[]}
 */
export function operatorsOf(pair, states, groups) {
  /** @type {Map<string, Sums>} */
  const operators = new Map();
  pair.sides.forEach(({ timeline, data: { size, stack }, group, device }, side) => {
    for (const id of timeline.live(states[side])) {
      if (!groups.includes(group[id])) continue;
      const operator = device.stacks.operatorOf(stack[id]);
      let sums = operators.get(operator);
      if (!sums) operators.set(operator, (sums = nothing()));
      add(sums, side, size[id]);
    }
  });
  return [...operators]
    .map(([operator, sums]) => ({ ...sums, operator, change: sums.bytes[1] - sums.bytes[0] }))
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change) || (a.operator < b.operator ? -1 : 1));
}
