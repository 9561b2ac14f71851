import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bySize } from '../data/classes.js';
import { activityIn, rangeOf } from '../data/range.js';
import { csv, groupTotals, json, markdown, selection, tableSheet, tensorSheet, total } from '../recording/data/sheet.js';
import { SiteTable } from '../data/sites.js';
import { Stacks, USER } from '../data/stacks.js';
import { Writer, fake } from './support/encode.js';
import { activeByDefinition, liveByDefinition, open, randomDevice } from './support/random.js';

/** Forty stacks of ten sites, of which one has a name that means harm. */
function stacks() {
  const w = new Writer();
  const at = Array.from({ length: 39 }, (_, i) => i + 1);
  const names = Array.from({ length: 10 }, (_, i) => (i === 3 ? '=A1|`x`' : `f${i}`));
  w.strings(['', '/a/x.py', ...names]);
  w.unsigned(at.map((i) => 2 + (i % 10)));
  w.unsigned(at.map(() => 1));
  w.unsigned(at.map((i) => 10 + (i % 10)));
  w.unsigned(at.map(() => USER));
  w.unsigned(at.map((i) => i));
  w.unsigned(at.map((i) => i - 1));
  for (const of of [(i) => i, (i) => i, () => 0, () => 2, () => 0, () => 0]) w.unsigned([0, ...at.map(of)]);
  return new Stacks(w.array);
}

function screenOf(seed, range) {
  const device = randomDevice(seed);
  const { data, timeline } = open(device);
  const s = stacks();
  const state = range ? range.to : timeline.peak;
  const inRange = range && activityIn(timeline, range);
  const opened = {
    data,
    timeline,
    stacks: s,
    sites: new SiteTable(data, s),
    file: { name: 'a `b`.pickle', torch: '2.10', streams: ['0x0', '0x7f'] },
    report: { label: 'cuda:0' },
  };
  const screen = fake({
    device: opened,
    report: { program: 'memviz test', families: Array.from({ length: 9 }, (_, f) => ({ label: `Family ${f}` })) },
    grouping: bySize(data, 'light'),
    words: 'at the peak',
    state,
    range,
    activity: inRange,
    live: inRange ? inRange.kept : timeline.live(state).slice(),
    mask: null,
    order: { by: 'site', sort: 'bytes', rising: false },
    query: '',
    filters: [],
  });
  return { device, screen, stacks: s };
}

const column = (sheet, name) => sheet.rows.map((row) => row[sheet.columns.indexOf(name)]);
const sum = (values) => values.reduce((a, b) => a + b, 0);

test('a table of a moment holds what is live in it', () => {
  for (let seed = 1; seed <= 5; seed++) {
    const { device, screen } = screenOf(seed, null);
    const sheet = tableSheet(screen);
    assert.equal(sum(column(sheet, 'bytes')), activeByDefinition(device, screen.state));
    assert.equal(total(screen), activeByDefinition(device, screen.state));
    assert.equal(sum(column(sheet, 'tensors')), liveByDefinition(device, screen.state).length);
    assert.deepEqual(
      column(sheet, 'bytes'),
      column(sheet, 'bytes').sort((a, b) => b - a),
    );
    assert.equal(sum(groupTotals(screen).map((g) => g.bytes)), total(screen));
  }
});

test('a table of a range holds what it allocated and what it keeps', () => {
  for (let seed = 1; seed <= 5; seed++) {
    const range = rangeOf(100, 300, 400);
    const { device, screen } = screenOf(seed, range);
    const made = device.allocations.filter((a) => a.start >= range.from && a.start < range.to);
    const kept = made.filter((a) => a.end === null || a.end >= range.to);
    const sheet = tableSheet(screen);
    assert.equal(sum(column(sheet, 'still live bytes')), sum(kept.map((a) => a.size)));
    assert.equal(sum(column(sheet, 'allocated bytes')), sum(made.map((a) => a.size)));
    assert.equal(screen.live.length, kept.length);
    assert.deepEqual(JSON.parse(json(screen, 'table', sheet)).range, range);
  }
});

test('tensors are those that are highlighted, each as it was recorded', () => {
  const { device, screen } = screenOf(3, null);
  screen.mask = Uint8Array.from(device.allocations, (a) => Number(a.size % 2));
  const want = liveByDefinition(device, screen.state).filter((i) => device.allocations[i].size % 2);
  const sheet = tensorSheet(screen);
  assert.deepEqual([...selection(screen)], want);
  assert.deepEqual(column(sheet, 'tensor'), want);
  const of = (key) => want.map((i) => device.allocations[i][key]);
  assert.deepEqual(column(sheet, 'bytes'), of('size'));
  assert.deepEqual(column(sheet, 'freed at event'), of('end'));
  assert.deepEqual(
    column(sheet, 'allocated at event'),
    of('start').map((e) => (e < 0 ? null : e)),
  );
  assert.deepEqual(
    column(sheet, 'address'),
    of('addr').map((a) => '0x' + a.toString(16)),
  );
  const saved = JSON.parse(json(screen, 'rows', sheet));
  assert.deepEqual(
    [saved.total_bytes, saved.live_tensors, saved.selected_tensors],
    [total(screen), screen.live.length, want.length],
  );
  assert.equal(saved.rows[0].bytes, sheet.rows[0][2]);
});

test('names that mean harm do none', () => {
  const { screen } = screenOf(2, null);
  const sheet = tableSheet(screen);
  assert.ok(column(sheet, 'call site').includes('=A1|`x`'));
  assert.match(csv(sheet), /\n"'=A1\|`x`",\/a\/x\.py,13,/);
  const lines = markdown(screen).split('\n');
  assert.ok(lines[0].startsWith('`` a `b`.pickle ``, cuda:0, torch 2.10'));
  for (const line of lines.filter((l) => l.startsWith('|')))
    assert.equal(line.replaceAll('\\|', '').split('|').length, 7, line);
});
