// What the hash of the address holds:
//
//   d      device, or file.device: the ordinal
//   m      the change of the training that it is predicted with
//   x      e:FROM-TO in states, t:FROM-TO in microseconds
//   v      map: the address space is shown
//   pack   1 or 0: whether it is packed, where that is not as the recording suggests
//   w      1: it is the predicted one
//   y      fit, or FROM-TO in bytes; of the address space FROM-TO in parts of its height
//   at     panel moment: end, range, or a state
//   sp     the cursor is on a spike: a state before it
//   a      moment A: a state
//   r      FROM-TO: range brushed, in states
//   al     1: only what the range keeps is drawn
//   sel    pinned allocation
//   seg    pinned segment: index of a reservation
//   c      colour: family, site, file, stack, size, life, stream or pool
//   h      1: patterns beside the colours
//   iso    groups isolated, or BY:KEY of a row of the table, or stack:KEY of a cell of the icicle
//   lanes  0: the lanes are folded
//   tab    the list of the panel: segments, events or allocator; or what the table's rows are: file, function or family
//   sort   of the table: n name, b bytes, t tensors, a allocated; with .up rising
//   q      text of the search box
//   f      filters separated by spaces, such as size>=16MiB live

import { rangeOf } from '../../data/range.js';
import { showAxis } from '../state/navigate.js';
import { asked, mountHash } from '../../kit/hash.js';

/** @type {import('../../data/sites.js').By[]} */
const BYS = ['site', 'file', 'function', 'family'];
/** @type {import('../data/breakdown.js').Sort[]} */
const SORTS = ['name', 'bytes', 'tensors', 'allocated'];

/**
 * @typedef {import('../state/stores.js').Stores} Stores
 * @typedef {ReturnType<typeof mountRecordingHash>} Hash
 */

/** @param {Stores} stores */
export function mountRecordingHash(stores) {
  const { shown, appearance, highlight, viewport, spaceView, selection, moment, tableOrder, openList } = stores;

  /** The device named in the address. @returns {{file: number, device: number, measure: string}} */
  const device = () => {
    const { files, start } = shown.report;
    const [a, b] = (asked('d') ?? '').split('.');
    const file = b === undefined ? start.file : Number(a);
    const ordinal = Number(b ?? a);
    const at = a ? (files[file]?.devices.findIndex((d) => d.device === ordinal) ?? -1) : -1;
    const measure = asked('m') ?? '';
    return at < 0 ? { ...start, measure } : { file, device: at, measure };
  };

  /** Shows what the address asks for of the open device. */
  const show = () => {
    const { timeline, hasHistory } = shown.device;
    appearance.setColourMode(asked('c') ?? appearance.defaultColourMode);
    appearance.setPatterns(asked('h') === '1');
    highlight.search(asked('q') ?? '', (asked('f') ?? '').split(' '));
    const iso = asked('iso') ?? '';
    const names = iso.split(',');
    const isolated = new Set(appearance.grouping.groups.flatMap((g, i) => (names.includes(g.name) ? [i] : [])));
    const subset = subsetOf(iso);
    if (subset || isolated.size > 0 || highlight.isIsolated) highlight.isolate(subset ? new Set() : isolated, subset);
    const isSpace = asked('v') === 'map' && spaceView.lacks === '';
    const pack = asked('pack');
    spaceView.pack(pack === null ? null : pack === '1');
    spaceView.show(isSpace, asked('w') === '1' && shown.device.data.hasPredictedMap);
    tableOrder.set(orderOf(asked('tab'), asked('sort')));
    openList.open(listOf(asked('tab')));
    viewport.foldLanes(asked('lanes') === '0');
    const r = pairOf(asked('r'));
    const range = r && hasHistory ? rangeOf(...r, timeline.lastState) : null;
    if (range || selection.range) selection.selectRange(range, asked('al') === '1');

    const [, axis, span] = /^([et]):(.*)$/.exec(asked('x') ?? '') ?? [];
    const x = pairOf(span);
    showAxis(stores, x && axis === 't' ? 'time' : 'events');
    const y = asked('y');
    const bytes = pairOf(y);
    const [first, last] = x ?? [0, viewport.axis.end];
    viewport.show(first, last, y === 'fit' ? 'fit' : 'auto');
    if (bytes && !isSpace) viewport.setHeight(...bytes);
    const part = /^(\d(?:\.\d+)?)-(\d(?:\.\d+)?)$/.exec(y ?? '');
    if (isSpace) viewport.setSpaceHeight(part ? Number(part[1]) : 0, part ? Number(part[2]) : 1);

    const at = asked('at');
    const state = Number(at);
    const before = Number(asked('sp') ?? -1);
    const spike = Number.isInteger(before) && before >= 0 && before < state ? before : null;
    if (at === 'end') moment.set('end');
    else if (at === 'range' && range) moment.set('range');
    else if (at !== null && Number.isInteger(state) && state >= 0 && state <= timeline.lastState)
      moment.set('cursor', state, spike);
    else moment.set(hasHistory ? 'peak' : 'end');
    const a = Number(asked('a') ?? -1);
    moment.markA(hasHistory && Number.isInteger(a) && a >= 0 && a <= timeline.lastState ? a : null);
    const sel = asked('sel');
    selection.pin(sel !== null && /^\d+$/.test(sel) ? Number(sel) : null);
    const seg = asked('seg');
    if (sel === null && seg !== null && /^\d{1,9}$/.test(seg)) selection.pinSegment(Number(seg));
  };

  const open = async () => {
    const { file, device: at, measure } = device();
    const isShown = shown.isOpen && file === shown.device.fileIndex && at === shown.device.deviceIndex;
    if (!isShown || (shown.device.measure?.line.key ?? '') !== measure) await shown.open(file, at, measure);
  };

  const topics = [
    ...[viewport.settled, spaceView.changed, moment.changed, selection.pinChanged, appearance.changed],
    ...[highlight.changed, tableOrder.changed, openList.changed],
  ];
  const page = { values: () => valuesOf(stores), show, open, shown: () => viewport.settle() };
  return { device, ...mountHash(topics, page) };
}

/** @param {Stores} stores @returns {import('../../kit/hash.js').Values} */
function valuesOf({ shown, appearance, highlight, viewport, spaceView, selection, moment, tableOrder, openList }) {
  const { device } = shown;
  const { start, files } = shown.report;
  const { axis, mode, isWhole, isWholeSpace, low, high } = viewport;
  const { isWanted, isPredicted, chosenPacking } = spaceView;
  const { by, sort, rising } = tableOrder.order;
  const { range, pinned, segment } = selection;
  const { subset, found } = highlight;
  const at = moment.kind;
  const ordinal = device.report.device;
  const started = device.fileIndex === start.file && device.deviceIndex === start.device;
  const whole = (/** @type {number[]} */ ...pair) => pair.map(Math.round).join('-');
  return {
    d: !started && (files.length > 1 ? `${device.fileIndex}.${ordinal}` : String(ordinal)),
    m: device.measure !== null && device.measure.line.key,
    x:
      (!isWhole || axis.kind === 'time') &&
      `${axis.kind[0]}:${whole(viewport.from, isWhole ? Math.ceil(viewport.to) : viewport.to)}`,
    v: isWanted && 'map',
    y: viewport.isSpace
      ? !isWholeSpace && `${low}-${high}`
      : mode === 'fit'
        ? mode
        : mode === 'free' && whole(low, high),
    pack: isWanted && chosenPacking !== null && String(Number(chosenPacking)),
    w: isWanted && isPredicted && '1',
    at: device.hasHistory && (at === 'cursor' ? String(moment.cursor) : at !== 'peak' && at),
    sp: moment.spike !== null && String(moment.spike),
    a: moment.a !== null && String(moment.a),
    sel: pinned !== null && String(pinned),
    seg: segment !== null && String(segment),
    c: appearance.colourMode !== appearance.defaultColourMode && appearance.colourMode,
    h: appearance.hasPatterns && '1',
    r: range !== null && whole(range.from, range.to),
    al: selection.keptOnly && '1',
    lanes: viewport.lanesFolded && '0',
    tab: openList.name !== 'table' ? !openList.isFirst && openList.name : (by !== 'site' || !openList.isFirst) && by,
    sort: (sort !== 'bytes' || rising) && sort[0] + (rising ? '.up' : ''),
    iso: subset
      ? `${subset.by}:${subset.key}`
      : [...highlight.groups].map((i) => appearance.grouping.groups[i].name).join(),
    q: found.query,
    f: found.filters.join(' '),
  };
}

/**
 * @param {string | null | undefined} text "FROM-TO"
 * @returns {[number, number] | null} null also for numbers that are not exact
 */
function pairOf(text) {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '') ?? [];
  return from ? [Number(from), Number(to)] : null;
}

/** @param {string} iso @returns {import('../data/breakdown.js').Subset | null} */
function subsetOf(iso) {
  const [, by, key] = /^(site|file|function|family|stack):([^]*)$/.exec(iso) ?? [];
  return by ? { by: /** @type {import('../data/breakdown.js').Subset['by']} */ (by), key } : null;
}

/** @param {string | null} tab @returns {string | null} the list that it is in; null: the first one */
function listOf(tab) {
  return BYS.some((by) => by === tab) ? 'table' : tab;
}

/** @param {string | null} tab @param {string | null} sort @returns {import('../data/breakdown.js').Order} */
function orderOf(tab, sort) {
  const by = BYS.find((b) => b === tab) ?? 'site';
  const [letter, up] = (sort ?? '').split('.');
  return { by, sort: SORTS.find((s) => s[0] === letter) ?? 'bytes', rising: up === 'up' };
}
