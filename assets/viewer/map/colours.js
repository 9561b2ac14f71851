// The colours of an address space: those of the tensors, of what lies beside them in a block, and of holes.

import { channels, ColourTable } from '../draw/colour_table.js';

/** How much of the colour of a block's tail is that of its tensor. */
const TAIL = 1 / 3;

/** @typedef {Pick<import('../draw/painter.js').Style, 'paper' | 'stuck' | 'returnable' | 'seam'>} Greys */

export class SpaceColours {
  /**
   * @param {ColourTable} tensors
   * @param {Greys} greys
   * @param {boolean} faded whether something is highlighted: holes are one step lighter then, and blocks stay apart
   */
  constructor(tensors, greys, faded) {
    const [paper, stuck, returnable, seam] = [greys.paper, greys.stuck, greys.returnable, greys.seam].map(channels);
    this.index = tensors.index;
    this.paper = tensors.paper;
    this.paperChannels = paper;
    this.stuck = faded ? returnable : stuck;
    this.returnable = faded ? mix(returnable, paper, 1 / 2) : returnable;
    this.seam = faded ? stuck : seam;
    const { red, green, blue, line } = tensors;
    /** Red, green and blue of each colour, of its separator line and of its tail. */
    this.tensor = new Int32Array(red.length * 3);
    this.line = new Int32Array(red.length * 3);
    this.tail = new Int32Array(red.length * 3);
    for (let t = 0; t < red.length; t++) {
      const rgb = [red[t], green[t], blue[t]];
      this.tensor.set(rgb, t * 3);
      this.line.set([line[t] & 255, (line[t] >> 8) & 255, (line[t] >> 16) & 255], t * 3);
      this.tail.set(mix(rgb, this.stuck, TAIL), t * 3);
    }
  }
}

/** @param {number[]} a @param {number[]} b @param {number} part of a */
function mix(a, b, part) {
  return a.map((v, i) => Math.round(v * part + b[i] * (1 - part)));
}
