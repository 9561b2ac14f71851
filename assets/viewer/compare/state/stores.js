// The state of a page that compares two recordings: what stores there are, and what is
// derived of them.

import { memoizeLast, Topic } from '../../kit/topic.js';
import { ColourTable } from '../../pile/colour_table.js';
import { Look } from '../../kit/look.js';
import { shadesOf, MIDDLE, SHADES } from '../../data/grouping.js';
import { differenceOf, RowNames, rowsOf } from '../data/rows.js';
import { Choice } from './choice.js';
import { statesOf } from './moments.js';
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
class ShownPair {
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
      this.choice.reset({
        at: pair.hasAnyHistory ? 'peak' : 'end',
        by: pair.hasPhases ? 'phase' : 'event',
        tab: isWide ? 'file' : 'site',
      });
      this.zoom.begin(Math.max(...pair.sides.map(({ data }) => data.events + 1)));
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
    (
      /** @type {Pair} */ pair,
      /** @type {import('./choice.js').By} */ by,
      /** @type {import('./choice.js').Unit} */ unit,
    ) => pair.aligned(by, unit),
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
    if (family !== null)
      return (/** @type {number} */ side, /** @type {number} */ id) => sides[side].family[id] === family;
    return picked && ((/** @type {number} */ side, /** @type {number} */ id) => picked[sides[side].group[id]] ?? false);
  }

  /** The colours of both piles. @returns {[PileColours, PileColours]} */
  get colours() {
    return this.#colours(this.pair, this.look.style, this.picked, this.choice.now.family);
  }
  #colours = memoizeLast(
    (
      /** @type {Pair} */ pair,
      /** @type {import('../../kit/painter.js').Style} */ style,
      /** @type {boolean[] | null} */ _picked,
      /** @type {number | null} */ _family,
    ) => /** @type {[PileColours, PileColours]} */ (pair.sides.map((_, side) => this.#coloursOf(side, style))),
  );

  /** @param {number} side @param {import('../../kit/painter.js').Style} style @returns {PileColours} */
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

  /** Bytes that are picked out in each state of a side; null: nothing is picked out. */
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
function startOf({ report }) {
  return { isWide: report.different };
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
