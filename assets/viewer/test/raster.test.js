import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnStates, EventAxis, TimeAxis } from '../data/axis.js';
import { ColourTable } from '../pile/colour_table.js';
import { Picture } from '../pile/picture.js';
import { Raster } from '../pile/raster.js';
import { COLORS, columnError, PAPER } from './support/brute.js';
import { liveByDefinition, open, random, randomDevice } from './support/random.js';

/** How far a picture is off from brute-force stacking of the states that its columns show. */
function worst(device, of, picture) {
  const { columns, pixels, shown } = picture;
  return columns.reduce((most, state, x) => {
    const live = state < 0 ? [] : liveByDefinition(device, state);
    const pile = live.map((id) => ({ size: device.allocations[id].size, colour: of[id] }));
    return Math.max(most, columnError(pixels, columns.length, x, pile, shown.view));
  }, 0);
}

test('every pixel equals brute-force stacking', () => {
  let pixels = 0;
  for (let seed = 1; seed <= 6; seed++) {
    const device = randomDevice(seed, { events: 250 * seed, preExisting: 20 * seed });
    const { data, timeline } = open(device);
    const next = random(seed * 100);
    const of = Uint8Array.from(device.allocations, () => Math.floor(next() * COLORS.length));
    const colours = new ColourTable('light', PAPER, COLORS, of);
    const raster = new Raster(timeline);
    const top = timeline.active[timeline.peak];
    for (let n = 0; n < 12; n++) {
      const axis = n % 3 === 2 ? new TimeAxis(data.time, n % 2 === 0) : new EventAxis(device.events, n % 2 === 0);
      const a = n < 3 ? 0 : next() * axis.end * 0.9;
      const b = n < 3 ? axis.end : a + (axis.end - a) * next();
      const low = n % 4 === 0 ? 0 : next() * top * 0.7;
      const high = n % 4 === 0 ? top * 1.05 : low + (top - low) * (0.01 + next());
      const states = columnStates(axis, timeline, a, b, 40 + n);
      const height = 30 + n * 17;
      const lines = n % 5 !== 4;
      const picture = new Picture(raster);
      picture.paint(colours, { states, height, bytesFrom: low, bytesTo: high, lines }, Infinity);
      assert.deepEqual(picture.columns, states);
      const error = worst(device, of, picture);
      assert.ok(error <= 1, `seed ${seed} view ${n}: off by ${error}`);
      pixels += picture.pixels.length;
    }
  }
  assert.ok(pixels > 300_000);
});

test('a moving picture shows no pixel wrong, and its own states once there is time', () => {
  const device = randomDevice(11, { events: 3000, preExisting: 50 });
  const { timeline } = open(device);
  const next = random(12);
  const colours = [0, 1].map(
    (n) =>
      new ColourTable(
        'light',
        PAPER,
        COLORS,
        Uint8Array.from(device.allocations, (_, i) => (i * 7 + n) % COLORS.length),
      ),
  );
  const axis = new EventAxis(device.events, true);
  const picture = new Picture(new Raster(timeline));
  const viewOf = (from, width, columns, high) => ({
    states: columnStates(axis, timeline, from, from + width, columns),
    height: 60,
    bytesFrom: 0,
    bytesTo: high,
    lines: true,
  });
  let from = 0;
  let width = axis.end;
  let coarse = 0;
  for (let n = 0; n < 60; n++) {
    width = Math.min(axis.end, width * (0.9 + 0.2 * next()));
    from = Math.max(0, Math.min(axis.end - width, from + (next() - 0.5) * width * 0.1));
    const view = viewOf(from, width, n < 40 ? 150 : 170, timeline.active[timeline.peak] * (n % 20 === 19 ? 0.5 : 1));
    const colour = colours[n % 15 === 14 ? 1 : 0];
    picture.paint(colour, view, 1e-9); // time for the least
    coarse += Number(picture.isCoarse);
    assert.ok(picture.painted <= Math.ceil(view.states.length / 16) + 1);
    assert.ok(worst(device, colour.index, picture) <= 1, `view ${n}`);
    if (n % 10 !== 9) continue;
    for (let calls = 0; picture.isCoarse; calls++) {
      assert.ok(calls < view.states.length, 'each call paints at least one column');
      picture.paint(colour, view, 1e-9);
    }
    assert.deepEqual(picture.columns, view.states);
    assert.ok(worst(device, colour.index, picture) <= 1, `view ${n} when it is still`);
  }
  assert.ok(coarse > 20);
});

test('a faded colour keeps the lightness order of its colours', () => {
  const colours = new ColourTable('light', '#ffffff', ['#2a4f96', '#cbb6f5'], new Uint8Array(0));
  const grey = (i) => colours.red[i] + colours.green[i] + colours.blue[i];
  assert.ok(grey(0) < grey(1) && grey(2) < grey(3) && grey(3) < 3 * 255);
  assert.equal(colours.fill[0], 0xff964f2a);
});
