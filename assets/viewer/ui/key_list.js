// The list of keys that "?" shows, which the pages share.

import { listen } from '../state/topic.js';
import { h } from './dom.js';

/**
 * Fills the dialog that lists keys, and closes it when its backdrop is clicked.
 * @param {HTMLDialogElement} dialog
 * @param {[title: string, bindings: readonly (readonly [shown: string, does: string, ...unknown[]])[]][]} groups
 */
export function fillKeyList(dialog, groups) {
  dialog.append(
    h('h2', 'Keys'),
    h(
      'div.keys',
      groups.map(([title, bindings]) =>
        h(
          'section',
          title !== '' && h('h3', title),
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
