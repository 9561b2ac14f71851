import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnStates, EventAxis } from '../data/axis.js';
import { ColourTable } from '../pile/colour_table.js';
import { Picture } from '../pile/picture.js';
import { arrange } from '../recording/map/arrange.js';
import { SpaceColours } from '../pile/colour_table.js';
import { SpaceLayout } from '../recording/map/layout.js';
import { SpaceRaster } from '../recording/map/raster.js';
import { COLORS, PAPER } from './support/brute.js';
import { GREYS, piecesAt, spaceError } from './support/brute_space.js';
import { random } from './support/random.js';
import { randomSpace } from './support/random_space.js';

test('every pixel is the average of what lies in it', () => {
  let pixels = 0;
  for (let seed = 1; seed <= 8; seed++) {
    const opened = randomSpace(seed, { events: 100 * seed });
    const { space, timeline, device } = opened;
    const next = random(seed * 100);
    const of = Uint8Array.from(device.allocations, () => Math.floor(next() * COLORS.length));
    const colours = new SpaceColours(new ColourTable('light', PAPER, COLORS, of), GREYS, false);
    const axis = new EventAxis(device.events, false);
    const raster = new SpaceRaster(timeline, space);
    for (let n = 0; n < 8; n++) {
      const height = 50 + n * 60;
      const layout = new SpaceLayout(space, arrange(space, n % 2 === 1), height);
      const low = n < 4 ? 0 : next() * 0.9;
      const high = n < 4 ? 1 : low + (1 - low) * (0.01 + 0.9 * next());
      const from = n % 3 === 0 ? 0 : next() * axis.end * 0.8;
      const to = n % 3 === 0 ? axis.end : from + (axis.end - from) * next();
      const states = columnStates(axis, timeline, from, to, 20 + n);
      const picture = new Picture(raster);
      picture.paint(colours, { states, height, low, high, layout }, Infinity);
      const { most: error, compared } = spaceError(opened, of, picture);
      assert.ok(error <= 1, `seed ${seed} view ${n}: off by ${error}`);
      pixels += compared;
    }
  }
  assert.ok(pixels > 200_000);
});

test('a moving picture shows no pixel wrong', () => {
  const opened = randomSpace(21, { events: 1500 });
  const { space, timeline, device } = opened;
  const next = random(22);
  const of = Uint8Array.from(device.allocations, (_, i) => (i * 7) % COLORS.length);
  const colours = new SpaceColours(new ColourTable('light', PAPER, COLORS, of), GREYS, false);
  const axis = new EventAxis(device.events, false);
  const layout = new SpaceLayout(space, arrange(space, false), 120);
  const picture = new Picture(new SpaceRaster(timeline, space));
  let from = 0;
  let width = axis.end;
  for (let n = 0; n < 20; n++) {
    width = Math.min(axis.end, width * (0.8 + 0.3 * next()));
    from = Math.max(0, Math.min(axis.end - width, from + (next() - 0.5) * width * 0.2));
    const states = columnStates(axis, timeline, from, from + width, 60);
    picture.paint(colours, { states, height: 120, low: 0, high: 1, layout }, n % 4 === 3 ? Infinity : 1e-9);
    assert.ok(spaceError(opened, of, picture).most <= 1, `view ${n}`);
  }
});

test('faded blocks and holes stay apart: holes are one step lighter', () => {
  const table = new ColourTable('light', PAPER, COLORS, new Uint8Array(0));
  const plain = new SpaceColours(table, GREYS, false);
  const faded = new SpaceColours(table, GREYS, true);
  assert.deepEqual(faded.stuck, plain.returnable);
  faded.returnable.forEach((c, n) => assert.ok(c > plain.returnable[n] && c < plain.paperChannels[n]));
});

test('in both layouts nothing that is reserved at once overlaps, and no reservation leaves its band', () => {
  for (let seed = 1; seed <= 12; seed++) {
    const opened = randomSpace(seed, { events: 400 });
    const { space, device } = opened;
    for (const packed of [false, true]) {
      const layout = new SpaceLayout(space, arrange(space, packed), 600);
      for (let k = 0; k <= device.events; k += 37) {
        const edges = piecesAt(opened, k).reserved.map(({ r }) => [layout.low[r], layout.high(r)]);
        edges.sort((a, b) => a[0] - b[0]);
        edges.forEach(([low, high], i) => {
          assert.ok(low >= -1e-9 && high <= 1 + 1e-9);
          if (i > 0) assert.ok(low >= edges[i - 1][1] - 1e-9, `seed ${seed} state ${k}`);
        });
      }
    }
  }
});

test('pages keep their place, and a segment reserved again keeps its lane', () => {
  let pairs = 0;
  for (let seed = 1; seed <= 6; seed++) {
    const { space } = randomSpace(seed, { events: 600 });
    const layout = new SpaceLayout(space, arrange(space, false), 600);
    const { start, lane, kind, count } = space.reservations;
    for (let a = 0; a < count; a++)
      for (let b = a + 1; b < count; b++) {
        if (lane[a] !== lane[b] || kind[a] !== kind[b]) continue;
        pairs++;
        const apart = (start[b] - start[a]) * layout.perUnit[a];
        assert.ok(Math.abs(layout.low[b] - layout.low[a] - apart) < 1e-12);
      }
  }
  assert.ok(pairs > 20);
});
