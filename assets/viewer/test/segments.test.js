import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindName, nearlyIdle, segmentAt, segmentsAt } from '../recording/data/segments.js';
import { OUTSIDE, Space } from '../data/space.js';
import { Timeline } from '../data/timeline.js';
import { fake } from './support/encode.js';
import { random } from './support/random.js';

const UNIT = 512;
const MiB = 2 ** 20 / UNIT;
/** @type {import('../data/space.js').Kind[]} */
const KINDS = [
  { pool: 0, stream: 0, sizeClass: 'large', expandable: false },
  { pool: 0, stream: 2, sizeClass: 'large', expandable: true },
  { pool: 1, stream: 0, sizeClass: 'small', expandable: true },
  { pool: 0, stream: 1, sizeClass: 'large', expandable: true, page: 12 * 2 ** 20 }, // large_segment_size_mb:12
];
const PAGES = [0, 20, 2, 12].map((mib) => mib * MiB); // by kind

/** reservations: {start, size, first, last, kind, lane}; blocks: {place, size, first, last, reservation}, in units. */
function spaceOf(events, reservations, blocks) {
  const column = (key, of = reservations) => of.map((r) => r[key] ?? 0);
  const space = new Space(
    fake({
      unit: UNIT,
      kinds: KINDS,
      laneStart: [0, Math.max(0, ...reservations.map((r) => r.start + r.size))],
      laneAddresses: null,
      reservations: {
        count: reservations.length,
        ...Object.fromEntries(['start', 'size', 'first', 'last', 'kind', 'lane'].map((key) => [key, column(key)])),
      },
      place: column('place', blocks),
      reservation: column('reservation', blocks),
      block: column('size', blocks),
    }),
  );
  const data = fake({
    events,
    count: blocks.length,
    first: Uint32Array.from(column('first', blocks)),
    last: Uint32Array.from(column('last', blocks)),
    size: blocks.map((b) => b.size * UNIT - 12),
    reservedEvent: [],
    reservedDelta: [],
  });
  return { space, device: fake({ data, timeline: new Timeline(data, 0) }) };
}

const live = (x, k) => x.first <= k && k <= x.last;

test('segments of random spaces are what every unit by itself says', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const next = random(seed);
    const pick = (n) => Math.floor(next() * n);
    const events = 30;
    const reservations = [];
    const blocks = [];
    let at = 0;
    for (let r = 0; r < 6; r++) {
      const kind = pick(4);
      if (pick(2)) at += 20 * MiB; // not mapped, in the same lane
      const size = (PAGES[kind] || 20 * MiB) * (1 + pick(3));
      const first = pick(10);
      const reservation = { start: at, size, first, last: first + pick(20), kind };
      for (let from = at; ; ) {
        from += pick(3) * 700;
        const length = 1 + pick(9000);
        if (from + length > at + size) break;
        const born = reservation.first + pick(3);
        const last = Math.min(reservation.last, born + pick(9));
        blocks.push({ place: from, size: length, first: born, last, reservation: r });
        from += length;
      }
      reservations.push(reservation);
      at += size;
    }
    blocks.push({ place: OUTSIDE, size: 99, first: 0, last: events, reservation: OUTSIDE }); // lies in no reservation
    blocks.forEach((b) => (b.last = Math.max(b.first, b.last)));
    blocks.sort((a, b) => a.first - b.first);
    const { space, device } = spaceOf(events, reservations, blocks);
    for (let k = 0; k <= events; k++) {
      const got = segmentsAt(space, device, k);
      const inside = blocks.filter(
        (b) => live(b, k) && b.reservation !== OUTSIDE && live(reservations[b.reservation], k),
      );
      const reserved = reservations.filter((r) => live(r, k));
      assert.equal(got.reserved, reserved.reduce((sum, r) => sum + r.size, 0) * UNIT);
      assert.equal(got.active, inside.reduce((sum, b) => sum + b.size, 0) * UNIT);
      assert.equal(got.stuck + got.returnable, got.reserved - got.active);
      let joined = 0;
      reserved.forEach((r, i) => {
        const before = reserved[i - 1];
        if (before && before.start + before.size === r.start && before.kind === r.kind && r.kind > 0) joined++;
      });
      assert.equal(got.segments.length, reserved.length - joined);
      let returnable = 0;
      for (const s of got.segments) {
        // Blocks and holes tile it.
        const pieces = [...s.blocks, ...s.holes].sort((a, b) => a.offset - b.offset);
        assert.equal(
          pieces.reduce((end, p) => (assert.equal(p.offset, end), end + p.bytes), 0),
          s.bytes,
        );
        const page = PAGES[s.kind] || s.bytes / UNIT;
        for (let p = s.place; p < s.place + s.bytes / UNIT; p += page)
          if (!inside.some((b) => b.place < p + page && b.place + b.size > p)) returnable += page * UNIT;
        for (const b of s.blocks) assert.equal(segmentAt(got, blocks[b.id].place, UNIT), s);
      }
      assert.equal(got.returnable, returnable, `seed ${seed}, state ${k}`);
    }
    assert.equal(segmentAt(segmentsAt(space, device, 3), at, UNIT), null);
  }
});

test('a block that reaches into the next one is cut there', () => {
  const { space, device } = spaceOf(
    2,
    [{ start: 0, size: 100, first: 0, last: 2, kind: 0 }],
    [
      { place: 10, size: 30, first: 0, last: 2 },
      { place: 20, size: 10, first: 0, last: 2 },
      { place: 90, size: 30, first: 0, last: 2 },
    ],
  );
  const { segments, stuck, largest } = segmentsAt(space, device, 1);
  assert.deepEqual(
    segments[0].blocks.map((b) => [b.id, b.offset / UNIT, b.bytes / UNIT]),
    [
      [0, 10, 10],
      [1, 20, 10],
      [2, 90, 10],
    ],
  );
  assert.deepEqual([stuck / UNIT, largest / UNIT], [70, 60]);
});

test('kinds have short names', () => {
  assert.deepEqual(KINDS.map(kindName), ['large', 'large+ s2', 'small+ p1', 'large+ s1']);
});

test('what little keeps much', () => {
  const reservation = (start) => ({ start, size: 100, first: 0, last: 2, kind: 0 });
  const { space, device } = spaceOf(2, [0, 100, 200].map(reservation), [
    { place: 0, size: 4, first: 0, last: 2, reservation: 0 },
    { place: 50, size: 6, first: 0, last: 2, reservation: 0 },
    { place: 100, size: 11, first: 0, last: 2, reservation: 1 },
  ]);
  const { tensors, active, stuck } = nearlyIdle(segmentsAt(space, device, 1));
  assert.deepEqual([tensors, active / UNIT, stuck / UNIT], [2, 10, 90]);
});
