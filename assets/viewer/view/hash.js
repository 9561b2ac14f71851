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
//   iso    groups isolated, or BY:KEY of a row of the table, or stack:KEY of a cell of the icicle
//   lanes  0: the lanes are folded
//   tab    what the table's rows are: file, function or family
//   sort   of the table: n name, b bytes, t tensors, a allocated; with .up rising
//   q      text of the search box
//   f      filters parted by spaces, such as size>=16MiB live
//   theme  light or dark, forced (read only)

import { rangeOf } from '../data/range.js';
import { setColourMode } from '../state/colour.js';
import { search, setIsolated } from '../state/light.js';
import { setRange } from '../state/range.js';

const OURS = ['d', 'x', 'y', 'at', 'sel', 'c', 'iso', 'r', 'al', 'tab', 'sort', 'lanes', 'q', 'f'];

/** How long a view stays before it becomes a step of Back. */
const SETTLED_MS = 400;

/** @type {import('../data/sites.js').By[]} */
const BYS = ['site', 'file', 'function', 'family'];
/** @type {import('../data/breakdown.js').Sort[]} */
const SORTS = ['name', 'bytes', 'tensors', 'allocated'];

/** @typedef {import('../app.js').App} App */

export class Hash {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.timer = 0;
    this.reading = false;
    this.pushed = location.hash;
    addEventListener('hashchange', () => this.#follow());
    app.on(['settled', 'moment', 'pin', 'colour', 'sort'], () => this.#write());
  }

  /** The device named in the address. @returns {{file: number, device: number}} */
  device() {
    const { report } = this.app;
    const [a, b] = (this.#get('d') ?? '').split('.');
    const file = b === undefined ? report.start.file : Number(a);
    const ordinal = Number(b ?? a);
    const device = a ? (report.files[file]?.devices.findIndex((d) => d.device === ordinal) ?? -1) : -1;
    return device < 0 ? report.start : { file, device };
  }

  /** Shows what the address says of the open device. */
  apply() {
    const { app } = this;
    const {
      viewport,
      device: { timeline },
    } = app;
    this.reading = true;
    const colour = this.#get('c');
    setColourMode(app, colour ?? app.defaultColourMode);
    search(app, this.#get('q') ?? '', (this.#get('f') ?? '').split(' '));
    const iso = this.#get('iso') ?? '';
    const names = iso.split(',');
    const isolated = new Set(app.grouping.groups.flatMap((g, i) => (names.includes(g.name) ? [i] : [])));
    const part = partOf(iso);
    if (part || app.part || isolated.size > 0 || app.isolated.size > 0)
      setIsolated(app, part ? new Set() : isolated, part);
    app.setOrder(orderOf(this.#get('tab'), this.#get('sort')));
    app.foldLanes(this.#get('lanes') === '0');
    const r = pairOf(this.#get('r'));
    const range = r && app.device.hasHistory ? rangeOf(...r, timeline.lastState) : null;
    if (range || app.range) setRange(app, range, this.#get('al') === '1');

    const [, axis, span] = /^([et]):(.*)$/.exec(this.#get('x') ?? '') ?? [];
    const x = pairOf(span);
    app.setAxis(x && axis === 't' ? 'time' : 'events');
    const y = this.#get('y');
    const bytes = pairOf(y);
    viewport.mode = y === 'fit' ? 'fit' : 'auto';
    viewport.show(...(x ?? [0, viewport.axis.end]));
    if (bytes) viewport.setBytes(...bytes);

    const at = this.#get('at');
    const state = Number(at);
    if (at === 'end') app.setMoment('end');
    else if (at === 'range' && range) app.setMoment('range');
    else if (at !== null && Number.isInteger(state) && state >= 0 && state <= timeline.lastState)
      app.setMoment('cursor', state);
    else app.setMoment(app.device.hasHistory ? 'peak' : 'end');
    const sel = this.#get('sel');
    app.pin(sel !== null && /^\d+$/.test(sel) ? Number(sel) : null);
    this.reading = false;
  }

  /** @param {string} key */
  #get(key) {
    return new URLSearchParams(location.hash.slice(1)).get(key);
  }

  async #follow() {
    const { app } = this;
    const { file, device } = this.device();
    this.pushed = location.hash;
    if (!app.device || file !== app.device.fileIndex || device !== app.device.deviceIndex) await app.open(file, device);
    this.apply();
    app.settle();
  }

  #write() {
    if (this.reading) return;
    const text = this.#text();
    if (text === location.hash.slice(1)) return;
    replace(text);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      // The step of Back is the view before; what is shown now becomes a new one.
      if (location.hash === this.pushed) return;
      const now = location.hash.slice(1);
      replace(this.pushed.slice(1));
      history.pushState(null, '', '#' + now);
      this.pushed = location.hash;
    }, SETTLED_MS);
  }

  /** @returns {string} */
  #text() {
    const { app } = this;
    const {
      viewport,
      device,
      report: { start, files },
    } = app;
    const { axis } = viewport;
    const params = new URLSearchParams(location.hash.slice(1));
    for (const key of OURS) params.delete(key);
    const set = (/** @type {string} */ key, /** @type {string | false} */ value) => {
      if (value) params.set(key, value);
    };
    const ordinal = device.report.device;
    set(
      'd',
      (device.fileIndex !== start.file || device.deviceIndex !== start.device) &&
        (files.length > 1 ? `${device.fileIndex}.${ordinal}` : String(ordinal)),
    );
    set(
      'x',
      (!viewport.isWhole || axis.kind === 'time') &&
        `${axis.kind[0]}:${Math.round(viewport.from)}-${viewport.isWhole ? Math.ceil(viewport.to) : Math.round(viewport.to)}`,
    );
    set(
      'y',
      viewport.mode === 'fit'
        ? 'fit'
        : viewport.mode === 'free' && `${Math.round(viewport.low)}-${Math.round(viewport.high)}`,
    );
    set(
      'at',
      device.hasHistory &&
        (app.moment === 'end' || app.moment === 'range' ? app.moment : app.moment === 'cursor' && String(app.cursor)),
    );
    set('sel', app.pinned !== null && String(app.pinned));
    set('c', app.colourMode !== app.defaultColourMode && app.colourMode);
    set('r', app.range !== null && `${app.range.from}-${app.range.to}`);
    set('al', app.alone !== null && '1');
    set('lanes', app.lanesFolded && '0');
    const { by, sort, rising } = app.order;
    set('tab', by !== 'site' && by);
    set('sort', (sort !== 'bytes' || rising) && sort[0] + (rising ? '.up' : ''));
    if (app.part) set('iso', `${app.part.by}:${app.part.key}`);
    else set('iso', app.isolated.size > 0 && [...app.isolated].map((i) => app.grouping.groups[i].name).join(','));
    set('q', app.found.query);
    set('f', app.found.filters.join(' '));
    return params.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
  }
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
