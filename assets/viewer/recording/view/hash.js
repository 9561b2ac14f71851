// The hash of the address holds what is shown: only what differs from the start. Keys
// that are not in this list are kept as they are.
//
//   d      device, or file.device: the ordinal
//   m      the change of the training that it is predicted with
//   x      e:FROM-TO in states, t:FROM-TO in microseconds
//   v      map: the address space is shown
//   pack   1 or 0: whether it is packed, where that is not as the recording suggests
//   w      1: it is the predicted one
//   y      fit, or FROM-TO in bytes; of the address space FROM-TO in parts of its height
//   at     panel moment: end, range, or a state
//   sp     the cursor stands on a spike: a state before it
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
//   f      filters parted by spaces, such as size>=16MiB live
//   theme  light or dark, forced (read only)

import { rangeOf } from '../../data/range.js';
import { showAxis } from '../state/navigate.js';
import { listen, on } from '../../kit/topic.js';

/** How long a view stays before it becomes an entry of the browser's history. */
const SETTLED_MS = 400;

/** @type {import('../../data/sites.js').By[]} */
const BYS = ['site', 'file', 'function', 'family'];
/** @type {import('../../data/breakdown.js').Sort[]} */
const SORTS = ['name', 'bytes', 'tensors', 'allocated'];

/** @typedef {import('../state/stores.js').Stores} Stores @typedef {ReturnType<typeof mountHash>} Hash */

/** @param {Stores} stores */
export function mountHash(stores) {
  const { shown, appearance, highlight, viewport, spaceView, selection, moment, tableOrder, openList } = stores;
  let timer = 0;
  let reading = false;
  let pushed = location.hash;

  /** The device named in the address. @returns {{file: number, device: number, measure: string}} */
  const device = () => {
    const { files, start } = shown.report;
    const [a, b] = (read('d') ?? '').split('.');
    const file = b === undefined ? start.file : Number(a);
    const ordinal = Number(b ?? a);
    const at = a ? (files[file]?.devices.findIndex((d) => d.device === ordinal) ?? -1) : -1;
    const measure = read('m') ?? '';
    return at < 0 ? { ...start, measure } : { file, device: at, measure };
  };

  /** Shows what the address says of the open device. */
  const apply = () => {
    const { timeline, hasHistory } = shown.device;
    reading = true;
    appearance.setColourMode(read('c') ?? appearance.defaultColourMode);
    appearance.setPatterns(read('h') === '1');
    highlight.search(read('q') ?? '', (read('f') ?? '').split(' '));
    const iso = read('iso') ?? '';
    const names = iso.split(',');
    const isolated = new Set(appearance.grouping.groups.flatMap((g, i) => (names.includes(g.name) ? [i] : [])));
    const subset = subsetOf(iso);
    if (subset || isolated.size > 0 || highlight.isIsolated) highlight.isolate(subset ? new Set() : isolated, subset);
    const isSpace = read('v') === 'map' && spaceView.lacks === '';
    const pack = read('pack');
    spaceView.pack(pack === null ? null : pack === '1');
    spaceView.show(isSpace, read('w') === '1' && shown.device.data.hasPredictedMap);
    tableOrder.set(orderOf(read('tab'), read('sort')));
    openList.open(listOf(read('tab')));
    viewport.foldLanes(read('lanes') === '0');
    const r = pairOf(read('r'));
    const range = r && hasHistory ? rangeOf(...r, timeline.lastState) : null;
    if (range || selection.range) selection.selectRange(range, read('al') === '1');

    const [, axis, span] = /^([et]):(.*)$/.exec(read('x') ?? '') ?? [];
    const x = pairOf(span);
    showAxis(stores, x && axis === 't' ? 'time' : 'events');
    const y = read('y');
    const bytes = pairOf(y);
    const [first, last] = x ?? [0, viewport.axis.end];
    viewport.show(first, last, y === 'fit' ? 'fit' : 'auto');
    if (bytes && !isSpace) viewport.setHeight(...bytes);
    const part = /^(\d(?:\.\d+)?)-(\d(?:\.\d+)?)$/.exec(y ?? '');
    if (isSpace) viewport.setSpaceHeight(part ? Number(part[1]) : 0, part ? Number(part[2]) : 1);

    const at = read('at');
    const state = Number(at);
    const before = Number(read('sp') ?? -1);
    const spike = Number.isInteger(before) && before >= 0 && before < state ? before : null;
    if (at === 'end') moment.set('end');
    else if (at === 'range' && range) moment.set('range');
    else if (at !== null && Number.isInteger(state) && state >= 0 && state <= timeline.lastState)
      moment.set('cursor', state, spike);
    else moment.set(hasHistory ? 'peak' : 'end');
    const a = Number(read('a') ?? -1);
    moment.markA(hasHistory && Number.isInteger(a) && a >= 0 && a <= timeline.lastState ? a : null);
    const sel = read('sel');
    selection.pin(sel !== null && /^\d+$/.test(sel) ? Number(sel) : null);
    const seg = read('seg');
    if (sel === null && seg !== null && /^\d{1,9}$/.test(seg)) selection.pinSegment(Number(seg));
    reading = false;
  };

  const write = () => {
    if (reading) return;
    const text = textOf(stores);
    if (text === location.hash.slice(1)) return;
    replace(text);
    clearTimeout(timer);
    timer = setTimeout(() => {
      // The entry so far keeps the previous view; what is shown now becomes a new one.
      const { hash } = location;
      if (hash === pushed) return;
      replace(pushed.slice(1));
      history.pushState(null, '', addressWith(hash || '#'));
      pushed = location.hash;
    }, SETTLED_MS);
  };

  listen(window, {
    async hashchange() {
      const { file, device: at, measure } = device();
      pushed = location.hash;
      const isShown = shown.isOpen && file === shown.device.fileIndex && at === shown.device.deviceIndex;
      if (!isShown || (shown.device.measure?.line.key ?? '') !== measure) await shown.open(file, at, measure);
      apply();
      viewport.settle();
    },
  });
  on(
    [
      ...[viewport.settled, spaceView.changed, moment.changed, selection.pinChanged, appearance.changed],
      ...[highlight.changed, tableOrder.changed, openList.changed],
    ],
    write,
  );
  return { device, apply };
}

/** @param {string} key */
function read(key) {
  return new URLSearchParams(location.hash.slice(1)).get(key);
}

/** @param {Stores} stores @returns {string} the hash of what is shown, without the sign */
function textOf({ shown, appearance, highlight, viewport, spaceView, selection, moment, tableOrder, openList }) {
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
  /** @type {Record<string, string | false>} */
  const values = {
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
  const params = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(values)) params.delete(key);
  for (const [key, value] of Object.entries(values)) if (value) params.set(key, value);
  return params.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
}

/**
 * @param {string | null | undefined} text "FROM-TO"
 * @returns {[number, number] | null} null also for numbers that are not exact
 */
function pairOf(text) {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '') ?? [];
  return from ? [Number(from), Number(to)] : null;
}

/** @param {string} iso @returns {import('../../data/breakdown.js').Subset | null} */
function subsetOf(iso) {
  const [, by, key] = /^(site|file|function|family|stack):([^]*)$/.exec(iso) ?? [];
  return by ? { by: /** @type {import('../../data/breakdown.js').Subset['by']} */ (by), key } : null;
}

/** @param {string | null} tab @returns {string | null} the list that it is in; null: the first one */
function listOf(tab) {
  return BYS.some((by) => by === tab) ? 'table' : tab;
}

/** @param {string | null} tab @param {string | null} sort @returns {import('../../data/breakdown.js').Order} */
function orderOf(tab, sort) {
  const by = BYS.find((b) => b === tab) ?? 'site';
  const [letter, up] = (sort ?? '').split('.');
  return { by, sort: SORTS.find((s) => s[0] === letter) ?? 'bytes', rising: up === 'up' };
}

/** @param {string} hash without the sign */
function replace(hash) {
  history.replaceState(null, '', addressWith(hash && '#' + hash));
}

/** The whole address, because a relative one is relative to another page in an iframe's srcdoc. @param {string} hash */
function addressWith(hash) {
  return location.href.replace(/#.*/s, '') + hash;
}
