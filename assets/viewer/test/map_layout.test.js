import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrange } from '../recording/map/arrange.js';
import { SpaceLayout } from '../recording/map/layout.js';
import { pack } from '../recording/map/pack.js';
import { random } from './support/random.js';
import { spaceOf } from './support/space.js';

const MIB = 2 ** 20;
const LARGE = { pool: 0, stream: 0, sizeClass: 'large', expandable: false };
const kindsOf = (...more) => more.map((kind) => ({ ...LARGE, ...kind }));

/** A space of segments one after another: {size in MiB, kind, first, last, addr}. */
function space(segments, kinds = kindsOf({}), events = 100) {
  let addr = 2 ** 40;
  const reservations = segments.map(({ size, ...r }) => {
    const at = r.addr ?? (addr += 2 ** 32);
    return { kind: 0, first: 0, last: events, ...r, addr: at, size: size * MIB };
  });
  return spaceOf({ events, allocations: [], reservations, kinds });
}

const layoutOf = (s, packed, height = 600) => new SpaceLayout(s, arrange(s, packed), height);

test('lanes lie in the order in which they were first reserved, groups in that of their pools', () => {
  const kinds = kindsOf({ stream: 1 }, { sizeClass: 'small' }, {});
  const large = { size: 20, kind: 2 };
  const s = space(
    [{ size: 40, kind: 0 }, { size: 30, kind: 1 }, { ...large, first: 9 }, { ...large, first: 4 }],
    kinds,
  );
  const layout = layoutOf(s, false);
  assert.deepEqual(
    layout.bands.map((b) => [b.name, b.segments]),
    [
      ['large', '2 segments'],
      ['small', '1 segment'],
      ['large s1', '1 segment'],
    ],
  );
  const { first, kind, count } = s.reservations;
  const order = Array.from({ length: count }, (_, r) => r).filter((r) => kind[r] === 2);
  order.sort((a, b) => layout.low[a] - layout.low[b]);
  assert.deepEqual(order.map((r) => first[r]), [4, 9]);
});

test('of what was there before the recording, the longest reserved lies lowest', () => {
  const s = space([{ size: 10, last: 5 }, { size: 10, last: 100 }, { size: 10, last: 50 }]);
  const layout = layoutOf(s, false);
  const order = [0, 1, 2].sort((a, b) => layout.low[a] - layout.low[b]);
  assert.deepEqual(order.map((r) => s.reservations.last[r]), [100, 50, 5]);
});

test('a small group gets 16 pixels and says how much it is enlarged; the largest never is', () => {
  const s = space([{ size: 2000 }, { size: 2, kind: 1 }], kindsOf({}, { sizeClass: 'small' }));
  const [large, small] = layoutOf(s, false).bands;
  const pixels = (band) => (band.high - band.low) * 600;
  assert.ok(Math.abs(pixels(small) - 16) < 1e-9);
  assert.equal(large.enlarged, 1);
  // 14 px of air, a gap of 7.
  assert.ok(Math.abs(pixels(large) - (600 - 16 - 14 - 7)) < 1e-9);
  assert.ok(Math.abs(small.enlarged - 16 / (2 * (563 / 2000))) < 1e-6);
  assert.ok(small.high <= 1 && large.low === 0);
});

test('with more groups than fit, the smallest are joined, and have heights of their own inside', () => {
  const kinds = Array.from({ length: 30 }, (_, i) => ({ ...LARGE, pool: i }));
  const s = space(Array.from({ length: 30 }, (_, i) => ({ size: 1000 - 30 * i, kind: i })), kinds);
  const { bands } = layoutOf(s, false, 640);
  assert.equal(bands.length, 10);
  const joined = bands.at(-1);
  assert.equal(joined.name, '21 more pools');
  assert.equal(joined.members.length, 21);
  let high = joined.low;
  for (const member of joined.members) {
    assert.ok(member.low >= high - 1e-12 && member.high > member.low);
    high = member.high;
  }
  assert.ok(high <= joined.high + 1e-9);
});

test('packing is first fit, keeps homes, and is never higher than all lanes', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const next = random(seed);
    const items = Array.from({ length: 200 }, () => {
      const first = Math.floor(next() * 300) * Math.round(next());
      const last = first + Math.floor(next() * 90);
      return { size: 1 + Math.floor(next() * 50), first, last, home: Math.floor(next() * 40) };
    });
    const { places, height } = pack(items);
    let most = 0;
    for (let k = 0; k <= 400; k++) {
      const live = items.map((item, i) => ({ ...item, at: places[i] })).filter((x) => x.first <= k && k <= x.last);
      live.sort((a, b) => a.at - b.at);
      live.forEach((x, i) => assert.ok(i === 0 || live[i - 1].at + live[i - 1].size <= x.at, `seed ${seed}: ${k}`));
      most = Math.max(most, live.reduce((sum, x) => sum + x.size, 0));
    }
    assert.ok(height >= most && height <= items.reduce((sum, x) => sum + x.size, 0));
  }
  // The place of the home is free again, and a lower one too.
  const { places } = pack([
    { size: 4, first: 1, last: 3, home: 7 },
    { size: 4, first: 1, last: 2, home: 8 },
    { size: 4, first: 5, last: 9, home: 8 },
    { size: 4, first: 5, last: 9, home: 9 },
  ]);
  assert.deepEqual(places, [0, 4, 4, 0]);
});

test('packed segments of one time share no height with others; expandable ranges keep one place', () => {
  const kinds = kindsOf({ expandable: true });
  const [size, addr] = [20, 2 ** 40];
  const next = addr + 20 * MIB;
  const s = space([{ size, addr, last: 10 }, { size, addr: next, first: 5 }, { size, addr, first: 20 }], kinds);
  const layout = layoutOf(s, true);
  assert.equal(layout.bands[0].segments, '1 range');
  const { start } = s.reservations;
  assert.equal(new Set(Array.from(start, (at, r) => (layout.low[r] - at * layout.perUnit[r]).toFixed(9))).size, 1);
});
