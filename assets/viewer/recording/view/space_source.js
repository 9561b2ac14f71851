// What the stage needs to draw an address space: its raster and colours, and what its marks are about.

import { fadeOthers } from '../data/masks.js';
import { ColourTable } from '../../pile/colour_table.js';
import { groupColours } from '../draw/patterns.js';
import { SegmentBars } from '../map/bars.js';
import { SpaceColours } from '../../pile/colour_table.js';
import { BlockLabels } from '../map/labels.js';
import { ShownSpace } from '../map/places.js';
import { SpaceRaster } from '../map/raster.js';
import { memoizeLast } from '../../kit/topic.js';

/** Stands for what has no group. */
const NO_GROUP = '#0000ff';

/** @typedef {import('../../data/grouping.js').Grouping} Grouping */

export class SpaceSource {
  #stores;
  #labels = new BlockLabels();
  #rasterOf = memoizeLast(
    (/** @type {ConstructorParameters<typeof SpaceRaster>} */ ...of) => new SpaceRaster(...of),
  );
  #groupRasterOf = memoizeLast(
    (/** @type {ConstructorParameters<typeof SpaceRaster>} */ ...of) => new SpaceRaster(...of),
  );
  #shownOf = memoizeLast((/** @type {ConstructorParameters<typeof ShownSpace>} */ ...of) => new ShownSpace(...of));
  #coloursOf = memoizeLast(
    (/** @type {ConstructorParameters<typeof SpaceColours>} */ ...of) => new SpaceColours(...of),
  );
  #groupColoursOf = memoizeLast((/** @type {Grouping} */ { groups, of }) => {
    const table = groupColours(groups.length + 1, of);
    const n = groups.length;
    const stuck = `#${[16 * n + 8, n * n, 0].map((v) => v.toString(16).padStart(2, '0')).join('')}`;
    return new SpaceColours(table, { paper: NO_GROUP, stuck, returnable: NO_GROUP, seam: NO_GROUP }, false);
  });
  #barsOf = memoizeLast((/** @type {ConstructorParameters<typeof SegmentBars>} */ ...of) => new SegmentBars(...of));
  #keptOf = memoizeLast(keptMask);
  #tableOf = memoizeLast(fadedTable);

  /** @param {import('../state/stores.js').Stores} stores */
  constructor(stores) {
    this.#stores = stores;
  }

  /** The address space, laid out. @param {number} plotHeight in client pixels */
  shown(plotHeight) {
    const { shown, spaceView } = this.#stores;
    return this.#shownOf(shown.device, spaceView.layout(plotHeight));
  }

  /** 1 for each allocation that is not faded; null: none is. @returns {Uint8Array | null} */
  get mask() {
    const { selection, highlight } = this.#stores;
    // What is not alone is faded here, since nothing can be stacked otherwise.
    return selection.keptOnly ? this.#keptOf(selection.timeline, highlight.mask) : highlight.mask;
  }

  /**
   * What the plot is painted from.
   * @param {number} plotHeight in client pixels @returns {import('../draw/chart.js').Source}
   */
  source(plotHeight) {
    const { viewport } = this.#stores;
    const { device, layout, space } = this.shown(plotHeight);
    const { low, high } = viewport;
    return { raster: this.#rasterOf(device.timeline, space), colours: this.#colours(), extent: { low, high, layout } };
  }

  #colours() {
    const { appearance, highlight, selection } = this.#stores;
    const { grouping, style } = appearance;
    const { mask } = this;
    const table = selection.keptOnly && mask ? this.#tableOf(grouping, style, mask) : highlight.colours;
    return this.#coloursOf(table, style, highlight.isFading || selection.keptOnly);
  }

  /**
   * The same in the colours of groups; stuck holes are the group behind all others.
   * @param {Grouping} grouping @param {object} view
   */
  groups(grouping, view) {
    const { timeline } = this.#stores.shown.device;
    const { space } = this.#stores.spaceView;
    if (!space) throw new Error('no address space is shown');
    return { raster: this.#groupRasterOf(timeline, space), colours: this.#groupColoursOf(grouping), view };
  }

  /** The segments as bars; null where there are events. @param {import('../draw/layout.js').Layout} layout */
  bars(layout) {
    const { device } = this.#stores.shown;
    if (device.hasHistory) return null;
    return this.#barsOf(this.shown(layout.plotHeight), layout, device.timeline.lastState);
  }

  /** What the marks need beyond what the marks of the pile need. @param {import('../draw/layout.js').Layout} layout */
  marks(layout) {
    const { plotHeight, minimapWidth, plotWidth } = layout;
    const { selection, moment, spaceView } = this.#stores;
    return {
      shown: this.shown(plotHeight),
      colours: this.#colours(),
      mask: this.mask,
      blockLabels: this.#labels,
      pinned: selection.pinned,
      segment: selection.segment,
      state: moment.state,
      isCursor: moment.kind === 'cursor' && !spaceView.isPredicted,
      bars: this.bars(layout),
      aside: minimapWidth - plotWidth,
    };
  }
}

/**
 * @param {import('../../data/timeline.js').Timeline} kept only of what a range keeps
 * @param {Uint8Array | null} mask
 */
function keptMask({ data: { last, count } }, mask) {
  const out = new Uint8Array(count);
  // Whatever is left out ends in state 0.
  for (let i = 0; i < count; i++) out[i] = Number(last[i] > 0 && (!mask || mask[i] > 0));
  return out;
}

/** @param {Grouping} grouping @param {import('../../kit/painter.js').Style} style @param {Uint8Array} mask */
function fadedTable(grouping, { theme, paper }, mask) {
  return new ColourTable(theme, paper, grouping.colors, fadeOthers(grouping, mask));
}
