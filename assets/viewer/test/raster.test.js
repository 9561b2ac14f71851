import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Picture } from '../draw/picture.js';
import { Raster, LINE_FROM } from '../draw/raster.js';
import { channels, Tones } from '../draw/tones.js';
import { columnStates, EventAxis, TimeAxis } from '../view/axis.js';
import { liveByDefinition, open, random, randomDevice } from './support/random.js';

const COLORS = Array.from(
  { length: 45 },
  (_, i) => '#' + ((i * 0x4d3c2b + 0x123456) & 0xffffff).toString(16).padStart(6, '0'),
);
const PAPER = '#f4f6f8';
const LINE = 0.86;

/** One column by definition: every row the average of what covers it. Channels from the top row down. */
function bruteColumn(device, tones, state, height, from, to, lines) {
  const rows = Array.from({ length: height }, () => ({ covered: 0, rgb: [0, 0, 0], line: null }));
  const scale = height / (to - from);
  const paper = channels(PAPER);
  let offset = 0;
  for (const id of state < 0 ? [] : liveByDefinition(device, state)) {
    const { size } = device.allocations[id];
    const low = (offset - from) * scale;
    const high = (offset + size - from) * scale;
    offset += size;
    const rgb = channels(COLORS[tones[id]]);
    for (let y = Math.max(0, Math.floor(low)); y < Math.min(height, Math.ceil(high)); y++) {
      const part = Math.min(high, y + 1) - Math.max(low, y);
      if (part <= 0) continue;
      rows[y].covered += part;
      rgb.forEach((c, i) => {
        rows[y].rgb[i] += c * part;
      });
    }
    const last = Math.floor(high) - 1;
    if (lines && high - low >= LINE_FROM && last >= 0 && last < height) rows[last].line = rgb.map((c) => c * LINE);
  }
  return rows
    .reverse()
    .map(({ covered, rgb, line }) => line ?? rgb.map((c, i) => c + paper[i] * Math.max(0, 1 - covered)));
}

function worst(device, tones, states, height, from, to, lines, out) {
  let most = 0;
  for (let x = 0; x < states.length; x++) {
    bruteColumn(device, tones, states[x], height, from, to, lines).forEach((want, y) => {
      const pixel = out[y * states.length + x];
      assert.equal(pixel >>> 24, 255);
      want.forEach((c, i) => {
        most = Math.max(most, Math.abs(((pixel >>> (8 * i)) & 255) - c));
      });
    });
  }
  return most;
}

test('every pixel equals brute-force stacking', () => {
  let pixels = 0;
  for (let seed = 1; seed <= 6; seed++) {
    const device = randomDevice(seed, { events: 250 * seed, preExisting: 20 * seed });
    const { data, timeline } = open(device);
    const next = random(seed * 100);
    const of = Uint8Array.from(device.allocations, () => Math.floor(next() * COLORS.length));
    const tones = new Tones('light', PAPER, COLORS, of);
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
      picture.paint(tones, { states, height, bytesFrom: low, bytesTo: high, lines }, Infinity);
      const error = worst(device, of, states, height, low, high, lines, picture.pixels);
      assert.ok(error <= 1, `seed ${seed} view ${n}: off by ${error}`);
      pixels += picture.pixels.length;
    }
  }
  assert.ok(pixels > 300_000);
});

test('a faded tone keeps the lightness order of its colours', () => {
  const tones = new Tones('light', '#ffffff', ['#2a4f96', '#cbb6f5'], new Uint8Array(0));
  const grey = (i) => tones.red[i] + tones.green[i] + tones.blue[i];
  assert.ok(grey(0) < grey(1) && grey(2) < grey(3) && grey(3) < 3 * 255);
  assert.equal(tones.fill[0], 0xff964f2a);
});
