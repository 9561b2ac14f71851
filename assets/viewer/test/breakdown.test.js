import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breakdown, differences, membersOf, siteNames, sortRows } from '../recording/data/breakdown.js';
import { icicle, pathOf } from '../recording/data/icicle.js';
import { restrictMask } from '../recording/data/masks.js';
import { activityIn } from '../data/range.js';
import { SiteTable } from '../data/sites.js';
import { INTERNAL, LIBRARY, USER } from '../data/stacks.js';
import { fake } from './support/encode.js';
import { open, random, randomDevice } from './support/random.js';

/** As many stacks as random devices have: none for 0, then user frames under wrappers and a library. */
function fakeStacks() {
  const main = { name: 'main', file: '/home/a/train.py', line: 9, kind: USER };
  const wrapper = { name: '_call_impl', file: '/lib/site-packages/torch/nn/module.py', line: 1, kind: INTERNAL };
  const library = { name: 'linear', file: '/lib/site-packages/torch/nn/linear.py', line: 4, kind: LIBRARY };
  const leaf = (i) => ({ name: `f${i % 7}`, file: `/home/a/part${i % 3}.py`, line: (i % 7) + 1, kind: USER });
  const frames = Array.from({ length: 41 }, (_, i) =>
    i === 0 ? [] : i % 11 === 0 ? [wrapper] : [...(i % 2 ? [library] : []), leaf(i), wrapper, main],
  );
  return fake({
    shade: [],
    backward: frames.map((_, i) => i % 11 === 0),
    length: frames.length,
    frames: (s) => frames[s],
    isEmpty: (s) => frames[s].length === 0,
    siteFrame: (s) => frames[s].find((f) => f.kind === USER) ?? null,
    operatorOf: (s) => (s % 5 === 0 ? '' : `aten::op${s % 4}`),
  });
}

const FAMILIES = Array.from({ length: 9 }, (_, i) => ({ key: `k${i}`, label: `Family ${i}`, one: '', hue: 0 }));

function opened(seed) {
  const device = open(randomDevice(seed));
  const stacks = fakeStacks();
  return fake({ ...device, stacks, sites: new SiteTable(device.data, stacks, FAMILIES) });
}

test('rows of a range add up to what it allocates and keeps, whatever they are cut by', () => {
  for (let seed = 1; seed <= 3; seed++) {
    const device = opened(seed);
    const sums = activityIn(device.timeline, { from: 60, to: 260 });
    for (const by of /** @type {const} */ (['site', 'file', 'function', 'family'])) {
      const { rows, gone } = breakdown(device, sums.kept, sums, by, device.data.family);
      const add = (list, of) => list.reduce((sum, row) => sum + row[of], 0);
      assert.equal(add(rows, 'bytes'), sums.keptBytes);
      assert.equal(add(rows, 'tensors'), sums.kept.length);
      assert.equal(add([...rows, ...gone], 'allocated'), sums.allocated);
      for (const row of rows) {
        const isMember = membersOf(device, { by, key: row.key });
        const own = [...sums.kept].filter(isMember);
        assert.equal(row.tensors, own.length);
        assert.equal(row.first, own[0]);
        assert.equal(row.last, own.at(-1));
        assert.equal(
          row.bytes,
          own.reduce((sum, id) => sum + device.data.size[id], 0),
        );
        assert.equal(device.data.size[row.largest], Math.max(...own.map((id) => device.data.size[id])));
      }
      for (const row of gone) assert.ok(![...sums.kept].some(membersOf(device, { by, key: row.key })));
    }
  }
});

test('rows are sorted by any column, both ways', () => {
  const rows = [3, 1, 2].map((n) =>
    fake({ name: 'abc'[n - 1], location: '', bytes: n, tensors: 4 - n, allocated: n * n }),
  );
  const order = (sort, rising) =>
    sortRows([...rows], sort, rising)
      .map((r) => r.name)
      .join('');
  assert.equal(order('name', true), 'abc');
  assert.equal(order('bytes', false), 'cba');
  assert.equal(order('tensors', false), 'abc');
  assert.equal(order('allocated', true), 'abc');
});

test('an icicle holds all bytes, cells lie under the cell they belong to, and each says what is below it', () => {
  for (let seed = 1; seed <= 3; seed++) {
    const device = opened(seed);
    const { data, timeline, stacks } = device;
    const live = timeline.live(timeline.peak).slice();
    const total = timeline.active[timeline.peak];
    const { cells, cellsOf } = icicle(device, live, data.family, null, 50, 0);
    const tops = cells.filter((c) => c.depth === 0);
    assert.equal(
      tops.reduce((sum, c) => sum + c.bytes, 0),
      total,
    );
    for (const [i, cell] of cells.entries()) {
      const isBelow = membersOf(device, { by: 'stack', key: cell.key });
      const inside = [...live].filter(isBelow);
      assert.equal(
        inside.reduce((sum, id) => sum + data.size[id], 0),
        cell.bytes,
        cell.title,
      );
      for (const id of live) assert.equal(cellsOf(data.stack[id]).includes(i), isBelow(id));
      assert.ok(Math.abs(cell.width - cell.bytes / total) < 1e-12);
      if (cell.depth === 0) continue;
      const above = cells.slice(0, i).findLast((c) => c.depth === cell.depth - 1);
      assert.ok(cell.from >= above.from && cell.from + cell.width <= above.from + above.width + 1e-9);
    }
    assert.ok(cells.length > 10);
    assert.equal(pathOf(stacks, 0)[0].name, '(no stack recorded)');
    const narrow = icicle(device, live, data.family, null, 2, 0.1).cells;
    assert.ok(narrow.length < cells.length && narrow.every((c) => c.depth < 2 && c.width >= 0.1));
  }
});

test('a cell is highlighted when something below it is', () => {
  const device = opened(1);
  const { data, timeline } = device;
  const live = timeline.live(timeline.peak).slice();
  const mask = restrictMask(device, null, { by: 'function', key: 'cf3' });
  const { cells, cellsOf } = icicle(device, live, data.family, mask, 50, 0);
  for (const [i, cell] of cells.entries())
    assert.equal(
      cell.highlighted,
      [...live].some((id) => mask[id] && cellsOf(data.stack[id]).includes(i)),
    );
  assert.ok(cells.some((c) => c.highlighted) && cells.some((c) => !c.highlighted));
});

test('a subset leaves in a mask only its own', () => {
  const device = opened(2);
  const next = random(3);
  const mask = Uint8Array.from({ length: device.data.count }, () => Number(next() < 0.5));
  const subset = { by: /** @type {const} */ ('file'), key: device.sites.site(50, 'file').key };
  const isMember = membersOf(device, subset);
  assert.equal(restrictMask(device, mask, null), mask);
  for (const before of [null, mask]) {
    const got = restrictMask(device, before, subset);
    got.forEach((value, id) => assert.equal(value, Number((!before || before[id] > 0) && isMember(id))));
    assert.ok(got.includes(1) && got.includes(0));
  }
});

test('bands that stand alone are named by call site', () => {
  const device = opened(1);
  const grouping = fake({ of: device.data.family, groups: FAMILIES.map((_, i) => ({ ink: `ink${i}` })) });
  const { timeline } = device;
  const ids = timeline.live(timeline.peak).slice();
  const { of, groups } = siteNames(device.sites, timeline, grouping);
  for (const id of ids) {
    const { name, location } = device.sites.site(id);
    assert.equal(groups[of[id]].label, `${name}  ${location}`.trimEnd());
  }
  assert.equal(new Set(groups.map((g) => g.label)).size, groups.length);
});

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
