// Call sites: short names of frames and stacks, and the rows of the table.

import { LIBRARY, USER } from './stacks.js';

/** @typedef {import('./stacks.js').Frame} Frame */

/** The call site of allocations without a stack. */
export const NO_STACK = '(no stack recorded)';

/** @param {string} path @returns {string} with forward slashes */
function slashes(path) {
  return path.replaceAll('\\', '/');
}

/** @param {string} path */
export function baseName(path) {
  return slashes(path).replace(/^.*\//, '');
}

/** @param {string} path */
export function twoLastParts(path) {
  return slashes(path).split('/').slice(-2).join('/');
}

/**
 * The end of a frame's path that is worth reading: two names of user code, the
 * path below site-packages of a library.
 * @param {Frame} frame
 */
export function shortPath(frame) {
  const path = slashes(frame.file);
  if (frame.kind === USER) return twoLastParts(path);
  const library = /(?:site-packages|dist-packages|lib\/python[\d.]+)\/(?!site-packages|dist-packages)(.*)$/.exec(path);
  return library ? library[1] : path;
}

/** @param {string} path @param {number} line 0: unknown */
export function located(path, line) {
  return line > 0 ? `${path}:${line}` : path;
}

/**
 * @typedef {object} Site
 * @property {string} key
 * @property {string} name function, or all there is
 * @property {string} location "file.py:123", or ""
 * @property {string} file full path of the location, or ""
 * @property {string} title full text
 */

/**
 * The call site of a stack: its innermost user frame; without one, what the
 * backward pass did, else the innermost library frame, the operator, or the
 * function of the innermost frame. pkg/analysis/stacks has the same rule, and
 * its testdata/sites.json tests both.
 * @param {Pick<import('./stacks.js').Stacks, 'siteFrame' | 'backward' | 'operatorOf' | 'frames'>} stacks
 * @param {number} stack
 * @returns {Site}
 */
export function siteOf(stacks, stack) {
  const operator = stacks.operatorOf(stack);
  if (!stacks.siteFrame(stack) && stacks.backward[stack]) return withoutLocation(`autograd ${operator}`.trim());
  const frames = stacks.frames(stack);
  const frame = stacks.siteFrame(stack) ?? frames.find((f) => f.kind === LIBRARY);
  if (!frame) {
    const name = operator || frames[0]?.name;
    return name ? withoutLocation(name) : withoutLocation(NO_STACK, '');
  }
  const title = `${located(frame.file, frame.line)} ${frame.name}`;
  return {
    key: 'f' + title,
    name: frame.name,
    location: located(baseName(frame.file), frame.line),
    file: frame.file,
    title,
  };
}

/** A site that has no location. @param {string} name @param {string} [key] @param {string} [title] @returns {Site} */
function withoutLocation(name, key = 'n' + name, title = name) {
  return { key, name, location: '', file: '', title };
}

/** @typedef {'site' | 'file' | 'function' | 'family'} By */

/**
 * @param {import('./stacks.js').Stacks} stacks
 * @param {number} stack
 * @param {By} by but not family, which no stack has
 * @returns {Site}
 */
export function keyOf(stacks, stack, by) {
  const site = siteOf(stacks, stack);
  const frame = stacks.siteFrame(stack);
  if (by === 'site' || !frame) return site;
  return by === 'file'
    ? withoutLocation(twoLastParts(frame.file), 'p' + frame.file, frame.file)
    : withoutLocation(frame.name, 'c' + frame.name);
}

/**
 * @typedef {Site & {bytes: number, tensors: number, group: number, first: number, last: number, largest: number}} Row
 *   group: the one with most of the bytes; first, last and largest: allocations of the row
 */

/** @param {import('./report.js').Family} family @returns {Site} */
function familySite({ key, label }) {
  return withoutLocation(label, key);
}

/** Sums allocations up by call site, file, function or family. */
export class SiteTable {
  /**
   * @param {import('./device.js').DeviceData} data
   * @param {import('./stacks.js').Stacks} stacks
   * @param {import('./report.js').Family[]} [families]
   */
  constructor(data, stacks, families = []) {
    this.data = data;
    this.stacks = stacks;
    /** @type {Record<By, (Site | undefined)[]>} by stack, or by family */
    this.known = { site: [], file: [], function: [], family: families.map(familySite) };
    /** @type {Uint32Array | null} allocations of each stack, counted when first asked for */
    this.perStack = null;
  }

  /** @param {number} id @param {By} [by] @returns {Site} */
  site(id, by = 'site') {
    return this.#ofStack(this.#codes(by)[id], by);
  }

  /** By allocation, what decides its row: the stack or the family. @param {By} by */
  #codes(by) {
    return by === 'family' ? this.data.family : this.data.stack;
  }

  /**
   * The allocations of a row, in the whole recording.
   * @param {By} by @param {string} key
   * @returns {(id: number) => boolean}
   */
  members(by, key) {
    const codes = this.#codes(by);
    /** @type {boolean[]} */
    const known = [];
    return (id) => (known[codes[id]] ??= this.#ofStack(codes[id], by).key === key);
  }

  /** @param {number} stack @param {By} by */
  #ofStack(stack, by) {
    return (this.known[by][stack] ??= keyOf(this.stacks, stack, by));
  }

  /**
   * @param {Iterable<number>} ids
   * @param {By} by
   * @param {import('./columns.js').Column} groups group of each allocation
   * @returns {Row[]} the most bytes first
   */
  rows(ids, by, groups) {
    /** @typedef {Row & {byGroup: number[]}} Sum */
    /** @type {Map<string, Sum>} */
    const rows = new Map();
    /** @type {Sum[]} the same by stack, which is quicker to ask */
    const ofStack = [];
    const { size } = this.data;
    const codes = this.#codes(by);
    for (const id of ids) {
      const row = (ofStack[codes[id]] ??= this.#row(rows, id, by));
      row.bytes += size[id];
      row.tensors++;
      row.last = id;
      if (size[id] > size[row.largest]) row.largest = id;
      row.byGroup[groups[id]] = (row.byGroup[groups[id]] ?? 0) + size[id];
    }
    for (const row of rows.values()) {
      let most = -1;
      row.byGroup.forEach((n, group) => {
        if (n <= most) return;
        most = n;
        row.group = group;
      });
    }
    return [...rows.values()].sort((a, b) => b.bytes - a.bytes || b.tensors - a.tensors);
  }

  /**
   * The row of an allocation's site, empty when it is new.
   * @param {Map<string, Row & {byGroup: number[]}>} rows @param {number} id @param {By} by
   */
  #row(rows, id, by) {
    const site = this.site(id, by);
    let row = rows.get(site.key);
    if (!row) {
      row = { ...site, bytes: 0, tensors: 0, group: 0, first: id, last: id, largest: id, byGroup: [] };
      rows.set(site.key, row);
    }
    return row;
  }

  /** @param {Site} site @returns {number} allocations of the whole recording made there */
  tensors(site) {
    if (!this.perStack) {
      const perStack = (this.perStack = new Uint32Array(this.stacks.length));
      for (const stack of this.data.stack) perStack[stack]++;
    }
    let sum = 0;
    this.perStack.forEach((n, stack) => {
      if (n > 0 && this.#ofStack(stack, 'site').key === site.key) sum += n;
    });
    return sum;
  }
}
