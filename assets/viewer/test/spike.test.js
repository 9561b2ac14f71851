import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spikeNear } from '../recording/data/spike.js';

const active = [10, 10, 11, 90, 40, 10, 10, 10, 30, 31, 32, 33, 34];
const columns = active.map((_, i) => i);

test('a spike within reach takes the column, and names a state before it', () => {
  for (const x of [1, 2, 3, 4, 5])
    assert.deepEqual(spikeNear(active, columns, x, 2, 20), { column: 3, before: 1 }, `from column ${x}`);
  assert.equal(spikeNear(active, columns, 6, 2, 20), null, 'out of reach');
});

test('what does not stand out on both sides is no spike', () => {
  assert.equal(spikeNear(active, columns, 3, 2, 85), null, 'too low');
  assert.equal(spikeNear(active, columns, 11, 2, 1), null, 'a rise');
  assert.equal(spikeNear([5], [0], 0, 2, 1), null, 'all there is');
  assert.equal(spikeNear(active, [0, 1, 2, 3, -1, -1], 3, 2, 20), null, 'at the end of the recording');
});
