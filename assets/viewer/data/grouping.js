// What colour means: which group each allocation belongs to, and its tone.

/** Lightness steps inside a hue. */
const SHADES = 5;

/** The one of a tensor without a stack. */
const MIDDLE = 2;

/**
 * @typedef {object} Group
 * @property {string} label "Optimizer state"
 * @property {string} one of a single tensor: "optimizer state"
 * @property {string} name of the group in the URL hash
 * @property {string} color "#rrggbb"
 * @property {string} ink of a label on it
 *
 * @typedef {object} Grouping
 * @property {'family' | 'size'} mode
 * @property {Group[]} groups in the order of the legend
 * @property {Uint8Array} of group of each allocation
 * @property {Uint8Array} present by group: 1 when an allocation belongs to it
 * @property {Uint8Array} tones tone of each allocation, an index into colors
 * @property {string[]} colors
 */

/** Upper bounds of the size classes; the last class has none. */
const CLASSES = [2 ** 20, 2 ** 24, 2 ** 26, 2 ** 28, 2 ** 30];
const CLASS_LABELS = [
  'under 1 MiB',
  '1 to 16 MiB',
  '16 to 64 MiB',
  '64 to 256 MiB',
  '256 MiB to 1 GiB',
  '1 GiB and more',
];

/** One hue, six lightness steps (OKLab a -.02, b -.05; L .90 to .40 in light, .34 to .79 in dark). */
const CLASS_COLORS = {
  light: ['#c3e2ff', '#a3c1df', '#84a2bf', '#67839f', '#4b6681', '#304a64'],
  dark: ['#203a53', '#38526c', '#506c87', '#6a86a2', '#84a2bf', '#a0bedc'],
};

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
  const shade = Uint8Array.from(stacks.shade, (s, i) => (i === 0 ? MIDDLE : Math.min(SHADES - 1, s)));
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

/**
 * By size class, largest first.
 * @param {import('./device.js').DeviceData} data
 * @param {'light' | 'dark'} theme
 * @returns {Grouping}
 */
export function bySize(data, theme) {
  const colors = CLASS_COLORS[theme];
  const top = CLASSES.length;
  const { count, size } = data;
  const of = new Uint8Array(count);
  const present = new Uint8Array(top + 1);
  for (let i = 0; i < count; i++) {
    let c = 0;
    while (c < top && size[i] >= CLASSES[c]) c++;
    of[i] = top - c;
    present[top - c] = 1;
  }
  const groups = CLASS_LABELS.map((label, c) => ({
    label,
    one: 'tensor',
    name: String(c),
    color: colors[c],
    ink: isLight(colors[c]) ? '#0f1216' : '#ffffff',
  })).reverse();
  return { mode: 'size', of, present, tones: of, colors: [...colors].reverse(), groups };
}

/** @param {string} color */
function isLight(color) {
  const [r, g, b] = [1, 3, 5].map((i) => (parseInt(color.slice(i, i + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.19;
}

/**
 * Tones with everything outside of the isolated groups faded.
 * @param {Grouping} grouping
 * @param {Set<number>} isolated empty: nothing fades
 * @returns {Uint8Array}
 */
export function fadeOthers(grouping, isolated) {
  if (isolated.size === 0) return grouping.tones;
  const { of, tones, colors, groups } = grouping;
  const shift = groups.map((_, group) => (isolated.has(group) ? 0 : colors.length));
  const out = new Uint8Array(tones.length);
  for (let i = 0; i < out.length; i++) out[i] = tones[i] + shift[of[i]];
  return out;
}
