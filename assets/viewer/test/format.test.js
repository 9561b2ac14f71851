import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  axisBytes,
  axisChange,
  axisTime,
  bytes,
  byteStep,
  change,
  count,
  counted,
  decimalStep,
  duration,
  exactBytes,
  share,
} from '../data/format.js';

const plain = (text) => text.replaceAll('\u00a0', ' ').replaceAll('\u2009', ' ').replaceAll('\u2212', '-');
const MiB = 2 ** 20;
const GiB = 2 ** 30;

test('bytes', () => {
  for (const [n, want] of [
    [0, '0'],
    [4, '4 B'],
    [1023, '1023 B'],
    [1024, '1.00 KiB'],
    [80 * MiB, '80.0 MiB'],
    [212 * MiB, '212 MiB'],
    [1023.4 * MiB, '1023 MiB'],
    [1023.6 * MiB, '1.00 GiB'],
    [6.53 * GiB, '6.53 GiB'],
    [9.996 * GiB, '10.0 GiB'],
    [99.96 * GiB, '100 GiB'],
    [2 ** 50, '1.00 PiB'],
    [-3 * MiB, '-3.00 MiB'],
  ])
    assert.equal(plain(bytes(n)), want);
  assert.equal(plain(exactBytes(2_097_152)), '2,097,152 B');
  assert.equal(plain(change(169 * MiB)), '+169 MiB');
  assert.equal(plain(change(-169 * MiB)), '-169 MiB');
  assert.equal(change(0), '0');
  assert.ok(bytes(5 * GiB).includes('\u00a0'), 'number and unit stay together');
});

test('shares: whole percent, 100 only when it is', () => {
  for (const [part, whole, want] of [
    [24, 100, '24 %'],
    [1, 1000, '<1 %'],
    [999, 1000, '99 %'],
    [1, 1, '100 %'],
    [0, 5, '0 %'],
    [1, 0, ''],
  ]) {
    assert.equal(plain(share(part, whole)), want);
  }
});

test('counts and durations', () => {
  assert.equal(count(19136), '19,136');
  assert.equal(counted(1, 'tensor'), '1 tensor');
  assert.equal(counted(7190, 'tensor'), '7,190 tensors');
  for (const [us, want] of [
    [0, '0 µs'],
    [87, '87 µs'],
    [999, '999 µs'],
    [999.7, '1.00 ms'],
    [54400, '54.4 ms'],
    [168000, '168 ms'],
    [999_600, '1.00 s'],
    [12_340_000, '12.3 s'],
  ]) {
    assert.equal(plain(duration(us)), want);
  }
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
    const step = byteStep(range, 6);
    assert.equal(Math.log2(step) % 1, 0);
    assert.ok(range / step <= 7.8 && range / step >= 3, `${range}: ${range / step} lines`);
    const d = decimalStep(range, 7);
    assert.ok([1, 2, 5].includes(Number(String(d)[0])) && range / d <= 7);
  }
  assert.equal(decimalStep(3, 7), 1);
});
