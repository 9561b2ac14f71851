import assert from 'node:assert/strict';
import { test } from 'node:test';
import { App } from '../app.js';
import { open, randomDevice } from './support/random.js';

/** An app whose page has no styles, and whose only device is a random one. */
function appOf() {
  Object.assign(globalThis, {
    document: { documentElement: { dataset: {} } },
    getComputedStyle: () => ({ getPropertyValue: () => '#ffffff' }),
  });
  const hue = { color: '#336699', ink: '#ffffff', shades: Array(5).fill('#336699') };
  const report = { families: [{ label: 'All', one: 'one', key: 'all', hue: 0 }], palette: { light: [hue] } };
  const device = { ...open(randomDevice(1)), report: {}, stacks: { shade: [0] }, hasHistory: true };
  return new App(report, { open: async () => device });
}

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
