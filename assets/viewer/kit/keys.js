// What a page binds to keys, and the list of it that "?" shows. The pages share them.

import { listen } from './topic.js';
import { h } from './dom.js';

/**
 * shown: how the list names the keys or the gesture; does: what it does. keys: as in KeyboardEvent.key, in lower case,
 * separated by spaces; run: does it. A mouse gesture has neither of these two.
 * @typedef {[shown: string, does: string, keys?: string, run?: (event: KeyboardEvent) => void]} Binding
 */

/** @typedef {[title: string, bindings: Binding[]][]} KeyGroups */

/** What each key does. @param {KeyGroups} groups */
export function runsByKey(groups) {
  /** @type {Map<string, (event: KeyboardEvent) => void>} */
  const runs = new Map();
  for (const [, , keys, run] of groups.flatMap(([, bindings]) => bindings))
    if (run) for (const key of keys?.split(' ') ?? []) runs.set(key, run);
  return runs;
}

/**
 * Fills the dialog that lists keys, and closes it when its backdrop is clicked.
 * @param {HTMLDialogElement} dialog @param {KeyGroups} groups
 */
export function fillKeyList(dialog, groups) {
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
