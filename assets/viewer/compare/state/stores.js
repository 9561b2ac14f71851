// The state of a page that compares two recordings: what stores there are, and what is
// derived of them.

import { memoizeLast, Topic } from '../../state/topic.js';
import { ColourTable } from '../../draw/colour_table.js';
import { readStyle } from '../../draw/painter.js';
import { shadesOf, MIDDLE, SHADES } from '../../data/grouping.js';
import { differenceOf, RowNames, rowsOf } from '../data/rows.js';
import { Choice } from './choice.js';
import { Zoom } from './zoom.js';

/** @typedef {import('../data/pair.js').Pair} Pair @typedef {import('../../data/report.js').Report} Report */
/** @typedef {CompareStores} Stores */

/**
 * What the pointer is over: the states of the column, and the tensor, if any.
 * @typedef {object} Point
 * @property {number} x in client pixels of the plot's element
 * @property {number} y
 * @property {[number, number]} states -1: none
 * @property {number} side of the pile that it is in; -1: of none
 * @property {{id: number, offset: number} | null} hit
 */

/** The two recordings that are shown. */
export class ShownPair {
  changed = new Topic();
  /** @type {Pair | null} */
  #pair = null;

  get pair() {
    if (!this.#pair) throw new Error('nothing is open yet');
    return this.#pair;
  }

  get isOpen() {
    return this.#pair !== null;
  }

  /** @param {Pair} pair */
  show(pair) {
    this.#pair = pair;
    this.changed.emit();
  }
}

export class Hover {
  changed = new Topic();
  /** @type {Point | null} */
  #point = null;

  get point() {
    return this.#point;
  }

  /** @param {Point | null} point */
  set(point) {
    if (!point && !this.#point) return;
    this.#point = point;
    this.changed.emit();
  }
}

/** Colours and fonts of the page, as the style sheet has them in its theme. */
export class Look {
  changed = new Topic();
  style = readStyle();

  readTheme() {
    this.style = readStyle();
    this.changed.emit();
  }
}

/**
 * The colours of a side's pile: of each of its bands, by allocation of the band.
 * @typedef {{paper: number, bands: ColourTable[]}} PileColours
 */

export class CompareStores {
  shown = new ShownPair();
  choice = new Choice();
  zoom = new Zoom();
  hover = new Hover();
  look = new Look();

  /** @param {Report} report */
  constructor(report) {
    this.report = report;
    this.shown.changed.on(() => {
      const { pair } = this;
      const { isWide } = startOf(pair);
      this.choice.reset({ at: pair.hasAnyHistory ? 'peak' : 'end', by: pair.hasPhases ? 'phase' : 'event', tab: isWide ? 'file' : 'site' });
      this.zoom.reset(Math.max(...pair.sides.map(({ data }) => data.events + 1)));
      this.hover.set(null);
    });
  }

  get pair() {
    return this.shown.pair;
  }

  /** The common axis. */
  get alignment() {
    const { by, unit } = this.choice.now;
    return this.#alignment(this.pair, by, unit);
  }
  #alignment = memoizeLast(
    (/** @type {Pair} */ pair, /** @type {import('./choice.js').By} */ by, /** @type {import('./choice.js').Unit} */ unit) =>
      pair.aligned(by, unit),
  );

  /** The states that the panel speaks about. @returns {[number, number]} */
  get states() {
    const { at, cursor, range } = this.choice.now;
    return this.#states(this.pair, at, cursor, range, this.alignment);
  }
  #states = memoizeLast(statesOf);

  /** What these states hold. */
  get difference() {
    return this.#difference(this.pair, ...this.states);
  }
  #difference = memoizeLast((/** @type {Pair} */ pair, /** @type {number} */ a, /** @type {number} */ b) =>
    differenceOf(pair, [a, b], this.report.families),
  );

  get names() {
    return this.#names(this.pair);
  }
  #names = memoizeLast((/** @type {Pair} */ pair) => new RowNames(pair));

  /** The rows of the difference. */
  get rows() {
    const { tab } = this.choice.now;
    return this.rowsBy(tab === 'lines' ? 'site' : tab);
  }

  /** @param {import('../data/rows.js').By} by */
  rowsBy(by) {
    return this.#rows(this.difference, this.names, by);
  }
  #rows = memoizeLast(rowsOf);

  /** By group: whether it is picked out; null: not by group. @returns {boolean[] | null} */
  get picked() {
    const { row, query } = this.choice.now;
    return this.#picked(this.pair, this.names, row, query);
  }
  #picked = memoizeLast(pickedGroups);

  /** Says of an allocation of a side whether it is picked out; null: nothing is. */
  get isPicked() {
    const { picked } = this;
    const { family } = this.choice.now;
    const { sides } = this.pair;
    if (family !== null) return (/** @type {number} */ side, /** @type {number} */ id) => sides[side].family[id] === family;
    return picked && ((/** @type {number} */ side, /** @type {number} */ id) => picked[sides[side].group[id]] ?? false);
  }

  /** The colours of both piles. @returns {[PileColours, PileColours]} */
  get colours() {
    return this.#colours(this.pair, this.look.style, this.picked, this.choice.now.family);
  }
  #colours = memoizeLast(
    (
      /** @type {Pair} */ pair,
      /** @type {import('../../draw/painter.js').Style} */ style,
      /** @type {boolean[] | null} */ _picked,
      /** @type {number | null} */ _family,
    ) => /** @type {[PileColours, PileColours]} */ (pair.sides.map((_, side) => this.#coloursOf(side, style))),
  );

  /** @param {number} side @param {import('../../draw/painter.js').Style} style @returns {PileColours} */
  #coloursOf(side, { theme, paper }) {
    const { report, isPicked } = this;
    const palette = report.palette[theme];
    const { bands, data, device } = this.pair.sides[side];
    const shade = shadesOf(device.stacks);
    const colors = palette.flatMap((hue) => hue.shades);
    const tables = bands.map(({ family, members }) => {
      const hue = Math.min(palette.length - 1, report.families[family].hue) * SHADES;
      const index = Uint8Array.from(members, (id) => {
        const own = hue + (shade[data.stack[id]] ?? MIDDLE);
        return !isPicked || isPicked(side, id) ? own : own + colors.length;
      });
      return new ColourTable(theme, paper, colors, index);
    });
    return { paper: tables[0]?.paper ?? new ColourTable(theme, paper, [], new Uint8Array(0)).paper, bands: tables };
  }

  /** What is picked out holds so many bytes in each state of a side; null: nothing is picked out. */
  get pickedBytes() {
    const { row, query, family } = this.choice.now;
    return this.#pickedBytes(this.pair, row, query, family);
  }
  #pickedBytes = memoizeLast(
    (
      /** @type {Pair} */ pair,
      /** @type {import('./choice.js').RowKey | null} */ _row,
      /** @type {string} */ _query,
      /** @type {number | null} */ _family,
    ) => {
      const { isPicked } = this;
      return isPicked && pair.sides.map((side, i) => side.bytesOf((id) => isPicked(i, id)));
    },
  );

  /** The colour of a family. @param {number} family */
  colourOf(family) {
    const palette = this.report.palette[this.look.style.theme];
    return palette[Math.min(palette.length - 1, this.report.families[family].hue)];
  }
}

/** Where a comparison begins. @param {Pair} pair */
export function startOf({ report }) {
  return { isWide: report.different };
}

/**
 * The moments that a page has buttons for, with their states.
 * @param {Pair} pair @returns {{key: string, label: string, states: [number, number]}[]}
 */
export function momentsOf(pair) {
  const labels = /** @type {Record<string, string>} */ ({ peak: 'Peaks', end: 'End' });
  // A single step is the whole recording, and what follows the last one may be next to nothing.
  const inLane = new Set(pair.steps.length > 1 ? pair.runs.map(({ step }) => `step:${pair.steps[step]?.label}`) : []);
  const isShown = (/** @type {string} */ key) =>
    key === 'end' || (key === 'peak' ? pair.hasAnyHistory : !key.startsWith('step:') || inLane.has(key));
  return pair.moments.filter(({ key }) => isShown(key)).map(({ key, states }) => ({
    key,
    states,
    label: labels[key] ?? key.replace(/^step:/, 'step '),
  }));
}

/**
 * @param {Pair} pair @param {string} at @param {[number, number] | null} cursor @param {[number, number] | null} range
 * @param {import('../data/alignment.js').Alignment} alignment
 * @returns {[number, number]}
 */
function statesOf(pair, at, cursor, range, alignment) {
  if (at === 'cursor' && cursor) return cursor;
  if (at === 'reserved') return reservedStates(pair);
  if (at === 'range' && range) {
    const states = highestIn(pair, alignment, range[0], range[1]);
    if (states) return states;
  }
  const run = runOf(pair, at);
  if (run) return highestOfRun(pair, run);
  const known = pair.moments.find(({ key }) => key === at) ?? pair.moments[0];
  return known.states;
}

/** The run that a moment such as "run:5" names, if both sides have it. @param {Pair} pair @param {string} at */
export function runOf({ runs }, at) {
  const run = runs[Number(/^run:(\d{1,9})$/.exec(at)?.[1] ?? -1)];
  return run?.states[0] && run.states[1] ? run : null;
}

/** Each side's highest state in a run that both have. @param {Pair} pair @param {import('../data/alignment.js').Run} run */
function highestOfRun({ sides }, { states }) {
  return /** @type {[number, number]} */ (
    sides.map(({ timeline }, side) => timeline.highest.best(.../** @type {[number, number]} */ (states[side])))
  );
}

/**
 * The moment that a click on a run means: that of its phase where it is the highest of all, else one of its own.
 * @param {Pair} pair @param {number} index of the run
 * @returns {string | null} null: one side has not got it
 */
export function momentOfRun(pair, index) {
  const run = runOf(pair, `run:${index}`);
  if (!run) return null;
  const states = highestOfRun(pair, run);
  const phase = pair.moments.find(({ key }) => key === run.phase);
  return phase?.states.every((k, side) => k === states[side]) ? phase.key : `run:${index}`;
}

/** What a run is called: "forward in step 2". @param {Pair} pair @param {string} at */
export function runWords(pair, at) {
  const run = runOf(pair, at);
  const step = run && pair.steps.length > 1 ? pair.steps[run.step] : null;
  return run ? `${run.phase}${step ? ` in step ${step.label}` : ''}` : '';
}

/** Each side's first state with the most reserved memory. @param {Pair} pair @returns {[number, number]} */
function reservedStates({ sides }) {
  return /** @type {[number, number]} */ (
    sides.map(({ timeline: { reserved, reservedFrom, reservedPeak } }) => reservedFrom[reserved.indexOf(reservedPeak)])
  );
}

/**
 * Each side's highest state between two positions.
 * @param {Pair} pair @param {import('../data/alignment.js').Alignment} alignment @param {number} from @param {number} to
 * @returns {[number, number] | null} null where a side has nothing
 */
export function highestIn({ sides }, alignment, from, to) {
  const states = sides.map(({ timeline }, side) => {
    const covered = alignment.states(side, from, to);
    return covered && timeline.highest.best(covered[0], covered[1]);
  });
  return states[0] === null || states[1] === null ? null : [states[0], states[1]];
}

/**
 * @param {Pair} pair @param {RowNames} names @param {import('./choice.js').RowKey | null} row @param {string} query
 * @returns {boolean[] | null} by group; null: nothing is picked out by it
 */
function pickedGroups(pair, names, row, query) {
  if (row) return pair.groups.map((_, group) => names.of(group, row.by).key === row.key);
  if (!query) return null;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return pair.groups.map((_, group) => {
    const text = pair.textOf(group);
    return words.every((word) => text.includes(word));
  });
}
