// The keyboard: what keys do, the list of them that "?" shows, and the guide to reading the page.

import { byId, h } from './dom.js';
import { listen } from './topic.js';

/**
 * shown: how the list names the keys or the gesture; does: what it does. keys: as in KeyboardEvent.key, in lower case,
 * separated by spaces; run: does it. A mouse gesture has neither of these two.
 * @typedef {[shown: string, does: string, keys?: string, run?: (event: KeyboardEvent) => void]} Binding
 */

/** @typedef {[title: string, bindings: Binding[]][]} KeyGroups */

/**
 * @typedef {object} KeyRules
 * @property {(key: string) => boolean} [isOff] whether a key does nothing now
 * @property {(event: KeyboardEvent) => void} [withControl] what Ctrl or Cmd with a key does
 */

/**
 * Binds the keys of a page, and those that every page has: "?" for the list of keys, W for how to read the page.
 * @param {KeyGroups} ofPage @param {KeyRules} [rules]
 */
export function mountKeys(ofPage, { isOff = () => false, withControl = () => {} } = {}) {
  const list = /** @type {HTMLDialogElement} */ (byId('keys'));
  const guide = byId('guide');
  const showList = () => list.showModal();
  const toggleGuide = () => void (guide.hidden = !guide.hidden);
  for (const id of ['show-keys', 'show-keys-too']) listen(byId(id), { click: showList });
  for (const id of ['show-guide', 'close-guide']) listen(byId(id), { click: toggleGuide });
  /** @type {KeyGroups} */
  const groups = [
    ...ofPage,
    [
      'Help',
      [
        ['?', 'this list', '?', showList],
        ['W', 'how to read this', 'w', toggleGuide],
      ],
    ],
  ];
  fillList(list, groups);
  const runs = runsByKey(groups);
  listen(window, {
    keydown(event) {
      const { key } = event;
      if (event.defaultPrevented || list.open || isTyping(event.target)) return;
      if (event.ctrlKey || event.metaKey) {
        withControl(event);
        return;
      }
      // Some keys need Shift ("?"), and with Shift letters are upper case.
      const run = runs.get(key) ?? runs.get(key.toLowerCase());
      if (!run || event.altKey || isOff(key)) return;
      event.preventDefault();
      if (key === 'Escape' && !guide.hidden) guide.hidden = true;
      else run(event);
    },
  });
}

/** What each key does. @param {KeyGroups} groups */
function runsByKey(groups) {
  /** @type {Map<string, (event: KeyboardEvent) => void>} */
  const runs = new Map();
  for (const [, , keys, run] of groups.flatMap(([, bindings]) => bindings))
    if (run) for (const key of keys?.split(' ') ?? []) runs.set(key, run);
  return runs;
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof Element && target.matches('input, textarea, select');
}

/**
 * Fills the dialog that lists keys, and closes it when its backdrop is clicked.
 * @param {HTMLDialogElement} dialog @param {KeyGroups} groups
 */
function fillList(dialog, groups) {
  dialog.append(
    h('h2', 'Keys'),
    h(
      'div.keys',
      groups.map(([title, bindings]) =>
        h(
          'section',
          h('h3', title),
          bindings.map(([shown, does]) => h('p', h('span', caps(shown)), h('span', does))),
        ),
      ),
    ),
  );
  listen(dialog, {
    click({ target }) {
      if (target === dialog) dialog.close();
    },
  });
}

/** Keys as caps, the words of a gesture as they are. @param {string} shown @returns {(Node | string)[]} */
function caps(shown) {
  return shown.split(' ').flatMap((word) => [/^[a-z-]{2,}$/.test(word) ? word : h('kbd', word), ' ']);
}
