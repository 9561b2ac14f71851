// What became of a row, in words.

import { bytes, change, count, counted } from '../../kit/format.js';

/** @param {number} n bytes @returns {string} with a sign; "±0" for none */
export function changeWords(n) {
  return n === 0 ? '±0' : change(n);
}

/**
 * "8.48 → 22.5 GiB": a unit that both have is said once, and so is an amount that both have.
 * @param {[number, number]} both bytes
 */
export function fromTo([before, after]) {
  if (before === after) return bytes(after);
  const [a, b] = [bytes(before), bytes(after)];
  const [number, unit] = a.split('\u00a0');
  return `${unit && b.endsWith(`\u00a0${unit}`) ? number : a} → ${b}`;
}

/**
 * What kind of change it is, by count and size. A size is said where all tensors of a side have it, else the largest.
 * @param {import('./rows.js').Sums} sums
 */
export function kindOfChange({ tensors: [m, n], least, most }) {
  const isEqual = (/** @type {number} */ side) => least[side] === most[side];
  const tensors = (/** @type {number} */ k) => counted(k, 'tensor');
  const ofSize = (/** @type {number} */ side) => (isEqual(side) ? ` of ${bytes(most[side])}` : '');
  const sizes = /** @type {[number, number]} */ (most);
  if (m === 0) return `new: ${tensors(n)}${ofSize(1)}`;
  if (n === 0) return `gone: ${tensors(m)}${ofSize(0)}`;
  const number = m === n ? tensors(n) : `${count(m)} → ${tensors(n)}`;
  const isSame = sizes[0] === sizes[1];
  if (isEqual(0) && isEqual(1)) {
    const from = isSame ? '' : `${bytes(sizes[0])} → `;
    return `${number}, ${m === 1 && n === 1 && !isSame ? '' : 'each '}${from}${bytes(sizes[1])}`;
  }
  return isSame ? `${number}, largest ${bytes(sizes[1])} in both` : `${number}, largest ${fromTo(sizes)}`;
}

/** "204 × 7.25 MiB", or "none". @param {import('./rows.js').Sums} sums @param {number} side */
export function amountWords({ bytes: total, tensors, least, most }, side) {
  const n = tensors[side];
  if (n === 0) return 'none';
  return least[side] === most[side]
    ? `${count(n)} × ${bytes(most[side])}`
    : `${counted(n, 'tensor')}, ${bytes(total[side])}`;
}

/** What a moment is called after "at": "the peaks". @param {string} at */
export function momentWords(at) {
  const step = /^step:(.*)$/.exec(at)?.[1];
  if (step !== undefined) return `at the highest of step ${step}`;
  /** @type {Record<string, string>} */
  const words = {
    peak: 'at the peaks',
    end: 'at the end',
    cursor: 'at the cursor',
    range: 'at the highest of the range',
    reserved: 'when most is reserved',
  };
  return words[at] ?? `at the highest of ${at}`;
}
