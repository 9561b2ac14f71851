import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences } from '../data/against.js';
import { open, randomDevice } from './support/random.js';

test('differences by call site add up, whatever the two moments are', () => {
  const { data, timeline } = open(randomDevice(3));
  const sites = { site: (id) => ({ key: String(data.stack[id] % 5), name: `f${data.stack[id] % 5}`, location: '' }) };
  const device = /** @type {any} */ ({ data, timeline, sites });
  const held = (k, name) =>
    [...timeline.live(k)].reduce((sum, id) => sum + (sites.site(id).name === name ? data.size[id] : 0), 0);
  for (const [k, a] of [
    [10, 300],
    [300, 10],
    [0, 400],
    [123, 124],
    [77, 77],
  ]) {
    const rows = differences(device, k, a);
    assert.equal(
      rows.reduce((sum, row) => sum + row.bytes, 0),
      timeline.active[k] - timeline.active[a],
    );
    for (const { name, bytes } of rows) assert.equal(bytes, held(k, name) - held(a, name));
    for (let i = 1; i < rows.length; i++) assert.ok(Math.abs(rows[i - 1].bytes) >= Math.abs(rows[i].bytes));
  }
});
