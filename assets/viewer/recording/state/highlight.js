// What is highlighted: isolated groups, rows and cells, what a search finds, and the row
// or cell that the pointer rests on. Everything else is faded.

import { find, NOTHING_ASKED } from '../data/find.js';
import { fadeOthers, maskOf, restrictMask } from '../data/masks.js';
import { ColourTable } from '../../pile/colour_table.js';
import { Topic } from '../../kit/topic.js';

/** Milliseconds that the pointer rests on a row before it is previewed, so that one on its way repaints nothing. */
const REST_MS = 120;

/** @typedef {import('../data/breakdown.js').Subset} Subset */

export class Highlight {
  /** Something else is isolated or searched for. */
  changed = new Topic();
  /** The picture previews something else, or no longer. */
  previewChanged = new Topic();
  #found = NOTHING_ASKED;
  /** @type {ReadonlySet<number>} */
  #groups = new Set();
  /** @type {Subset | null} */
  #subset = null;
  /** @type {Subset | null} */
  #previewed = null;
  /** @type {Uint8Array | null} */
  #mask = null;
  /** @type {ColourTable | null} null: nothing is faded */
  #faded = null;
  #restTimer = 0;
  /** The row or cell that the pointer is on; it is previewed when the pointer rests. */
  #pointed = '';
  /** @type {import('../../data/grouping.js').Grouping | null} that the groups are of */
  #grouping = null;
  #shown;
  #appearance;

  /** @param {import('./shown.js').Shown} shown @param {import('./appearance.js').Appearance} appearance */
  constructor(shown, appearance) {
    this.#shown = shown;
    this.#appearance = appearance;
    shown.changed.on(() => {
      this.#groups = new Set();
      this.#subset = null;
      this.#found = find(shown.device, this.#found.query, this.#found.filters);
      this.#update();
    });
    appearance.changed.on(() => {
      const { grouping } = appearance;
      if (grouping === this.#grouping) return;
      if (grouping.mode !== this.#grouping?.mode) this.#groups = new Set();
      this.#update();
    });
  }

  /** The query and filters of the search box, and what they found. */
  get found() {
    return this.#found;
  }

  /** Groups isolated; empty: none. */
  get groups() {
    return this.#groups;
  }

  /** The row or cell isolated, or null. */
  get subset() {
    return this.#subset;
  }

  /** Whether a row or cell is isolated, or a group. */
  get isIsolated() {
    return this.#groups.size > 0 || this.#subset !== null;
  }

  /** 1 for each allocation that is highlighted; null: none is faded. Leaves out what is only previewed. */
  get mask() {
    return this.#mask;
  }

  /** The colours that the picture has now. */
  get colours() {
    return this.#faded ?? this.#appearance.colours;
  }

  /** Whether the picture has anything faded. */
  get isFading() {
    return this.#mask !== null || this.#previewed !== null;
  }

  /** @param {ReadonlySet<number>} groups @param {Subset | null} [subset] a row or a cell instead of groups */
  isolate(groups, subset = null) {
    this.#groups = groups;
    this.#subset = subset;
    this.#update();
    this.changed.emit();
  }

  /**
   * Isolates a group; or no longer, when it is the only one.
   * @param {number} group
   * @param {boolean} add to those isolated, or take it from them
   */
  toggleGroup(group, add) {
    const only = this.#groups.size === 1 && this.#groups.has(group);
    const next = new Set(add ? this.#groups : []);
    if (add && next.has(group)) next.delete(group);
    else if (!only) next.add(group);
    this.isolate(next);
  }

  /** Isolates a row or a cell; or no longer, when it is that one. @param {Subset} subset */
  toggleSubset(subset) {
    const same = subset.by === this.#subset?.by && subset.key === this.#subset.key;
    this.isolate(new Set(), same ? null : subset);
  }

  /**
   * Highlights what a search finds.
   * @param {string} query text of the search box; see data/query.js
   * @param {string[]} filters such as "size>1MiB"; those that say nothing are left out
   */
  search(query, filters = this.#found.filters) {
    if (query === this.#found.query && filters.join() === this.#found.filters.join()) return;
    this.#found = find(this.#shown.device, query, filters);
    this.#update();
    this.changed.emit();
  }

  /**
   * The pointer is on a row or cell, which is previewed when it rests there.
   * @param {Subset | null} subset null: on none
   */
  point(subset) {
    const pointed = subset ? subset.by + subset.key : '';
    if (pointed === this.#pointed) return;
    this.#pointed = pointed;
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => this.#preview(subset), REST_MS);
  }

  /** Ends the preview, until the pointer is on something else. */
  endPreview() {
    clearTimeout(this.#restTimer);
    this.#preview(null);
  }

  /** @param {Subset | null} subset */
  #preview(subset) {
    if (subset === this.#previewed) return;
    this.#previewed = subset;
    this.#fade(restrictMask(this.#shown.device, subset ? null : this.#mask, subset));
    this.previewChanged.emit();
  }

  /** Combines what is isolated with what was found. */
  #update() {
    const { grouping } = this.#appearance;
    this.#grouping = grouping;
    this.#mask = restrictMask(this.#shown.device, maskOf(grouping, this.#groups, this.#found.hits), this.#subset);
    this.#previewed = null;
    this.#fade(this.#mask);
  }

  /** @param {Uint8Array | null} mask */
  #fade(mask) {
    const { grouping, style } = this.#appearance;
    this.#faded = mask && new ColourTable(style.theme, style.paper, grouping.colors, fadeOthers(grouping, mask));
  }
}
