// The address' hash holds the view: only what differs from the start, and
// keys of others are kept.
//
//   d      device, or file.device: the ordinal
//   x      e:FROM-TO in states, t:FROM-TO in microseconds
//   y      fit, or FROM-TO in bytes
//   at     panel moment: end, range, or a state
//   r      FROM-TO: range brushed, in states
//   al     1: what the range keeps is shown alone
//   sel    pinned allocation
//   c      colour: family, site, file, stack, size, life, stream or pool
//   h      1: patterns beside the colours
//   iso    groups isolated, or BY:KEY of a row of the table, or stack:KEY of a cell of the icicle
//   lanes  0: the lanes are folded
//   tab    what the table's rows are: file, function or family
//   sort   of the table: n name, b bytes, t tensors, a allocated; with .up rising
//   q      text of the search box
//   f      filters parted by spaces, such as size>=16MiB live
//   theme  light or dark, forced (read only)

import { rangeOf } from '../data/range.js';
import { setColourMode, setPatterns } from '../state/colour.js';
import { search, setIsolated } from '../state/light.js';
import { setRange } from '../state/range.js';
import { listen } from './listen.js';

/** How long a view stays before it becomes a step of Back. */
const SETTLED_MS = 400;

/** @type {import('../data/sites.js').By[]} */
const BYS = ['site', 'file', 'function', 'family'];
/** @type {import('../data/breakdown.js').Sort[]} */
const SORTS = ['name', 'bytes', 'tensors', 'allocated'];

/** @typedef {import('../app.js').App} App @typedef {ReturnType<typeof mountHash>} Hash */

/** @param {App} app */
export function mountHash(app) {
  let timer = 0;
  let reading = false;
  let pushed = location.hash;

  /** The device named in the address. @returns {{file: number, device: number}} */
  const device = () => {
    const { files, start } = app.report;
    const [a, b] = (read('d') ?? '').split('.');
    const file = b === undefined ? start.file : Number(a);
    const ordinal = Number(b ?? a);
    const at = a ? (files[file]?.devices.findIndex((d) => d.device === ordinal) ?? -1) : -1;
    return at < 0 ? start : { file, device: at };
  };

  /** Shows what the address says of the open device. */
  const apply = () => {
    const {
      viewport,
      device: { timeline, hasHistory },
    } = app;
    reading = true;
    setColourMode(app, read('c') ?? app.defaultColourMode);
    setPatterns(app, read('h') === '1');
    search(app, read('q') ?? '', (read('f') ?? '').split(' '));
    const iso = read('iso') ?? '';
    const names = iso.split(',');
    const isolated = new Set(app.grouping.groups.flatMap((g, i) => (names.includes(g.name) ? [i] : [])));
    const part = partOf(iso);
    if (part || app.part || isolated.size > 0 || app.isolated.size > 0)
      setIsolated(app, part ? new Set() : isolated, part);
    app.setOrder(orderOf(read('tab'), read('sort')));
    app.foldLanes(read('lanes') === '0');
    const r = pairOf(read('r'));
    const range = r && hasHistory ? rangeOf(...r, timeline.lastState) : null;
    if (range || app.range) setRange(app, range, read('al') === '1');

    const [, axis, span] = /^([et]):(.*)$/.exec(read('x') ?? '') ?? [];
    const x = pairOf(span);
    app.setAxis(x && axis === 't' ? 'time' : 'events');
    const y = read('y');
    const bytes = pairOf(y);
    viewport.mode = y === 'fit' ? 'fit' : 'auto';
    viewport.show(...(x ?? [0, viewport.axis.end]));
    if (bytes) viewport.setBytes(...bytes);

    const at = read('at');
    const state = Number(at);
    if (at === 'end') app.setMoment('end');
    else if (at === 'range' && range) app.setMoment('range');
    else if (at !== null && Number.isInteger(state) && state >= 0 && state <= timeline.lastState)
      app.setMoment('cursor', state);
    else app.setMoment(hasHistory ? 'peak' : 'end');
    const sel = read('sel');
    app.pin(sel !== null && /^\d+$/.test(sel) ? Number(sel) : null);
    reading = false;
  };

  const write = () => {
    if (reading) return;
    const text = textOf(app);
    if (text === location.hash.slice(1)) return;
    replace(text);
    clearTimeout(timer);
    timer = setTimeout(() => {
      // The step of Back is the view before; what is shown now becomes a new one.
      const { hash } = location;
      if (hash === pushed) return;
      replace(pushed.slice(1));
      history.pushState(null, '', hash || '#');
      pushed = location.hash;
    }, SETTLED_MS);
  };

  listen(window, {
    async hashchange() {
      const { file, device: at } = device();
      pushed = location.hash;
      if (!app.device || file !== app.device.fileIndex || at !== app.device.deviceIndex) await app.open(file, at);
      apply();
      app.settle();
    },
  });
  app.on(['settled', 'moment', 'pin', 'colour', 'sort'], write);
  return { device, apply };
}

/** @param {string} key */
function read(key) {
  return new URLSearchParams(location.hash.slice(1)).get(key);
}

/** @param {App} app @returns {string} the hash of what is shown, without the sign */
function textOf(app) {
  const {
    viewport,
    device,
    moment,
    part,
    report: { start, files },
  } = app;
  const { axis, mode, isWhole } = viewport;
  const { by, sort, rising } = app.order;
  const ordinal = device.report.device;
  const started = device.fileIndex === start.file && device.deviceIndex === start.device;
  const whole = (/** @type {number[]} */ ...pair) => pair.map(Math.round).join('-');
  /** @type {Record<string, string | false>} */
  const values = {
    d: !started && (files.length > 1 ? `${device.fileIndex}.${ordinal}` : String(ordinal)),
    x: (!isWhole || axis.kind === 'time') && `${axis.kind[0]}:${whole(viewport.from, isWhole ? Math.ceil(viewport.to) : viewport.to)}`,
    y: mode === 'fit' ? mode : mode === 'free' && whole(viewport.low, viewport.high),
    at: device.hasHistory && (moment === 'cursor' ? String(app.cursor) : moment !== 'peak' && moment),
    sel: app.pinned !== null && String(app.pinned),
    c: app.colourMode !== app.defaultColourMode && app.colourMode,
    h: app.patterns && '1',
    r: app.range !== null && whole(app.range.from, app.range.to),
    al: app.alone !== null && '1',
    lanes: app.lanesFolded && '0',
    tab: by !== 'site' && by,
    sort: (sort !== 'bytes' || rising) && sort[0] + (rising ? '.up' : ''),
    iso: part ? `${part.by}:${part.key}` : [...app.isolated].map((i) => app.grouping.groups[i].name).join(),
    q: app.found.query,
    f: app.found.filters.join(' '),
  };
  const params = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(values)) params.delete(key);
  for (const [key, value] of Object.entries(values)) if (value) params.set(key, value);
  return params.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
}

/** @param {string | null | undefined} text "FROM-TO" @returns {[number, number] | null} null also for numbers that are not exact */
function pairOf(text) {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '') ?? [];
  return from ? [Number(from), Number(to)] : null;
}

/** @param {string} iso @returns {import('../data/breakdown.js').Part | null} */
function partOf(iso) {
  const [, by, key] = /^(site|file|function|family|stack):([^]*)$/.exec(iso) ?? [];
  return by ? { by: /** @type {any} */ (by), key } : null;
}

/** @param {string | null} tab @param {string | null} sort @returns {import('../data/breakdown.js').Order} */
function orderOf(tab, sort) {
  const by = BYS.find((b) => b === tab) ?? 'site';
  const [letter, up] = (sort ?? '').split('.');
  return { by, sort: SORTS.find((s) => s[0] === letter) ?? 'bytes', rising: up === 'up' };
}

/** @param {string} hash without the sign */
function replace(hash) {
  history.replaceState(null, '', hash === '' ? location.pathname + location.search : '#' + hash);
}
