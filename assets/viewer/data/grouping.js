// Groups of allocations, which colours distinguish, and what each group holds.

/** Shades of a hue, which differ in lightness. */
export const SHADES = 5;

/** The shade of a tensor without a stack. */
export const MIDDLE = 2;

/**
 * @typedef {object} Group
 * @property {string} label "Optimizer state"
 * @property {string} [short] a shorter label for the bands of the picture
 * @property {string} one what a single tensor of it is called: "optimizer state"
 * @property {string} name of the group in the URL hash
 * @property {string} color "#rrggbb"
 * @property {string} ink colour of a label on it
 *
 * @typedef {object} Grouping
 * @property {import('./colours.js').Mode} mode
 * @property {Group[]} groups in the order of the legend
 * @property {Uint8Array} of group of each allocation
 * @property {Uint8Array} present by group: 1 when an allocation belongs to it
 * @property {Uint8Array} colourIndex of each allocation, into colors
 * @property {string[]} colors "#rrggbb"
 */

/**
 * By family; shades distinguish call sites.
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
  const colourIndex = new Uint8Array(count);
  const present = new Uint8Array(hue.length);
  const shade = shadesOf(stacks);
  for (let i = 0; i < count; i++) {
    const f = Math.min(hue.length - 1, family[i]);
    of[i] = f;
    present[f] = 1;
    colourIndex[i] = hue[f] * SHADES + (shade[stack[i]] ?? MIDDLE);
  }
  return {
    mode: 'family',
    of,
    present,
    colourIndex,
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

/** The shade of each stack. @param {import('./stacks.js').Stacks} stacks */
export function shadesOf(stacks) {
  return Uint8Array.from(stacks.shade, (s, i) => (i === 0 ? MIDDLE : Math.min(SHADES - 1, s)));
}

/**
 * What each group holds of some allocations.
 * @param {Grouping} grouping
 * @param {import('./columns.js').Column} size of each allocation
 * @param {Iterable<number>} ids
 * @returns {{bytes: number, tensors: number}[]} by group
 */
export function totalsByGroup({ groups, of }, size, ids) {
  const totals = groups.map(() => ({ bytes: 0, tensors: 0 }));
  for (const id of ids) {
    totals[of[id]].bytes += size[id];
    totals[of[id]].tensors++;
  }
  return totals;
}
