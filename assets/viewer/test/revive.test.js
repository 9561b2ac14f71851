import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revive } from '../kit/chart.js';

test('exactly the listed names become functions, and only as whole strings', () => {
  const timeline = () => {};
  const options = JSON.parse(`{"series": [{"renderItem": "__f__timeline__f__", "name": "__f__alert(1)__f__"}],
    "a": "__f__minimap__f__", "b": "x __f__timeline__f__", "c": "__f____proto____f__", "d": "__f__constructor__f__",
    "e": "__f__toString__f__",
    "n": 1, "t": true, "z": null}`);
  const revived = /** @type {any} */ (revive(options, { timeline }));
  assert.equal(revived.series[0].renderItem, timeline);
  delete revived.series[0].renderItem;
  delete options.series[0].renderItem;
  assert.deepEqual(revived, options, 'all else is as it was');
});
