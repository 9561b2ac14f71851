// The colours of the raster: one byte per allocation, one table of colours.

/** Of a colour that is faded because something else is lit. */
const FADED_CHROMA = 0.35;
const FADED_TO_PAPER = 0.17;

/** The last row of a tall tensor is its own colour times this. */
const LINE = { light: 0.86, dark: 0.84 };

export class Tones {
  /**
   * @param {'light' | 'dark'} theme
   * @param {string} paper "#rrggbb"
   * @param {string[]} colors tone i has colors[i], and tone i+faded the same colour faded
   * @param {Uint8Array} of tone of each allocation
   */
  constructor(theme, paper, colors, of) {
    this.of = of;
    this.faded = colors.length;
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
    colors.forEach((color, tone) => {
      const rgb = channels(color);
      this.#set(tone, rgb, LINE[theme]);
      this.#set(tone + this.faded, fade(rgb, background), LINE[theme]);
    });
  }

  /** @param {number} tone @param {number[]} rgb @param {number} line */
  #set(tone, rgb, line) {
    [this.red[tone], this.green[tone], this.blue[tone]] = rgb;
    this.fill[tone] = pixel(rgb);
    this.line[tone] = pixel(rgb.map((c) => Math.round(c * line)));
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
 * Most of the way to paper, with little chroma left; the order of lightness stays.
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
