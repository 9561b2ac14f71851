import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeviceData } from '../data/device.js';
import { edited } from '../data/edits.js';
import { Timeline } from '../data/timeline.js';
import { encodeDevice } from './support/encode.js';
import { open, random, randomDevice } from './support/random.js';

const recorded = {
  count: 3,
  events: 9,
  first: Uint32Array.of(0, 1, 4),
  last: Uint32Array.of(9, 3, 8),
  size: Uint32Array.of(100, 200, 200),
};

/**
 * @param {number[][]} edits allocation, states later, states, code of the size
 * @param {Parameters<typeof edited>[0]} [data]
 */
const tensorsAfter = (edits, data = recorded) => {
  const column = (k) => edits.map((edit) => edit[k]);
  return edited(data, column(0), column(1), column(2), column(3));
};

const rows = ({ of, first, last, size }) => Array.from(of, (id, i) => [id, first[i], last[i], size[i]]);

test('without edits the tensors are those of the recording', () => {
  assert.deepEqual(rows(tensorsAfter([])), [[0, 0, 9, 100], [1, 1, 3, 200], [2, 4, 8, 200]]);
});

test('a tensor goes, or comes twice; tensors are in the order of their first states', () => {
  const made = tensorsAfter([[0, 0, 0, 0], [1, 0, 2, 0], [1, 6, 2, 0], [2, -4, 9, 0]]);
  assert.deepEqual(rows(made), [[2, 0, 8, 200], [1, 1, 2, 200], [1, 7, 8, 200]]);
});

test('a size holds for the next ones of allocations as large', () => {
  assert.deepEqual([...tensorsAfter([[0, 0, 10, 0], [1, 0, 3, 51], [2, 0, 5, 0]]).size], [100, 50, 50]);
  assert.deepEqual([...tensorsAfter([[1, 0, 3, 51], [2, 0, 5, 201]]).size], [100, 50, 200]);
  assert.deepEqual([...tensorsAfter([[1, 0, 3, 51]]).size], [100, 50, 200], 'what is not edited keeps its size');
});

test('edits that point elsewhere are refused', () => {
  for (const edit of [[3, 0, 1, 0], [0, -1, 2, 0], [1, 0, 10, 0], [1, 9, 1, 0]])
    assert.throws(() => tensorsAfter([edit]), /edit/, String(edit));
  assert.throws(() => edited(recorded, [0], [0], [1], []), /edits/);
});

test('other tensors make a device with their totals', () => {
  const { data } = open(randomDevice(7));
  const next = random(8);
  const pick = (n) => Math.floor(next() * n);
  const edits = [];
  for (let i = 0; i < data.count; i++) {
    for (let n = pick(4) - 1; n > 0; n--) {
      const later = pick(data.events - data.first[i] + 1);
      edits.push([i, later, pick(data.events + 2 - data.first[i] - later), pick(2) * pick(1e6)]);
    }
  }
  const tensors = tensorsAfter(edits, data);
  const none = { reservedEvent: new Uint32Array(0), reservedDelta: new Float64Array(0) };
  const report = { ...encodeDevice(randomDevice(7)).report, allocations: tensors.of.length, pre_existing: 0 };
  const made = new DeviceData(data.columnsWith({ ...tensors, ...none }), report);
  const { active } = new Timeline(made, 0);
  for (let k = 0; k <= data.events; k++) {
    let sum = 0;
    for (let i = 0; i < made.count; i++) if (tensors.first[i] <= k && k <= tensors.last[i]) sum += tensors.size[i];
    assert.equal(active[k], sum, `state ${k}`);
  }
  for (let i = 0; i < made.count; i++) {
    const id = tensors.of[i];
    assert.deepEqual(
      [made.stack[i], made.family[i], made.stream[i], made.rule[i], made.freeStack(i), made.context.get(i)],
      [data.stack[id], data.family[id], data.stream[id], data.rule[id], data.freeStack(id), data.context.get(id)],
    );
  }
});
