// The table of call sites, files, functions or families at the panel's moment.

import { breakdown, sorted } from '../data/breakdown.js';
import { plainSpaces } from '../../kit/escape.js';
import { bytes, count, counted, exactBytes, share } from '../../kit/format.js';
import { highlightedKeys } from '../data/masks.js';
import { baseName, NO_STACK, twoLastParts } from '../../data/sites.js';
import { jump } from '../state/navigate.js';
import { listen } from '../../kit/topic.js';
import { button, copyButton, copyText, fill, h, pathElement, swatch } from '../../kit/dom.js';
import { virtualRows } from './rows.js';

/** @typedef {import('../data/breakdown.js').Row} Row @typedef {import('../data/breakdown.js').Sort} Sort */

/** A line of buttons that act on the row above it. */
const ACTIONS = 'actions';
/** The line that shows or hides the rows of a range that have freed everything. */
const GONE = 'gone';

/**
 * @param {import('../state/stores.js').Stores} stores @param {HTMLElement} root
 * @param {import('./lists.js').Note} note
 */
export function mountTable(stores, root, note) {
  const { shown, appearance, highlight, viewport, selection, moment, hover, tableOrder } = stores;
  /** @type {Row[]} */
  let rows = [];
  /** @type {Row[]} of the range, with nothing left */
  let gone = [];
  let showGone = false;
  /** @type {(Row | typeof ACTIONS | typeof GONE)[]} */
  let lines = [];
  /** @type {Set<string>} */
  let twins = new Set();
  /** @type {{has: (key: string) => boolean}} keys of rows that hold something highlighted */
  let highlighted = twins;
  /** @type {Row | null} under the pointer, or with the keyboard's focus */
  let pointed = null;
  /** @type {string | null} key of the row marked */
  let under = null;

  const heads = h('div.columns');
  const body = h('div.rows');
  const list = virtualRows(body, (i) => lineOf(i));

  const update = () => {
    if (root.hidden) return;
    const { device } = shown;
    const { order } = tableOrder;
    const { activity } = moment;
    const live = moment.live.slice();
    const table = sorted(breakdown(device, live, activity, order.by, appearance.grouping.of), order, activity);
    ({ rows, gone } = table);
    twins = twinNames([...rows, ...gone]);
    highlighted = highlightedKeys(highlight.mask, live, (id) => device.sites.site(id, order.by).key);
    root.classList.toggle('range', activity !== null);
    head(table.sort);
    body.scrollTop = 0;
    arrange(false);
  };

  /** @param {Sort} sort */
  const head = (sort) => {
    const { by, rising } = tableOrder.order;
    note(counted(rows.length + gone.length, 'row'));
    const column = (/** @type {Sort} */ of, /** @type {string} */ text) =>
      button(text + (sort === of ? (rising ? ' ↑' : ' ↓') : ''), 'Sort', () =>
        tableOrder.set({ sort: of, rising: sort === of ? !rising : of === 'name' }),
      );
    fill(
      heads,
      h('span'),
      column('name', by),
      ...(moment.activity
        ? [column('bytes', 'still live'), column('allocated', 'of allocated')]
        : [column('bytes', 'bytes'), h('span', 'share'), column('tensors', 'tensors')]),
    );
  };

  /** The key of the row of an allocation. @param {number | undefined | null} id */
  const keyOf = (id) => (id == null ? null : shown.device.sites.site(id, tableOrder.order.by).key);

  /** Lays out the lines. @param {boolean} reveal whether the row of the pinned tensor shall be in sight */
  const arrange = (reveal) => {
    lines = showGone ? [...rows, ...gone] : [...rows];
    const key = keyOf(selection.pinned);
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
      showGone
        ? `Hide ${counted(n, 'row')} that freed all they allocated`
        : `${counted(n, 'more row')} freed all they allocated`,
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
    const { activity, state } = moment;
    const style = `row${row.key === keyOf(selection.pinned) ? ' on' : ''}${highlighted.has(row.key) ? '' : ' faded'}`;
    const number = (/** @type {string} */ text, more = '', title = '') =>
      h('span', { class: `number ${more}`, text, title });
    return h(
      'button',
      { class: style, title: row.title, click: () => selection.pin(row.largest) },
      swatch(appearance.grouping.groups[row.group].color),
      h(
        'span',
        { class: row.name === NO_STACK ? 'site none' : 'site' },
        h('span', row.name),
        row.location && locationElement(row, twins),
      ),
      number(bytes(row.bytes), '', `${exactBytes(row.bytes)} in ${counted(row.bytes > 0 ? row.tensors : 0, 'tensor')}`),
      activity
        ? number(bytes(row.allocated), 'faint', exactBytes(row.allocated))
        : [number(share(row.bytes, shown.device.timeline.active[state]), 'faint'), number(count(row.tensors), 'faint')],
    );
  };

  /** @param {Row} row */
  const actions = (row) => {
    const go = (/** @type {string} */ text, /** @type {number} */ id) =>
      button(text, `To the ${text.toLowerCase()} tensor of this row`, () => jump(stores, id));
    const { subset } = highlight;
    const isolated = subset?.key === row.key && subset.by === tableOrder.order.by;
    return h(
      'div.actions',
      button('Isolate', 'Fade everything else (I)', () => isolateRow(row), { pressed: isolated }),
      copyButton('Copy', 'The row as text', () => copyText(textOf(row))),
      shown.device.hasHistory && [go('First', row.first), go('Last', row.last)],
    );
  };

  /** Fades what is not of a row. @param {Row | null | undefined} row */
  const isolateRow = (row) => {
    const { by } = tableOrder.order;
    if (!row) return;
    highlight.endPreview();
    const group = by === 'family' ? appearance.grouping.groups.findIndex((g) => g.name === row.key) : -1;
    if (group >= 0) highlight.toggleGroup(group, false);
    else highlight.toggleSubset({ by, key: row.key });
  };

  /** @param {Row} row */
  const textOf = (row) => {
    const { activity, state } = moment;
    const { range } = selection;
    const size = (/** @type {number} */ n) => `${bytes(n)} (${exactBytes(n)})`;
    const where =
      activity && range
        ? `still live of ${size(row.allocated)} allocated in events ${count(range.from)} to ${count(range.to - 1)}`
        : `of ${size(shown.device.timeline.active[state])} live in state ${count(state)}`;
    const tensors = row.bytes > 0 ? `, ${counted(row.tensors, 'tensor')}` : '';
    return plainSpaces(`${row.title}: ${size(row.bytes)} ${where}${tensors}\n`);
  };

  /** @param {{target?: EventTarget | null}} event none: nothing is pointed at */
  const point = ({ target }) => {
    const element = target instanceof Element && target.closest('.row');
    const i = list.lines().find(([e]) => e === element)?.[1];
    const line = i === undefined ? null : lines[i];
    pointed = line && typeof line === 'object' ? line : null;
    highlight.point(pointed && { by: tableOrder.order.by, key: pointed.key });
  };

  /** Marks the row of the tensor under the pointer in the plot. */
  const mark = () => {
    const key = keyOf(hover.point?.hit?.id);
    if (key === under) return;
    under = key;
    for (const [element, i] of list.lines()) {
      const line = lines[i];
      element.classList.toggle('under', typeof line === 'object' && line.key === key);
    }
  };

  root.append(heads, body);
  viewport.afterPicture(
    [shown.changed, moment.changed, appearance.changed, highlight.changed, tableOrder.changed],
    update,
  );
  viewport.afterPicture([selection.pinChanged], () => root.hidden || arrange(true));
  viewport.afterPicture([hover.pointChanged], mark);
  const leave = () => point({});
  listen(body, { pointerover: point, focusin: point, pointerleave: leave, focusout: leave });
  return {
    update,

    /** Fades all but the row under the pointer or, without one, of the pinned tensor. */
    isolate: () => isolateRow(pointed ?? [...rows, ...gone].find((row) => row.key === keyOf(selection.pinned))),

    /** Copies the row under the pointer. @returns {boolean} whether there is one */
    copy() {
      if (pointed) copyText(textOf(pointed));
      return pointed !== null;
    },
  };
}

/** @param {Row} row @param {Set<string>} twins */
function locationElement({ location, file }, twins) {
  const line = /:\d+$/.exec(location)?.[0] ?? '';
  const name = location.slice(0, location.length - line.length);
  // The line stays readable when the name has to be cut.
  return h('em', pathElement(twins.has(name) ? twoLastParts(file) : name), h('b', line));
}

/**
 * The base names that several files have.
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
