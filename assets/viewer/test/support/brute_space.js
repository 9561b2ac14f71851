// Address spaces by definition: what a state is made of, and its picture by areas.
//
// opened: {device, space}, with allocations {start, end, size} as encodeDevice has them.

import assert from 'node:assert/strict';
import { channels } from '../../pile/colour_table.js';
import { LINE_FROM } from '../../pile/raster.js';
import { COLORS, PAPER } from './brute.js';

export const GREYS = { paper: PAPER, stuck: '#c5ccd4', returnable: '#e8ebee', seam: '#949da7' };

/** Bytes of a page of an expandable segment. */
export const pageOf = (kind) => (kind.sizeClass === 'small' ? 2 : 20) * 2 ** 20;

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
function bruteSpaceColumn(opened, k, layout, { height, low, high }, colours) {
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

/** The colours of an address space by definition. */
function bruteColours(of) {
  const stuck = channels(GREYS.stuck);
  const tensor = (i) => channels(COLORS[of[i]]);
  return {
    tensor,
    line: (i) => tensor(i).map((c) => c * 0.86),
    tail: (i) => tensor(i).map((c, n) => c / 3 + (stuck[n] * 2) / 3),
    stuck,
    returnable: channels(GREYS.returnable),
    seam: channels(GREYS.seam),
    paper: channels(PAPER),
  };
}

/**
 * How far the pixels of a picture are off from averages by area, and how many were compared: not those where rounding
 * decides. Only of some columns where these are given.
 */
export function spaceError(opened, of, { pixels, shown }, columns = shown.view.states.keys()) {
  const { view } = shown;
  const { states, height, layout } = view;
  const colours = bruteColours(of);
  let most = 0;
  let compared = 0;
  for (const x of columns) {
    if (states[x] < 0) continue;
    bruteSpaceColumn(opened, states[x], layout, view, colours).forEach(({ rgb, doubt }, y) => {
      const pixel = pixels[(height - 1 - y) * states.length + x];
      assert.equal(pixel >>> 24, 255);
      if (doubt) return;
      compared++;
      rgb.forEach((c, n) => (most = Math.max(most, Math.abs(((pixel >>> (8 * n)) & 255) - c))));
    });
  }
  return { most, compared };
}
