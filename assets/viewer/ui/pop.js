// Small panels that float under a control; a click elsewhere or Esc closes them.

import { listen } from '../view/listen.js';
import { fill, h } from './dom.js';

/**
 * Makes one that is filled whenever it opens; its first field or button has the focus then.
 * @param {HTMLElement} anchor
 * @param {string} label
 * @param {() => import('./dom.js').Leaf[]} contents
 */
export function popUnder(anchor, label, contents) {
  const pop = h('div.pop', { role: 'dialog', label });
  pop.popover = 'auto';
  listen(pop, {
    beforetoggle(event) {
      // Without its fields none of them can keep the focus.
      fill(pop);
      if (/** @type {ToggleEvent} */ (event).newState !== 'open') return;
      const { right, bottom } = anchor.getBoundingClientRect();
      pop.style.right = `${innerWidth - right}px`;
      pop.style.top = `${bottom + 4}px`;
      pop.append(h('div', contents()));
      pop.querySelector(':is(input, button)')?.toggleAttribute('autofocus', true);
    },
    keydown(event) {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      pop.hidePopover();
    },
  });
  anchor.after(pop);
  return pop;
}

/**
 * A text field.
 * @param {string} label
 * @param {string} placeholder
 * @param {string} [value]
 */
export function field(label, placeholder, value = '') {
  const input = h('input', { label, value });
  input.placeholder = placeholder;
  input.spellcheck = false;
  input.autocomplete = 'off';
  return input;
}
