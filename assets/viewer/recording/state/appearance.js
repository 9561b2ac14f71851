// How the picture looks: the theme, the meaning of colour, and patterns beside it.

import { groupingOf, hasFamilies, modesOf } from '../../data/colours.js';
import { ColourTable } from '../../pile/colour_table.js';
import { readStyle } from '../../kit/painter.js';
import { Topic } from '../../kit/topic.js';

/** @typedef {import('../../data/colours.js').Mode} Mode */

/** With stacks for a smaller fraction of the allocations, sizes say more than families. */
const FEW_STACKS = 0.1;

export class Appearance {
  changed = new Topic();
  #style = readStyle();
  #hasPatterns = false;
  /** @type {Mode} */
  #colourMode = 'family';
  /** @type {Mode} */
  #defaultColourMode = 'family';
  /**
   * Of the device that is open.
   * @type {{grouping: import('../../data/grouping.js').Grouping, colours: ColourTable} | null}
   */
  #colours = null;
  #shown;

  /** @param {import('./shown.js').Shown} shown */
  constructor(shown) {
    this.#shown = shown;
    shown.changed.on(() => {
      const { data, report, hasHistory } = shown.device;
      const bare = !hasHistory && report.with_stack < data.count * FEW_STACKS;
      const known = hasFamilies(shown.device) ? 'family' : report.with_stack > 0 ? 'site' : 'size';
      this.#colourMode = this.#defaultColourMode = bare ? 'size' : known;
      this.#regroup();
    });
  }

  /** Colours and fonts of the page, as the style sheet has them in this theme. */
  get style() {
    return this.#style;
  }

  /** Whether groups have patterns as well as colours. */
  get hasPatterns() {
    return this.#hasPatterns;
  }

  get colourMode() {
    return this.#colourMode;
  }

  /** What this device starts with. */
  get defaultColourMode() {
    return this.#defaultColourMode;
  }

  /** The group of each allocation. */
  get grouping() {
    return this.#ofDevice().grouping;
  }

  /** The colour of each allocation, nothing faded. */
  get colours() {
    return this.#ofDevice().colours;
  }

  #ofDevice() {
    if (!this.#colours) throw new Error('no device is open yet');
    return this.#colours;
  }

  /** @param {string} mode one that the device has something to show of, or nothing happens */
  setColourMode(mode) {
    const known = modesOf(this.#shown.device).find((m) => m.mode === mode && m.lacks === '');
    if (!known || mode === this.#colourMode) return;
    this.#colourMode = known.mode;
    this.#regroup();
    this.changed.emit();
  }

  /** @param {boolean} hasPatterns */
  setPatterns(hasPatterns) {
    if (hasPatterns === this.#hasPatterns) return;
    this.#hasPatterns = hasPatterns;
    this.changed.emit();
  }

  /** The style sheet has another theme now. */
  readTheme() {
    this.#style = readStyle();
    if (!this.#shown.isOpen) return;
    this.#regroup();
    this.changed.emit();
  }

  #regroup() {
    const { theme, paper } = this.#style;
    const grouping = groupingOf(this.#colourMode, this.#shown.device, this.#shown.report, theme);
    this.#colours = { grouping, colours: new ColourTable(theme, paper, grouping.colors, grouping.colourIndex) };
  }
}
