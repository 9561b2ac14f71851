// The table of call sites, files, functions or families at the panel's moment.

import { breakdown, sorted } from '../data/breakdown.js';
import { plainSpaces } from '../data/escape.js';
import { bytes, count, counted, exactBytes, share } from '../data/format.js';
import { litKeys } from '../data/lit.js';
import { baseName, NO_STACK, twoLastParts } from '../data/sites.js';
import { isolate, isolatePart } from '../state/light.js';
import { jump } from '../state/show.js';
import { listen } from '../view/listen.js';
import { button, copyButton, copyText, fill, h, swatch } from './dom.js';
import { makeGlance } from './glance.js';
import { virtualRows } from './rows.js';

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

/** @param {import('../app.js').App} app @param {HTMLElement} root */
export function mountTable(app, root) {
  /** @type {Row[]} */
  let rows = [];
  /** @type {Row[]} of the range, with nothing left */
  let gone = [];
  let showGone = false;
  /** @type {(Row | ACTIONS | GONE)[]} */
  let lines = [];
  /** @type {Set<string>} */
  let twins = new Set();
  /** @type {{has: (key: string) => boolean}} keys of rows that hold something lit */
  let lit = twins;
  /** @type {Row | null} under the pointer, or with the keyboard's focus */
  let pointed = null;
  /** @type {string | null} key of the row marked */
  let under = null;

  const tabs = h('div.tabs', { role: 'tablist' });
  const heads = h('div.columns');
  const body = h('div.rows');
  const list = virtualRows(body, (i) => lineOf(i));
  const glance = makeGlance(app);

  const update = () => {
    const { device, grouping, happened, order } = app;
    const live = app.live.slice();
    const table = sorted(breakdown(device, live, happened, order.by, grouping.of), order, happened);
    ({ rows, gone } = table);
    twins = twinNames([...rows, ...gone]);
    lit = litKeys(app.lit, live, (id) => device.sites.site(id, order.by).key);
    root.classList.toggle('range', happened !== null);
    head(table.sort);
    body.scrollTop = 0;
    arrange(false);
  };

  /** @param {Sort} sort */
  const head = (sort) => {
    const { by, rising } = app.order;
    fill(
      tabs,
      TABS.map(([value, text]) =>
        button(text, '', () => app.setOrder({ by: value }), { role: 'tab', selected: by === value }),
      ),
      h('span.note', counted(rows.length + gone.length, 'row')),
    );
    const column = (/** @type {Sort} */ of, /** @type {string} */ text) =>
      button(text + (sort === of ? (rising ? ' ↑' : ' ↓') : ''), 'Sort', () =>
        app.setOrder({ sort: of, rising: sort === of ? !rising : of === 'name' }),
      );
    fill(
      heads,
      h('span'),
      column('name', by),
      ...(app.happened
        ? [column('bytes', 'still live'), column('allocated', 'of allocated')]
        : [column('bytes', 'bytes'), h('span', 'share'), column('tensors', 'tensors')]),
    );
  };

  /** The key of the row of an allocation. @param {number | undefined | null} id */
  const keyOf = (id) => (id == null ? null : app.device.sites.site(id, app.order.by).key);

  /** Lays out the lines. @param {boolean} reveal whether the row of the pinned tensor shall be in sight */
  const arrange = (reveal) => {
    lines = showGone ? [...rows, ...gone] : [...rows];
    const key = keyOf(app.pinned);
    const at = lines.findIndex((row) => /** @type {Row} */ (row).key === key);
    if (at >= 0) lines.splice(at + 1, 0, ACTIONS);
    if (gone.length > 0) lines.push(GONE);
    under = null;
    list.reset(lines.length);
    if (reveal && at >= 0) list.reveal(at, at + 1);
  };

  /** @param {number} i */
  const lineOf = (i) => {
    const line = lines[i];
    if (line === ACTIONS) return actions(/** @type {Row} */ (lines[i - 1]));
    if (line !== GONE) return rowElement(line);
    const n = gone.length;
    return button(
      showGone ? `Hide ${counted(n, 'row')} that freed all they allocated` : `${counted(n, 'more row')} freed all they allocated`,
      '',
      () => {
        showGone = !showGone;
        arrange(false);
      },
      { class: 'row gone' },
    );
  };

  /** @param {Row} row */
  const rowElement = (row) => {
    const { happened, grouping, pinned } = app;
    const state = `row${row.key === keyOf(pinned) ? ' on' : ''}${lit.has(row.key) ? '' : ' unlit'}`;
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
        row.place && placeElement(row, twins),
      ),
      number(bytes(row.bytes), '', `${exactBytes(row.bytes)} in ${counted(row.bytes > 0 ? row.tensors : 0, 'tensor')}`),
      happened
        ? number(bytes(row.allocated), 'faint', exactBytes(row.allocated))
        : [
            number(share(row.bytes, app.device.timeline.active[app.momentState]), 'faint'),
            number(count(row.tensors), 'faint'),
          ],
    );
  };

  /** @param {Row} row */
  const actions = (row) => {
    const go = (/** @type {string} */ text, /** @type {number} */ id) =>
      button(text, `To the ${text.toLowerCase()} tensor of this row`, () => jump(app, id));
    const isolated = app.part?.key === row.key && app.part.by === app.order.by;
    return h(
      'div.actions',
      button('Isolate', 'Fade everything else (I)', () => isolateRow(row), { pressed: isolated }),
      copyButton('Copy', 'The row as text', () => copyText(textOf(row))),
      app.device.hasHistory && [go('First', row.first), go('Last', row.last)],
    );
  };

  /** Fades what is not of a row. @param {Row | null | undefined} row */
  const isolateRow = (row) => {
    const { by } = app.order;
    if (!row) return;
    glance.drop();
    const group = by === 'family' ? app.grouping.groups.findIndex((g) => g.name === row.key) : -1;
    if (group >= 0) isolate(app, group, false);
    else isolatePart(app, { by, key: row.key });
  };

  /** @param {Row} row */
  const textOf = (row) => {
    const { happened, range, momentState, device } = app;
    const size = (/** @type {number} */ n) => `${bytes(n)} (${exactBytes(n)})`;
    const where =
      happened && range
        ? `still live of ${size(row.allocated)} allocated in events ${count(range.from)} to ${count(range.to - 1)}`
        : `of ${size(device.timeline.active[momentState])} live in state ${count(momentState)}`;
    const tensors = row.bytes > 0 ? `, ${counted(row.tensors, 'tensor')}` : '';
    return plainSpaces(`${row.title}: ${size(row.bytes)} ${where}${tensors}\n`);
  };

  /** @param {{target?: EventTarget | null}} event none: nothing is pointed at */
  const point = ({ target }) => {
    const element = target instanceof Element && target.closest('.row');
    const i = list.lines().find(([e]) => e === element)?.[1];
    const line = i === undefined ? null : lines[i];
    pointed = line && typeof line === 'object' ? line : null;
    glance.at(pointed && { by: app.order.by, key: pointed.key });
  };

  /** Marks the row of what lies under the pointer in the plot. */
  const mark = () => {
    const key = keyOf(app.hover?.hit?.id);
    if (key === under) return;
    under = key;
    for (const [element, i] of list.lines()) {
      const line = lines[i];
      element.classList.toggle('under', typeof line === 'object' && line.key === key);
    }
  };

  root.append(tabs, heads, body);
  app.onBeside(['device', 'moment', 'colour', 'sort'], update);
  app.onBeside(['pin'], () => arrange(true));
  app.onBeside(['hover'], mark);
  const leave = () => point({});
  listen(body, { pointerover: point, focusin: point, pointerleave: leave, focusout: leave });
  return {
    /** Fades all but the row under the pointer, or that of the pinned tensor. */
    isolate: () => isolateRow(pointed ?? [...rows, ...gone].find((row) => row.key === keyOf(app.pinned))),

    /** Copies the row under the pointer. @returns {boolean} whether there is one */
    copy() {
      if (pointed) copyText(textOf(pointed));
      return pointed !== null;
    },
  };
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
