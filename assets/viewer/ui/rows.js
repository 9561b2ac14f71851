// A virtual list: of its lines, which have one height, only those in sight are elements.

import { listen } from '../state/topic.js';
import { fill, h } from './dom.js';

/** Height of a line in pixels, and lines made above and below those in sight. */
const HEIGHT = 24;
const MORE = 12;

/** @param {HTMLElement} root scrolls @param {(i: number) => HTMLElement} line */
export function virtualRows(root, line) {
  const list = h('div.list');
  let count = 0;
  // The lines that are elements.
  let from = 0;
  let to = 0;

  const update = () => {
    const { scrollTop, clientHeight } = root;
    root.parentElement?.classList.toggle('scrolls', root.scrollHeight > clientHeight);
    const first = Math.max(0, Math.floor(scrollTop / HEIGHT) - MORE);
    const after = Math.min(count, Math.ceil((scrollTop + clientHeight) / HEIGHT) + MORE);
    const near = first >= from && after <= to && to - from <= after - first + 2 * MORE;
    if (near && list.childElementCount > 0) return;
    from = Math.max(0, first - MORE);
    to = Math.min(count, after + MORE);
    list.style.paddingTop = `${from * HEIGHT}px`;
    fill(
      list,
      Array.from({ length: Math.max(0, to - from) }, (_, i) => line(from + i)),
    );
  };

  root.append(list);
  listen(root, { scroll: update });
  new ResizeObserver(update).observe(root);
  return {
    /** Makes all lines anew. @param {number} n */
    reset(n) {
      count = n;
      from = to = 0;
      list.style.height = `${n * HEIGHT}px`;
      fill(list);
      update();
    },

    /** Scrolls as little as shows some lines. @param {number} first @param {number} last */
    reveal(first, last) {
      root.scrollTop = Math.min(first * HEIGHT, Math.max(root.scrollTop, (last + 1) * HEIGHT - root.clientHeight + 8));
    },

    /** The lines that are elements, each with its number. @returns {[Element, number][]} */
    lines: () => [...list.children].map((element, i) => [element, from + i]),
  };
}
