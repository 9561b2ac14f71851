import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupColours, groupOf, patterned } from '../recording/draw/patterns.js';
import { Raster } from '../pile/raster.js';
import { liveByDefinition, open, randomDevice } from './support/random.js';

test('a pixel has the pattern of a group only where it belongs to it alone', () => {
  let alone = 0;
  for (let seed = 1; seed <= 4; seed++) {
    const device = randomDevice(seed, { events: 120, preExisting: 20, families: 14 });
    const { data, timeline } = open(device);
    const height = 90;
    const states = Int32Array.from({ length: 40 }, (_, i) => i * 3);
    const view = { states, height, bytesFrom: 0, bytesTo: timeline.active[timeline.peak] * 1.05, lines: false };
    const pixels = new Uint32Array(states.length * height);
    new Raster(timeline).paint(groupColours(14, Uint8Array.from(data.family)), view, pixels, [...states.keys()]);
    const perByte = height / view.bytesTo;
    states.forEach((k, x) => {
      // How much of each row each group covers, by definition.
      const rows = Array.from({ length: height }, () => new Float64Array(14));
      let offset = 0;
      for (const id of liveByDefinition(device, k)) {
        const { size, family } = device.allocations[id];
        const [low, high] = [offset * perByte, (offset + size) * perByte];
        offset += size;
        for (let y = Math.floor(low); y < Math.min(height, Math.ceil(high)); y++)
          rows[y][family] += Math.min(high, y + 1) - Math.max(low, y);
      }
      rows.forEach((parts, y) => {
        const id = groupOf(pixels[(height - 1 - y) * states.length + x]);
        const most = parts.indexOf(Math.max(...parts));
        // What rounding hides is less than a twentieth of a pixel.
        if (id >= 0) assert.ok(parts[id] > 0.95, `seed ${seed}, column ${x}, row ${y}: ${parts}`);
        if (parts[most] > 0.9999) {
          assert.equal(id, most);
          alone++;
        }
      });
    });
  }
  assert.ok(alone > 1000);
});

test('only groups that are there get patterns', () => {
  assert.deepEqual(patterned(Uint8Array.of(1, 0, 1, 1)), [0, 2, 3]);
});
