// Groups by classes that have an order, sizes and lifetimes, in six shades of one hue.

/** @typedef {import('./grouping.js').Grouping} Grouping @typedef {import('./device.js').DeviceData} DeviceData */

/** Upper bounds of the size classes; the last class has none. */
const SIZES = [2 ** 20, 2 ** 24, 2 ** 26, 2 ** 28, 2 ** 30];
const SIZE_LABELS = [
  'under 1 MiB',
  '1 to 16 MiB',
  '16 to 64 MiB',
  '64 to 256 MiB',
  '256 MiB to 1 GiB',
  '1 GiB and more',
];

/** Upper bounds of the classes of lifetimes, in events; then come longer ones, and what is live at the end. */
const LIFETIMES = [10, 100, 1000, 10_000];
const LIFETIME_LABELS = [
  'up to 10 events',
  '11 to 100 events',
  '101 to 1,000 events',
  '1,001 to 10,000 events',
  'over 10,000 events',
  'live at the end',
];

/** Six shades of one hue (OKLab a -.02, b -.05; L .90 to .40 in light, .34 to .79 in dark). */
const COLORS = {
  light: ['#c3e2ff', '#a3c1df', '#84a2bf', '#67839f', '#4b6681', '#304a64'],
  dark: ['#203a53', '#38526c', '#506c87', '#6a86a2', '#84a2bf', '#a0bedc'],
};

/** By size, the largest first. @param {DeviceData} data @param {'light' | 'dark'} theme @returns {Grouping} */
export function bySize({ count, size }, theme) {
  const of = new Uint8Array(count);
  for (let i = 0; i < count; i++) of[i] = classOf(size[i] + 1, SIZES);
  return classes('size', of, SIZE_LABELS, theme);
}

/**
 * By lifetime in events, the longest first.
 * @param {DeviceData} data @param {'light' | 'dark'} theme
 * @returns {Grouping}
 */
export function byLifetime({ count, first, last, events }, theme) {
  const of = new Uint8Array(count);
  for (let i = 0; i < count; i++)
    of[i] = last[i] === events ? LIFETIME_LABELS.length - 1 : classOf(last[i] - first[i] + 1, LIFETIMES);
  return classes('life', of, LIFETIME_LABELS, theme);
}

/** How many of the bounds a value is above. @param {number} v @param {number[]} bounds */
function classOf(v, bounds) {
  let c = 0;
  while (c < bounds.length && v > bounds[c]) c++;
  return c;
}

/**
 * @param {'size' | 'life'} mode
 * @param {Uint8Array} of class of each allocation; turned into groups, the highest class first
 * @param {string[]} labels
 * @param {'light' | 'dark'} theme
 * @returns {Grouping}
 */
function classes(mode, of, labels, theme) {
  const top = labels.length - 1;
  const present = new Uint8Array(labels.length);
  for (let i = 0; i < of.length; i++) present[(of[i] = top - of[i])] = 1;
  const colors = [...COLORS[theme]].reverse();
  const groups = [...labels].reverse().map((label, i) => ({
    label,
    one: 'tensor',
    name: String(top - i),
    color: colors[i],
    ink: isLight(colors[i]) ? '#0f1216' : '#ffffff',
  }));
  return { mode, of, present, colourIndex: of, colors, groups };
}

/** @param {string} color */
function isLight(color) {
  const [r, g, b] = [1, 3, 5].map((i) => (parseInt(color.slice(i, i + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.19;
}
