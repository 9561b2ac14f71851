// Random but repeatable address spaces with their timelines.

import { pageOf } from './brute_space.js';
import { open, random } from './random.js';
import { spaceOf } from './space.js';

const MIB = 2 ** 20;

/** @type {import('../../data/space.js').Kind[]} */
export const KINDS = [
  { pool: 0, stream: 0, sizeClass: 'large', expandable: false },
  { pool: 0, stream: 0, sizeClass: 'small', expandable: false },
  { pool: 0, stream: 1, sizeClass: 'large', expandable: true },
  { pool: 1, stream: 0, sizeClass: 'small', expandable: true },
];

/** An allocator that chooses by chance: it reserves, maps, places, frees and returns. */
export function randomSpace(seed, { events = 300, preExisting = 20 } = {}) {
  const next = random(seed);
  const pick = (n) => Math.floor(next() * n);
  const reservations = [];
  const allocations = [];
  const isHeld = (r) => r.last === undefined;
  const isLive = (a) => a.end === null;
  // Ranges of addresses that segments come from, again and again.
  const slots = KINDS.map((_, i) => Array.from({ length: 6 }, (_, n) => (i + 1) * 2 ** 40 + n * 400 * MIB));

  const reserve = (k, first) => {
    const page = pageOf(KINDS[k]);
    const base = slots[k][pick(6)];
    const segment = KINDS[k].sizeClass === 'small' ? 2 * MIB : (1 + pick(60)) * 2 * MIB;
    const size = KINDS[k].expandable ? page * (1 + pick(3)) : segment;
    const addr = KINDS[k].expandable ? base + page * pick(8) : base + pick(2) * 10 * MIB;
    if (reservations.some((r) => isHeld(r) && addr < r.addr + r.size && r.addr < addr + size)) return;
    reservations.push({ addr, size, first, kind: k });
  };
  const giveBack = (last) => {
    const r = reservations.filter(isHeld)[pick(reservations.filter(isHeld).length)];
    const overlaps = (a) => a.addr < r.addr + r.size && r.addr < a.addr + a.block;
    if (r && !allocations.some((a) => isLive(a) && overlaps(a))) r.last = last;
  };
  const allocate = (start) => {
    const all = reservations.filter(isHeld).sort((a, b) => a.addr - b.addr);
    const at = pick(all.length);
    if (all.length === 0) return;
    // Unbroken pages are one segment, in which a block may reach over several runs.
    let { addr: from } = all[at];
    let to = from + all[at].size;
    for (const r of all.slice(at + 1))
      if (KINDS[r.kind].expandable && r.kind === all[at].kind && r.addr === to) to += r.size;
    const inside = allocations.filter((a) => isLive(a) && a.addr >= from && a.addr < to);
    inside.sort((a, b) => a.addr - b.addr);
    from += pick(3) * 512;
    for (const a of inside) if (a.addr - from < 2048 && a.addr + a.block > from) from = a.addr + a.block;
    const until = Math.min(to, ...inside.filter((a) => a.addr >= from).map((a) => a.addr));
    if (allocations.some((a) => isLive(a) && a.addr < from && a.addr + a.block > from)) return;
    const room = (until - from) / 512;
    if (room < 1) return;
    const block = Math.max(1, Math.floor(room * (next() < 0.3 ? 1 : next() ** 3))) * 512;
    const size = Math.max(1, block - pick(next() < 0.2 ? block : 512));
    allocations.push({ start, end: null, size, addr: from, block });
  };

  for (let i = 0; i < 8; i++) reserve(pick(4), 0);
  for (let i = 0; i < preExisting; i++) allocate(-1);
  for (let e = 0; e < events; e++) {
    const kind = next();
    if (kind < 0.1) reserve(pick(4), e + 1);
    else if (kind < 0.16) giveBack(e);
    else if (kind < 0.6) allocate(e);
    else {
      const live = allocations.filter(isLive);
      if (live.length > 0) live[pick(live.length)].end = e;
    }
  }
  const device = { events, allocations, reservations };
  const { data, timeline } = open({ ...device });
  return { device, data, timeline, space: spaceOf({ ...device, kinds: KINDS }) };
}
