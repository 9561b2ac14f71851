import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activityIn, rangeOf, restackedTimeline } from '../data/range.js';
import { Outline } from '../recording/draw/outline.js';
import { liveByDefinition, open, random, randomDevice } from './support/random.js';

/** Ranges of a device, the whole recording and the shortest among them. */
function* ranges({ events }, seed) {
  const next = random(seed);
  yield { from: 0, to: events };
  yield { from: 0, to: 1 };
  yield { from: events - 1, to: events };
  for (let n = 0; n < 30; n++) yield rangeOf(Math.floor(next() * events), Math.floor(next() * events), events);
}

/** The allocations that a range makes and keeps. */
function keptByDefinition({ allocations }, { from, to }) {
  return allocations.flatMap((a, i) => (a.start >= from && a.start < to && (a.end === null || a.end >= to) ? [i] : []));
}

const bytesOf = (device, ids) => ids.reduce((sum, i) => sum + device.allocations[i].size, 0);

test('a range goes forward and holds an event', () => {
  assert.deepEqual(rangeOf(7, 3, 10), { from: 3, to: 7 });
  assert.deepEqual(rangeOf(4, 4, 10), { from: 4, to: 5 });
  assert.deepEqual(rangeOf(10, 10, 10), { from: 9, to: 10 });
  assert.deepEqual(rangeOf(-5, 99, 10), { from: 0, to: 10 });
  assert.equal(rangeOf(0, 0, 0), null);
});

test('what is allocated, freed and kept in a range', () => {
  for (let seed = 1; seed <= 4; seed++) {
    const device = randomDevice(seed, { events: 200 + 60 * seed, preExisting: 25 * seed });
    const { timeline } = open(device);
    for (const range of ranges(device, seed)) {
      const { from, to } = range;
      const made = device.allocations.flatMap((a, i) => (a.start >= from && a.start < to ? [i] : []));
      const freed = device.allocations.flatMap((a, i) => (a.end !== null && a.end >= from && a.end < to ? [i] : []));
      const got = activityIn(timeline, range);
      assert.deepEqual(
        Array.from({ length: got.after - got.first }, (_, i) => got.first + i),
        made,
      );
      assert.deepEqual([...got.kept], keptByDefinition(device, range));
      assert.equal(got.keptBytes, bytesOf(device, keptByDefinition(device, range)));
      assert.equal(got.allocated, bytesOf(device, made));
      assert.equal(got.freed, bytesOf(device, freed));
      assert.equal(got.freedTensors, freed.length);
    }
  }
});

test('what stands alone is restacked from zero in every state', () => {
  for (let seed = 1; seed <= 3; seed++) {
    const device = randomDevice(seed, { events: 260, preExisting: 90 });
    const { timeline, data } = open(device);
    for (const range of [...ranges(device, seed)].slice(0, 9)) {
      const members = keptByDefinition(device, range);
      const alone = restackedTimeline(timeline, activityIn(timeline, range).kept);
      for (let k = 0; k <= device.events; k++) {
        const live = liveByDefinition(device, k).filter((i) => members.includes(i));
        assert.deepEqual([...alone.live(k)], live);
        assert.equal(alone.active[k], bytesOf(device, live));
        let offset = 0;
        for (const id of live) {
          if (data.size[id] > 0) assert.deepEqual(alone.hit(k, offset), { id, offset });
          assert.equal(alone.offset(id, k), offset);
          offset += data.size[id];
        }
        assert.equal(alone.hit(k, offset), null);
      }
      assert.equal(alone.peak, alone.active.indexOf(Math.max(...alone.active)));
      if (members.length > 0) assert.equal(alone.active[alone.peak], alone.active[range.to]);
      for (const id of members.slice(0, 5)) {
        const outline = new Outline(alone, id);
        assert.equal(outline.offset(data.last[id]), alone.offset(id, data.last[id]));
      }
    }
  }
});

test('frees that wait are known of what stands alone only', () => {
  const device = {
    events: 8,
    allocations: [
      { start: -1, end: 5, size: 1, addr: 0 },
      { start: 1, end: 7, size: 2, addr: 512 },
      { start: 2, end: 4, size: 4, addr: 1024 },
    ],
    pending: [
      { alloc: 0, wait: 2 },
      { alloc: 1, wait: 3 },
    ],
  };
  const { timeline } = open(device);
  const alone = restackedTimeline(timeline, Int32Array.of(1));
  assert.deepEqual([...alone.data.pendingAlloc], [1]);
  assert.deepEqual([...alone.data.pendingWait], [3]);
});
