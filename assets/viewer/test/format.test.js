import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  address,
  axisBytes,
  axisChange,
  axisTime,
  bytes,
  byteInterval,
  change,
  count,
  counted,
  decimalInterval,
  duration,
  exactBytes,
  share,
} from '../kit/format.js';

const plain = (text) => text.replaceAll('\u00a0', ' ').replaceAll('\u2212', '-');
const MiB = 2 ** 20;
const GiB = 2 ** 30;

// The same cases hold Go's pkg/units.
const words = JSON.parse(readFileSync(new URL('../../../pkg/units/testdata/words.json', import.meta.url), 'utf8'));

test('numbers read as they do in Go', () => {
  const write = {
    bytes,
    change,
    count,
    plural: counted,
    duration,
    share,
    address: (/** @type {string} */ text) => address(BigInt(text)),
  };
  assert.deepEqual(Object.keys(words).sort(), Object.keys(write).sort());
  for (const [what, cases] of Object.entries(words)) {
    assert.ok(cases.length >= 5, what);
    for (const [...args] of cases) {
      const want = args.pop();
      assert.equal(write[what](...args).replaceAll('\u00a0', ' '), want, `${what} of ${args}`);
    }
  }
});

test('what Go has no numbers for: fractions, and spaces that do not break', () => {
  assert.equal(plain(exactBytes(2_097_152)), '2,097,152 B');
  assert.equal(counted(7190, 'tensor'), '7,190 tensors');
  assert.equal(plain(duration(999.7)), '1.00 ms');
  for (const text of [bytes(5 * GiB), share(24, 100), duration(1e9)]) assert.ok(!text.includes(' '), text);
});

test('labels of the axes', () => {
  assert.equal(axisBytes(0, 7 * GiB, GiB), '0');
  assert.equal(plain(axisBytes(2 * GiB, 7 * GiB, GiB)), '2 GiB');
  assert.equal(plain(axisBytes(0.5 * GiB, 7 * GiB, GiB / 2)), '0.5 GiB');
  assert.equal(plain(axisBytes(256 * MiB, 700 * MiB, 128 * MiB)), '256 MiB');
  assert.equal(plain(axisBytes(896 * MiB, 950 * MiB, 128 * MiB)), '896 MiB', 'not 0.875 GiB');
  assert.equal(plain(axisChange(4 * MiB)), '+4 MiB');
  assert.equal(plain(axisChange(1.5 * MiB)), '+1.5 MiB');
  assert.equal(plain(axisChange(100 * MiB)), '+100 MiB');
  assert.equal(plain(axisTime(50_000, 168_000, 50_000)), '50 ms');
  assert.equal(plain(axisTime(1500, 2100, 500)), '1.5 ms');
  assert.equal(plain(axisTime(20, 60, 10)), '20 µs');
  assert.equal(plain(axisTime(2_500_000, 4e6, 500_000)), '2.5 s');
});

test('steps are powers of two for bytes and 1, 2, 5 for positions', () => {
  for (const range of [100, 5e3, 7.3e9, 9.1e11]) {
    const step = byteInterval(range, 6);
    assert.equal(Math.log2(step) % 1, 0);
    assert.ok(range / step <= 7.8 && range / step >= 3, `${range}: ${range / step} lines`);
    const d = decimalInterval(range, 7);
    assert.ok([1, 2, 5].includes(Number(String(d)[0])) && range / d <= 7);
  }
  assert.equal(decimalInterval(3, 7), 1);
});
