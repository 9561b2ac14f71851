// What colour means: which group each allocation belongs to, and its tone.

/** Lightness steps inside a hue. */
export const SHADES = 5;

/** The one of a tensor without a stack. */
export const MIDDLE = 2;

/**
 * @typedef {object} Group
 * @property {string} label "Optimizer state"
 * @property {string} [short] the same on a band of the picture, where label is longer
 * @property {string} one of a single tensor: "optimizer state"
 * @property {string} name of the group in the URL hash
 * @property {string} color "#rrggbb"
 * @property {string} ink of a label on it
 *
 * @typedef {object} Grouping
 * @property {import('./colours.js').Mode} mode
 * @property {Group[]} groups in the order of the legend
 * @property {Uint8Array} of group of each allocation
 * @property {Uint8Array} present by group: 1 when an allocation belongs to it
 * @property {Uint8Array} tones tone of each allocation, an index into colors
 * @property {string[]} colors
 */

/**
 * By family; lightness steps by call site.
 * @param {import('./device.js').DeviceData} data
 * @param {import('./stacks.js').Stacks} stacks
 * @param {import('./report.js').Report} report
 * @param {'light' | 'dark'} theme
 * @returns {Grouping}
 */
export function byFamily(data, stacks, report, theme) {
  const palette = report.palette[theme];
  const hue = report.families.map((f) => Math.min(palette.length - 1, f.hue));
  const { count, family, stack } = data;
  const of = new Uint8Array(count);
  const tones = new Uint8Array(count);
  const present = new Uint8Array(hue.length);
  const shade = shadesOf(stacks);
  for (let i = 0; i < count; i++) {
    const f = Math.min(hue.length - 1, family[i]);
    of[i] = f;
    present[f] = 1;
    tones[i] = hue[f] * SHADES + (shade[stack[i]] ?? MIDDLE);
  }
  return {
    mode: 'family',
    of,
    present,
    tones,
    colors: palette.flatMap((h) => h.shades),
    groups: report.families.map((f, i) => ({
      label: f.label,
      one: f.one,
      name: f.key,
      color: palette[hue[i]].color,
      ink: palette[hue[i]].ink,
    })),
  };
}

/** Lightness step of each stack. @param {import('./stacks.js').Stacks} stacks */
export function shadesOf(stacks) {
  return Uint8Array.from(stacks.shade, (s, i) => (i === 0 ? MIDDLE : Math.min(SHADES - 1, s)));
}
