// Buttons of a toolbar.

import { button } from './dom.js';

/**
 * Makes buttons that each choose something, and are pressed while it is chosen.
 * @template {object} Choices
 * @param {Readonly<Choices>} now what is chosen @param {(to: Partial<Choices>) => void} choose
 */
export function choosers(now, choose) {
  return (
    /** @type {string} */ text,
    /** @type {Partial<Choices>} */ to,
    /** @type {string} */ title = '',
    disabled = false,
  ) => {
    const keys = /** @type {(keyof Choices)[]} */ (Object.keys(to));
    const pressed = keys.every((key) => to[key] === now[key]);
    return button(text, title, () => choose(to), { pressed, disabled });
  };
}
