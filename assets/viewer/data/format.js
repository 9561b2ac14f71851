// Numbers as words: binary units, three significant digits, no-break spaces.

import { clamp } from './clamp.js';

const SPACE = '\u00a0';
const THIN = '\u2009';
const MINUS = '\u2212';
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** @param {number} n */
export function count(n) {
  return grouped.format(n);
}

/**
 * @param {number} n
 * @param {string} one such as "tensor"
 */
export function counted(n, one) {
  return `${count(n)} ${one}${n === 1 ? '' : 's'}`;
}

/** @param {number} v at least 0 */
function three(v) {
  return v >= 99.95 ? v.toFixed(0) : v >= 9.995 ? v.toFixed(1) : v.toFixed(2);
}

/** @param {number} n */
export function bytes(n) {
  if (n === 0) return '0';
  let v = Math.abs(n);
  let unit = 0;
  while (v >= 1023.5 && unit < UNITS.length - 1) {
    v /= 1024;
    unit++;
  }
  return (n < 0 ? MINUS : '') + (unit === 0 ? v.toFixed(0) : three(v)) + SPACE + UNITS[unit];
}

/** @param {number} n */
export function exactBytes(n) {
  return count(n) + SPACE + 'B';
}

/** @param {number} n */
export function change(n) {
  return (n > 0 ? '+' : '') + bytes(n);
}

/**
 * @param {number} part
 * @param {number} whole
 * @returns {string} "" when there is no whole
 */
export function share(part, whole) {
  if (!(whole > 0)) return '';
  const percent = (part / whole) * 100;
  const digits =
    percent === 100 ? '100' : percent >= 99.5 ? '99' : percent >= 1 ? percent.toFixed(0) : percent > 0 ? '<1' : '0';
  return digits + THIN + '%';
}

/** @param {number} us microseconds */
export function duration(us) {
  if (us < 999.5) return us.toFixed(0) + SPACE + 'µs';
  return us < 999500 ? three(us / 1e3) + SPACE + 'ms' : three(us / 1e6) + SPACE + 's';
}

/**
 * A binary step for about n lines in a range, and its unit's name and size.
 * @param {number} range bytes
 * @param {number} n
 */
export function byteStep(range, n) {
  let step = 2 ** Math.max(0, Math.floor(Math.log2(range / n)));
  while (range / step > n * 1.3) step *= 2;
  return step;
}

/**
 * A byte label of an axis: one unit for the whole axis, 0 without a unit.
 * @param {number} v
 * @param {number} top the axis' end, which chooses the unit
 * @param {number} step between labels; one below a quarter takes the next smaller unit
 */
export function axisBytes(v, top, step) {
  if (v === 0) return '0';
  const named = clamp(Math.floor(Math.log2(Math.max(1, top) / 0.9) / 10), 0, UNITS.length - 1);
  const unit = named > 0 && step < 1024 ** named / 4 ? named - 1 : named;
  return String(Number((v / 1024 ** unit).toFixed(3))) + SPACE + UNITS[unit];
}

/**
 * A label relative to the unchanged base of the axis.
 * @param {number} d bytes above it
 */
export function axisChange(d) {
  const [value, unit] = bytes(d).split(SPACE);
  return '+' + Number(value) + SPACE + unit;
}

/**
 * @param {number} range
 * @param {number} n
 * @returns {number} 1, 2 or 5 times a power of ten, at least 1
 */
export function decimalStep(range, n) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, range / n)));
  for (const m of [1, 2, 5]) if (range / (power * m) <= n) return Math.max(1, power * m);
  return power * 10;
}

/**
 * A time label of an axis: one unit per view.
 * @param {number} us
 * @param {number} range of the view
 * @param {number} step
 */
export function axisTime(us, range, step) {
  const [unit, name] = range > 2e6 ? [1e6, 's'] : range > 2e3 ? [1e3, 'ms'] : [1, 'µs'];
  const digits = clamp(Math.ceil(-Math.log10(step / unit) - 1e-9), 0, 3);
  return (unit === 1 ? count(us) : (us / unit).toFixed(digits)) + SPACE + name;
}
