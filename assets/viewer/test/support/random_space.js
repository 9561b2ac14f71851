// Random but repeatable address spaces with their timelines, and the picture of a state by definition.

import { LINE_FROM } from '../../draw/raster.js';
import { channels } from '../../draw/colour_table.js';
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

const pageOf = (kind) => (kind.sizeClass === 'small' ? 2 : 20) * MIB;

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

/** What a state is made of: reservations, whole pages or segments that nothing lies in, and blocks; in places. */
export function piecesAt({ device, space }, k) {
  const { reservations: held, unit, laneStart } = space;
  const live = device.allocations.flatMap((a, i) => (a.start < k && (a.end === null || k <= a.end) ? [i] : []));
  const blocks = live
    .filter((i) => space.reservation[i] < held.count)
    .map((i) => ({ i, r: space.reservation[i], from: space.place[i], to: space.place[i] + space.block[i] }));
  const isFree = (from, to) => !blocks.some((b) => b.from < to && from < b.to);
  const reserved = [];
  const free = [];
  for (let r = 0; r < held.count; r++) {
    if (held.first[r] > k || k > held.last[r]) continue;
    const from = held.start[r];
    const to = from + held.size[r];
    const kind = space.kinds[held.kind[r]];
    reserved.push({ r, from, to, seam: !kind.expandable });
    const page = kind.expandable ? pageOf(kind) / unit : to - from;
    const start = kind.expandable ? laneStart[held.lane[r]] : from;
    for (let p = from; p < to; p += page) {
      if ((p - start) % page !== 0) throw new Error('a run of pages that does not start at one');
      if (isFree(p, p + page)) free.push({ r, from: p, to: p + page });
    }
  }
  return { reserved, free, blocks };
}

/** The rows of one column, from the bottom, by area; each with the colours it may have where rounding decides. */
export function bruteSpaceColumn(opened, k, layout, { height, low, high }, colours) {
  const { tensor, line, tail, stuck, returnable, seam, paper } = colours;
  const empty = () => ({ reserved: 0, free: 0, covered: 0, rgb: [0, 0, 0], seam: false, doubt: false });
  const rows = Array.from({ length: height }, empty);
  const row = (r, place) => ((layout.at(r, place) - low) / (high - low)) * height;
  const spread = (from, to, each) => {
    for (let y = Math.max(0, Math.floor(from)); y < Math.min(height, Math.ceil(to)); y++) {
      const part = Math.min(to, y + 1) - Math.max(from, y);
      if (part > 0) each(rows[y], part);
    }
  };
  const doubtful = (y) => {
    for (const n of [-2, -1, 0, 1]) if (rows[Math.floor(y) + n]) rows[Math.floor(y) + n].doubt = true;
  };
  const { reserved, free, blocks } = piecesAt(opened, k);
  for (const { r, from, to, seam: hasSeam } of reserved) {
    const [a, b] = [row(r, from), row(r, to)];
    spread(a, b, (y, part) => (y.reserved += part));
    if (!hasSeam) continue;
    if (Math.abs(b - a - 5) < 1e-3 || Math.abs(b - Math.round(b)) < 1e-3) doubtful(b);
    if (b - a >= 5 && rows[Math.floor(b) - 1]) rows[Math.floor(b) - 1].seam = true;
  }
  for (const { r, from, to } of free) spread(row(r, from), row(r, to), (y, part) => (y.free += part));
  for (const { i, r, from, to } of blocks) {
    const [a, b] = [row(r, from), row(r, to)];
    let end = row(r, from + opened.device.allocations[i].size / opened.space.unit);
    if (b - a < 2 || b - end < 1) end = b;
    if (Math.abs(b - a - 2) < 1e-3 || Math.abs(b - end - 1) < 1e-3) doubtful(b);
    const paint = (from, to, rgb) =>
      spread(from, to, (y, part) => {
        y.covered += part;
        rgb.forEach((c, n) => (y.rgb[n] += c * part));
      });
    if (end - a >= LINE_FROM) {
      const top = Math.floor(end);
      paint(a, top - 1, tensor(i));
      paint(top - 1, top, line(i));
      paint(top, end, tensor(i));
    } else paint(a, end, tensor(i));
    paint(end, b, tail(i));
    if (Math.abs(end - Math.round(end)) < 1e-3 || Math.abs(end - a - LINE_FROM) < 1e-3) doubtful(end + 0.5);
  }
  return rows.map(({ reserved, free, covered, rgb, seam: hasSeam, doubt }) => {
    const kept = Math.max(0, reserved - free - covered);
    const bare = Math.max(0, 1 - reserved);
    const [f, k] = hasSeam ? [seam, seam] : [stuck, returnable];
    return { rgb: rgb.map((c, n) => c + f[n] * kept + k[n] * free + paper[n] * bare), doubt };
  });
}

export const rgbOf = channels;
