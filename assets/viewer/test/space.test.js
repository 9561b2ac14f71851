import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeviceData } from '../data/device.js';
import { OUTSIDE } from '../data/space.js';
import { encodeDevice } from './support/encode.js';
import { spaceOf } from './support/space.js';

const MIB = 2 ** 20;

/** Two segments of 2 MiB that lie far apart, and one of 4 MiB that takes the address of the first later. */
const device = {
  events: 8,
  allocations: [
    { start: -1, end: 2, size: 1000, addr: 0x10000000 },
    { start: 0, end: null, size: 512, addr: 0x7f0000000000 },
    { start: 4, end: 6, size: 3 * MIB, addr: 0x10000000, block: 4 * MIB },
    { start: 5, end: null, size: 100, addr: 0x20000000 },
  ],
  reservations: [
    { addr: 0x10000000, size: 2 * MIB, last: 3 },
    { addr: 0x7f0000000000, size: 2 * MIB },
    { addr: 0x10000000, size: 4 * MIB, first: 4, last: 7 },
  ],
};

test('places count over lanes in the order of their addresses', () => {
  const space = spaceOf(device);
  assert.equal(space.lanes, 2);
  assert.deepEqual([...space.laneStart], [0, 8192, 8192 + 4096]);
  assert.deepEqual([...space.place], [0, 8192, 0, OUTSIDE]);
  assert.deepEqual([...space.reservation], [0, 1, 2, OUTSIDE]);
  assert.deepEqual([0, 1, 2, 3].map((i) => space.blockSize(i)), [2, 1, 8192, 1]);
  assert.deepEqual(
    [0, 1, 2, 3].map((i) => space.address(i)),
    ['0x10000000', '0x7f0000000000', '0x10000000', ''],
  );
  assert.deepEqual([0, 8191, 8192, space.total - 1].map((place) => space.laneAt(place)), [0, 0, 1, 1]);
  assert.equal(space.addressAt(8193), 0x7f0000000200n);
});

test('without addresses a space has only places', () => {
  const space = spaceOf({ ...device, addresses: false });
  assert.deepEqual([...space.place], [...spaceOf(device).place]);
  assert.deepEqual([space.laneAddress(0), space.addressAt(5), space.address(1)], [null, null, '']);
});

test('a device decodes its space once, when it is asked for', async () => {
  const { bytes, report } = encodeDevice(device);
  assert.equal(new DeviceData(bytes, report).hasMap, false);
  await assert.rejects(new DeviceData(bytes, report).space(), /does not say/);
  let decoded = 0;
  const data = new DeviceData(bytes, report, {
    recorded: async () => {
      decoded++;
      return spaceOf(device);
    },
  });
  assert.deepEqual([data.hasMap, data.hasPredictedMap, decoded], [true, false, 0]);
  assert.equal(await data.space(), await data.space());
  assert.equal(decoded, 1);
});
