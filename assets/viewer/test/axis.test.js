import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnStates, EventAxis, TimeAxis } from '../data/axis.js';
import { activeByDefinition, open, randomDevice } from './support/random.js';

test('a state lies between its own event and the one before', () => {
  const axis = new EventAxis(10, false);
  assert.deepEqual(
    [axis.extent, axis.end, axis.begins(4), axis.stateAt(4.9), axis.stateAt(99), axis.stateAt(-1)],
    [11, 11, 4, 4, 10, 0],
  );
  assert.deepEqual(axis.states(2, 3), [2, 2]);
  assert.deepEqual(axis.states(2.5, 4.5), [2, 4]);
  assert.deepEqual(axis.states(10.5, 12), [10, 10]);
  assert.equal(axis.states(11, 12), null);
  assert.ok(new EventAxis(10, true).end > 11);
});

test('on the time axis a state begins with the event before it', () => {
  const axis = new TimeAxis(Float64Array.of(0, 5, 5, 3, 9), false); // the clock steps back once
  assert.deepEqual([...axis.start], [0, 0, 5, 5, 5, 9]);
  assert.equal(axis.stateAt(4.9), 1);
  assert.equal(axis.stateAt(5), 4);
  assert.deepEqual(axis.states(0, 1), [0, 1]);
  assert.deepEqual(axis.states(1, 5), [1, 1]);
  assert.deepEqual(axis.states(1, 6), [1, 4]);
  assert.deepEqual(axis.states(8, 9), [4, 5], 'the last state belongs to the last column');
});

test('every state is in some column, and columns never step back', () => {
  const device = randomDevice(11);
  const { data, timeline } = open(device);
  for (const axis of [new EventAxis(device.events, false), new TimeAxis(data.time, false)]) {
    for (const columns of [1, 7, 100, 399, 401, 1000]) {
      const states = columnStates(axis, timeline, 0, axis.end, columns);
      const seen = new Set();
      for (let x = 0; x < columns; x++) {
        const [a, b] = axis.states((axis.end * x) / columns, (axis.end * (x + 1)) / columns);
        for (let k = a; k <= b; k++) seen.add(k);
        const totals = Array.from({ length: b - a + 1 }, (_, i) => activeByDefinition(device, a + i));
        assert.equal(timeline.active[states[x]], Math.max(...totals));
        assert.ok(x === 0 || states[x] >= states[x - 1]);
      }
      assert.equal(seen.size, device.events + 1, `${axis.kind}, ${columns} columns`);
      assert.ok(
        states.some((k) => timeline.active[k] === timeline.active[timeline.peak]),
        'the peak never vanishes',
      );
    }
  }
});

test('air on the right shows no state', () => {
  const device = randomDevice(12);
  const { timeline } = open(device);
  const axis = new EventAxis(device.events, true);
  const states = columnStates(axis, timeline, 0, axis.end, 200);
  assert.equal(states[199], -1);
  assert.equal(states[190], timeline.highest.best(...axis.states((axis.end * 190) / 200, (axis.end * 191) / 200)));
});
