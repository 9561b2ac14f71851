// Paints a pile that is sorted by family: the piles of the families, stacked.

import { Pile } from '../../pile/pile.js';
import { endColumn, layPile, TILE, writeTile } from '../../pile/raster.js';

/** @typedef {import('../state/stores.js').PileColours} PileColours */

export class BandRaster {
  /** @param {import('../data/side.js').Side} side */
  constructor({ timeline, bands }) {
    this.timeline = timeline;
    this.piles = bands.map((band) => new Pile(band.timeline));
  }

  /**
   * @param {PileColours} colours
   * @param {import('../../pile/raster.js').RasterView} view, in which every column has a state
   * @param {Uint32Array} out RGBA pixels, the top row first
   * @param {ArrayLike<number>} columns those to paint, from left to right
   */
  paint({ paper, bands }, view, out, columns) {
    const { piles } = this;
    const { states, height } = view;
    const column = new Uint32Array(height).fill(paper);
    const tile = new Uint32Array(height * TILE);
    piles.forEach((pile, i) => pile.clear(bands[i]));
    for (let i = 0; i < columns.length; i++) {
      let changed = false;
      for (const pile of piles) if (pile.moveTo(states[columns[i]]) >= 0) changed = true;
      if (changed) this.#paintColumn(view, column);
      const t = i % TILE;
      tile.set(column, t * height);
      if (t === TILE - 1 || i === columns.length - 1) writeTile(tile, columns, i - t, i + 1, view, out);
    }
  }

  /** @param {import('../../pile/raster.js').RasterView} view @param {Uint32Array} column */
  #paintColumn({ height, bytesFrom, bytesTo, lines }, column) {
    const brush = { y: 0, red: 0, green: 0, blue: 0, covered: 0 };
    let below = 0;
    for (const pile of this.piles) {
      const view = { height, lines, bytesFrom: bytesFrom - below, bytesTo: bytesTo - below };
      layPile(pile, 0, view, column, brush);
      below += pile.bottom[pile.length];
    }
    if (this.piles.length > 0) endColumn(this.piles[0].colours, column, brush);
  }
}
