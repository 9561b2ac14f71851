import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Steps } from '../data/steps.js';

test('steps are the stretches between boundaries', () => {
  for (const [boundaries, ranges] of [
    [[], []],
    [[100], [[0, 100]]],
    [
      [0, 40],
      [
        [0, 40],
        [40, 100],
      ],
    ],
    [
      [30, 60, 100],
      [
        [0, 30],
        [30, 60],
        [60, 100],
      ],
    ],
  ]) {
    const steps = new Steps(boundaries, 100, 'step', '');
    const got = Array.from({ length: steps.count }, (_, i) => steps.range(i));
    assert.deepEqual(
      got,
      ranges.map(([from, to]) => ({ from, to })),
    );
  }
});

test('a state belongs to the step of the event before it', () => {
  const steps = new Steps([30, 60], 100, 'step', '');
  for (const [state, i] of [
    [0, 0],
    [1, 0],
    [30, 0],
    [31, 1],
    [60, 1],
    [61, 2],
    [100, 2],
  ])
    assert.equal(steps.at(state), i, `state ${state}`);
});

test('where a key goes', () => {
  const steps = new Steps([30, 60], 100, 'step', '');
  for (const [shown, whole, left, by, want] of [
    [-1, true, 0, 1, 0], // from the whole recording
    [-1, true, 0, -1, 2],
    [0, false, 0, 1, 1], // from a step
    [2, false, 60, 1, -1],
    [2, false, 60, -1, 1],
    [0, false, 0, -1, -1],
    [-1, false, 40, 1, 2], // from inside one
    [-1, false, 40, -1, 1],
    [-1, false, 30, -1, 0],
    [-1, false, 70, 1, -1],
  ])
    assert.equal(steps.next(shown, whole, left, by), want, `${shown} ${whole} ${left} ${by}`);
});

test('a range has a part in the steps of its events', () => {
  const steps = new Steps([30, 60, 100], 100, 'step', '');
  for (const [from, to, want] of [
    [0, 100, 3],
    [30, 100, 2],
    [29, 61, 3],
    [30, 60, 1],
    [40, 41, 1],
  ])
    assert.equal(steps.within({ from, to }), want, `${from}-${to}`);
  assert.equal(new Steps([], 100, '', '').within({ from: 0, to: 9 }), 0);
});
