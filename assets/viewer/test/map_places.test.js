import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventAxis } from '../data/axis.js';
import { layoutOf, Scales } from '../recording/draw/layout.js';
import { arrange } from '../recording/map/arrange.js';
import { SpaceLayout } from '../recording/map/layout.js';
import { ShownSpace } from '../recording/map/places.js';
import { piecesAt } from './support/brute_space.js';
import { fake } from './support/encode.js';
import { random } from './support/random.js';
import { randomSpace } from './support/random_space.js';

test('what lies at a point is the block or the hole of brute force', () => {
  let points = 0;
  let blocks = 0;
  let holes = 0;
  for (let seed = 1; seed <= 10; seed++) {
    const opened = randomSpace(seed, { events: 300 });
    const { space, data, timeline, device } = opened;
    const next = random(seed + 50);
    for (const packed of [false, true]) {
      const layout = new SpaceLayout(space, arrange(space, packed), 500);
      const shown = new ShownSpace(fake({ data, timeline }), layout);
      for (let n = 0; n < 50; n++) {
        const state = Math.floor(next() * (device.events + 1));
        const { reserved, blocks: live } = piecesAt(opened, state);
        for (let m = 0; m < 15; m++) {
          const height = next();
          points++;
          const spot = shown.at(height, state);
          const r = reserved.find(({ r }) => layout.low[r] <= height && height < layout.high(r));
          assert.equal(spot === null, r === undefined);
          if (!spot || !r) continue;
          const hit = live.find((b) => layout.at(b.r, b.from) <= height && height < layout.at(b.r, b.to));
          assert.equal(spot.id, hit?.i ?? -1);
          assert.equal(spot.hole === null, hit !== undefined);
          if (hit) blocks++;
          else holes++;
        }
      }
    }
  }
  assert.ok(points === 15_000 && blocks > 1000 && holes > 1000);
});

test('the rectangle of a block is where its states and its place are', () => {
  const { space, data, timeline, device } = randomSpace(3);
  const layout = new SpaceLayout(space, arrange(space, false), 500);
  const shown = new ShownSpace(fake({ data, timeline }), layout);
  const axis = new EventAxis(device.events, false);
  const scales = new Scales(layoutOf(1000, 600, true), { axis, from: 0, to: axis.end, low: 0, high: 1 });
  let compared = 0;
  for (let i = 0; i < data.count; i++) {
    const rect = shown.block(scales, i);
    if (!rect) continue;
    compared++;
    const middle = (rect.top + rect.bottom) / 2;
    assert.equal(axis.stateAt(scales.position(rect.left + 1e-6)), data.first[i]);
    assert.equal(shown.at(scales.bytes(middle), data.first[i])?.id, i);
    assert.equal(shown.at(scales.bytes(middle), data.last[i])?.id, i);
  }
  assert.ok(compared > 50);
});
