// Two devices and what of them belongs together, as pkg/report writes it.

import { ColumnReader } from '../../data/columns.js';
import { payload } from '../../data/codec.js';
import { Alignment, sideAxis, wholeRun } from './alignment.js';
import { Side } from './side.js';

/**
 * @typedef {import('../../types/compare').Comparison} Comparison
 * @typedef {import('../../types/compare').Pair} PairReport
 * @typedef {import('../../types/compare').Answer} Answer
 * @typedef {import('../../types/compare').Warning} Warning
 */

const SCHEMA = 'memviz.compare/1';

/** @param {string} text @returns {Comparison} */
export function parseComparison(text) {
  const comparison = JSON.parse(text);
  if (comparison.schema !== SCHEMA) throw new Error(`this viewer reads ${SCHEMA}, the page holds ${comparison.schema}`);
  return comparison;
}

/** Bits of a group. */
const NAMED = 1;
const LINE = 2;

/**
 * What a row of the table is about: lines of the two recordings that are taken for the same, or a line of one.
 * @typedef {{isNamed: boolean, isLine: boolean}} Group isNamed: there is a stack; isLine: of the program's own code
 */

/** A pair of devices, one before and one after. */
export class Pair {
  /**
   * @param {Comparison} comparison @param {number} index of the pair
   * @param {[Side, Side]} sides before and after @param {Group[]} groups @param {boolean} isSwapped
   */
  constructor({ pairs, start }, index, sides, groups, isSwapped) {
    const report = pairs[index];
    this.report = report;
    /** All pairs of devices, and the one that a page starts with. */
    this.all = pairs;
    this.index = index;
    this.start = start;
    this.sides = sides;
    this.groups = groups;
    this.isSwapped = isSwapped;
    const turn = /** @template T @param {T[]} both @returns {[T, T]} */ ([a, b]) => (isSwapped ? [b, a] : [a, b]);
    this.runs = report.runs.map((run) => ({ ...run, states: turn(run.states) }));
    this.steps = report.steps.map((step) => ({ ...step, has: turn(step.has) }));
    this.moments = report.moments.map((moment) => ({ ...moment, states: turn(moment.states) }));
    this.answers = turn(report.answers)[0];
    this.warnings = turn(report.warnings)[0];
    this.hasTime = sides.every(({ device }) => device.hasTime);
    /** Whether both have a course of events, and whether one of them has. */
    this.hasHistory = sides.every(({ device }) => device.hasHistory);
    this.hasAnyHistory = sides.some(({ device }) => device.hasHistory);
    /** The highest thing to be seen in either pile. */
    this.ceiling = Math.max(1, ...sides.map(({ timeline: t }) => Math.max(t.active[t.peak], t.reservedPeak)));
  }

  get hasPhases() {
    return this.runs.length > 0;
  }

  /** @param {import('./alignment.js').By} by @param {import('./alignment.js').Unit} unit */
  aligned(by, unit) {
    const { runs } = this;
    const axes = this.sides.map(({ data }) => sideAxis(data, this.hasTime ? unit : 'events'));
    const whole = wholeRun(axes.map(({ lastState }) => lastState));
    return new Alignment(by === 'phase' && this.hasPhases ? runs : whole, axes);
  }

  /** What a search looks at: functions, files and operators of a group, in lower case. @param {number} group */
  textOf(group) {
    return (this.#texts[group] ??= this.sides
      .map((side) => side.textOf(group))
      .join(' ')
      .toLowerCase());
  }
  /** @type {(string | undefined)[]} */
  #texts = [];

  /** A stack of a group, of the side after where it has one. @param {number} group */
  frames(group) {
    for (const { stackOfGroup, device } of [this.sides[1], this.sides[0]]) {
      const stack = stackOfGroup.get(group);
      if (stack !== undefined) return device.stacks.frames(stack);
    }
    return [];
  }
}

/**
 * @param {import('../../data/open.js').Library} library @param {Comparison} comparison
 * @param {number} index of the pair @param {Document} document @param {boolean} isSwapped
 */
export async function openPair(library, comparison, index, document, isSwapped) {
  const report = comparison.pairs[index];
  const [before, after, bytes] = await Promise.all([
    library.open(0, report.devices[0]),
    library.open(1, report.devices[1]),
    payload(document.getElementById(report.payload)),
  ]);
  const r = new ColumnReader(bytes);
  const groups = Array.from(r.unsigned().values, (bits) => ({
    isNamed: (bits & NAMED) > 0,
    isLine: (bits & LINE) > 0,
  }));
  const sides = [before, after].map((device) => {
    const groupOf = r.unsigned().values;
    const [alloc, group, family] = [r.unsigned().values, r.unsigned().values, r.unsigned().values];
    const earlier = Array.from(alloc, (a, i) => ({ alloc: a, group: group[i], family: family[i] }));
    return new Side(device, library.report.families, groupOf, earlier);
  });
  const [a, b] = isSwapped ? [1, 0] : [0, 1];
  return new Pair(comparison, index, [sides[a], sides[b]], groups, isSwapped);
}
