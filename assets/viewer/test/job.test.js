import assert from 'node:assert/strict';
import { test } from 'node:test';
import { int16s, Job } from '../job/data/job.js';
import { matching, ordered } from '../job/data/order.js';
import { OWN_ROW, Rows, spread } from '../job/data/rows.js';
import { hashWith } from '../kit/hash.js';
import { choiceOf, valuesOf } from '../job/view/hash.js';
import { random } from './support/random.js';

const MISSING = -32768;

/** A job of ranks 0 to 5 with two columns in each of two steps; the group's median is 10, 20, 10, 20. */
function sample() {
  const rank = (i, more) => ({
    name: String(i),
    host: i < 3 ? 'n0' : 'n1',
    file: `rank${i}.pickle`,
    group: 0,
    peak: 100 + i,
    reserved: 200 - i,
    end: 5,
    steps: 2,
    growth: i % 2,
    adds_up: true,
    families: [],
    sites: [],
    within: 0,
    beyond: 0,
    times: [
      [0, 10],
      [10, 30],
    ],
    ...more,
  });
  const ranks = Array.from({ length: 6 }, (_, i) => rank(i, i === 4 ? { sites: [[0, 9, 0]] } : {}));
  const groups = [{ name: '0–5', ranks: 6, median: 102, limit: 2, middle: [10, 20, 10, 20], low: [], high: [] }];
  const curves = ranks.flatMap((_, i) => (i === 2 ? [MISSING, MISSING, 0, 0] : [0, i, 0, 0]));
  const findings = [
    { rank: 3, kind: 'out_of_memory', what: 'out of memory', detail: '' },
    { rank: 4, kind: 'differs', what: 'dispatch moe.py:88', detail: '', change: 9 },
    { rank: 2, kind: 'short', what: 'recorded 1 of 2 steps', detail: '' },
  ];
  const view = /** @type {any} */ ({
    stretches: ['1', '2'],
    per_stretch: 2,
    few_per_stretch: 0,
    unit: 1,
    findings,
    has_time: true,
  });
  const data = /** @type {any} */ ({ ranks, groups, sites: [['keep', 'moe.py:88']] });
  return new Job({ schema: '', program: '', families: [], jobs: [view] }, 0, data, Int16Array.from(curves));
}

test('numbers come back from their two planes of bytes', () => {
  const next = random(3);
  const values = Int16Array.from({ length: 500 }, () => Math.floor(next() * 65536) - 32768);
  const planes = new Uint8Array(1000);
  values.forEach((v, i) => {
    planes[i] = v & 255;
    planes[500 + i] = (v >> 8) & 255;
  });
  assert.deepEqual(int16s(planes), values);
});

test('curves are the distance from the median of the group', () => {
  const job = sample();
  assert.deepEqual([...job.curve(5)], [10, 25, 10, 20]);
  assert.deepEqual([...job.curve(2)], [-1, -1, 10, 20]);
  assert.equal(job.endColumn(2), 4);
  assert.throws(
    () =>
      new Job(
        { schema: '', program: '', families: [], jobs: [job.view] },
        0,
        { ranks: job.ranks, groups: job.groups, sites: [] },
        new Int16Array(7),
      ),
  );
});

test('a time falls into the column of its step', () => {
  const job = sample();
  assert.deepEqual(
    [-1, 0, 5, 10, 19, 20, 29, 30].map((ms) => job.columnAtTime(0, ms)),
    [-1, 0, 1, 2, 2, 3, 3, -1],
  );
});

test('orders begin with what they are named for', () => {
  const job = sample();
  assert.deepEqual(ordered(job, 'rank'), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(ordered(job, 'peak'), [5, 4, 3, 2, 1, 0]);
  assert.deepEqual(ordered(job, 'reserved'), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(ordered(job, 'growth'), [1, 3, 5, 0, 2, 4]);
  assert.deepEqual(ordered(job, 'differs').slice(0, 3), [4, 3, 2]);
});

test('a search finds ranks, hosts, files and call sites', () => {
  const job = sample();
  const found = (q) => [...(matching(job, q) ?? [])].flatMap((m, i) => (m ? [i] : []));
  assert.equal(matching(job, '  '), null);
  assert.deepEqual(found('3'), [3]);
  assert.deepEqual(found('rank 1-2'), [1, 2]);
  assert.deepEqual(found('n1'), [3, 4, 5]);
  assert.deepEqual(found('rank5.p'), [5]);
  assert.deepEqual(found('MOE.py'), [4]);
});

test('ranks with a finding keep a row of their own at any count', () => {
  for (const n of [64, 1024, 4081]) {
    const list = Array.from({ length: n }, (_, i) => i);
    const rows = new Rows(list, 30, 640, (rank) => rank % Math.floor(n / 5) === 3);
    assert.ok(Math.abs(rows.edges[n] - 670) < 1e-6);
    for (let rank = 0; rank < n; rank++) {
      const height = rows.edges[rank + 1] - rows.edges[rank];
      assert.ok(height > 0);
      if (rank % Math.floor(n / 5) === 3) assert.ok(height >= OWN_ROW);
      assert.equal(rows.at(rows.middle(rank)), rank);
    }
    assert.equal(rows.at(29.9), -1);
    assert.equal(rows.at(670.1), -1);
  }
});

test('labels keep apart and inside, in their order', () => {
  const next = random(9);
  for (let round = 0; round < 100; round++) {
    const points = Array.from({ length: 1 + Math.floor(next() * 17) }, () => next() * 600).sort((a, b) => a - b);
    const ys = spread(points, 34, 0, 600);
    ys.forEach((y, i) => {
      assert.ok(y >= -1e-9 && y <= 600 + 1e-9);
      if (i > 0) assert.ok(y - ys[i - 1] >= 34 - 1e-9);
    });
  }
});

test('an address gives back what was chosen, and keeps what it does not know', () => {
  const job = sample();
  /** @type {any} */
  const choice = {
    order: 'peak',
    show: 'bytes',
    axis: 'time',
    selected: 4,
    query: 'a&b',
    from: 1,
    to: 4,
    left: 0.25,
    right: 0.5,
  };
  const hash = hashWith('#theme=dark&rank=1', valuesOf(/** @type {any} */ ({ job, choice })));
  assert.equal(new URLSearchParams(hash).get('theme'), 'dark');
  assert.deepEqual(choiceOf(`#${hash}`, job), choice);
  /** @type {any} */
  const start = {
    order: 'rank',
    show: 'differences',
    axis: 'step',
    selected: -1,
    query: '',
    from: 0,
    to: 6,
    left: 0,
    right: 1,
  };
  assert.equal(hashWith('#rank=1&x=0-0.5', valuesOf(/** @type {any} */ ({ job, choice: start }))), '');
  assert.deepEqual(choiceOf('#rows=9-2&x=2-1&rank=77&order=size', job), {});
});
