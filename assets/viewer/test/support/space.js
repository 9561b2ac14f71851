// Address spaces by definition: every place worked out from addresses.

import { OUTSIDE, Space } from '../../data/space.js';

const UNIT = 512;

/**
 * The space of a device in plain arrays.
 * allocations: {start, end, size, addr, block}, as encodeDevice has them; block, in bytes, is size rounded up unless
 * it is given. reservations: {addr, size, first, last, kind}, of bytes and states, in any order; none that are
 * reserved in the same state overlap. kinds: as in Space; one of cudaMalloc'd memory by default.
 */
export function spaceOf({ events, allocations, reservations, kinds = [DEFAULT], addresses = true }) {
  const held = reservations
    .map((r) => ({ kind: 0, first: 0, last: events, ...r }))
    .sort((a, b) => a.first - b.first || a.addr - b.addr);
  const lanes = lanesOf(held, kinds);
  const laneStart = new Float64Array(lanes.length + 1);
  lanes.forEach(({ from, to }, i) => {
    laneStart[i + 1] = laneStart[i] + (to - from) / UNIT;
  });
  const laneOf = (addr) => lanes.findIndex(({ from, to }) => from <= addr && addr < to);
  const placeOf = (addr) => {
    const lane = laneOf(addr);
    return lane < 0 ? OUTSIDE : laneStart[lane] + (addr - lanes[lane].from) / UNIT;
  };
  const reservation = allocations.map(({ addr, start }) =>
    held.findIndex((r) => r.addr <= addr && addr < r.addr + r.size && r.first <= start + 1 && start + 1 <= r.last),
  );
  const column = (values) => Uint32Array.from(values);
  return new Space({
    unit: UNIT,
    laneStart,
    laneAddresses: addresses ? lanes.map(({ from }) => BigInt(from)) : null,
    kinds,
    reservations: {
      count: held.length,
      start: column(held.map((r) => placeOf(r.addr))),
      size: column(held.map((r) => r.size / UNIT)),
      first: column(held.map((r) => r.first)),
      last: column(held.map((r) => r.last)),
      kind: column(held.map((r) => r.kind)),
      lane: column(held.map((r) => laneOf(r.addr))),
    },
    place: column(allocations.map(({ addr }, i) => (reservation[i] < 0 ? OUTSIDE : placeOf(addr)))),
    reservation: column(reservation.map((r) => (r < 0 ? OUTSIDE : r))),
    block: column(allocations.map(({ size, block }) => (block ?? rounded(size)) / UNIT)),
  });
}

/** @type {import('../../data/space.js').Kind} */
const DEFAULT = { pool: 0, stream: 0, sizeClass: 'large', expandable: false };

const rounded = (size) => Math.max(UNIT, Math.ceil(size / UNIT) * UNIT);

/** Ranges of addresses in order, with those joined that share a byte, or touch and are pages of one kind. */
function lanesOf(reservations, kinds) {
  const lanes = [];
  for (const r of [...reservations].sort((a, b) => a.addr - b.addr || a.size - b.size)) {
    const last = lanes.at(-1);
    const joins =
      last && (r.addr < last.to || (r.addr === last.to && kinds[r.kind].expandable && last.kind === r.kind));
    if (!joins) lanes.push({ from: r.addr, to: r.addr + r.size, kind: r.kind });
    else if (r.addr + r.size > last.to) Object.assign(last, { to: r.addr + r.size, kind: r.kind });
  }
  return lanes;
}
