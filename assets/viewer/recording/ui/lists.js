// The lists of the side panel, of which one is open under its tab.

import { mountAllocator } from './allocator.js';
import { button, fill, h } from '../../kit/dom.js';
import { mountEvents } from './events.js';
import { mountSegments } from './segments.js';
import { mountTable } from './table.js';

/** @typedef {import('../../data/sites.js').By} By @typedef {import('../state/moment.js').ListName} ListName */

/** What a list says about itself beside the tabs. @typedef {(text: string) => void} Note */

/**
 * @typedef {object} List
 * @property {() => void} update fills it; it is called when the list opens, and by itself while that is open
 */

/** The tabs of the table: what its rows are. @type {[By, string][]} */
const TABLE_TABS = [
  ['site', 'Call site'],
  ['file', 'File'],
  ['function', 'Function'],
  ['family', 'Family'],
];

/** @type {[Exclude<ListName, 'table'>, string][]} */
const OTHER_TABS = [
  ['segments', 'Segments'],
  ['events', 'Events'],
  ['allocator', 'Allocator'],
];

/**
 * @param {import('../state/stores.js').Stores} stores @param {HTMLElement} root
 * @param {(state: number) => number} xOf client pixel of a state in the timeline's element
 */
export function mountLists(stores, root, xOf) {
  const { shown, viewport, spaceView, tableOrder, openList } = stores;
  const tabs = h('div.tabs', { role: 'tablist' });
  const note = h('span.note');
  root.append(tabs);
  /**
   * @template {List} L
   * @param {ListName} name
   * @param {(stores: import('../state/stores.js').Stores, sheet: HTMLElement, note: Note) => L} mount
   */
  const list = (name, mount) => {
    const sheet = h('div', { class: `sheet ${name}` });
    sheet.hidden = true;
    root.append(sheet);
    return { sheet, ...mount(stores, sheet, (text) => (note.textContent = text)) };
  };
  const lists = {
    table: list('table', mountTable),
    segments: list('segments', mountSegments),
    events: list('events', (...of) => mountEvents(...of, xOf)),
    allocator: list('allocator', mountAllocator),
  };

  const update = () => {
    const { all, name } = openList;
    const tab = (/** @type {string} */ text, /** @type {boolean} */ selected, /** @type {() => void} */ click) =>
      button(text, '', click, { role: 'tab', selected });
    const ofTable = TABLE_TABS.map(([by, text]) =>
      tab(text, name === 'table' && by === tableOrder.order.by, () => {
        tableOrder.set({ by });
        openList.open('table');
      }),
    );
    const others = OTHER_TABS.filter(
      ([other]) => all.includes(other) && (other !== 'events' || (shown.device.hasHistory && !shown.device.measure)),
    ).map(([other, text]) =>
      tab(text, other === name, () => openList.open(other)),
    );
    fill(tabs, all[0] === 'table' ? [...ofTable, ...others] : [...others, ...ofTable], note);
    for (const [key, { sheet, update: show }] of Object.entries(lists)) {
      const opens = sheet.hidden && key === name;
      sheet.hidden = key !== name;
      if (opens) show();
      else if (sheet.hidden) sheet.querySelector('.list')?.replaceChildren();
    }
  };
  viewport.afterPicture([shown.changed, spaceView.changed, tableOrder.changed, openList.changed], update);
  return lists;
}
