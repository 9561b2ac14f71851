// The table of call sites, files or functions at the panel's moment.

import { bytes, count, exactBytes, share } from '../data/format.js';
import { baseName, NO_STACK, twoLastParts } from '../data/sites.js';
import { h, swatch } from './dom.js';

/** Rows put on the page at a time; more follow when one scrolls to the end. */
const PAGE = 150;

/** @typedef {import('../data/sites.js').By} By @typedef {import('../data/sites.js').Row} Row */
/** @typedef {'name' | 'bytes' | 'tensors'} Sort */

/** @type {[By, string][]} */
const TABS = [
  ['site', 'Call site'],
  ['file', 'File'],
  ['function', 'Function'],
];

/** @param {import('../app.js').App} app @param {HTMLElement} root */
export function mountTable(app, root) {
  /** @type {By} */
  let by = 'site';
  /** @type {Sort} */
  let sort = 'bytes';
  let rising = false;
  const tabs = h('div', { class: 'tabs', role: 'tablist' });
  const heads = h('div', { class: 'columns' });
  const body = h('div', { class: 'rows' });
  root.append(tabs, heads, body);
  /** @type {Row[]} */
  let rows = [];
  /** @type {Set<string>} */
  let twins = new Set();

  const more = () => {
    const { timeline } = app.device;
    const total = timeline.active[app.momentState];
    const shown = body.childElementCount;
    const pinned = app.pinned === null ? '' : app.device.sites.site(app.pinned, by).key;
    body.append(
      ...rows
        .slice(shown, shown + PAGE)
        .map((row) => rowElement(app, row, total, app.pinned !== null && row.key === pinned, twins)),
    );
  };
  const update = () => {
    const { device, grouping } = app;
    rows = device.sites.rows(device.timeline.live(app.momentState), by, grouping.of);
    if (sort !== 'bytes' || rising) rows.sort((a, b) => compare(a, b, sort) * (rising ? 1 : -1));
    twins = twinNames(rows);
    tabs.replaceChildren(
      ...TABS.map(([value, text]) =>
        h('button', {
          role: 'tab',
          text,
          selected: by === value,
          click: () => {
            by = value;
            update();
          },
        }),
      ),
      h('span', { class: 'note', text: `${count(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}` }),
    );
    const head = (/** @type {Sort} */ column, /** @type {string} */ text) =>
      h('button', {
        text: text + (sort === column ? (rising ? ' ↑' : ' ↓') : ''),
        title: 'Sort',
        click: () => {
          rising = sort === column ? !rising : column === 'name';
          sort = column;
          update();
        },
      });
    heads.replaceChildren(
      h('span'),
      head('name', by),
      head('bytes', 'bytes'),
      h('span', { text: 'share' }),
      head('tensors', 'tensors'),
    );
    body.replaceChildren();
    body.scrollTop = 0;
    more();
  };
  body.addEventListener(
    'scroll',
    () => {
      if (body.scrollTop + body.clientHeight > body.scrollHeight - 200) more();
    },
    { passive: true },
  );
  app.onBeside(['device', 'moment', 'colour'], update);
  app.onBeside(['pin'], () => {
    const key = app.pinned === null ? null : app.device.sites.site(app.pinned, by).key;
    [...body.children].forEach((element, i) => element.classList.toggle('on', rows[i].key === key));
  });
}

/** @param {Row} a @param {Row} b @param {Sort} sort */
function compare(a, b, sort) {
  return sort === 'name' ? (a.name + a.place).localeCompare(b.name + b.place) : a[sort] - b[sort];
}

/** @param {Row} row @param {Set<string>} twins */
function placeElement({ place, file }, twins) {
  const line = /:\d+$/.exec(place)?.[0] ?? '';
  const name = place.slice(0, place.length - line.length);
  // The line stays readable when the name has to be cut.
  return h('em', {}, h('span', { text: twins.has(name) ? twoLastParts(file) : name }), h('b', { text: line }));
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

/**
 * @param {import('../app.js').App} app @param {Row} row @param {number} total
 * @param {boolean} on whether the pinned tensor is one of the row
 * @param {Set<string>} twins
 */
function rowElement(app, row, total, on, twins) {
  return h(
    'button',
    { class: on ? 'row on' : 'row', title: row.title, click: () => app.pin(row.largest) },
    swatch(app.grouping.groups[row.group].color),
    h(
      'span',
      { class: row.name === NO_STACK ? 'site none' : 'site' },
      h('span', { text: row.name }),
      row.place ? placeElement(row, twins) : null,
    ),
    h('span', { class: 'number', text: bytes(row.bytes), title: exactBytes(row.bytes) }),
    h('span', { class: 'number faint', text: share(row.bytes, total) }),
    h('span', { class: 'number faint', text: count(row.tensors) }),
  );
}
