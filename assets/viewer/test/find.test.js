import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeviceData } from '../data/device.js';
import { find, NOTHING_ASKED } from '../recording/data/find.js';
import { fadeOthers, highlightedKeys, maskOf } from '../recording/data/masks.js';
import { parseAddress, parseFilter, parseQuery } from '../data/query.js';
import { Stacks } from '../data/stacks.js';
import { encodeDevice, Writer, fake } from './support/encode.js';
import { random, randomDevice } from './support/random.js';

const NAMES = ['forward', 'step', 'AdamW', 'backward', 'mm<float>'];
const FILES = ['/a/model.py', '/a/optim/adam.py', 'C:\\b\\Model.py', '<string>'];
const OPERATORS = ['', 'aten::mm', 'aten::empty_strided'];
const NOTES = ['layer 3, weight', 'KV cache'];

/** 40 stacks of up to five frames: the payload's reading of them, and the texts of each. */
function randomStacks(next) {
  const pick = (n) => Math.floor(next() * n);
  const strings = ['', ...NAMES, ...FILES, ...OPERATORS.slice(1), ...NOTES];
  const at = (text) => strings.indexOf(text);
  const frames = Array.from({ length: 12 }, () => ({
    name: NAMES[pick(NAMES.length)],
    file: FILES[pick(FILES.length)],
    line: pick(3) * 41,
  }));
  const nodes = [{ frame: -1, parent: 0 }];
  for (let i = 1; i < 50; i++) nodes.push({ frame: pick(frames.length), parent: pick(Math.min(i, 10)) });
  const stacks = [{ node: 0, operator: '' }];
  for (let i = 1; i < 40; i++) stacks.push({ node: 1 + pick(49), operator: OPERATORS[pick(3)] });
  const w = new Writer();
  w.strings(strings);
  w.unsigned(frames.map((f) => at(f.name)));
  w.unsigned(frames.map((f) => at(f.file)));
  w.unsigned(frames.map((f) => f.line));
  w.unsigned(frames.map(() => 0));
  w.unsigned(nodes.slice(1).map((n, i) => i + 1 - n.parent));
  w.unsigned(nodes.slice(1).map((n) => n.frame));
  w.unsigned(stacks.map((s) => s.node));
  w.unsigned(stacks.map(() => 0));
  w.unsigned(stacks.map((s) => at(s.operator)));
  for (let i = 0; i < 3; i++) w.unsigned(stacks.map(() => 0));
  const texts = stacks.map(({ node, operator }) => {
    const out = [operator];
    for (let n = node; n > 0; n = nodes[n].parent) {
      const { file, line, name } = frames[nodes[n].frame];
      out.push(`${file}${line ? ':' + line : ''} ${name}`);
    }
    return out;
  });
  return { stacks: new Stacks(w.array), texts, note: at };
}

/** A device to search, and its allocations with all their texts. */
function searched(seed) {
  const next = random(seed);
  const { stacks, texts, note } = randomStacks(next);
  const device = randomDevice(seed);
  device.allocations.forEach((a) => {
    a.addr = 0x7f0600000000 + Math.floor(next() * 40) * 0x100000;
  });
  const noted = device.allocations.flatMap((_, i) => (next() < 0.1 ? [i] : []));
  device.metadata = noted.map((alloc) => ({ alloc, text: note(NOTES[alloc % 2]) }));
  const { bytes, report } = encodeDevice(device);
  const ranges = [
    { from: 40, to: 200, name: 'ProfilerStep#1' },
    { from: 50, to: 60, name: 'AdamW.step' },
    { from: 190, to: 260, name: 'adamw.STEP' },
  ];
  // Ranges of one lane do not overlap.
  const annotated = [ranges.slice(0, 1), ranges.slice(1)].map((lane) => ({
    from: lane.map((r) => r.from),
    to: lane.map((r) => r.to),
    names: lane.map((r) => r.name),
  }));
  const generation = new Map();
  const all = device.allocations.map((a, i) => {
    const addr = a.addr.toString(16);
    const n = generation.get(addr) ?? 0;
    generation.set(addr, n + 1);
    const inside = ranges.filter((r) => a.start >= r.from && a.start < r.to).map((r) => r.name);
    const notes = noted.includes(i) ? [NOTES[i % 2]] : [];
    return { ...a, addr, generation: n, texts: [...texts[a.stack], ...inside, ...notes] };
  });
  const data = new DeviceData(bytes, report);
  const file = { streams: ['0', '7f00'] };
  return {
    all,
    device: fake({ data, stacks, file, report, hasTime: true, lanes: { annotated } }),
    time: device.time,
    events: device.events,
  };
}

const has = (a, text) => a.texts.some((t) => t.toLowerCase().includes(text));
const MiB = 2 ** 20;

/**
 * Queries, and what each means by definition.
 * @type {[string, (allocation: any, device: any) => boolean][]}
 */
const QUERIES = [
  ['model.py', (a) => has(a, 'model.py')],
  ['MODEL.PY:41 forward', (a) => has(a, 'model.py:41') && has(a, 'forward')],
  ['"py:41 step"', (a) => has(a, 'py:41 step')],
  ['c:\\b', (a) => has(a, 'c:\\b')],
  ['aten::', (a) => has(a, 'aten::')],
  ['AdamW.step', (a) => has(a, 'adamw.step')],
  ['profilerstep cache', (a) => has(a, 'profilerstep') && has(a, 'cache')],
  ['weight', (a) => has(a, 'weight')],
  ['/\\.py:[48]\\d? (st|for)/', (a) => a.texts.some((t) => /\.py:[48]\d? (st|for)/i.test(t))],
  ['/a/optim', (a) => has(a, '/a/optim')],
  ['0x7f06', () => true],
  ['b7f06003', (a) => a.addr.startsWith('7f06003')],
  ['7f0600300000', (a) => a.addr === '7f0600300000'],
  ['b7f0600300000_1', (a) => a.addr === '7f0600300000' && a.generation === 1],
  ['b7f06_0', (a) => a.generation === 0],
  ['7f06', () => false],
  ['size>1MiB', (a) => a.size > MiB],
  ['size>=1,024 size<0.5k', () => false],
  ['size<=4kib', (a) => a.size <= 4096],
  ['live:yes', (a) => a.end === null],
  ['live:end pre:no', (a) => a.end === null && a.start >= 0],
  ['pre:yes live:no', (a) => a.start < 0 && a.end !== null],
  ['life>100', (a, { events }) => (a.end ?? events) - a.start > 100],
  ['life<2ms', (a, { time }) => time[a.end ?? time.length - 1] - time[Math.max(0, a.start)] < 2000],
  ['stream:7F00', (a) => a.stream === 1],
  ['stream:0 forward', (a) => a.stream === 0 && has(a, 'forward')],
  ['pool:default', () => true],
  ['live', (a) => has(a, 'live')],
];

test('a search finds what it finds by definition', () => {
  let found = 0;
  for (let seed = 1; seed <= 4; seed++) {
    const { all, device, time, events } = searched(seed);
    for (const [query, means] of QUERIES) {
      const { hits, count, problem } = find(device, query, []);
      assert.equal(problem, '', query);
      const want = all.map((a) => Number(means(a, { time, events })));
      assert.deepEqual([...hits], want, query);
      assert.equal(count, want.filter(Boolean).length);
      found += Number(count > 0 && count < all.length);
    }
  }
  assert.ok(found > QUERIES.length * 2, `${found} queries tell something apart`);
});

test('filters and the query are both asked', () => {
  const { all, device } = searched(2);
  const { hits, filters } = find(device, 'forward', ['live', 'size>1KiB', 'nonsense']);
  assert.deepEqual(filters, ['live', 'size>1KiB']);
  assert.deepEqual(
    [...hits],
    all.map((a) => Number(has(a, 'forward') && a.end === null && a.size > 1024)),
  );
  assert.equal(find(device, '  ', ['nonsense']), NOTHING_ASKED);
});

test('what cannot be asked is said in words, and nothing fades', () => {
  const { device } = searched(1);
  for (const [query, why] of /** @type {[string, RegExp | null][]} */ ([
    ['/(a/', /not closed/],
    ['stream:12', /there is no stream 12/],
    ['pool:1,2', /there is no pool 1,2/],
    ['/(a?){300}b/', null],
    ['life>1ms', /no times/],
  ])) {
    const { hits, problem } = find({ ...device, hasTime: false }, query, []);
    if (why) assert.match(problem, why);
    assert.equal(hits === null, why !== null, query);
  }
  const long = {
    ...device,
    stacks: {
      ...device.stacks,
      strings: { at: () => 'x'.repeat(1e6) },
      parent: [],
      nodeFrame: [],
      frameName: [],
      node: [0],
      operator: [1],
    },
  };
  assert.match(find(long, '/(x?){99}y/', []).problem, /takes too long/);
});

test('the words of a query', () => {
  const words = (text) => parseQuery(text).terms.map((t) => (t.regex ? 'regex' : t.text));
  assert.deepEqual(words('A "b C" /d e/ /usr/lib "" /x'), ['a', 'b c', 'regex', '/usr/lib', '/x']);
  assert.deepEqual(words('/usr/lib/torch/'), ['regex']);
  assert.deepEqual(words('"size>1" size>x stream:'), ['size>1', 'size>x', 'stream:']);
  assert.deepEqual(['0x1F', 'b00ab12_3', 'bf16', 'b7f06_0', 'decade', 'add', '0x', 'b7f06_'].map(parseAddress), [
    { digits: '1f', generation: null },
    { digits: 'ab12', generation: 3 },
    null,
    { digits: '7f06', generation: 0 },
    { digits: 'decade', generation: null },
    null,
    null,
    null,
  ]);
  for (const none of ['size', 'size>', 'size>1x', 'size>-1', 'life>1k', 'live:maybe', 'pool:', 'live>1', 'size>1.2.3'])
    assert.equal(parseFilter(none), null, none);
});

test('highlighted is what is isolated and found', () => {
  const grouping = fake({
    of: Uint8Array.of(0, 1, 2, 2),
    groups: [{}, {}, {}],
    colourIndex: Uint8Array.of(0, 1, 2, 3),
    colors: Array(5),
  });
  const hits = Uint8Array.of(1, 1, 0, 1);
  const none = new Set();
  assert.equal(maskOf(grouping, none, null), null);
  assert.equal(maskOf(grouping, none, hits), hits);
  assert.deepEqual([...maskOf(grouping, new Set([2]), null)], [0, 0, 1, 1]);
  assert.deepEqual([...maskOf(grouping, new Set([1, 2]), hits)], [0, 1, 0, 1]);
  assert.equal(fadeOthers(grouping, null), grouping.colourIndex);
  assert.deepEqual([...fadeOthers(grouping, hits)], [0, 1, 7, 3]);
  const row = (id) => grouping.of[id];
  assert.deepEqual([...fake(highlightedKeys(hits, [0, 2], row))], [0]);
  assert.ok(highlightedKeys(null, [], row).has(9));
});
