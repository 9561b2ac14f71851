import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeBack, toggleKeptOnly } from '../recording/state/navigate.js';
import { memoizeLast, on } from '../kit/topic.js';
import { openStores } from './support/stores.js';

test('the last answer is kept until something else is asked', () => {
  let asked = 0;
  const sum = memoizeLast((/** @type {number} */ a, /** @type {number} */ b) => (asked++, a + b));
  assert.deepEqual([sum(1, 2), sum(1, 2), sum(2, 2), sum(1, 2)], [3, 3, 4, 3]);
  assert.equal(asked, 3);
});

test('what stands beside the picture waits until the first one has settled', async () => {
  const { shown, viewport, moment } = await openStores();
  const calls = [];
  viewport.afterPicture([shown.changed, moment.changed], () => calls.push('beside'));
  on([shown.changed, moment.changed], () => calls.push('now'));
  for (let n = 0; n < 2; n++) {
    await shown.open(0, 0);
    moment.set('end');
    assert.deepEqual(calls.splice(0), ['now', 'now']);
    viewport.settle();
    assert.deepEqual(calls.splice(0), ['beside']);
    moment.set('peak');
    assert.deepEqual(calls.splice(0), ['beside', 'now']);
    viewport.settle();
    assert.deepEqual(calls, []);
  }
});

test('when a device opens, every store has begun anew before anybody else hears of it', async () => {
  const { shown, viewport, selection, highlight, moment, hover, tableOrder } = await openStores();
  const seen = () => ({
    pinned: selection.pinned,
    range: selection.range,
    keptOnly: selection.keptOnly,
    whole: viewport.timeline === shown.device.timeline && viewport.isWhole,
    step: viewport.step,
    groups: highlight.groups.size,
    subset: highlight.subset,
    moment: [moment.kind, moment.cursor],
    hover: [hover.point, hover.lane],
    query: highlight.found.query,
    filters: highlight.found.filters,
    order: tableOrder.order,
  });
  const { by, sort, rising } = tableOrder.order;
  highlight.search('', ['live']);
  const fresh = seen();
  tableOrder.set({ by: 'file' });
  selection.pin(3);
  selection.selectRange({ from: 10, to: 90 }, true);
  viewport.showStep(1, 20, 60);
  highlight.isolate(new Set([2]), { by: 'family', key: 'f1' });
  moment.set('cursor', 17);
  hover.setPoint({ x: 0, state: 5, hit: null });
  assert.equal(viewport.step, 1);
  assert.equal(viewport.timeline, selection.timeline);
  assert.notEqual(viewport.timeline, shown.device.timeline);
  let told = 0;
  shown.changed.on(() => {
    told++;
    assert.deepEqual(seen(), { ...fresh, order: { by: 'file', sort, rising } });
  });
  await shown.open(0, 0);
  assert.equal(told, 1);
  assert.equal(by, 'site');
});

test('the last of several choices of a device wins', async () => {
  const { shown } = await openStores();
  let changes = 0;
  shown.changed.on(() => changes++);
  await Promise.all([shown.open(0, 0), shown.open(0, 0), shown.open(0, 0)]);
  assert.equal(changes, 1);
});

test('Esc takes back the innermost thing first', async () => {
  const stores = await openStores();
  const { selection, highlight, moment } = stores;
  highlight.search('', ['live']);
  selection.selectRange({ from: 10, to: 90 });
  highlight.toggleGroup(0, false);
  selection.pin(3);
  toggleKeptOnly(stores);
  const left = () =>
    [
      selection.keptOnly && 'only what is kept',
      selection.pinned !== null && 'pin',
      highlight.isIsolated && 'isolated',
      selection.range && 'range',
      highlight.found.hits && 'found',
    ].filter(Boolean);
  for (const want of [5, 4, 3, 2, 1, 0, 0]) {
    assert.equal(left().length, want, left().join());
    assert.equal(highlight.mask === null, want < 1);
    takeBack(stores);
  }
  assert.equal(moment.kind, 'peak');
});

test('what is isolated is let go by isolating it again, and by something else', async () => {
  const { appearance, highlight } = await openStores();
  highlight.toggleGroup(0, false);
  const subset = { by: /** @type {const} */ ('family'), key: 'f1' };
  highlight.toggleSubset(subset);
  assert.deepEqual([highlight.groups.size, highlight.subset], [0, subset]);
  highlight.toggleSubset({ ...subset });
  assert.deepEqual([highlight.subset, highlight.mask, highlight.colours === appearance.colours], [null, null, true]);
});

test('the panel follows the range, and comes back from it', async () => {
  const { shown, selection, moment } = await openStores();
  const { timeline } = shown.device;
  moment.set('cursor', 7);
  selection.brush({ from: 10, to: 90 });
  assert.equal(moment.kind, 'cursor', 'not while it is brushed');
  selection.selectRange({ from: 10, to: 90 });
  assert.deepEqual([moment.kind, moment.state], ['range', 90]);
  assert.deepEqual([...moment.live], [...(moment.activity?.kept ?? [])]);
  assert.equal(moment.total, moment.activity?.keptBytes);
  moment.set('end');
  assert.deepEqual([moment.activity, moment.state], [null, timeline.lastState]);
  moment.set('range');
  selection.selectRange(null);
  assert.deepEqual([moment.kind, moment.state, moment.total], ['peak', timeline.peak, timeline.active[timeline.peak]]);
});
