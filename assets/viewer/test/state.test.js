import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latest } from '../data/latest.js';
import { isolate, isolatePart, search } from '../state/light.js';
import { setRange, toggleAlone } from '../state/range.js';
import { escape } from '../state/show.js';
import { appOf } from './support/app.js';

test('the last answer is kept until something else is asked', () => {
  let asked = 0;
  const sum = latest((a, b) => (asked++, a + b));
  assert.deepEqual([sum(1, 2), sum(1, 2), sum(2, 2), sum(1, 2)], [3, 3, 4, 3]);
  assert.equal(asked, 3);
});

test('Esc takes back the innermost thing first', async () => {
  const app = appOf();
  await app.open(0, 0);
  search(app, '', ['live']);
  setRange(app, { from: 10, to: 90 });
  isolate(app, 0, false);
  app.pin(3);
  toggleAlone(app);
  const held = () =>
    [
      app.alone && 'alone',
      app.pinned !== null && 'pin',
      app.isolated.size > 0 && 'isolated',
      app.range && 'range',
      app.found.hits && 'found',
    ].filter(Boolean);
  for (const want of [5, 4, 3, 2, 1, 0, 0]) {
    assert.equal(held().length, want, held().join());
    assert.equal(app.lit === null, want < 1);
    escape(app);
  }
  assert.equal(app.moment, 'peak');
});

test('what is isolated is let go by isolating it again, and by something else', async () => {
  const app = appOf();
  await app.open(0, 0);
  isolate(app, 0, false);
  const part = { by: 'family', key: 'f1' };
  isolatePart(app, part);
  assert.deepEqual([app.isolated.size, app.part], [0, part]);
  isolatePart(app, { ...part });
  assert.deepEqual([app.part, app.lit, app.tones === app.plainTones], [null, null, true]);
});
