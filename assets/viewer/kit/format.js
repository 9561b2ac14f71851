// Numbers as text: binary units, three significant digits, no-break spaces. Go's
// pkg/units writes the same, with plain spaces; both are tested with its
// testdata/words.json.

import { clamp } from './math.js';

const SPACE = '\u00a0';
const MINUS = '\u2212';
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** @param {number} n */
export function count(n) {
  return sign(n) + grouped.format(Math.abs(n));
}

/**
 * @param {number} n
 * @param {string} one such as "tensor"
 * @param {string} [many]
 */
export function counted(n, one, many = one + 's') {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** @param {bigint} n */
export function address(n) {
  return '0x' + n.toString(16);
}

/** @param {number} n */
function sign(n) {
  return n < 0 ? MINUS : '';
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
  return sign(n) + (unit === 0 ? v.toFixed(0) : three(v)) + SPACE + UNITS[unit];
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
 * @returns {string} "" without a whole
 */
export function share(part, whole) {
  if (!(whole > 0)) return '';
  const percent = (100 * part) / whole;
  const digits =
    part <= 0 ? '0' : part >= whole ? '100' : percent < 1 ? '<1' : Math.min(percent, 99).toFixed(0);
  return digits + SPACE + '%';
}

/** @param {number} us microseconds */
export function duration(us) {
  const span = Math.abs(us);
  const [seconds, minutes] = [Math.floor((span + 5e5) / 1e6), Math.floor((span + 3e7) / 6e7)];
  /** @type {(string | number)[]} */
  let words = [count(Math.floor(minutes / 60)), 'h', minutes % 60, 'min'];
  if (span < 999.5) words = [span.toFixed(0), 'µs'];
  else if (span < 999500) words = [three(span / 1e3), 'ms'];
  else if (span < 9995e5) words = [three(span / 1e6), 's'];
  else if (seconds < 7200) words = [Math.floor(seconds / 60), 'min', seconds % 60, 's'];
  return sign(us) + words.join(SPACE);
}

/**
 * A binary step for about n lines in a range, and its unit's name and size.
 * @param {number} range bytes
 * @param {number} n
 */
export function byteInterval(range, n) {
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
export function decimalInterval(range, n) {
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
