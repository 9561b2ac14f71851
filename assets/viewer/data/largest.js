// Groups by kinds that have no order and may number in the thousands: call sites,
// files, stacks, streams, pools. The eight largest kinds have colours of their own.

import { MIDDLE, SHADES, shadesOf } from './grouping.js';
import { streamName } from './report.js';
import { baseName, keyOf, NO_STACK } from './sites.js';

/** Kinds with a colour of their own. So many colours of the palette are for families; the next one is grey. */
const MOST = 8;

/**
 * @typedef {'site' | 'file' | 'stack' | 'stream' | 'pool'} KindMode
 * @typedef {{label: string, short?: string}} Name
 *
 * @typedef {object} Kinds
 * @property {number} count
 * @property {(id: number) => number} of the kind of an allocation
 * @property {(kind: number) => Name} name
 */

/**
 * The eight kinds that hold most bytes at the peak, the largest first; of those
 * that hold the same, the one that allocated more comes first.
 * @param {KindMode} mode
 * @param {import('./open.js').OpenDevice} device
 * @param {import('./report.js').Hue[]} palette
 * @returns {import('./grouping.js').Grouping}
 */
export function byLargest(mode, device, palette) {
  const { data, stacks } = device;
  const kinds = kindsOf(mode, device);
  const largest = order(kinds, device).slice(0, MOST);
  const group = new Uint8Array(kinds.count).fill(largest.length);
  largest.forEach((kind, i) => (group[kind] = i));

  // A group of one call site or stack has one shade, which its swatch has too.
  const shade = shadesOf(stacks);
  const flat = mode === 'site' || mode === 'stack' ? largest.length : 0;
  const of = new Uint8Array(data.count);
  const colourIndex = new Uint8Array(data.count);
  const present = new Uint8Array(largest.length + 1);
  for (let id = 0; id < of.length; id++) {
    const g = group[kinds.of(id)];
    of[id] = g;
    present[g] = 1;
    const hue = g < largest.length ? g : MOST;
    colourIndex[id] = hue * SHADES + (g < flat ? MIDDLE : (shade[data.stack[id]] ?? MIDDLE));
  }
  const names = distinct(largest.map(kinds.name), largest, mode);
  return {
    mode,
    of,
    present,
    colourIndex,
    colors: palette.slice(0, MOST + 1).flatMap((h) => h.shades),
    groups: [...names, { label: 'others' }].map((name, i) => {
      const { color, ink } = palette[i < largest.length ? i : MOST];
      return { ...name, one: 'tensor', name: i < largest.length ? String(i) : 'others', color, ink };
    }),
  };
}

/** @param {Kinds} kinds @param {import('./open.js').OpenDevice} device @returns {number[]} kinds, the largest first */
function order(kinds, { data, timeline }) {
  const atPeak = new Float64Array(kinds.count);
  const made = new Float64Array(kinds.count);
  for (const id of timeline.live(timeline.peak)) atPeak[kinds.of(id)] += data.size[id];
  for (let id = 0; id < data.count; id++) made[kinds.of(id)] += data.size[id];
  return [...atPeak.keys()]
    .filter((k) => made[k] > 0)
    .sort((a, b) => atPeak[b] - atPeak[a] || made[b] - made[a] || a - b);
}

/** @param {KindMode} mode @param {import('./open.js').OpenDevice} device @returns {Kinds} */
function kindsOf(mode, { data, stacks, file, report }) {
  const { stack } = data;
  switch (mode) {
    case 'stream': {
      const { stream } = data;
      return {
        count: Math.max(file.streams.length, 1),
        of: (id) => stream[id],
        name: (i) => ({ label: streamName(file.streams, i) }),
      };
    }
    case 'pool': {
      const { pool } = data;
      return {
        count: report.pools.length,
        of: (id) => pool[id] ?? 0,
        name: (i) => ({ label: poolName(report.pools[i]) }),
      };
    }
    case 'stack':
      return { count: stacks.length, of: (id) => stack[id], name: (i) => siteName(keyOf(stacks, i, 'site')) };
  }
  /** @type {Map<string, number>} */
  const known = new Map();
  /** @type {import('./sites.js').Site[]} */
  const sites = [];
  const ofStack = Uint32Array.from({ length: stacks.length }, (_, s) => {
    const site = keyOf(stacks, s, mode);
    let kind = known.get(site.key);
    if (kind === undefined) {
      known.set(site.key, (kind = sites.length));
      sites.push(site);
    }
    return kind;
  });
  return { count: sites.length, of: (id) => ofStack[stack[id]], name: (i) => siteName(sites[i]) };
}

/** @param {import('./sites.js').Site} site @returns {Name} */
function siteName({ name, location }) {
  return { label: `${name} ${location}`.trimEnd(), short: name === NO_STACK ? 'no stack' : baseName(name) };
}

/** @param {string} name as the report has it */
function poolName(name) {
  return name === 'default' ? 'default pool' : name === 'unknown' ? 'pool not recorded' : `pool ${name}`;
}

/**
 * Adds their number to the names of stacks that have the same call site.
 * @param {Name[]} names @param {number[]} kinds @param {KindMode} mode
 */
function distinct(names, kinds, mode) {
  if (mode !== 'stack') return names;
  return names.map((name, i) =>
    names.some((other, j) => j !== i && other.label === name.label)
      ? { ...name, label: `${name.label}, stack ${kinds[i]}` }
      : name,
  );
}
