import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Steps } from '../data/lanes.js';

test('steps are the stretches between boundaries', () => {
  for (const [boundaries, ranges] of /** @type {[number[], [number, number][]][]} */ ([
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
  ])) {
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
  for (const [shown, whole, left, by, want] of /** @type {[number, boolean, number, 1 | -1, number][]} */ ([
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
  ]))
    assert.equal(steps.next(shown, whole, left, by), want, `${shown} ${whole} ${left} ${by}`);
});

// The same cases hold steps.List.Over of Go.
const cases = JSON.parse(
  readFileSync(new URL('../../../pkg/analysis/steps/testdata/growth.json', import.meta.url), 'utf8'),
);

test('growth over a range is that of Go', () => {
  assert.ok(cases.length > 2);
  for (const { active, boundaries, ranges } of cases) {
    const steps = new Steps(boundaries, active.length - 1, 'step', '');
    for (const { from, to, ...want } of ranges) {
      const { steps: n, bytes, perStep } = steps.growth(active, { from, to });
      assert.deepEqual({ bytes, steps: n, per_step: perStep + 0 }, want, `${from}-${to}`);
    }
  }
});

test('steps are counted that end in the recording, as the commands do', () => {
  const words = (boundaries) => {
    const steps = new Steps(boundaries, 100, 'step', '');
    return Array.from({ length: steps.count }, (_, i) => steps.name(i));
  };
  assert.deepEqual(words([30, 60, 100]), ['step 1 of 3', 'step 2 of 3', 'step 3 of 3']);
  assert.deepEqual(words([30, 60]), ['step 1 of 2', 'step 2 of 2', 'after step 2']);
  assert.deepEqual(words([]), []);
});
