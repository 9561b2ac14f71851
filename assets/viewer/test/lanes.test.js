import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventAxis, TimeAxis } from '../data/axis.js';
import { Lane, Lanes, shortName } from '../data/lanes.js';
import { layoutOf, Scales } from '../recording/draw/layout.js';
import { Writer, fake } from './support/encode.js';
import { random } from './support/random.js';

/** A payload "lanes-F-D"; ranges are [from, to, depth, name, cut, fromUs, toUs], phases [from, to, kind]. */
function lanesOf({ ranges = [], phases = [], boundaries = [], events = 100, time = false, leftOut = 0 }) {
  const w = new Writer();
  const names = ['', ...new Set(ranges.map((r) => r[3]))];
  w.strings(names);
  w.ascending(ranges.map((r) => r[0]));
  w.unsigned(ranges.map((r) => r[1] - r[0]));
  w.signedSums(time ? ranges.map((r) => r[5]) : []);
  w.unsigned(time ? ranges.map((r) => r[6] - r[5]) : []);
  w.unsigned(ranges.map((r) => r[2]));
  w.unsigned(ranges.map((r) => names.indexOf(r[3])));
  w.unsigned(ranges.map((r) => r[4] ?? 0));
  w.ascending(phases.map((p) => p[0]));
  w.unsigned(phases.map((p) => p[1] - p[0]));
  w.unsigned(phases.map((p) => p[2]));
  w.ascending(boundaries);
  const lanes = {
    payload: '',
    ranges_left_out: leftOut,
    phases_left_out: 0,
    step_word: 'step',
    steps_from: 'told apart',
  };
  return new Lanes(w.array, fake({ lanes, events, has_time: time }));
}

const NESTED = {
  ranges: [
    [0, 40, 0, 'ProfilerStep#0'],
    [5, 10, 1, 'forward'],
    [30, 40, 1, 'Optimizer.step#SGD.step', 2],
    [40, 90, 0, 'ProfilerStep#1'],
  ],
  phases: [
    [0, 12, 1],
    [12, 30, 2],
  ],
  boundaries: [40, 90],
};

test('lanes come back by depth', () => {
  const lanes = lanesOf({ ...NESTED, leftOut: 1200 });
  assert.deepEqual(
    lanes.all.map((l) => [l.label, l.names, l.from, l.to]),
    [
      ['annotated', ['ProfilerStep#0', 'ProfilerStep#1'], [0, 40], [40, 90]],
      ['', ['forward', 'Optimizer.step#SGD.step'], [5, 30], [10, 40]],
      ['≈ phase', ['forward', 'backward'], [0, 12], [12, 30]],
    ],
  );
  assert.deepEqual(lanes.annotated[1].notes.map(Boolean), [false, true]);
  assert.match(lanes.annotated[0].leftOut, /^1,200 more ranges/);
  assert.deepEqual(
    [0, 1].map((i) => [lanes.annotated[0].isStep(i), lanes.phases?.isStep(i)]),
    [
      [true, false],
      [true, false],
    ],
  );
  assert.equal(shortName('Optimizer.step#SGD.step'), 'SGD.step');
  assert.deepEqual(lanes.steps.from, [0, 40, 90]);
});

test('nothing to show takes no room', () => {
  const { lanes, top } = layoutOf(800, 600, true, lanesOf({}));
  assert.deepEqual(lanes, []);
  assert.equal(top, layoutOf(800, 600, true).top);
  assert.equal(layoutOf(800, 600, false, lanesOf(NESTED)).top, layoutOf(800, 600, false).top);
});

test('lanes stand above the plot, as many as the height allows, and fold', () => {
  const deep = lanesOf({ ...NESTED, ranges: [0, 1, 2, 3, 4, 5].map((d) => [0, 9, d, `${d}`]) });
  for (const [height, folded, rows] of /** @type {[number, boolean, number][]} */ ([
    [900, false, 7],
    [300, false, 3],
    [60, false, 2],
    [900, true, 2],
  ])) {
    const layout = layoutOf(800, height, true, deep, folded);
    assert.equal(layout.lanes.length, rows, `${height}, folded ${folded}`);
    assert.equal(layout.lanes.at(-2)?.label, rows === 3 ? '+4 deeper' : rows === 2 ? 'annotated' : '');
    assert.equal(layout.lanes.at(-1)?.lane, deep.phases);
    const scales = new Scales(layout, fake({}));
    for (const { top, height: h } of layout.lanes) {
      assert.equal(scales.regionAt(400, top + h / 2), 'lanes');
      assert.equal(scales.regionAt(20, top + h / 2), 'fold');
      assert.ok(top + h < layout.top);
    }
  }
  assert.ok(layoutOf(800, 900, true, deep, true).top < layoutOf(800, 900, true, deep).top);
});

test('the range at a position is the one a search from end to end finds', () => {
  const next = random(7);
  const axis = new EventAxis(10_000, false);
  for (let round = 0; round < 50; round++) {
    const from = [];
    const to = [];
    for (let at = 0; at < 9000; ) {
      at += Math.floor(next() ** 4 * 900);
      from.push(at);
      at += Math.floor(next() ** 4 * 900);
      to.push(at);
    }
    const lane = new Lane('', from, to, [], null, [], null, '');
    for (let k = 0; k < 200; k++) {
      const x = next() * 10_000;
      assert.equal(lane.after(axis, x), to.filter((v) => v <= x).length);
      const away = from.map((a, i) => Math.max(a - x, x - to[i], 0));
      const nearest = Math.min(...away);
      const i = lane.at(axis, x, 3);
      if (nearest > 3) assert.equal(i, -1);
      else assert.equal(away[i], nearest);
    }
  }
});

test('on the time axis a range stands where it was recorded', () => {
  const lanes = lanesOf({
    time: true,
    events: 4,
    ranges: [
      [1, 2, 0, 'a', 0, 150, 190],
      [2, 2, 0, 'b', 0, 180, 260],
    ],
  });
  const axis = new TimeAxis(Uint16Array.of(0, 100, 200, 300), false);
  const [lane] = lanes.annotated;
  assert.deepEqual(lane.span(axis, 0), [150, 190]);
  assert.deepEqual(lane.span(axis, 1), [190, 260], 'what overlaps begins later');
  assert.deepEqual(lane.span(new EventAxis(4, false), 0), [1, 2]);
});
