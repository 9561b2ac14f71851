// Hearing what happens to something on the page.

/**
 * @template {EventTarget} T
 * @param {T} target
 * @param {{[K in keyof (HTMLElementEventMap & WindowEventMap)]?: (event: (HTMLElementEventMap & WindowEventMap)[K]) => void}} handlers by type of event
 * @returns {T}
 */
export function listen(target, handlers) {
  for (const [type, handler] of Object.entries(handlers))
    target.addEventListener(type, /** @type {EventListener} */ (handler));
  return target;
}
