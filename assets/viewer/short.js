// Short names for what the viewer writes most often: the bundle puts them in the
// place of these globals, in all modules. Nothing imports this file.

const { abs, ceil, floor, hypot, log2, log10, max, min, round } = Math;
const { entries, hasOwn } = Object;
const { from } = Array;
const words = String;
const number = Number;
const later = setTimeout;
const never = clearTimeout;
const page = document;
const bytes = Uint8Array;
const integers = Int32Array;
const naturals = Uint32Array;
const floats = Float64Array;
const outside = RangeError;

export {
  abs as 'Math.abs',
  ceil as 'Math.ceil',
  floor as 'Math.floor',
  hypot as 'Math.hypot',
  log2 as 'Math.log2',
  log10 as 'Math.log10',
  max as 'Math.max',
  min as 'Math.min',
  round as 'Math.round',
  entries as 'Object.entries',
  hasOwn as 'Object.hasOwn',
  from as 'Array.from',
  words as 'String',
  number as 'Number',
  later as 'setTimeout',
  never as 'clearTimeout',
  page as 'document',
  bytes as 'Uint8Array',
  integers as 'Int32Array',
  naturals as 'Uint32Array',
  floats as 'Float64Array',
  outside as 'RangeError',
};
