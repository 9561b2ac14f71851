import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnStates, EventAxis } from '../data/axis.js';
import { BandLabels, labelPosition } from '../recording/draw/labels.js';
import { layoutOf, Scales } from '../recording/draw/layout.js';
import { fake } from './support/encode.js';
import { liveByDefinition, open, randomDevice } from './support/random.js';

const layout = layoutOf(900, 600, true);
const WIDTH = 70;

/** A frame of some states and bytes, as far as labels go. */
function frameOf(timeline, names, view, moving) {
  const axis = new EventAxis(timeline.lastState, false);
  const viewport = { axis: view.axis ?? axis, ...view };
  const columns = columnStates(viewport.axis, timeline, view.from, view.to, layout.plotWidth);
  return fake({ timeline, names, columns, viewport, layout, moving, scales: new Scales(layout, viewport) });
}

/** A device of few groups whose pile is high: all bands of a group lie together. */
function made(seed) {
  const device = randomDevice(seed, { events: 300, preExisting: 2600, families: 3 });
  device.allocations.forEach((a, i) => (a.family = Math.floor(i / 700) % 3));
  const { data, timeline } = open(device);
  return { device, timeline, names: [{ of: data.family, groups: [{}, {}, {}] }] };
}

/** Whether all of [low, high) in a state is of one group. */
function isBand(device, state, { group, low, high }) {
  let offset = 0;
  for (const id of liveByDefinition(device, state)) {
    const { size, family } = device.allocations[id];
    if (family !== group && size > 0 && offset < high && offset + size > low) return false;
    offset += size;
  }
  return offset >= high;
}

test('names stay in their bands while the view moves', () => {
  let drawn = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const { device, timeline, names } = made(seed);
    const axis = new EventAxis(timeline.lastState, false);
    const high = timeline.active[timeline.peak] * 1.1;
    const labels = new BandLabels();
    const still = labels.of(frameOf(timeline, names, { axis, from: 0, to: 301, low: 0, high }, false));
    assert.ok(still.labels.length > 0);
    const views = [
      { from: 30, to: 331, low: 0, high }, // panned
      { from: 80, to: 200, low: 0, high }, // zoomed
      { from: 80, to: 200, low: high * 0.3, high: high * 0.8 },
      { from: -100, to: 500, low: 0, high: high * 2 },
    ];
    for (const view of views) {
      const frame = frameOf(timeline, names, { axis, ...view }, true);
      const kept = labels.of(frame);
      assert.equal(kept.labels, still.labels, 'nothing is looked for');
      for (const label of kept.labels) {
        const place = labelPosition(label, frame.scales, WIDTH);
        if (!place) continue;
        drawn++;
        const state = axis.stateAt(label.at);
        assert.ok(isBand(device, state, label), 'the state it hangs on has that band at these bytes');
        assert.equal(axis.stateAt(frame.scales.position(place.x)), state, 'it stands at that state');
        const byte = frame.scales.bytes(place.y);
        assert.ok(byte > label.low && byte < label.high, 'and in that band');
        assert.ok(place.x - WIDTH / 2 >= layout.left && place.x + WIDTH / 2 <= layout.right, 'in view');
        assert.ok(frame.scales.position(place.x - WIDTH / 2) >= label.from, 'no farther than was looked');
        assert.ok(frame.scales.position(place.x + WIDTH / 2) <= label.to);
      }
    }
    assert.notEqual(
      labels.of(frameOf(timeline, names, { axis, ...views[1] }, false)).labels,
      still.labels,
      'when still, they are',
    );
  }
  assert.ok(drawn > 40, `${drawn} names`);
});

test('names of another device, grouping or axis are not kept', () => {
  const { timeline, names } = made(1);
  const axis = new EventAxis(timeline.lastState, false);
  const view = { axis, from: 0, to: 301, low: 0, high: timeline.active[timeline.peak] * 1.1 };
  const labels = new BandLabels();
  labels.of(frameOf(timeline, names, view, false));
  assert.ok(labels.of(frameOf(timeline, names, view, true)).labels.length > 0);
  for (const other of [
    frameOf(made(2).timeline, names, view, true),
    frameOf(timeline, [{ ...names[0], of: names[0].of.slice() }], view, true),
    frameOf(timeline, names, { ...view, axis: new EventAxis(timeline.lastState, false) }, true),
  ])
    assert.deepEqual(labels.of(other).labels, []);
});

test('among few tensors names are looked for in every frame', () => {
  const { data, timeline } = open(randomDevice(3));
  const names = [{ of: data.family, groups: Array.from({ length: 9 }, () => ({})) }];
  const high = timeline.active[timeline.peak];
  const [one, other] = [0, 100].map((from) =>
    new BandLabels().of(frameOf(timeline, names, { from, to: from + 60, low: 0, high }, true)),
  );
  assert.notDeepEqual(one.labels, other.labels);
});

test('no name stands over a dip', () => {
  // Two tensors of one group; the upper one is away for one state of every ten, a few pixels.
  const allocations = [{ start: -1, end: null, size: 1000, family: 0 }];
  const events = 600;
  for (let e = 0; e + 10 <= events; e += 10) allocations.push({ start: e, end: e + 9, size: 1000, family: 0 });
  const model = randomDevice(1, { events: 1, preExisting: 1, families: 1 }).allocations[0];
  const time = Array.from({ length: events }, (_, i) => i);
  const device = {
    ...randomDevice(1, { events: 1, preExisting: 1 }),
    events,
    time,
    allocations: allocations.map((a) => ({ ...model, freeRequest: null, ...a })),
    reserved: [],
  };
  const { data, timeline } = open(device);
  const view = { from: 0, to: events + 1, low: 0, high: 2100 };
  const frame = frameOf(timeline, [{ of: data.family, groups: [{}] }], view, false);
  const { labels } = new BandLabels().of(frame);
  assert.equal(labels.length, 1);
  const { at, low, high } = labels[0];
  const half = WIDTH / 2 / (layout.plotWidth / (events + 1));
  for (let state = Math.floor(at - half); state <= at + half; state++)
    assert.ok(timeline.active[state] >= high, `${low} to ${high}, in state ${state} are ${timeline.active[state]}`);
});
