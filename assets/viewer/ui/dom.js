// Building elements. Text from a snapshot only ever becomes a text node or an
// attribute from this short list.

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * @typedef {object} Properties
 * @property {string} [class]
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
 * @param {K} tag
 * @param {Properties} [properties]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  const p = properties;
  if (element instanceof HTMLButtonElement) element.type = 'button';
  if (p.class) element.className = p.class;
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
  element.append(...children.filter((c) => c !== null && c !== undefined && c !== false));
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

/** Says on a button that something was copied. @param {HTMLElement} button */
export function flash(button) {
  const text = button.textContent;
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = text;
  }, 900);
}

/** A small square of a colour. @param {string} color */
export function swatch(color) {
  return h('i', { class: 'swatch', css: { background: color } });
}

/**
 * A row of buttons of which one is pressed.
 * @param {string} label
 * @param {{text: string, title?: string, pressed?: boolean, disabled?: boolean, click: () => void}[]} buttons
 */
export function segmented(label, buttons) {
  return h('span', { class: 'segmented', role: 'group', label }, ...buttons.map((b) => h('button', b)));
}

/**
 * Copies text, also where the page may not use the clipboard interface.
 * @param {string} text
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h('textarea', { class: 'offscreen', value: text });
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
