// Building elements. Text from a snapshot only ever becomes a text node or one of the
// attributes below, so that it cannot become markup.

import { listen } from './topic.js';

/** @typedef {Node | string | null | undefined | false} Leaf falsy ones are left out */
/** @typedef {Leaf | Leaf[] | Leaf[][] | (Leaf | Leaf[])[]} Child lists are laid flat */

/**
 * @typedef {object} Properties
 * @property {string} [class] where it is not fixed
 * @property {string} [text]
 * @property {string} [title]
 * @property {string} [role]
 * @property {string} [dir]
 * @property {string} [label] aria-label
 * @property {boolean} [pressed] aria-pressed
 * @property {boolean} [selected] aria-selected
 * @property {boolean} [disabled]
 * @property {string} [value]
 * @property {Record<string, string>} [css] custom and plain style properties
 * @property {(event: MouseEvent) => void} [click]
 */

/** Attributes of properties with another name. */
const ATTRIBUTES = {
  role: 'role',
  dir: 'dir',
  label: 'aria-label',
  pressed: 'aria-pressed',
  selected: 'aria-selected',
};

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K | `${K}.${string}`} tag with classes behind dots
 * @param {Properties | Child} [first] properties, or the first child
 * @param {...Child} others
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, first, ...others) {
  const [name, ...classes] = tag.split('.');
  const element = /** @type {HTMLElementTagNameMap[K]} */ (document.createElement(name));
  const hasProperties = first?.constructor === Object;
  const p = /** @type {Properties} */ (hasProperties ? first : {});
  if (element instanceof HTMLButtonElement) element.type = 'button';
  element.className = p.class ?? classes.join(' ');
  if (p.text !== undefined) element.textContent = p.text;
  if (p.title) element.title = p.title;
  if (p.disabled) element.toggleAttribute('disabled', true);
  if (p.value !== undefined) Object.assign(element, { value: p.value });
  for (const [key, attribute] of Object.entries(ATTRIBUTES)) {
    const value = p[/** @type {'role'} */ (key)];
    if (value !== undefined) element.setAttribute(attribute, value);
  }
  for (const [key, value] of Object.entries(p.css ?? {})) element.style.setProperty(key, value);
  if (p.click) listen(element, { click: p.click });
  const children = /** @type {Child[]} */ (hasProperties ? others : [first, ...others]);
  element.append(...leaves(children));
  return element;
}

/** @param {Child[]} children */
function leaves(children) {
  return children.flat(3).filter((c) => typeof c === 'string' || c instanceof Node);
}

/** Gives an element these children, in the place of any others. @param {Element} element @param {...Child} children */
export function fill(element, ...children) {
  element.replaceChildren(...leaves(children));
}

/** @param {string} text @param {string} title @param {(event: MouseEvent) => void} click @param {Properties} [more] */
export function button(text, title, click, more) {
  return h('button', { text, title, click, ...more });
}

/**
 * A button whose text is a symbol, and which therefore has a label for screen readers.
 * @param {string} text @param {string} label what it does @param {string} key that does it too
 * @param {() => void} click @param {Properties} [more]
 */
export function signButton(text, label, key, click, more) {
  return button(text, `${label} (${key})`, click, { label, ...more });
}

/**
 * An element of the page's template.
 * @template {HTMLElement} T
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return /** @type {T} */ (element);
}

/** A button that says that something was copied. @param {string} text @param {string} title @param {() => void} copy */
export function copyButton(text, title, copy) {
  return button(text, title, ({ currentTarget }) => {
    const copied = /** @type {HTMLElement} */ (currentTarget);
    copy();
    copied.textContent = 'Copied';
    setTimeout(() => (copied.textContent = text), 900);
  });
}

/** A small square of a colour. @param {string} color */
export function swatch(color) {
  return h('i.swatch', { css: { background: color } });
}

/** A path, which is cut from its left where there is no room. @param {string} path @param {string} [kind] a class */
export function pathElement(path, kind = '') {
  return h('span', { class: `path ${kind}`.trimEnd() }, h('bdi', { dir: 'ltr', text: path }));
}

/** A row of buttons that belong together. @param {string} label @param {Leaf[]} buttons */
export function segmented(label, ...buttons) {
  return h('span.segmented', { role: 'group', label }, buttons);
}

/**
 * Copies text, also where the page may not use the clipboard interface.
 * @param {string} text
 */
export async function copyText(text) {
  let copied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h('textarea.offscreen', { value: text });
    document.body.append(area);
    area.select();
    copied = document.execCommand('copy');
    area.remove();
  }
  say(copied ? 'Copied' : 'The browser did not let this be copied');
}

/** How long a message stays. */
const SAID_MS = 1400;
let saidTimer = 0;

/** Shows a message for a moment, at the foot of the page. @param {string} text */
export function say(text) {
  const element = byId('said');
  element.textContent = text;
  clearTimeout(saidTimer);
  saidTimer = setTimeout(() => (element.textContent = ''), SAID_MS);
}

/**
 * Makes a small panel that floats under a control; a click elsewhere or Esc closes it. It is filled whenever it opens,
 * and its first field or button gets the focus.
 * @param {HTMLElement} anchor
 * @param {string} label
 * @param {() => import('./dom.js').Leaf[]} contents
 */
export function popoverUnder(anchor, label, contents) {
  const popover = h('div.popover', { role: 'dialog', label });
  popover.popover = 'auto';
  listen(popover, {
    beforetoggle(event) {
      // Emptied first, so that no field of the last time keeps the focus.
      fill(popover);
      if (/** @type {ToggleEvent} */ (event).newState !== 'open') return;
      popover.append(h('div', contents()));
      const { left, right, top, bottom } = anchor.getBoundingClientRect();
      // Under or over the control, with the edge that leaves it the most room.
      const isUnder = top + bottom < innerHeight;
      const fromLeft = left + right < innerWidth;
      popover.style.left = fromLeft ? `${Math.max(8, left)}px` : 'auto';
      popover.style.right = fromLeft ? 'auto' : `${Math.max(8, document.documentElement.clientWidth - right)}px`;
      popover.style.top = isUnder ? `${bottom + 4}px` : 'auto';
      popover.style.bottom = isUnder ? 'auto' : `${document.documentElement.clientHeight - top + 4}px`;
      popover.style.maxHeight = `${(isUnder ? innerHeight - bottom : top) - 12}px`;
      popover.querySelector(':is(input, button)')?.toggleAttribute('autofocus', true);
    },
    keydown(event) {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      popover.hidePopover();
    },
  });
  anchor.after(popover);
  return popover;
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

/**
 * A list to choose from.
 * @param {string} label
 * @param {{value: string, text: string, disabled?: boolean}[]} options
 * @param {string} value of the option that is chosen now
 * @param {(value: string) => void} choose
 */
export function choice(label, options, value, choose) {
  const select = h(
    'select',
    { label },
    options.map((option) => h('option', option)),
  );
  select.value = value;
  return listen(select, { change: () => choose(select.value) });
}
