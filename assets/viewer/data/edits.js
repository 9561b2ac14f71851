// The tensors of a training that was never run: a recording's, with the differences that a payload lists.

import { ColumnReader } from './columns.js';
import { countBelow } from '../kit/math.js';
import { readColumns } from './space_columns.js';
import { check } from './space_model.js';

/**
 * Reads a payload "measure-F-D-K".
 * @param {Uint8Array} bytes @param {number} unit
 * @param {import('./device.js').DeviceData} data as it was recorded
 * @param {number} [largePage] bytes of a page of large expandable segments, if not the usual
 */
export function readMeasure(bytes, unit, data, largePage) {
  const r = new ColumnReader(bytes);
  const numbered = { count: data.events, at: (/** @type {number} */ number) => number - 1 };
  const read = readColumns(r, unit, numbered, data.events, largePage);
  const tensors = edited(data, r.ascending().values, r.signed().values, r.unsigned().values, r.unsigned().values);
  const preExisting = countBelow(tensors.first, 1);
  check(read.codes.code.length === tensors.of.length - preExisting, 'codes');
  return { read, tensors, preExisting };
}

/**
 * The tensors of a device after edits, in the order of their first states.
 * @param {Pick<import('./device.js').DeviceData, 'count' | 'events' | 'first' | 'last' | 'size'>} data
 * @param {ArrayLike<number>} alloc ascending, as often as it has tensors, or once with none
 * @param {ArrayLike<number>} later states that the first one comes after the allocation's
 * @param {ArrayLike<number>} states in which it lives; 0: there is none
 * @param {ArrayLike<number>} code 0: as large as the last one of an allocation as large; else 1 + its bytes
 */
export function edited({ count, events, first, last, size }, alloc, later, states, code) {
  check(new Set([alloc.length, later.length, states.length, code.length]).size === 1, 'edits');
  check(alloc.length === 0 || alloc[alloc.length - 1] < count, 'an edit');
  /** @type {[number, number, number, number][]} */
  const list = [];
  /** @type {Map<number, number>} */
  const sizes = new Map();
  let e = 0;
  for (let i = 0; i < count; i++) {
    if (e >= alloc.length || alloc[e] !== i) list.push([i, first[i], last[i], size[i]]);
    for (; e < alloc.length && alloc[e] === i; e++) {
      if (code[e] > 0) sizes.set(size[i], code[e] - 1);
      if (states[e] === 0) continue;
      const from = first[i] + later[e];
      check(from >= 0 && from + states[e] - 1 <= events, 'an edit');
      list.push([i, from, from + states[e] - 1, sizes.get(size[i]) ?? size[i]]);
    }
  }
  list.sort((a, b) => a[1] - b[1]);
  const column = (/** @type {number} */ k) => Uint32Array.from(list, (tensor) => tensor[k]);
  return { of: column(0), first: column(1), last: column(2), size: Float64Array.from(list, (tensor) => tensor[3]) };
}
