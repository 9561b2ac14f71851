import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeviceData } from '../data/device.js';
import { encodeDevice } from './support/encode.js';
import { randomDevice } from './support/random.js';

const same = (got, want) => assert.deepEqual([...got], want);

test('a device comes back as it was written', () => {
  for (let seed = 1; seed <= 5; seed++) {
    const device = randomDevice(seed);
    const { allocations } = device;
    const { bytes, report } = encodeDevice(device);
    const data = new DeviceData(bytes, report);
    same(data.time, device.time);
    same(
      data.size,
      allocations.map((a) => a.size),
    );
    same(
      data.stack,
      allocations.map((a) => a.stack),
    );
    same(
      allocations.map((_, i) => data.freeStack(i)),
      allocations.map((a) => a.freeStack),
    );
    same(
      data.family,
      allocations.map((a) => a.family),
    );
    same(
      data.rule,
      allocations.map((a) => a.rule),
    );
    allocations.forEach((a, i) => {
      assert.equal(data.startEvent(i), a.start < 0 ? null : a.start);
      assert.equal(data.endEvent(i), a.end);
      assert.equal(data.first[i], a.start + 1);
      assert.equal(data.last[i], a.end ?? device.events);
      assert.equal(data.address.text(i), '0x' + a.addr.toString(16));
    });
    data.address.prepare();
    same(
      allocations.map((_, i) => data.address.text(i)),
      allocations.map((a) => '0x' + a.addr.toString(16)),
    );
  }
});

test('addresses beyond 2^53 are exact', () => {
  const addr = [0xffffffffffffff00n, 0x10n, 0x7f0000000000n];
  const { bytes, report } = encodeDevice({
    events: 3,
    wide: true,
    allocations: addr.map((a, i) => ({ start: i, end: null, size: 8, addr: a })),
  });
  const data = new DeviceData(bytes, report);
  assert.deepEqual(
    addr.map((_, i) => data.address.text(i)),
    ['0xffffffffffffff00', '0x10', '0x7f0000000000'],
  );
});

test('markers, pending frees and texts', () => {
  const allocations = [
    { start: -1, end: 4, size: 10, addr: 0 },
    { start: 1, end: null, size: 20, addr: 512 },
  ];
  const { bytes, report } = encodeDevice({
    events: 6,
    allocations,
    pending: [
      { alloc: 0, wait: 3 },
      { alloc: 1, wait: 1 },
    ],
    markers: [
      { event: 3, kind: 0, size: 2 ** 40, free: 7 },
      { event: 5, kind: 1, size: 9, free: 0 },
    ],
    context: [{ alloc: 1, text: 3 }],
    metadata: [{ alloc: 0, text: 2 }],
  });
  const data = new DeviceData(bytes, report);
  assert.equal(data.time, null);
  assert.deepEqual(data.markers, [
    { state: 3, kind: 'oom', size: 2 ** 40, free: 7 },
    { state: 5, kind: 'snapshot', size: 9, free: 0 },
  ]);
  assert.deepEqual([data.freeRequest(0), data.freeRequest(1)], [1, 5]);
  assert.deepEqual(
    [data.context, data.metadata].map((texts) => [0, 1, 2].map((i) => texts.get(i))),
    [
      [undefined, 3, undefined],
      [2, undefined, undefined],
    ],
  );
});

test('a payload that does not fit its report is an error', () => {
  const { bytes, report } = encodeDevice(randomDevice(3));
  assert.throws(() => new DeviceData(bytes, { ...report, allocations: report.allocations + 1 }), /does not fit/);
  assert.throws(() => new DeviceData(bytes, { ...report, events: 10 }), /does not fit/);
});

test('a payload cut anywhere is an error when it is opened, also where nothing is decoded yet', () => {
  const { bytes, report } = encodeDevice(randomDevice(4, { events: 60, preExisting: 5 }));
  for (let length = 0; length < bytes.length; length++)
    assert.throws(() => new DeviceData(bytes.subarray(0, length), report), RangeError, `${length} bytes`);
  new DeviceData(bytes, report);
});

test('times of another number than the events are not times', () => {
  const device = randomDevice(2);
  device.time.pop();
  const { bytes, report } = encodeDevice(device);
  const data = new DeviceData(bytes, report);
  assert.deepEqual([data.hasTime, data.time], [false, null]);
});

test('addresses that were left out are empty', () => {
  const device = randomDevice(1);
  const { bytes, report } = encodeDevice(device);
  const data = new DeviceData(bytes, { ...report, has_addr: false });
  assert.equal(data.address.text(3), '');
});
