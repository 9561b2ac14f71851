// Building elements. Text from a snapshot only ever becomes a text node or an
// attribute from this short list.

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * @typedef {object} Properties
 * @property {string} [class] where it is no fixed one
 * @property {string} [text]
 * @property {string} [title]
 * @property {string} [role]
 * @property {string} [label] aria-label
 * @property {boolean} [pressed] aria-pressed
 * @property {boolean} [selected] aria-selected
 * @property {boolean} [disabled]
 * @property {string} [value]
 * @property {Record<string, string>} [css] custom and plain style properties
 * @property {(event: MouseEvent) => void} [click]
 */

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
  const isPlain = first?.constructor === Object;
  const p = /** @type {Properties} */ (isPlain ? first : {});
  const children = /** @type {Child[]} */ (isPlain ? others : [first, ...others]);
  if (element instanceof HTMLButtonElement) element.type = 'button';
  element.className = p.class ?? classes.join(' ');
  if (p.text !== undefined) element.textContent = p.text;
  if (p.title) element.title = p.title;
  if (p.role) element.setAttribute('role', p.role);
  if (p.label) element.setAttribute('aria-label', p.label);
  if (p.pressed !== undefined) element.setAttribute('aria-pressed', String(p.pressed));
  if (p.selected !== undefined) element.setAttribute('aria-selected', String(p.selected));
  if (p.disabled && 'disabled' in element) element.disabled = true;
  if (p.value !== undefined && 'value' in element) /** @type {any} */ (element).value = p.value;
  for (const [name, value] of Object.entries(p.css ?? {})) element.style.setProperty(name, value);
  if (p.click) element.addEventListener('click', /** @type {EventListener} */ (p.click));
  element.append(...children.filter((c) => typeof c === 'string' || c instanceof Node));
  return element;
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
  const button = h('button', {
    text,
    title,
    click: () => {
      copy();
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = text), 900);
    },
  });
  return button;
}

/** A small square of a colour. @param {string} color */
export function swatch(color) {
  return h('i.swatch', { css: { background: color } });
}

/**
 * A row of buttons of which one is pressed.
 * @param {string} label
 * @param {{text: string, title?: string, pressed?: boolean, disabled?: boolean, click: () => void}[]} buttons
 */
export function segmented(label, buttons) {
  return h('span.segmented', { role: 'group', label }, ...buttons.map((b) => h('button', b)));
}

/**
 * Copies text, also where the page may not use the clipboard interface.
 * @param {string} text
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h('textarea.offscreen', { value: text });
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
