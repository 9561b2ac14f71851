// The colours of the raster: one byte per allocation, an index into a table of colours.

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
