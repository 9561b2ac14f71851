import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventAxis, TimeAxis } from '../data/axis.js';
import { ticksOf } from '../recording/draw/layout.js';
import { Viewport } from '../recording/state/viewport.js';
import { open, random, randomDevice } from './support/random.js';

/** The whole of a recording in view. */
function viewportOf(axis, timeline, ceiling) {
  const viewport = new Viewport();
  viewport.begin(axis, timeline, ceiling);
  return viewport;
}

/** A big unchanging base under small things that come and go. */
function onBase() {
  const allocations = [{ start: -1, end: null, size: 2 ** 33, addr: 0 }];
  for (let e = 0; e < 5000; e++) allocations.push({ start: e * 2, end: e * 2 + 1, size: 2 ** 20, addr: e });
  return open({ events: 10_000, time: [], allocations });
}

test('the range stays inside the recording and never gets too narrow', () => {
  const { timeline } = open(randomDevice(1));
  const next = random(2);
  const v = viewportOf(new EventAxis(400, false), timeline, 2 ** 30);
  for (let n = 0; n < 3000; n++) {
    const kind = n % 4;
    if (kind === 0) v.zoom(2 ** (next() * 8 - 4), next() * 500 - 50);
    else if (kind === 1) v.pan(next() * 800 - 400);
    else if (kind === 2) v.show(next() * 500 - 50, next() * 500 - 50);
    else v.zoomHeight(2 ** (next() * 4 - 2), next() * 2 ** 31);
    assert.ok(v.from >= 0 && v.to <= 401 + 1e-9 && v.width >= 12 - 1e-9, `${v.from} to ${v.to}`);
    assert.ok(v.low >= 0 && v.high > v.low && v.high <= v.ceiling * 1.2);
  }
  v.whole();
  assert.deepEqual([v.from, v.to, v.low, v.isWhole], [0, 401, 0, true]);
});

test('zoom keeps what is under the pointer', () => {
  const { timeline } = open(randomDevice(1));
  const v = viewportOf(new EventAxis(400, false), timeline, 2 ** 30);
  v.zoom(0.25, 100);
  const at = (100 - v.from) / v.width;
  v.zoom(0.5, 100);
  assert.ok(Math.abs((100 - v.from) / v.width - at) < 1e-9);
});

test('a close view drops its unchanged base by itself, and Y brings it back', () => {
  const { timeline } = onBase();
  const v = viewportOf(new EventAxis(10_000, false), timeline, 2 ** 33 + 2 ** 20);
  assert.equal(v.isFitted, false);
  v.show(500, 560);
  assert.equal(v.base, 2 ** 33);
  assert.ok(v.low < v.base && v.high > 2 ** 33 + 2 ** 20 && v.high < 2 ** 33 + 2 ** 22);
  v.toggleFit();
  assert.deepEqual([v.isFitted, v.low], [false, 0]);
  v.toggleFit();
  assert.equal(v.isFitted, true);
  v.show(0, 5000);
  assert.equal(v.isFitted, true, 'asked for, it also fits wide views');
  v.whole();
  assert.equal(v.isFitted, false);
});

test('changing the axis keeps the states in view', () => {
  const device = randomDevice(3);
  const { data, timeline } = open(device);
  const v = viewportOf(new EventAxis(400, false), timeline, 2 ** 30);
  const time = new TimeAxis(data.time, false);
  v.show(100, 200);
  v.changeAxis(time);
  assert.deepEqual([v.from, v.to], [time.begins(100), time.begins(200)]);
});

test('ticks: five to nine lines, all inside the view', () => {
  const { timeline } = onBase();
  const v = viewportOf(new EventAxis(10_000, false), timeline, 2 ** 33 + 2 ** 20);
  for (const [from, to] of [
    [0, 10_001],
    [500, 560],
    [9_000, 10_000],
  ]) {
    v.show(from, to);
    const { x, y, labelX, labelY } = ticksOf(v, 930, 560);
    for (const t of x) assert.ok(t >= v.from && t <= v.to);
    for (const t of y) assert.ok(t >= v.low && t <= v.high);
    assert.ok(y.length >= 3 && y.length <= 10 && x.length >= 3 && x.length <= 9, `${x.length} and ${y.length}`);
    assert.equal(
      new Set([...x.map(labelX), ...y.map(labelY)]).size,
      x.length + y.length - (x[0] === 0 && y[0] === 0 ? 1 : 0),
      'labels differ',
    );
  }
});
