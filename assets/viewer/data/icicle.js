// Stacks as cells: outermost on top, as wide as the bytes below it.
//
// A cell is a user or library frame; a chain that does not branch is one cell,
// named by its innermost user frame. Below stands the operator.

import { nameOf, placeOf } from './fold.js';
import { baseName, located, NO_STACK } from './sites.js';
import { INTERNAL, USER } from './stacks.js';

/**
 * @typedef {object} Cell
 * @property {string} name
 * @property {string} place "file.py:123", or ""
 * @property {string} title the frames of a chain, outermost first
 * @property {string} key the same for every moment: a stack in it, and how many of its steps lead here
 * @property {number} bytes
 * @property {number} group the one with most of the bytes
 * @property {number} depth rows above it
 * @property {number} from part of the whole at its left edge
 * @property {number} width part of the whole
 * @property {boolean} lit whether it holds something lit
 *
 * @typedef {{name: string, place: string, title: string, user: boolean}} Step
 * @typedef {object} Node
 * @property {Step} step
 * @property {string} key
 * @property {number} bytes
 * @property {number[]} byGroup
 * @property {boolean} lit
 * @property {number} cell that shows it, or -1
 * @property {Map<string, Node>} below by title
 */

/**
 * The way from the outermost frame to the operator.
 * @param {import('./stacks.js').Stacks} stacks @param {number} stack
 * @returns {Step[]}
 */
export function stepsOf(stacks, stack) {
  if (stacks.isEmpty(stack)) return [plain(NO_STACK)];
  const steps = stacks
    .frames(stack)
    .filter((f) => f.kind !== INTERNAL)
    .reverse()
    .map((f) => {
      const user = f.kind === USER;
      const place = user ? located(baseName(f.file), f.line) : placeOf(f);
      return { name: nameOf(f), place, title: `${placeOf(f)} ${f.name}`, user };
    });
  if (steps.length === 0) steps.push(plain(stacks.backward[stack] ? 'autograd engine' : 'no Python frame'));
  const operator = stacks.operatorOf(stack);
  if (operator) steps.push(plain(operator));
  return steps;
}

/** @param {string} name @returns {Step} */
function plain(name) {
  return { name, place: '', title: name, user: false };
}

/**
 * Whether an allocation lies below the cell of a key.
 * @param {import('./stacks.js').Stacks} stacks
 * @param {import('./columns.js').Column} stack of each allocation
 * @param {string} key
 * @returns {(id: number) => boolean}
 */
export function below(stacks, stack, key) {
  const [model, steps] = key.split('.').map(Number);
  const way = stepsOf(stacks, model).slice(0, steps);
  /** @type {boolean[]} */
  const known = [];
  const isBelow = (/** @type {number} */ s) => {
    const other = stepsOf(stacks, s);
    return way.length > 0 && way.every((step, i) => step.title === other[i]?.title);
  };
  return (id) => (known[stack[id]] ??= isBelow(stack[id]));
}

/**
 * @param {import('./open.js').OpenDevice} device
 * @param {Iterable<number>} ids
 * @param {ArrayLike<number>} groups group of each allocation
 * @param {Uint8Array | null} lit null: all
 * @param {number} rows the most
 * @param {number} least part of the whole; narrower cells are left out
 * @returns {{cells: Cell[], wayOf: (stack: number) => number[]}} cells: each after the one above it;
 *   wayOf: the cells that a stack goes through, and -1 where there is none
 */
export function icicle({ data, stacks }, ids, groups, lit, rows, least) {
  /** @type {Node[][]} by stack: the nodes on its way */
  const ways = [];
  const root = node(plain(''), '');
  for (const id of ids) {
    const group = groups[id];
    for (const n of (ways[data.stack[id]] ??= nodesOf(root, stacks, data.stack[id]))) {
      n.bytes += data.size[id];
      n.lit ||= !lit || lit[id] > 0;
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
      const { name, place } = named.step;
      const title = titles.join('\n');
      cells.push({ name, place, title, key: end.key, bytes: top.bytes, group, depth, from, width, lit: top.lit });
      lay(end, from, depth + 1);
      from += width;
    }
  };
  lay(root, 0, 0);
  const wayOf = (/** @type {number} */ stack) => (ways[stack] ?? []).map((n) => n.cell);
  return { cells, wayOf };
}

/** @param {Step} step @param {string} key @returns {Node} */
function node(step, key) {
  return { step, key, bytes: 0, byGroup: [], lit: false, cell: -1, below: new Map() };
}

/** @param {Node} root @param {import('./stacks.js').Stacks} stacks @param {number} stack */
function nodesOf(root, stacks, stack) {
  const way = [root];
  stepsOf(stacks, stack).forEach((step, i) => {
    const parent = way[i];
    let next = parent.below.get(step.title);
    if (!next) parent.below.set(step.title, (next = node(step, `${stack}.${i + 1}`)));
    way.push(next);
  });
  return way;
}

/** Goes down as long as all bytes go one way, to another frame. @param {Node} top @param {number} cell what it becomes */
function chain(top, cell) {
  let end = top;
  let named = top;
  const titles = [top.step.title];
  for (;;) {
    end.cell = cell;
    const [only, ...others] = end.below.values();
    if (!only || others.length > 0 || only.bytes < end.bytes || only.step.place === '') break;
    end = only;
    titles.push(end.step.title);
    if (end.step.user || !named.step.user) named = end;
  }
  return { end, named, titles };
}
