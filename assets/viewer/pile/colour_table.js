// The colours of the two rasters, the pile's and the map's: one byte per allocation, an index into a table of colours.

/** What is left of chroma and of contrast to paper when a colour is faded because something else is highlighted. */
const FADED_CHROMA = 0.35;
const FADED_TO_PAPER = 0.17;

/** The separator line of a tall tensor has its colour times this. */
const LINE = { light: 0.86, dark: 0.84 };

export class ColourTable {
  /**
   * @param {'light' | 'dark'} theme
   * @param {string} paper "#rrggbb"
   * @param {string[]} colors "#rrggbb"; behind them the table has the same ones faded
   * @param {Uint8Array} index of each allocation's colour
   */
  constructor(theme, paper, colors, index) {
    this.index = index;
    const background = channels(paper);
    /** Opaque RGBA pixels as a little-endian canvas holds them. */
    this.paper = pixel(background);
    this.paperChannels = background;
    const n = colors.length * 2;
    this.red = new Float64Array(n);
    this.green = new Float64Array(n);
    this.blue = new Float64Array(n);
    this.fill = new Uint32Array(n);
    this.line = new Uint32Array(n);
    colors.forEach((color, i) => {
      const rgb = channels(color);
      this.#set(i, rgb, LINE[theme]);
      this.#set(i + colors.length, fade(rgb, background), LINE[theme]);
    });
  }

  /** @param {number} i @param {number[]} rgb @param {number} line */
  #set(i, rgb, line) {
    [this.red[i], this.green[i], this.blue[i]] = rgb;
    this.fill[i] = pixel(rgb);
    this.line[i] = pixel(rgb.map((c) => Math.round(c * line)));
  }
}

/** @param {string} color "#rrggbb" @returns {number[]} */
export function channels(color) {
  return [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
}

/** @param {number[]} rgb @returns {number} */
export function pixel([r, g, b]) {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/**
 * Fades a colour most of the way to paper. What was lighter stays lighter.
 * @param {number[]} rgb
 * @param {number[]} paper
 */
function fade(rgb, paper) {
  const grey = 0.35 * rgb[0] + 0.5 * rgb[1] + 0.15 * rgb[2];
  return rgb.map((c, i) => {
    const dull = c * FADED_CHROMA + grey * (1 - FADED_CHROMA);
    return Math.round(paper[i] + (dull - paper[i]) * FADED_TO_PAPER);
  });
}

/** How much of its tensor's colour the tail of a block has. */
const TAIL = 1 / 3;

/** @typedef {Pick<import('../kit/painter.js').Style, 'paper' | 'stuck' | 'returnable' | 'seam'>} Greys */

/** The colours of the address space: tensors, the tails of their blocks, and free memory. */
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
