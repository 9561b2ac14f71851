import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupingOf, modeAfter, modesOf } from '../data/colours.js';
import { sharesOf } from '../recording/data/reasons.js';
import { siteOf } from '../data/sites.js';
import { INTERNAL, Stacks, USER } from '../data/stacks.js';
import { Writer, fake } from './support/encode.js';
import { open, random, randomDevice } from './support/random.js';

const STACKS = 40;

/** Stack i has the site f(i % 12) in one of three files; every seventh has no user frame, stack 0 no frame. */
function stacks() {
  const w = new Writer();
  const at = Array.from({ length: STACKS - 1 }, (_, i) => i + 1);
  w.strings(['', 'a/x.py', 'b/x.py', 'c/y.py', 'aten::mm', ...Array.from({ length: 12 }, (_, i) => `f${i}`)]);
  w.unsigned(at.map((i) => 5 + (i % 12)));
  w.unsigned(at.map((i) => 1 + (i % 3)));
  w.unsigned(at.map((i) => i % 12));
  w.unsigned(at.map((i) => (i % 7 === 0 ? INTERNAL : USER)));
  w.unsigned(at.map((i) => i));
  w.unsigned(at.map((i) => i - 1));
  w.unsigned([0, ...at]);
  w.unsigned([0, ...at.map((i) => (i % 7 === 0 ? 0 : i))]);
  w.unsigned([0, ...at.map(() => 4)]);
  w.unsigned([0, ...at.map((i) => i % 5)]);
  w.unsigned([0, ...at.map(() => 0)]);
  w.unsigned([0, ...at.map((i) => i)]);
  return new Stacks(w.array);
}

const HUES = Array.from({ length: 10 }, (_, h) => ({
  name: `hue ${h}`,
  color: `#0000${h}2`,
  shades: Array.from({ length: 5 }, (_, s) => `#0000${h}${s}`),
  ink: '#000000',
}));
const REPORT = fake({
  palette: { light: HUES, dark: HUES },
  families: Array.from({ length: 9 }, (_, f) => ({ key: `k${f}`, label: `Family ${f}`, one: `one ${f}`, hue: f })),
});

function opened(seed, { pools = ['default', '1,2', 'unknown'], streams = ['0x0', '0x7f'], events = 400 } = {}) {
  const next = random(seed + 99);
  const device = fake({ ...randomDevice(seed, { events }), pools });
  for (const a of device.allocations) a.pool = Math.floor(next() * pools.length);
  const { data, timeline } = open(device);
  return {
    device,
    opened: fake({
      data,
      timeline,
      stacks: stacks(),
      file: { streams },
      report: { pools, with_stack: data.count },
      hasHistory: true,
    }),
  };
}

/** What tells the kinds of a mode apart, by definition. */
const KIND = {
  site: (a, s) => siteOf(s, a.stack).key,
  file: (a, s) => s.siteFrame(a.stack)?.file ?? siteOf(s, a.stack).key,
  stack: (a) => a.stack,
  stream: (a) => a.stream,
  pool: (a) => a.pool,
};

test('the eight largest kinds at the peak have colours of their own, the rest is others', () => {
  for (let seed = 1; seed <= 6; seed++) {
    const { device, opened: o } = opened(seed);
    const { timeline, stacks: s } = o;
    for (const [mode, kindOf] of Object.entries(KIND)) {
      const grouping = groupingOf(fake(mode), o, REPORT, 'light');
      const held = new Map();
      device.allocations.forEach((a, i) => {
        const sum = held.get(kindOf(a, s)) ?? { peak: 0, all: 0, groups: new Set() };
        held.set(kindOf(a, s), sum);
        if (a.start < timeline.peak && (a.end === null || timeline.peak <= a.end)) sum.peak += a.size;
        sum.all += a.size;
        sum.groups.add(grouping.of[i]);
      });
      const kinds = [...held.values()].filter((k) => k.all > 0).sort((a, b) => b.peak - a.peak || b.all - a.all);
      const coloured = Math.min(8, kinds.length);
      assert.equal(grouping.groups.length, coloured + 1, mode);
      assert.deepEqual(grouping.groups.at(-1), {
        label: 'others',
        one: 'tensor',
        name: 'others',
        color: '#000082',
        ink: '#000000',
      });
      kinds.forEach((kind, i) =>
        assert.deepEqual([...kind.groups], [Math.min(i, coloured)], `${mode}, seed ${seed}: kind ${i}`),
      );
      assert.equal(grouping.present[coloured], kinds.length > coloured || grouping.of.includes(coloured) ? 1 : 0);
      // A colour is a shade of the group's hue: the swatch's own for call sites and stacks.
      grouping.colourIndex.forEach((index, i) => {
        const hue = grouping.of[i] < coloured ? grouping.of[i] : 8;
        assert.equal(Math.floor(index / 5), hue);
        if (hue < 8 && (mode === 'site' || mode === 'stack')) assert.equal(grouping.colors[index], HUES[hue].color);
      });
    }
  }
});

test('stacks of one call site have names of their own', () => {
  const { opened: o } = opened(3);
  const labels = groupingOf('stack', o, REPORT, 'light').groups.map((g) => g.label);
  assert.equal(new Set(labels).size, labels.length);
});

test('size classes and lifetimes, by definition', () => {
  const { device, opened: o } = opened(5, { events: 3000 });
  const label = (mode) => {
    const { of, groups } = groupingOf(mode, o, REPORT, 'dark');
    return (i) => groups[of[i]].label;
  };
  const [size, life] = [label('size'), label('life')];
  const MiB = 2 ** 20;
  device.allocations.forEach((a, i) => {
    const want =
      a.size < MiB ? 'under 1 MiB'
      : a.size < 16 * MiB ? '1 to 16 MiB'
      : a.size < 64 * MiB ? '16 to 64 MiB'
      : a.size < 256 * MiB ? '64 to 256 MiB'
      : 'too large for this test'; // prettier-ignore
    assert.equal(size(i), want);
    const events = a.end - a.start;
    const lived =
      a.end === null ? 'live at the end'
      : events <= 10 ? 'up to 10 events'
      : events <= 100 ? '11 to 100 events'
      : events <= 1000 ? '101 to 1,000 events'
      : '1,001 to 10,000 events'; // prettier-ignore
    assert.equal(life(i), lived, `allocation ${i} lived ${events} events`);
  });
});

test('modes without anything to show are named and passed over', () => {
  const { opened: o } = opened(1, { pools: ['unknown'], streams: ['0x0'] });
  const lacks = (device) =>
    modesOf(device)
      .filter((m) => m.lacks)
      .map((m) => `${m.mode}: ${m.lacks}`);
  assert.deepEqual(lacks(o), ['stream: only one', 'pool: not recorded']);
  const bare = { ...o, report: { ...o.report, with_stack: 0 }, hasHistory: false };
  assert.deepEqual(lacks(bare), [
    'site: no stacks',
    'file: no stacks',
    'stack: no stacks',
    'life: no history',
    'stream: only one',
    'pool: not recorded',
  ]);
  const round = (device, from) => {
    const seen = [from];
    for (let mode = modeAfter(device, from); mode !== from; mode = modeAfter(device, mode)) seen.push(mode);
    return seen;
  };
  assert.deepEqual(round(o, 'family'), ['family', 'site', 'file', 'stack', 'size', 'life']);
  assert.deepEqual(round(bare, 'size'), ['size', 'family']);
});

test('what the rules decided adds up to what is live', () => {
  const { device, opened: o } = opened(7);
  const live = o.timeline.live(o.timeline.peak).slice();
  const shares = sharesOf(o.data, live);
  assert.deepEqual(
    shares.map((s) => s.rule).sort(),
    [...new Set([...live].map((id) => device.allocations[id].rule))].sort(),
  );
  for (const { rule, bytes, tensors, largest } of shares) {
    const sizes = [...live]
      .map((id) => device.allocations[id])
      .filter((a) => a.rule === rule)
      .map((a) => a.size);
    assert.deepEqual([bytes, tensors], [sizes.reduce((a, b) => a + b, 0), sizes.length]);
    assert.equal(device.allocations[largest].size, Math.max(...sizes));
  }
  assert.deepEqual(
    shares.map((s) => s.bytes),
    shares.map((s) => s.bytes).sort((a, b) => b - a),
  );
});
