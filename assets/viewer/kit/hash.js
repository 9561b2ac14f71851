// The hash of the address holds what is shown: only what differs from the start. Keys that a
// page does not know are kept as they are. Every page knows "theme": light or dark, which is
// read only.

import { listen, on } from './topic.js';

/** How long a view stays before it becomes an entry of the browser's history. */
const SETTLED_MS = 400;

/** @typedef {Record<string, string | false>} Values by key; false or "" where nothing differs from the start */

/** A value of the address. @param {string} key @param {string} [hash] another hash than the address has */
export function asked(key, hash = location.hash) {
  return new URLSearchParams(hash.replace(/^#/, '')).get(key);
}

/** A hash with other values, without the sign. @param {string} hash @param {Values} values */
export function hashWith(hash, values) {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  for (const [key, value] of Object.entries(values)) {
    params.delete(key);
    if (value) params.set(key, value);
  }
  return params.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
}

/**
 * Keeps the address and what is shown the same. Nothing is written before the address has been applied once.
 * @param {import('./topic.js').Topic[]} topics after which something else may be shown
 * @param {object} page
 * @param {() => Values} page.values of what is shown
 * @param {() => void} page.show what the address asks for of whatever is open
 * @param {() => unknown} page.open what the address names, unless it is open
 * @param {() => void} [page.shown] follows when a person has changed the address, and it is shown
 */
export function mountHash(topics, { values, show, open, shown }) {
  let isReading = true;
  let timer = 0;
  let pushed = location.hash;

  const apply = () => {
    isReading = true;
    show();
    isReading = false;
  };

  const write = () => {
    if (isReading) return;
    const text = hashWith(location.hash, values());
    if (text === location.hash.slice(1)) return;
    replace(text);
    clearTimeout(timer);
    timer = setTimeout(() => {
      // The entry so far keeps the previous view; what is shown now becomes a new one.
      const { hash } = location;
      if (hash === pushed) return;
      replace(pushed.slice(1));
      history.pushState(null, '', addressWith(hash || '#'));
      pushed = location.hash;
    }, SETTLED_MS);
  };

  on(topics, write);
  listen(window, {
    async hashchange() {
      pushed = location.hash;
      isReading = true;
      await open();
      apply();
      shown?.();
    },
  });
  return { apply };
}

/** @param {string} hash without the sign */
function replace(hash) {
  history.replaceState(null, '', addressWith(hash && '#' + hash));
}

/** The whole address, because a relative one is relative to another page in an iframe's srcdoc. @param {string} hash */
function addressWith(hash) {
  return location.href.replace(/#.*/s, '') + hash;
}
