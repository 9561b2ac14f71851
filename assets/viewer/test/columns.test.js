import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ColumnReader } from '../data/columns.js';
import { Writer } from './support/encode.js';

const EDGES = [0, 1, 127, 128, 16383, 16384, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 7, 2 ** 53 - 1];

test('columns come back as they were written', () => {
  const w = new Writer();
  w.unsigned(EDGES);
  w.ascending([0, 0, 3, 70000, 70001]);
  w.signed([0, -1, 1, -(2 ** 45), 2 ** 45]);
  w.signedSums([5, 3, 3, -10, 2 ** 40]);
  w.strings(['', 'forward', 'ü </script> 火']);
  const r = new ColumnReader(w.array);
  assert.deepEqual([...r.unsigned()], EDGES);
  assert.deepEqual([...r.ascending()], [0, 0, 3, 70000, 70001]);
  assert.deepEqual(
    [...r.signed()].map((v) => v + 0),
    [0, -1, 1, -(2 ** 45), 2 ** 45],
  );
  assert.deepEqual([...r.signedSums()], [5, 3, 3, -10, 2 ** 40]);
  const strings = r.strings();
  assert.deepEqual(
    [0, 1, 2, 3, -1].map((i) => strings.at(i)),
    ['', 'forward', 'ü </script> 火', '', ''],
  );
  assert.equal(r.at, w.array.length);
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
