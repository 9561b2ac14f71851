import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeviceData } from '../data/device.js';
import { EventList } from '../recording/data/events.js';
import { encodeDevice, fake } from './support/encode.js';
import { random } from './support/random.js';

/** A recording made event by event, with what the list shall say of each; ids are those of the payload. */
function randomRecording(seed) {
  const next = random(seed);
  const pick = (n) => Math.floor(next() * n);
  const tensors = Array.from({ length: 4 }, () => ({ start: -1, end: null, size: 512 * (1 + pick(9)), addr: 0 }));
  const live = [...tensors];
  const want = [];
  const pending = [];
  const reserved = [];
  const markers = [];
  const reservations = [];
  let waiting = [];
  while (want.length < 200) {
    const event = want.length;
    const what = pick(9);
    const tensor = live.length > 0 && live[pick(live.length)];
    const size = 512 * (1 + pick(99));
    if (what < 3 || !tensor) {
      live.push({ start: event, end: null, size, addr: 512 * pick(9) });
      tensors.push(live.at(-1));
      want.push({ action: 'alloc', tensor: live.at(-1), sign: 1 });
    } else if (what < 5) {
      live.splice(live.indexOf(tensor), 1);
      want.push({ action: 'free asked', tensor, sign: 0 });
      if (pick(3) > 0) {
        tensor.end = event + 1;
        want.push({ action: 'free', tensor, sign: -1 });
      } else waiting.push({ tensor, event });
    } else if (what === 5 && waiting.length > 0) {
      const { tensor: late, event: asked } = waiting.shift();
      late.end = event;
      pending.push({ tensor: late, wait: event - asked });
      want.push({ action: 'free', tensor: late, sign: -1 });
    } else if (what === 6) {
      const expandable = pick(2);
      const delta = size * (pick(2) ? 1 : -1);
      reserved.push({ event, delta });
      const action = (expandable ? ['map', 'unmap'] : ['reserve', 'return'])[Number(delta < 0)];
      reservations.push({ first: delta > 0 ? event + 1 : 0, last: delta > 0 ? 1e6 : event, kind: expandable });
      want.push({ action, bytes: size, sign: Math.sign(delta), reservation: reservations.length - 1 });
    } else if (what === 7) {
      const kind = pick(2);
      markers.push({ event, kind, size, free: kind ? 0 : 77 });
      want.push({ action: ['OOM', 'snapshot'][kind], bytes: size, sign: 0, free: kind ? 0 : 77 });
    } else if (what === 8 && want.at(-1)?.action !== 'free asked') {
      want.push({ action: 'other', bytes: 0, sign: 0 });
      const after = { start: want.length, end: null, size, addr: 0 }; // so that no end follows
      live.push(after);
      tensors.push(after);
      want.push({ action: 'alloc', tensor: after, sign: 1 });
    }
  }
  const events = want.length;
  for (const { tensor, event } of waiting) pending.push({ tensor, wait: events - event });
  tensors.sort((a, b) => a.start - b.start);
  const { bytes, report } = encodeDevice({
    events,
    allocations: tensors,
    reserved,
    markers,
    pending: pending
      .filter((p) => p.tensor.end === null || p.wait > 1)
      .map((p) => ({ alloc: tensors.indexOf(p.tensor), wait: p.wait }))
      .sort((a, b) => a.alloc - b.alloc),
  });
  const column = (key) => reservations.map((r) => r[key]);
  const space = fake({
    reservations: {
      ...{ count: reservations.length, first: column('first'), last: column('last'), kind: column('kind') },
    },
    kinds: [{ expandable: false }, { expandable: true }],
  });
  return { want, tensors, reservations, space, data: new DeviceData(bytes, report) };
}

test('every event of a random recording is in the list', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const { want, tensors, reservations, space, data } = randomRecording(seed);
    const list = new EventList(data);
    assert.equal(list.count, want.length);
    list.learn(space);
    want.forEach(({ action, tensor, bytes, sign, reservation = -1, free = 0 }, event) => {
      const { name, ...got } = list.at(event);
      assert.deepEqual(got, {
        event,
        action,
        id: tensor ? tensors.indexOf(tensor) : -1,
        bytes: tensor ? tensor.size : bytes,
        sign,
        reservation,
        kind: reservation < 0 ? null : space.kinds[reservations[reservation].kind],
        free,
        state: sign > 0 ? event + 1 : event,
      });
    });
    const mask = new Uint8Array(tensors.length);
    mask[tensors.length >> 1] = 1;
    const matches = want.flatMap((w, i) => (w.tensor === tensors[tensors.length >> 1] ? [i] : []));
    for (let from = 0; from < want.length; from++) {
      assert.equal(list.nextMatch(mask, from, 1), matches.find((i) => i > from) ?? matches[0]);
      assert.equal(list.nextMatch(mask, from, -1), matches.findLast((i) => i < from) ?? matches.at(-1));
    }
    assert.equal(list.nextMatch(new Uint8Array(tensors.length), 3, 1), -1);
  }
});

test('the alloc of an address in use ends what was there', () => {
  const { bytes, report } = encodeDevice({
    events: 3,
    allocations: [
      { start: 0, end: 2, size: 512, addr: 0 },
      { start: 2, end: null, size: 1024, addr: 0 },
    ],
  });
  const list = new EventList(new DeviceData(bytes, report));
  assert.deepEqual(
    [0, 1, 2].map((e) => [list.at(e).action, list.at(e).id]),
    [
      ['alloc', 0],
      ['other', -1],
      ['alloc', 1],
    ],
  );
});
