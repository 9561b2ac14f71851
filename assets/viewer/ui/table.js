// The table of call sites, files, functions or families at the panel's moment.

import { breakdown, sorted } from '../data/breakdown.js';
import { plainSpaces } from '../data/escape.js';
import { bytes, count, counted, exactBytes, share } from '../data/format.js';
import { litKeys } from '../data/lit.js';
import { baseName, NO_STACK, twoLastParts } from '../data/sites.js';
import { isolate, isolatePart } from '../state/light.js';
import { jump } from '../state/show.js';
import { copyButton, copyText, h, swatch } from './dom.js';
import { Glance } from './glance.js';
import { VirtualRows } from './rows.js';

/** @typedef {import('../data/sites.js').By} By */
/** @typedef {import('../data/breakdown.js').Row} Row @typedef {import('../data/breakdown.js').Sort} Sort */

/** @type {[By, string][]} */
const TABS = [
  ['site', 'Call site'],
  ['file', 'File'],
  ['function', 'Function'],
  ['family', 'Family'],
];

/** Says what to do with the row above it. */
const ACTIONS = 'actions';
/** Stands for the rows of a range of which nothing is left. */
const GONE = 'gone';

export class Table {
  /** @type {Row[]} */
  #rows = [];
  /** @type {Row[]} of the range, with nothing left */
  #gone = [];
  #showGone = false;
  /** @type {(Row | ACTIONS | GONE)[]} */
  #lines = [];
  /** @type {Set<string>} */
  #twins = new Set();
  /** @type {{has: (key: string) => boolean}} keys of rows that hold something lit */
  #lit = new Set();
  /** @type {Row | null} under the pointer, or with the keyboard's focus */
  #pointed = null;
  #under = '';

  /** @param {import('../app.js').App} app @param {HTMLElement} root */
  constructor(app, root) {
    this.app = app;
    this.root = root;
    this.tabs = h('div.tabs', { role: 'tablist' });
    this.heads = h('div.columns');
    this.body = h('div.rows');
    root.append(this.tabs, this.heads, this.body);
    this.list = new VirtualRows(this.body, (i) => this.#line(i));
    this.glance = new Glance(app);
    app.onBeside(['device', 'moment', 'colour', 'sort'], () => this.update());
    app.onBeside(['pin'], () => this.#arrange(true));
    app.onBeside(['hover'], () => this.#mark());
    for (const type of ['pointerover', 'focusin']) this.body.addEventListener(type, (e) => this.#point(e.target));
    for (const type of ['pointerleave', 'focusout']) this.body.addEventListener(type, () => this.#point(null));
  }

  update() {
    const { app } = this;
    const { device, grouping, happened, order } = app;
    const live = app.live.slice();
    const { rows, gone, sort } = sorted(breakdown(device, live, happened, order.by, grouping.of), order, happened);
    this.#rows = rows;
    this.#gone = gone;
    this.#twins = twinNames([...rows, ...gone]);
    this.#lit = litKeys(app.lit, live, (id) => device.sites.site(id, order.by).key);
    this.root.classList.toggle('range', happened !== null);
    this.#head(sort, rows.length + gone.length);
    this.body.scrollTop = 0;
    this.#arrange(false);
  }

  /** @param {Sort} sort @param {number} rows */
  #head(sort, rows) {
    const { app, tabs, heads } = this;
    const { by, rising } = app.order;
    tabs.replaceChildren(
      ...TABS.map(([value, text]) =>
        h('button', { role: 'tab', text, selected: by === value, click: () => app.setOrder({ by: value }) }),
      ),
      h('span.note', counted(rows, 'row')),
    );
    const head = (/** @type {Sort} */ column, /** @type {string} */ text) =>
      h('button', {
        text: text + (sort === column ? (rising ? ' ↑' : ' ↓') : ''),
        title: 'Sort',
        click: () => app.setOrder({ sort: column, rising: sort === column ? !rising : column === 'name' }),
      });
    heads.replaceChildren(
      h('span'),
      head('name', by),
      ...(app.happened
        ? [head('bytes', 'still live'), head('allocated', 'of allocated')]
        : [head('bytes', 'bytes'), h('span', 'share'), head('tensors', 'tensors')]),
    );
  }

  /** The key of the pinned tensor's row. */
  get #current() {
    const { pinned, order, device } = this.app;
    return pinned === null ? null : device.sites.site(pinned, order.by).key;
  }

  /** Lays out the lines. @param {boolean} reveal whether the row of the pinned tensor shall be in sight */
  #arrange(reveal) {
    const key = this.#current;
    const rows = this.#showGone ? [...this.#rows, ...this.#gone] : this.#rows;
    const at = rows.findIndex((row) => row.key === key);
    /** @type {(Row | ACTIONS | GONE)[]} */
    const lines = [...rows];
    if (at >= 0) lines.splice(at + 1, 0, ACTIONS);
    if (this.#gone.length > 0) lines.push(GONE);
    this.#lines = lines;
    this.#under = '';
    this.list.reset(lines.length);
    if (reveal && at >= 0) this.list.reveal(at, at + 1);
  }

  /** @param {number} i */
  #line(i) {
    const line = this.#lines[i];
    if (line === ACTIONS) return this.#actions(/** @type {Row} */ (this.#lines[i - 1]));
    if (line !== GONE) return this.#row(line);
    const n = this.#gone.length;
    return h('button.row.gone', {
      text: this.#showGone
        ? `Hide ${counted(n, 'row')} that freed all they allocated`
        : `${counted(n, 'more row')} freed all they allocated`,
      click: () => {
        this.#showGone = !this.#showGone;
        this.#arrange(false);
      },
    });
  }

  /** @param {Row} row */
  #row(row) {
    const { app } = this;
    const { happened, grouping } = app;
    const state = `row${row.key === this.#current ? ' on' : ''}${this.#lit.has(row.key) ? '' : ' unlit'}`;
    const number = (/** @type {string} */ text, style = '', title = '') =>
      h('span', { class: `number ${style}`, text, title });
    return h(
      'button',
      { class: state, title: row.title, click: () => app.pin(row.largest) },
      swatch(grouping.groups[row.group].color),
      h(
        'span',
        { class: row.name === NO_STACK ? 'site none' : 'site' },
        h('span', row.name),
        row.place ? placeElement(row, this.#twins) : null,
      ),
      number(bytes(row.bytes), '', `${exactBytes(row.bytes)} in ${counted(row.bytes > 0 ? row.tensors : 0, 'tensor')}`),
      ...(happened
        ? [number(bytes(row.allocated), 'faint', exactBytes(row.allocated))]
        : [
            number(share(row.bytes, app.device.timeline.active[app.momentState]), 'faint'),
            number(count(row.tensors), 'faint'),
          ]),
    );
  }

  /** @param {Row} row */
  #actions(row) {
    const { app } = this;
    const go = (/** @type {string} */ text, /** @type {number} */ id) =>
      h('button', { text, title: `To the ${text.toLowerCase()} tensor of this row`, click: () => jump(app, id) });
    return h(
      'div.actions',
      h('button', {
        text: 'Isolate',
        title: 'Fade everything else (I)',
        pressed: app.part?.key === row.key && app.part.by === app.order.by,
        click: () => this.isolate(row),
      }),
      copyButton('Copy', 'The row as text', () => copyText(this.#text(row))),
      ...(app.device.hasHistory ? [go('First', row.first), go('Last', row.last)] : []),
    );
  }

  /** Fades what is not of a row. @param {Row | null} [row] otherwise the one under the pointer, or of the pinned tensor */
  isolate(row = this.#pointed ?? this.#currentRow) {
    const { app } = this;
    const { by } = app.order;
    if (!row) return;
    this.glance.drop();
    const group = by === 'family' ? app.grouping.groups.findIndex((g) => g.name === row.key) : -1;
    if (group >= 0) isolate(app, group, false);
    else isolatePart(app, { by, key: row.key });
  }

  /** Copies the row under the pointer. @returns {boolean} whether there is one */
  copy() {
    if (this.#pointed) copyText(this.#text(this.#pointed));
    return this.#pointed !== null;
  }

  get #currentRow() {
    const key = this.#current;
    return [...this.#rows, ...this.#gone].find((row) => row.key === key) ?? null;
  }

  /** @param {Row} row */
  #text(row) {
    const { happened, range, momentState, device } = this.app;
    const size = (/** @type {number} */ n) => `${bytes(n)} (${exactBytes(n)})`;
    const where =
      happened && range
        ? `still live of ${size(row.allocated)} allocated in events ${count(range.from)} to ${count(range.to - 1)}`
        : `of ${size(device.timeline.active[momentState])} live in state ${count(momentState)}`;
    const tensors = row.bytes > 0 ? `, ${counted(row.tensors, 'tensor')}` : '';
    return plainSpaces(`${row.title}: ${size(row.bytes)} ${where}${tensors}\n`);
  }

  /** @param {EventTarget | null} target */
  #point(target) {
    const element = target instanceof Element ? target.closest('.row') : null;
    const line = element ? this.#lines[this.list.from + [...this.list.list.children].indexOf(element)] : null;
    this.#pointed = line && typeof line === 'object' ? line : null;
    this.glance.at(this.#pointed && { by: this.app.order.by, key: this.#pointed.key });
  }

  /** Marks the row of what lies under the pointer in the plot. */
  #mark() {
    const { hover, device, order } = this.app;
    const key = hover?.hit ? device.sites.site(hover.hit.id, order.by).key : '';
    if (key === this.#under) return;
    this.#under = key;
    [...this.list.list.children].forEach((element, i) => {
      const line = this.#lines[this.list.from + i];
      element.classList.toggle('under', typeof line === 'object' && line.key === key);
    });
  }
}

/** @param {Row} row @param {Set<string>} twins */
function placeElement({ place, file }, twins) {
  const line = /:\d+$/.exec(place)?.[0] ?? '';
  const name = place.slice(0, place.length - line.length);
  // The line stays readable when the name has to be cut.
  return h('em', h('span', twins.has(name) ? twoLastParts(file) : name), h('b', line));
}

/**
 * Base names that stand for several files.
 * @param {Row[]} rows
 * @returns {Set<string>}
 */
function twinNames(rows) {
  /** @type {Map<string, string>} */
  const paths = new Map();
  const twins = new Set();
  for (const { file } of rows) {
    if (!file) continue;
    const name = baseName(file);
    if ((paths.get(name) ?? file) !== file) twins.add(name);
    paths.set(name, file);
  }
  return twins;
}
