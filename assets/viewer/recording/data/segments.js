// The segments that the allocator holds in a state, with the blocks and the holes in them. A hole is stuck when a live
// block shares its segment, and returnable when empty_cache() would give it back: a whole segment, or whole pages of an
// expandable one. pkg/analysis/layout has the same rules.

import { bytes, counted } from '../../kit/format.js';
import { bisect } from '../../kit/math.js';
import { OUTSIDE } from '../../data/space.js';

/**
 * @typedef {import('../../data/space.js').Space} Space @typedef {import('../../data/space.js').Kind} Kind
 *
 * @typedef {{id: number, offset: number, bytes: number}} Block
 * @typedef {{offset: number, bytes: number, returnable: number}} Hole bytes of it that empty_cache() would return
 *   Offsets are bytes from the start of the segment.
 *
 * @typedef {object} Segment a reservation by cudaMalloc, or an unbroken run of mapped pages of one kind
 * @property {number} reservation the lowest of those it is made of: an index into space.reservations
 * @property {number} place units, as everywhere in Space
 * @property {number} kind index into space.kinds
 * @property {number} bytes
 * @property {Block[]} blocks by offset; with the holes they tile the segment
 * @property {Hole[]} holes by offset
 * @property {number} active bytes of its blocks, pending ones included
 * @property {number} requested bytes asked for, of active
 * @property {number} stuck bytes of holes that empty_cache() cannot return
 * @property {number} returnable the other bytes of holes
 * @property {number} largest bytes of its largest hole
 *
 * @typedef {object} Segments
 * @property {number} state
 * @property {Segment[]} segments by address
 * @property {number} reserved sums over the segments, in bytes: active + stuck + returnable
 * @property {number} active
 * @property {number} requested
 * @property {number} stuck
 * @property {number} returnable
 * @property {number} holes how many there are
 * @property {number} largest bytes of the largest of them
 */

/** The largest request of the small size class. */
const SMALL = 2 ** 20;

/** Bytes of a page of an expandable segment. @param {Kind} kind */
export function pageSize({ sizeClass, page }) {
  return page ?? (sizeClass === 'small' ? 2 : 20) * 2 ** 20;
}

/**
 * @param {Space} space
 * @param {Pick<import('../../data/open.js').OpenDevice, 'data' | 'timeline'>} device
 * @param {number} state
 * @returns {Segments}
 */
export function segmentsAt(space, { data, timeline }, state) {
  const { unit } = space;
  const segments = emptySegments(space, state);
  const live = byPlace(space, timeline.live(state));
  const sum = { state, segments, reserved: 0, active: 0, requested: 0, stuck: 0, returnable: 0, holes: 0, largest: 0 };
  let next = 0;
  for (const segment of segments) {
    const { blocks, place } = segment;
    const after = place + segment.bytes / unit;
    while (next < live.length && space.place[live[next]] < place) next++;
    for (; next < live.length && space.place[live[next]] < after; next++) {
      const id = live[next];
      const at = space.place[id];
      // A block that reaches into the next one, which no real recording has, is cut there.
      const room = (next + 1 < live.length ? Math.min(after, space.place[live[next + 1]]) : after) - at;
      const size = Math.min(space.blockSize(id), room) * unit;
      if (size <= 0) continue;
      blocks.push({ id, offset: (at - place) * unit, bytes: size });
      segment.active += size;
      segment.requested += data.size[id];
    }
    findHoles(segment, space.kinds[segment.kind]);
    sum.reserved += segment.bytes;
    sum.active += segment.active;
    sum.requested += segment.requested;
    sum.stuck += segment.stuck;
    sum.returnable += segment.returnable;
    sum.holes += segment.holes.length;
    sum.largest = Math.max(sum.largest, segment.largest);
  }
  return sum;
}

/** The segments of a state, by address, with nothing in them yet. @param {Space} space @param {number} state */
function emptySegments({ unit, reservations, kinds }, state) {
  const { count, start, size, first, last, kind, lane } = reservations;
  const order = [];
  for (let i = 0; i < count; i++) if (first[i] <= state && state <= last[i]) order.push(i);
  order.sort((a, b) => start[a] - start[b]);
  /** @type {Segment[]} */
  const segments = [];
  let end = -1;
  for (const i of order) {
    const below = segments.at(-1);
    const touches = start[i] === end && below && lane[i] === lane[below.reservation];
    end = start[i] + size[i];
    if (touches && kind[i] === below.kind && kinds[below.kind].expandable) below.bytes += size[i] * unit;
    else
      segments.push({
        ...{ reservation: i, place: start[i], kind: kind[i], bytes: size[i] * unit, blocks: [], holes: [] },
        ...{ active: 0, requested: 0, stuck: 0, returnable: 0, largest: 0 },
      });
  }
  return segments;
}

/** Live allocations that lie in a reservation, by place. @param {Space} space @param {Int32Array} live */
function byPlace({ place, total }, live) {
  const ids = live.filter((id) => place[id] !== OUTSIDE);
  const n = ids.length;
  if (total * n > Number.MAX_SAFE_INTEGER) return ids.sort((a, b) => place[a] - place[b]);
  // Numbers sort much faster without a comparison, and place and index fit into one.
  const keys = Float64Array.from(ids, (id, i) => place[id] * n + i).sort();
  return Int32Array.from(keys, (key) => ids[key % n]);
}

/** Puts the holes of a segment between its blocks. @param {Segment} segment @param {Kind} kind */
function findHoles(segment, kind) {
  const { blocks, holes, bytes: size } = segment;
  const page = pageSize(kind);
  let at = 0;
  for (let i = 0; i <= blocks.length; i++) {
    const to = i < blocks.length ? blocks[i].offset : size;
    if (to > at) {
      const whole = at === 0 && to === size ? size : 0;
      const returnable = kind.expandable
        ? Math.max(0, Math.floor(to / page) - Math.ceil(at / page)) * page
        : whole;
      holes.push({ offset: at, bytes: to - at, returnable });
      segment.returnable += returnable;
      segment.largest = Math.max(segment.largest, to - at);
    }
    if (i < blocks.length) at = to + blocks[i].bytes;
  }
  segment.stuck = size - segment.active - segment.returnable;
}

/**
 * The segment of a place.
 * @param {Segments} all @param {number} place units @param {number} unit
 * @returns {Segment | null} null: not reserved
 */
export function segmentAt({ segments }, place, unit) {
  const segment = segments[bisect(0, segments.length, (i) => segments[i].place <= place) - 1];
  return segment && place < segment.place + segment.bytes / unit ? segment : null;
}

/**
 * A kind in a few letters: its size class, + when expandable, its stream and its private pool. Host memory has no size
 * classes.
 * @param {Kind} kind
 */
export function kindName({ isHost, sizeClass, expandable, stream, pool }) {
  const name = (isHost ? 'pinned' : sizeClass) + (expandable ? '+' : '');
  return name + (stream ? ` s${stream}` : '') + (pool ? ` p${pool}` : '');
}

/** When empty_cache() returns a segment's free memory; '' for always. @param {Kind} kind */
export function returnedWhen({ pool }) {
  return pool ? ' once no CUDA graph or MemPool uses its pool' : '';
}

/** Segments are nearly idle if live blocks hold at most this share. */
const NEARLY_IDLE = 0.1;

/**
 * What few tensors keep from being returned: sums over the segments that are nearly idle.
 * @param {Segments} all
 * @returns {{tensors: number, active: number, stuck: number}}
 */
export function nearlyIdle({ segments }) {
  const sum = { tensors: 0, active: 0, stuck: 0 };
  for (const { blocks, active, stuck, bytes: size } of segments) {
    if (stuck === 0 || active > size * NEARLY_IDLE) continue;
    sum.tensors += blocks.length;
    sum.active += active;
    sum.stuck += stuck;
  }
  return sum;
}

/** The least share of reserved memory that is worth a sentence. */
const WORTH_SAYING = 0.01;

/** The same as a sentence, which `memviz segments` prints too; "" for little. @param {Segments} all */
export function keepWords(all) {
  const { tensors, active, stuck } = nearlyIdle(all);
  if (stuck === 0 || stuck < all.reserved * WORTH_SAYING) return '';
  const [keep, without] = tensors === 1 ? ['keeps', 'it'] : ['keep', 'them'];
  return (
    `${counted(tensors, 'tensor')} with ${bytes(active)} ${keep} ${bytes(stuck)}: ` +
    `without ${without} ${bytes(active + stuck)} could be returned`
  );
}

/**
 * The segment of a state that is a reservation or contains it as a run of pages.
 * @param {Segment[]} segments @param {Space} space @param {number} r index into space.reservations
 */
export function pinnedSegment(segments, { kinds, reservations: { kind, start } , unit }, r) {
  if (!kinds[kind[r]]?.expandable) return segments.find((s) => s.reservation === r);
  return segments.find((s) => s.kind === kind[r] && s.place <= start[r] && start[r] < s.place + s.bytes / unit);
}

/**
 * The segments that might have served a request: with its pool, stream and size class.
 * @param {Segments} all @param {Kind[]} kinds @param {{pool: number, stream: number, bytes: number}} request
 */
export function servingSegments({ segments }, kinds, request) {
  const sizeClass = request.bytes > SMALL ? 'large' : 'small';
  return segments.filter(({ kind }) => {
    const k = kinds[kind];
    return k.pool === request.pool && k.stream === request.stream && k.sizeClass === sizeClass;
  });
}

/** Their holes in bytes, the largest first. @param {Segment[]} segments */
export function holesOf(segments) {
  return segments.flatMap((s) => s.holes.map((hole) => hole.bytes)).sort((a, b) => b - a);
}

/**
 * The last tensor that lay on any byte of a tensor's block before it, and the next one after it.
 * @param {Space} space @param {import('../../data/device.js').DeviceData} data @param {number} id
 * @returns {[before: number, after: number]} -1: none
 */
export function blocksBeside({ place, block }, { count, first, last }, id) {
  const from = place[id];
  const to = from + block[id];
  let before = -1;
  let after = -1;
  for (let i = 0; i < count; i++) {
    if (place[i] >= to || place[i] + block[i] <= from || i === id) continue;
    if (last[i] < first[id] && (before < 0 || last[i] > last[before])) before = i;
    else if (first[i] > last[id] && (after < 0 || first[i] < first[after])) after = i;
  }
  return [before, after];
}
