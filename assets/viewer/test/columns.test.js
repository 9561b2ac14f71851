import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ColumnReader } from '../data/columns.js';
import { Writer } from './support/encode.js';
import { random } from './support/random.js';

const EDGES = [0, 1, 127, 128, 16383, 16384, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 7, 2 ** 53 - 1];

test('columns come back as they were written', () => {
  const w = new Writer();
  w.unsigned(EDGES);
  w.ascending([0, 0, 3, 70000, 70001]);
  w.signed([0, -1, 1, -(2 ** 45), 2 ** 45]);
  w.signedSums([5, 3, 3, -10, 2 ** 40]);
  w.strings(['', 'forward', 'ü </script> 火']);
  const r = new ColumnReader(w.array);
  assert.deepEqual([...r.unsigned().values], EDGES);
  assert.deepEqual([...r.ascending().values], [0, 0, 3, 70000, 70001]);
  assert.deepEqual(
    [...r.signed().values].map((v) => v + 0),
    [0, -1, 1, -(2 ** 45), 2 ** 45],
  );
  assert.deepEqual([...r.signedSums().values], [5, 3, 3, -10, 2 ** 40]);
  const strings = r.strings();
  assert.deepEqual(
    [0, 1, 2, 3, -1].map((i) => strings.at(i)),
    ['', 'forward', 'ü </script> 火', '', ''],
  );
  assert.equal(r.at, w.array.length);
});

test('values lie in the narrowest array that holds them', () => {
  /** @typedef {import('../data/columns.js').Column} Column */
  for (const [kind, values, Type] of /** @type {[string, number[], new () => Column][]} */ ([
    ['unsigned', [0, 127], Uint8Array],
    ['unsigned', [255], Uint8Array],
    ['unsigned', [256], Uint16Array],
    ['unsigned', [2 ** 16], Uint32Array],
    ['unsigned', [2 ** 32 - 1], Uint32Array],
    ['unsigned', [2 ** 32], Float64Array],
    ['ascending', [200, 255], Uint8Array],
    ['ascending', [200, 256], Uint16Array],
    ['signed', [2 ** 31 - 1, -(2 ** 31)], Int32Array],
    ['signed', [2 ** 31], Float64Array],
    ['signed', [-(2 ** 31) - 1], Float64Array],
    ['signedSums', [2 ** 31 - 1, -(2 ** 31), 5], Int32Array],
    ['signedSums', [-(2 ** 31) - 1, 5], Float64Array],
  ])) {
    // The last value may come long after the array was chosen.
    for (const before of [0, 3000]) {
      const w = new Writer();
      const all = [...Array(before).fill(0), ...values];
      w[kind](all);
      const column = new ColumnReader(w.array)[kind]().values;
      assert.ok(column instanceof Type, `${kind} ${values} is ${column.constructor.name}`);
      assert.deepEqual(
        [...column].map((v) => v + 0),
        all,
      );
    }
  }
});

/** Columns of all kinds, with values of one to eight bytes, and what stands in them. */
function randomColumns(seed) {
  const next = random(seed);
  const w = new Writer();
  const columns = Array.from({ length: 12 }, () => {
    const kind = ['unsigned', 'ascending', 'signed', 'signedSums'][Math.floor(next() * 4)];
    const bits = next() * 48;
    const length = Math.floor(next() ** 3 * 3000);
    const values = Array.from({ length }, () => Math.floor(2 ** (next() * bits)));
    if (kind === 'ascending') values.sort((a, b) => a - b);
    if (kind.startsWith('signed')) for (let i = 0; i < length; i++) if (next() < 0.5) values[i] *= -1;
    w[kind](values);
    return { kind, values };
  });
  return { columns, bytes: w.array };
}

test('columns can be decoded in any order, and later', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { columns, bytes } = randomColumns(seed);
    const r = new ColumnReader(bytes);
    const read = columns.map(({ kind }) => r[kind]());
    assert.equal(r.at, bytes.length);
    for (let i = columns.length - 1; i >= 0; i--) {
      const { values } = read[i];
      assert.equal(read[i].length, columns[i].values.length);
      assert.deepEqual([...values], columns[i].values);
      assert.equal(read[i].values, values, 'decoded once');
    }
  }
});

test('a cut is found without decoding', () => {
  const { columns, bytes } = randomColumns(7);
  for (let n = 0; n < 500; n++) {
    const cut = Math.floor((bytes.length * n) / 500);
    const r = new ColumnReader(bytes.subarray(0, cut));
    assert.throws(() => columns.forEach(({ kind }) => r[kind]()), RangeError, `${cut} of ${bytes.length} bytes`);
  }
});

test('a varint that is too long is found without decoding, wherever it stands', () => {
  for (let before = 0; before < 12; before++) {
    const column = (/** @type {number} */ length) => {
      const varint = [...Array(length - 1).fill(128), 1];
      const bytes = [12, ...Array(before).fill(1), ...varint, ...Array(11 - before).fill(1)];
      return new ColumnReader(Uint8Array.from(bytes)).unsigned();
    };
    assert.equal(column(9).values[before], 2 ** 56);
    for (const length of [10, 11, 12, 30]) assert.throws(() => column(length), /varint too long/);
  }
});

test('text before a column is no part of its count', () => {
  const w = new Writer();
  const values = Array.from({ length: 300 }, (_, i) => i * 2 ** 30);
  w.strings(['火火火火']);
  w.unsigned(values);
  const r = new ColumnReader(w.array);
  r.strings();
  assert.deepEqual([...r.unsigned().values], values);
});

test('broken columns are errors', () => {
  const broken = (/** @type {number[]} */ ...bytes) => new ColumnReader(Uint8Array.from(bytes));
  assert.throws(() => broken().unsigned(), RangeError);
  assert.throws(() => broken(2, 1).unsigned(), /column of 2 values in 1 bytes/);
  assert.throws(() => broken(1, 128).unsigned(), /ends inside a column/);
  assert.throws(() => broken(255, 255, 255, 255, 15).unsigned(), /column of/);
  assert.throws(() => broken(1, ...Array(12).fill(255), 1).unsigned(), /varint too long/);
  assert.throws(() => broken(1, 9, 65).strings(), /ends inside a string/);
});
