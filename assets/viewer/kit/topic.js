// Listening: to the topics of the stores, and to events of the page. And how stores keep
// what they derive.

/** Something that stores announce, such as that they have changed. */
export class Topic {
  /** @type {(() => void)[]} */
  #listeners = [];

  /** Calls a listener whenever this is announced, after those that were here before. @param {() => void} listener */
  on(listener) {
    this.#listeners.push(listener);
  }

  emit() {
    for (const listener of this.#listeners) listener();
  }
}

/** Calls a listener whenever one of some topics is announced. @param {Topic[]} topics @param {() => void} listener */
export function on(topics, listener) {
  for (const topic of topics) topic.on(listener);
}

/**
 * Remembers the last answer of a function, for what is asked in every frame and
 * stays the same until something else is chosen.
 * @template {unknown[]} Arguments
 * @template Answer
 * @param {(...of: Arguments) => Answer} answerOf
 * @returns {(...of: Arguments) => Answer}
 */
export function memoizeLast(answerOf) {
  /** @type {{of: Arguments, answer: Answer} | null} */
  let last = null;
  return (...of) => {
    if (!last || of.some((v, i) => v !== last?.of[i])) last = { of, answer: answerOf(...of) };
    return last.answer;
  };
}

/** @typedef {HTMLElementEventMap & WindowEventMap} Events */

/**
 * Listens to what happens to something on the page.
 * @template {EventTarget} T
 * @param {T} target
 * @param {{[K in keyof Events]?: (event: Events[K]) => void}} handlers by type of event
 * @returns {T}
 */
export function listen(target, handlers) {
  for (const [type, handler] of Object.entries(handlers))
    target.addEventListener(type, /** @type {EventListener} */ (handler));
  return target;
}
