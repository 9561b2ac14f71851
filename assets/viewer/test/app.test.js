import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appOf } from './support/app.js';

test('what stands beside the picture waits until the first one has settled', async () => {
  const app = appOf();
  const calls = [];
  app.onBeside(['device', 'moment'], () => calls.push('beside'));
  app.on(['device', 'moment'], () => calls.push('now'));
  for (let n = 0; n < 2; n++) {
    await app.open(0, 0);
    app.setMoment('end');
    assert.deepEqual(calls.splice(0), ['now', 'now']);
    app.settle();
    assert.deepEqual(calls.splice(0), ['beside']);
    app.setMoment('peak');
    assert.deepEqual(calls.splice(0), ['beside', 'now']);
    app.settle();
    assert.deepEqual(calls, []);
  }
});
