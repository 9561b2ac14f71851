import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Alignment, alignedStates, sideAxis, wholeRun } from '../compare/data/alignment.js';
import { Timeline } from '../data/timeline.js';
import { random } from './support/random.js';

/**
 * Runs of two recordings at random, which have each state of each once.
 * @param {() => number} next @param {number[]} lastStates
 */
function randomRuns(next, lastStates) {
  const runs = [];
  const at = [0, 0];
  while (at[0] <= lastStates[0] || at[1] <= lastStates[1]) {
    const states = lastStates.map((last, side) => {
      if (at[side] > last || (next() < 0.25 && at[1 - side] <= lastStates[1 - side])) return null;
      const to = Math.min(last, at[side] + Math.floor(next() ** 3 * last));
      return [at[side], to];
    });
    if (!states[0] && !states[1]) continue;
    states.forEach((s, side) => s && (at[side] = s[1] + 1));
    runs.push({ phase: 'forward', states, step: -1 });
  }
  return runs;
}

/** @param {number} events @param {() => number} next */
function recording(events, next) {
  const time = Float64Array.from({ length: events }, () => Math.floor(next() * 4)).map(
    (
      (sum) => (d) =>
        (sum += d)
    )(0),
  );
  return { events, time };
}

for (const unit of /** @type {const} */ (['events', 'time']))
  test(`every state lies in exactly one column, by ${unit}`, () => {
    const next = random(7);
    for (let round = 0; round < 60; round++) {
      const sides = [0, 1].map(() => recording(1 + Math.floor(next() ** 2 * 3000), next));
      const lastStates = sides.map(({ events }) => events);
      const runs = round % 3 === 0 ? wholeRun(lastStates) : randomRuns(next, lastStates);
      const alignment = new Alignment(
        runs,
        sides.map((side) => sideAxis(side, unit)),
      );
      assert.equal(alignment.stretches[0].from, 0);
      assert.equal(alignment.stretches.at(-1).to, 1);
      const columns = 1 + Math.floor(next() * 900);
      sides.forEach(({ events }, side) => {
        const times = new Uint8Array(events + 1);
        let before = -1;
        for (let x = 0; x < columns; x++) {
          const covered = alignment.states(side, x / columns, (x + 1) / columns);
          if (!covered) continue;
          const [a, b] = covered;
          assert.ok(a >= before, `column ${x} begins with ${a} after ${before}`);
          // A column in which no state begins shows the one that lasts.
          if (a === before) assert.equal(b, before);
          for (let k = Math.max(a, before + 1); k <= b; k++) times[k]++;
          before = b;
        }
        assert.ok(
          times.every((n) => n === 1),
          `round ${round}, side ${side}: ${times.findIndex((n) => n !== 1)}`,
        );
      });
    }
  });

test('runs that both have stand over each other, and those of one leave paper', () => {
  const sides = [{ events: 99 }, { events: 199 }].map((side) => sideAxis(side, 'events'));
  const runs = /** @type {import('../compare/data/alignment.js').Run[]} */ ([
    {
      phase: 'forward',
      states: [
        [0, 49],
        [0, 19],
      ],
      step: 0,
    },
    { phase: 'backward', states: [null, [20, 119]], step: 0 },
    {
      phase: 'optimizer',
      states: [
        [50, 99],
        [120, 199],
      ],
      step: 0,
    },
  ]);
  const alignment = new Alignment(runs, sides);
  // The mean of the shares: (1/2 + 1/10) / 2, 1/2, (1/2 + 4/10) / 2; together 1.25.
  const widths = alignment.stretches.map(({ from, to }) => Number((to - from).toFixed(9)));
  assert.deepEqual(widths, [0.24, 0.4, 0.36]);
  assert.equal(alignment.begins(0, 50), alignment.begins(1, 120));
  assert.equal(alignment.begins(1, 20), alignment.stretches[1].from);
  assert.equal(alignment.states(0, 0.3, 0.5), null);
  assert.deepEqual(alignment.states(1, 0.24, 0.28), [20, 29]);
  assert.deepEqual(alignment.states(0, 0.64, 1), [50, 99]);
});

test('a column shows the highest state that it covers', () => {
  const next = random(3);
  const events = 500;
  const first = Uint32Array.from({ length: 300 }, (_, i) => i + 1);
  const last = first.map((k) => Math.min(events, k + Math.floor(next() * 200)));
  const size = first.map(() => 1 + Math.floor(next() * 1000));
  const none = new Uint32Array(0);
  const data = { events, count: 300, first, last, size, pendingAlloc: none, pendingWait: none };
  const timeline = new Timeline({ ...data, reservedEvent: none, reservedDelta: none }, 0);
  const axis = sideAxis({ events }, 'events');
  const alignment = new Alignment(wholeRun([events, events]), [axis, axis]);
  const states = alignedStates(alignment, 0, timeline, 0, 1, 37);
  states.forEach((k, x) => {
    const [a, b] = alignment.states(0, x / 37, (x + 1) / 37);
    const most = Math.max(...timeline.active.subarray(a, b + 1));
    assert.equal(timeline.active[k], most);
  });
  assert.ok(states.includes(timeline.peak));
});
