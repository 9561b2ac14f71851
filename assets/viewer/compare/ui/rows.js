// The table of what changed: rows by line, file or function, each with a bar to the left
// or right of zero. The row that is picked out opens.

import { locationOf, nameOf } from '../../data/fold.js';
import { bytes, count, counted } from '../../kit/format.js';
import { fill, h, swatch } from '../../kit/dom.js';
import { operatorsOf } from '../data/rows.js';
import { changeWords, fromTo, kindOfChange } from '../data/words.js';
import { linesOfBoth } from './lines.js';

/** Zero is between these fractions of a bar's width. */
const ZERO = { least: 0.12, most: 0.88 };

/** Rows are added to the table when it is scrolled near its end. */
const AT_ONCE = 120;

/** User frames of a stack that are shown at first. */
const FRAMES = 6;

/** @typedef {import('../state/stores.js').Stores} Stores @typedef {import('../data/rows.js').Row} Row */

/** @type {[import('../state/choice.js').Tab, string][]} */
const TABS = [
  ['site', 'Call site'],
  ['file', 'File'],
  ['function', 'Function'],
  ['lines', 'Lines'],
];

/** @param {Stores} stores @param {HTMLElement} root */
export function mountRows(stores, root) {
  const { shown, choice, look } = stores;
  const tabs = h('div.tabs', { role: 'tablist' });
  const list = h('div.rows', { role: 'tabpanel', label: 'What changed' });
  list.tabIndex = 0;
  root.append(tabs, list);
  let shownRows = 0;
  /** @type {Row[]} */
  let rows = [];
  let perByte = 0;
  let zero = 0;
  /** What the rows were made of. @type {unknown[]} */
  let of = [];

  const add = (/** @type {number} */ to) => {
    const same = list.lastElementChild;
    for (; shownRows < Math.min(to, rows.length); shownRows++)
      same?.before(rowElement(stores, rows[shownRows], zero, perByte));
  };

  const render = () => {
    if (!shown.isOpen) return;
    const { tab } = choice.now;
    const scroll = of[0] === stores.pair && of[1] === tab ? list.scrollTop : 0;
    of = [stores.pair, tab];
    const all = stores.rows;
    rows = all.filter(({ change }) => change !== 0);
    const note = tab === 'lines' ? '' : `${count(rows.length)} changed`;
    fill(
      tabs,
      TABS.map(([key, label]) => {
        const button = h('button', {
          text: label,
          role: 'tab',
          selected: tab === key,
          click: () => choice.set({ tab: key }),
        });
        return button;
      }),
      h('span.note', note),
    );
    if (tab === 'lines') {
      fill(list, linesOfBoth(stores));
      return;
    }
    const up = Math.max(0, ...rows.map(({ change }) => change));
    const down = Math.max(0, ...rows.map(({ change }) => -change));
    zero = Math.min(ZERO.most, Math.max(ZERO.least, up + down > 0 ? down / (up + down) : 0));
    perByte = Math.min(up > 0 ? (1 - zero) / up : Infinity, down > 0 ? zero / down : Infinity);
    shownRows = 0;
    fill(
      list,
      h(
        'p.same',
        sameWords(
          all.filter(({ change }) => change === 0),
          rows.length,
          tab,
        ),
      ),
    );
    // The row that is picked out may be far below.
    const picked = rows.findIndex(({ key }) => key === choice.now.row?.key);
    add(Math.max(AT_ONCE, picked + 20));
    list.scrollTop = scroll;
    const open = list.querySelector('.change.on');
    if (
      open instanceof HTMLElement &&
      (open.offsetTop < list.scrollTop || open.offsetTop > list.scrollTop + list.clientHeight - 60)
    )
      list.scrollTop = Math.max(0, open.offsetTop - 40);
  };
  list.addEventListener('scroll', () => {
    if (list.scrollTop + list.clientHeight * 2 > list.scrollHeight) add(shownRows + AT_ONCE);
  });
  shown.changed.on(render);
  choice.changed.on(render);
  look.changed.on(render);
}

/** @param {Row[]} same @param {number} changed @param {string} tab */
function sameWords(same, changed, tab) {
  const [one, many] =
    tab === 'file' ? ['file', 'files'] : tab === 'function' ? ['function', 'functions'] : ['site', 'sites'];
  if (same.length === 0) return changed > 0 ? `Every ${one} changed.` : 'Nothing is held in either.';
  const held = bytes(same.reduce((sum, row) => sum + row.bytes[1], 0));
  const more = changed > 0 ? ' more' : '';
  return `${counted(same.length, one, many)}${more}, with ${held}, did not change.`;
}

/** @param {Stores} stores @param {Row} row @param {number} zero part of the bar's width @param {number} perByte */
function rowElement(stores, row, zero, perByte) {
  const { choice, picked } = stores;
  const { tab, family } = choice.now;
  const by = tab === 'lines' ? 'site' : tab;
  const isOn = choice.now.row?.by === by && choice.now.row.key === row.key;
  const isFaded =
    family !== null ? row.family !== family : picked !== null && !row.groups.some((group) => picked[group]);
  const { color } = stores.colourOf(row.family);
  const width = Math.abs(row.change) * perByte * 100;
  const at = row.change > 0 ? zero * 100 : zero * 100 - width;
  const what = kindOfChange(row);
  const button = h(
    'button.head',
    { pressed: isOn, click: () => choice.pick({ by, key: row.key }) },
    swatch(color),
    h('b.name', { text: row.name, title: row.title }),
    h('span.where', { text: row.location, title: row.title }),
    h('b.number', { text: changeWords(row.change), title: `${count(row.change)} bytes` }),
    h(
      'span.diverging',
      { css: { '--zero': `${zero * 100}%` } },
      h('i', { css: { left: `${at}%`, width: `${width}%`, background: color } }),
    ),
    h('span.what', { text: what, title: `${what}; ${fromTo(row.bytes)}` }),
  );
  return h(
    'div',
    { class: `change${isOn ? ' on' : ''}${isFaded && !isOn ? ' faded' : ''}` },
    button,
    isOn && details(stores, row, by),
  );
}

/**
 * The operators and the stack of a row.
 * @param {Stores} stores @param {Row} row @param {import('../data/rows.js').By} by
 */
function details(stores, row, by) {
  const { pair, states, choice } = stores;
  const parts =
    by === 'site' ? [] : stores.rowsBy('site').filter(({ groups }) => groups.some((g) => row.groups.includes(g)));
  const operators = pair.report.operators ? operatorsOf(pair, states, row.groups) : [];
  const frames = by === 'site' && row.isNamed ? pair.frames(row.groups[0]) : [];
  const user = frames.filter(({ kind }) => kind === 0);
  const shown = choice.now.allFrames || user.length === 0 ? frames : user.slice(0, FRAMES);
  const line = (/** @type {string} */ name, /** @type {[number, number]} */ held, title = name) =>
    h(
      'p.part',
      h('span.mono', { text: name, title }),
      h('span', held[0] === held[1] ? bytes(held[1]) : fromTo(held)),
      h('b', changeWords(held[1] - held[0])),
    );
  return h(
    'div.details',
    parts.slice(0, FRAMES * 2).map((part) => line(`${part.location || part.name}`, part.bytes, part.title)),
    by === 'site' && operators.map(({ operator, bytes: held }) => line(operator || 'no operator', held)),
    shown.length > 0 &&
      h(
        'div.frames',
        shown.map((frame, i) =>
          h('p', {
            class: `mono${i === 0 ? ' user' : ''}`,
            text: `${locationOf(frame)}  ${nameOf(frame)}`,
            title: `${frame.file}:${frame.line} ${frame.name}`,
          }),
        ),
        frames.length > shown.length &&
          h('button.more', {
            text: `all ${count(frames.length)} frames`,
            click: () => choice.set({ allFrames: true }),
          }),
      ),
  );
}
