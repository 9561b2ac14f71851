// Stacks as cells: outermost on top, as wide as the bytes below it.
//
// A cell is a user or library frame; frames that follow each other without a branch
// are one cell, named by the innermost user frame of them. The operator comes last.

import { locationOf, nameOf } from '../../data/fold.js';
import { baseName, located, NO_STACK } from '../../data/sites.js';
import { INTERNAL, USER } from '../../data/stacks.js';

/**
 * @typedef {object} Cell
 * @property {string} name
 * @property {string} location "file.py:123", or ""
 * @property {string} title its frames, outermost first
 * @property {string} key the same for every moment: "STACK.DEPTH", a stack below it and the length of the path to it
 * @property {number} bytes
 * @property {number} group the one with most of the bytes
 * @property {number} depth rows above it
 * @property {number} from where its left edge is, as a fraction of the whole width
 * @property {number} width as a fraction of the whole
 * @property {boolean} highlighted whether something below it is
 *
 * @typedef {{name: string, location: string, title: string, user: boolean}} Entry of a path: a frame, or the operator
 * @typedef {object} Node
 * @property {Entry} entry
 * @property {string} key
 * @property {number} bytes
 * @property {number[]} byGroup
 * @property {boolean} highlighted
 * @property {number} cell that shows it, or -1
 * @property {Map<string, Node>} below by title
 */

/**
 * The path from the outermost frame to the operator.
 * @param {import('../../data/stacks.js').Stacks} stacks @param {number} stack
 * @returns {Entry[]}
 */
export function pathOf(stacks, stack) {
  if (stacks.isEmpty(stack)) return [withoutLocation(NO_STACK)];
  const path = stacks
    .frames(stack)
    .filter((f) => f.kind !== INTERNAL)
    .reverse()
    .map((f) => {
      const user = f.kind === USER;
      const location = user ? located(baseName(f.file), f.line) : locationOf(f);
      return { name: nameOf(f), location, title: `${locationOf(f)} ${f.name}`, user };
    });
  if (path.length === 0) path.push(withoutLocation(stacks.backward[stack] ? 'autograd engine' : 'no Python frame'));
  const operator = stacks.operatorOf(stack);
  if (operator) path.push(withoutLocation(operator));
  return path;
}

/** @param {string} name @returns {Entry} */
function withoutLocation(name) {
  return { name, location: '', title: name, user: false };
}

/**
 * The allocations below a cell.
 * @param {import('../../data/stacks.js').Stacks} stacks
 * @param {import('../../data/columns.js').Column} stack of each allocation
 * @param {string} key
 * @returns {(id: number) => boolean}
 */
export function membersOfCell(stacks, stack, key) {
  const [first, depth] = key.split('.').map(Number);
  const path = pathOf(stacks, first).slice(0, depth);
  /** @type {boolean[]} */
  const known = [];
  const isBelow = (/** @type {number} */ s) => {
    const other = pathOf(stacks, s);
    return path.length > 0 && path.every((entry, i) => entry.title === other[i]?.title);
  };
  return (id) => (known[stack[id]] ??= isBelow(stack[id]));
}

/**
 * @param {import('../../data/open.js').OpenDevice} device
 * @param {Iterable<number>} ids
 * @param {ArrayLike<number>} groups group of each allocation
 * @param {import('./masks.js').Mask} mask
 * @param {number} rows the most
 * @param {number} least fraction of the whole; narrower cells are left out
 * @returns {{cells: Cell[], cellsOf: (stack: number) => number[]}} cells: each after the one above it;
 *   cellsOf: the cells on the path of a stack, and -1 where there is none
 */
export function icicle({ data, stacks }, ids, groups, mask, rows, least) {
  /** @type {Node[][]} by stack: the nodes on its path */
  const paths = [];
  const root = node(withoutLocation(''), '');
  for (const id of ids) {
    const group = groups[id];
    for (const n of (paths[data.stack[id]] ??= nodesOf(root, stacks, data.stack[id]))) {
      n.bytes += data.size[id];
      n.highlighted ||= !mask || mask[id] > 0;
      n.byGroup[group] = (n.byGroup[group] ?? 0) + data.size[id];
    }
  }
  /** @type {Cell[]} */
  const cells = [];
  const lay = (/** @type {Node} */ parent, /** @type {number} */ from, /** @type {number} */ depth) => {
    for (const top of [...parent.below.values()].sort((a, b) => b.bytes - a.bytes)) {
      const width = root.bytes > 0 ? top.bytes / root.bytes : 0;
      if (width < least || depth >= rows) return;
      const { end, named, titles } = chain(top, cells.length);
      const group = end.byGroup.reduce((best, n, g, all) => (n > (all[best] ?? 0) ? g : best), 0);
      const { name, location } = named.entry;
      const title = titles.join('\n');
      const { bytes, highlighted } = top;
      cells.push({ name, location, title, key: end.key, bytes, group, depth, from, width, highlighted });
      lay(end, from, depth + 1);
      from += width;
    }
  };
  lay(root, 0, 0);
  const cellsOf = (/** @type {number} */ stack) => (paths[stack] ?? []).map((n) => n.cell);
  return { cells, cellsOf };
}

/** @param {Entry} entry @param {string} key @returns {Node} */
function node(entry, key) {
  return { entry, key, bytes: 0, byGroup: [], highlighted: false, cell: -1, below: new Map() };
}

/** @param {Node} root @param {import('../../data/stacks.js').Stacks} stacks @param {number} stack */
function nodesOf(root, stacks, stack) {
  const path = [root];
  pathOf(stacks, stack).forEach((entry, i) => {
    const parent = path[i];
    let next = parent.below.get(entry.title);
    if (!next) parent.below.set(entry.title, (next = node(entry, `${stack}.${i + 1}`)));
    path.push(next);
  });
  return path;
}

/**
 * Follows a node down to where the bytes branch or the frames end.
 * @param {Node} top @param {number} cell that shows it
 */
function chain(top, cell) {
  let end = top;
  let named = top;
  const titles = [top.entry.title];
  for (;;) {
    end.cell = cell;
    const [only, ...others] = end.below.values();
    if (!only || others.length > 0 || only.bytes < end.bytes || only.entry.location === '') break;
    end = only;
    titles.push(end.entry.title);
    if (end.entry.user || !named.entry.user) named = end;
  }
  return { end, named, titles };
}
