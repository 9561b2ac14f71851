import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countBelow, countUpTo } from '../kit/math.js';
import { Pyramid } from '../data/pyramid.js';
import { Outline } from '../recording/draw/outline.js';
import { activeByDefinition, liveByDefinition, open, random, randomDevice } from './support/random.js';

test('live sets and totals of every state', () => {
  for (let seed = 1; seed <= 4; seed++) {
    const device = randomDevice(seed, { events: 300 + seed * 50, preExisting: seed * 40 });
    const { timeline } = open(device);
    for (let k = 0; k <= device.events; k++) {
      assert.deepEqual([...timeline.live(k)], liveByDefinition(device, k));
      assert.equal(timeline.active[k], activeByDefinition(device, k));
      const reserved = device.reserved.reduce((sum, r) => sum + (r.event < k ? r.delta : 0), device.reservedBaseline);
      assert.equal(timeline.reservedAt(k), reserved);
    }
    const peak = Math.max(...timeline.active);
    assert.equal(timeline.peak, timeline.active.indexOf(peak), 'the first state of the peak');
  }
});

test('blocks of dead allocations are skipped, not lost', () => {
  const device = { events: 20_000, time: [], allocations: [] };
  for (let e = 0; e < 10_000; e++)
    device.allocations.push({ start: e, end: e % 4999 === 0 ? null : e + 1 + (e % 7), size: 1 + e, addr: e });
  const { timeline } = open(device);
  for (const k of [0, 1, 5000, 9999, 10_000, 10_004, 20_000])
    assert.deepEqual([...timeline.live(k)], liveByDefinition(device, k));
});

test('hit and offset against the running sum', () => {
  const device = randomDevice(7);
  const { timeline, data } = open(device);
  const next = random(70);
  for (let n = 0; n < 2000; n++) {
    const k = Math.floor(next() * (device.events + 1));
    const byte = next() * timeline.active[k] * 1.1;
    let offset = 0;
    let want = null;
    for (const id of liveByDefinition(device, k)) {
      if (byte >= offset && byte < offset + data.size[id]) want = { id, offset };
      offset += data.size[id];
    }
    assert.deepEqual(timeline.hit(k, byte), want);
    if (want) assert.equal(timeline.offset(want.id, k), want.offset);
  }
  assert.equal(timeline.hit(3, -1), null);
});

test('an outline knows the bytes below it in all of its states', () => {
  const device = randomDevice(8);
  const { timeline, data } = open(device);
  for (let id = 0; id < data.count; id += 3) {
    const outline = new Outline(timeline, id);
    for (let k = 0; k <= device.events; k += 5) {
      const live = liveByDefinition(device, k);
      const at = live.indexOf(id);
      assert.equal(outline.isLive(k), at >= 0);
      if (at >= 0)
        assert.equal(
          outline.offset(k),
          live.slice(0, at).reduce((sum, i) => sum + data.size[i], 0),
        );
    }
  }
});

test('below the unchanged bytes nothing ends', () => {
  const device = randomDevice(9);
  const { timeline, data } = open(device);
  const next = random(90);
  for (let n = 0; n < 300; n++) {
    const from = Math.floor(next() * device.events);
    const to = Math.min(device.events, from + Math.floor(next() * 40));
    let base = 0;
    for (const id of liveByDefinition(device, from)) {
      if (data.last[id] < to) break;
      base += data.size[id];
    }
    assert.equal(timeline.unchangedBelow(from, to), base);
  }
});

test('the pyramid finds the first best value of any range', () => {
  const next = random(4);
  for (const length of [1, 2, 63, 64, 65, 4096, 4097, 30_000]) {
    const values = Float64Array.from({ length }, () => Math.floor(next() * 50));
    const high = new Pyramid(values, 1);
    const low = new Pyramid(values, -1);
    for (let n = 0; n < 200; n++) {
      const from = Math.floor(next() * length);
      const to = from + Math.floor(next() * (length - from));
      const range = [...values.subarray(from, to + 1)];
      assert.equal(high.best(from, to), from + range.indexOf(Math.max(...range)));
      assert.equal(low.best(from, to), from + range.indexOf(Math.min(...range)));
    }
  }
});

test('binary searches', () => {
  const next = random(5);
  const column = Array.from({ length: 200 }, () => Math.floor(next() * 60)).sort((a, b) => a - b);
  for (let v = -1; v <= 61; v++) {
    assert.equal(countBelow(column, v), column.filter((c) => c < v).length);
    const upTo = column.filter((c) => c <= v).length;
    assert.equal(countUpTo(column, v), upTo);
    assert.equal(countUpTo(column, v, Math.max(0, upTo - 70)), upTo);
  }
  assert.equal(countUpTo([], 1), 0);
});
