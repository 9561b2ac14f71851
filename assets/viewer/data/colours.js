// What colour can mean, and which meanings distinguish the allocations of a device.

import { byLifetime, bySize } from './classes.js';
import { byFamily } from './grouping.js';
import { byLargest } from './largest.js';
import { HOST_MEMORY } from './report.js';

/**
 * @typedef {'size' | 'life' | 'family' | import('./largest.js').KindMode} Mode
 * @typedef {import('./open.js').OpenDevice} OpenDevice
 */

/** @type {[Mode, string][]} */
const MODES = [
  ['family', 'Family'],
  ['site', 'Call site'],
  ['file', 'File'],
  ['stack', 'Stack'],
  ['size', 'Size class'],
  ['life', 'Lifetime'],
  ['stream', 'Stream'],
  ['pool', 'Pool'],
];

/**
 * @param {OpenDevice} device
 * @returns {{mode: Mode, label: string, lacks: string}[]} lacks: why there is nothing to distinguish, or ""
 */
export function modesOf(device) {
  return MODES.map(([mode, label]) => ({ mode, label, lacks: lack(device, mode) }));
}

/**
 * Whether it is known what tensors are for: in host memory only a person's own rules say it.
 * @param {Pick<OpenDevice, 'data' | 'report'>} device
 */
export function hasFamilies({ data, report }) {
  return report.device !== HOST_MEMORY || data.rule.some((rule) => rule !== 0);
}

/** @param {OpenDevice} device @param {Mode} mode */
function lack({ data, file, report, hasHistory }, mode) {
  switch (mode) {
    case 'site':
    case 'file':
    case 'stack':
      return report.with_stack > 0 ? '' : 'no stacks';
    case 'life':
      return hasHistory ? '' : 'no history';
    case 'stream':
      return file.streams.length > 1 ? '' : 'only one';
    case 'family':
      if (data.count > 0 && !hasFamilies({ data, report })) return 'of GPU tensors only';
      break;
    case 'pool':
      return report.pools.length > 1 ? '' : report.pools[0] === 'unknown' ? 'not recorded' : 'only one';
  }
  return data.count > 0 ? '' : 'no tensors';
}

/**
 * @param {Mode} mode
 * @param {OpenDevice} device
 * @param {import('./report.js').Report} report
 * @param {'light' | 'dark'} theme
 * @returns {import('./grouping.js').Grouping}
 */
export function groupingOf(mode, device, report, theme) {
  const { data, stacks } = device;
  if (mode === 'family') return byFamily(data, stacks, report, theme);
  if (mode === 'size') return bySize(data, theme);
  if (mode === 'life') return byLifetime(data, theme);
  return byLargest(mode, device, report.palette[theme]);
}

/** The next mode that distinguishes anything. @param {OpenDevice} device @param {Mode} mode @returns {Mode} */
export function modeAfter(device, mode) {
  const modes = modesOf(device).filter((m) => m.lacks === '' || m.mode === mode);
  return modes[(modes.findIndex((m) => m.mode === mode) + 1) % modes.length].mode;
}
