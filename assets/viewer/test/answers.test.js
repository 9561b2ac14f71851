import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answersOf } from '../recording/data/answers.js';
import { bySize } from '../data/classes.js';
import { SiteTable } from '../data/sites.js';
import { Stacks, USER } from '../data/stacks.js';
import { Writer, fake } from './support/encode.js';
import { open } from './support/random.js';

const MiB = 2 ** 20;
const plain = (text) => text.replaceAll('\u00a0', ' ').replaceAll('\u2212', '-');

/** Stacks 1 to n, each one user frame. */
function stacksOf(frames) {
  const w = new Writer();
  w.strings(['', ...frames.flatMap(([name, file]) => [name, file])]);
  w.unsigned(frames.map((_, i) => 1 + 2 * i));
  w.unsigned(frames.map((_, i) => 2 + 2 * i));
  w.unsigned(frames.map((f) => f[2]));
  w.unsigned(frames.map(() => USER));
  w.unsigned(frames.map((_, i) => i + 1));
  w.unsigned(frames.map((_, i) => i));
  const all = (f) => [0, ...frames.map((_, i) => f(i))];
  w.unsigned(all((i) => i + 1));
  w.unsigned(all((i) => i + 1));
  w.unsigned(all(() => 0));
  w.unsigned(all(() => 2));
  w.unsigned(all(() => 0));
  w.unsigned(all((i) => i + 1));
  return new Stacks(w.array);
}

const STACKS = [
  ['step', '/a/optim.py', 80],
  ['forward', '/a/model.py', 7],
  ['forward', '/b/model.py', 7],
];

/** A weight without a stack, an activation that goes, two tensors that stay. */
function device() {
  const { data, timeline } = open({
    events: 6,
    time: [],
    reservedBaseline: 200 * MiB,
    allocations: [
      { start: -1, end: null, size: 30 * MiB, addr: 0, stack: 0, family: 0 },
      { start: 0, end: 3, size: 60 * MiB, addr: 1, stack: 2, family: 1 },
      { start: 1, end: null, size: 6 * MiB, addr: 2, stack: 1, family: 2 },
      { start: 2, end: null, size: 4 * MiB, addr: 3, stack: 1, family: 2 },
    ],
  });
  const stacks = stacksOf(STACKS);
  return {
    data,
    timeline,
    stacks,
    sites: new SiteTable(data, stacks),
    hasHistory: true,
    report: { with_stack: 3, allocations: 4 },
  };
}

const grouping = fake({
  mode: 'family',
  of: Uint8Array.of(0, 1, 2, 2),
  colourIndex: Uint8Array.of(0, 5, 10, 11),
  colors: Array(15).fill('#808080'),
  groups: ['KV cache', 'Activations', 'Optimizer state'].map((label) => ({
    label,
    one: label,
    name: label,
    color: '#808080',
    ink: '#000000',
  })),
});

/** What the report says, as far as it matters here. */
const card = (question, more = {}) => ({
  question,
  mood: 'known',
  value: '1 GiB',
  small: '',
  line: 'said by the report',
  detail: '',
  bar: [],
  curve: [],
  evidence: null,
  ...more,
});
const CARDS = [
  card('What is in memory at the peak?', {
    bar: [
      { family: 1, bytes: 60 },
      { family: 2, bytes: 10 },
    ],
  }),
  card('What keeps growing?', { curve: [1, 2] }),
  card('Who allocated it?'),
  card('What happened at the OOM?'),
];

function withCards(reported = CARDS) {
  const opened = device();
  return fake({ ...opened, report: { ...opened.report, answers: reported } });
}

test('answers are what the report says, with the colours of the page', () => {
  const answers = answersOf(withCards(), grouping, null);
  assert.deepEqual(
    answers.map((a) => [a.question, a.line]),
    CARDS.map((c) => [c.question, 'said by the report']),
  );
  assert.deepEqual(answers[0].segments, [
    { color: '#808080', bytes: 60 },
    { color: '#808080', bytes: 10 },
  ]);
  assert.deepEqual(answers[1].segments, []);
});

test('coloured by size, the bar shows sizes at the peak', () => {
  const opened = withCards();
  const answer = answersOf(opened, bySize(opened.data, 'light'), null)[0];
  assert.equal(plain(answer.line), '16 to 64 MiB 90 %, 1 to 16 MiB 10 %');
  assert.deepEqual(
    answer.segments.map((s) => s.bytes / MiB),
    [90, 10],
  );
});

test('who allocated it turns to the pinned tensor', () => {
  const who = answersOf(withCards(), grouping, 2)[2];
  assert.equal(who.question, 'Who allocated this?');
  assert.equal(plain(who.line), '6.00 MiB, pinned; 2 tensors from this site');
  assert.equal(who.evidence?.allocation, 2);
  const before = answersOf(withCards(), grouping, 0)[2];
  assert.deepEqual([before.value, before.mood], ['No stack recorded', 'unknown']);
  assert.equal(plain(before.line), '30.0 MiB, pinned; allocated before the recording');
});

test('rows add up, and equal names of two files stay two sites', () => {
  const { sites, timeline } = device();
  const rows = sites.rows(timeline.live(3), 'site', grouping.of);
  assert.deepEqual(
    rows.map((r) => [r.name, r.location, r.bytes / MiB, r.tensors, r.group, r.largest]),
    [
      ['forward', 'model.py:7', 60, 1, 1, 1],
      ['(no stack recorded)', '', 30, 1, 0, 0],
      ['step', 'optim.py:80', 10, 2, 2, 2],
    ],
  );
  assert.deepEqual(
    sites.rows(timeline.live(3), 'function', grouping.of).map((r) => r.name),
    ['forward', '(no stack recorded)', 'step'],
  );
  assert.equal(sites.rows(timeline.live(3), 'file', grouping.of)[0].name, 'a/model.py');
  const two = new SiteTable(
    open({
      events: 2,
      time: [],
      allocations: [
        { start: 0, end: null, size: 1, addr: 0, stack: 2 },
        { start: 1, end: null, size: 1, addr: 1, stack: 3 },
      ],
    }).data,
    stacksOf(STACKS),
  );
  assert.equal(two.rows([0, 1], 'site', new Uint8Array(2)).length, 2);
  assert.equal(two.rows([0, 1], 'function', new Uint8Array(2)).length, 1);
});

test('size classes', () => {
  const { data } = device();
  const sizes = bySize(data, 'light');
  assert.deepEqual(
    [...sizes.of].map((g) => sizes.groups[g].label),
    ['16 to 64 MiB', '16 to 64 MiB', '1 to 16 MiB', '1 to 16 MiB'],
  );
});
