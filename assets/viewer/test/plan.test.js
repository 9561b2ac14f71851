import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planColumns } from '../pile/plan.js';
import { random } from './support/random.js';

const WIDEST = 16;

/** States that do not fall, some of them twice. */
function columnsOf(next, n, step) {
  let k = Math.floor(next() * 20);
  return Int32Array.from({ length: n }, () => (k += Math.floor(next() * step)));
}

test('what is shown is there, near, and no lower than the best of its block', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const next = random(seed);
    const active = Float64Array.from({ length: 2000 }, () => Math.floor(next() * 1e6));
    const wanted = columnsOf(next, 1 + Math.floor(next() * 200), 1 + (seed % 9));
    const before = columnsOf(next, seed % 3 === 0 ? 0 : 150, 1 + (seed % 7));
    const limit = next() * 60;
    const { old, paint, like, isCoarse } = planColumns(wanted, active, before, limit);

    const least = Math.ceil(wanted.length / WIDEST);
    assert.ok(paint.length <= Math.max(limit + 1, least), 'no more than there is time for');
    assert.deepEqual(
      paint,
      [...new Set(paint)].sort((a, b) => a - b),
    );
    wanted.forEach((k, x) => {
      if (old[x] >= 0) assert.equal(before[old[x]], k);
      else assert.ok(!before.includes(k));
      const l = like[x];
      assert.ok(old[l] >= 0 || paint.includes(l), 'looks like one that is there');
      const block = Math.floor(x / WIDEST) * WIDEST;
      assert.ok(wanted.subarray(block, block + WIDEST).includes(wanted[l]), 'a state of its own block');
      if (x > 0) assert.ok(wanted[like[x - 1]] <= wanted[l], 'states do not fall');
    });
    assert.equal(
      isCoarse,
      like.some((l, x) => wanted[l] !== wanted[x]),
    );
    for (let from = 0; from < wanted.length; from += WIDEST) {
      const block = [...wanted.subarray(from, from + WIDEST)];
      const shown = [...like.subarray(from, from + WIDEST)].map((l) => active[wanted[l]]);
      assert.equal(Math.max(...shown), Math.max(...block.map((k) => active[k])), 'no peak is lost');
    }
  }
});

test('with time enough every column shows its own state, painted once', () => {
  const wanted = Int32Array.of(3, 3, 4, 7, 7, 7, 9);
  const { old, paint, like, isCoarse } = planColumns(wanted, new Float64Array(10), Int32Array.of(1, 4, 9), Infinity);
  assert.deepEqual([...old], [-1, -1, 1, -1, -1, -1, 2]);
  assert.deepEqual(paint, [0, 3]);
  assert.deepEqual([...like], [0, 0, 2, 3, 3, 3, 6]);
  assert.equal(isCoarse, false);
});

test('spare time paints from the left', () => {
  const wanted = Int32Array.from({ length: 64 }, (_, x) => x);
  const active = Float64Array.from(wanted, (x) => (x % 16 === 5 ? 1 : 0));
  const { paint, isCoarse } = planColumns(wanted, active, new Int32Array(0), 7);
  assert.deepEqual(paint, [0, 1, 2, 5, 21, 37, 53]);
  assert.ok(isCoarse);
});
