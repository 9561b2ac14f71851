// A virtual list: of its lines, which have one height, only those in sight are elements.

import { clamp } from '../../kit/math.js';
import { listen } from '../../kit/topic.js';
import { fill, h } from '../../kit/dom.js';

/** Height of a line in pixels, and lines made above and below those in sight. */
const HEIGHT = 24;
const MORE = 12;

/** Browsers cut elements at some 17 million pixels. A longer list scrolls within this height, in larger steps. */
const TALLEST = 10_000_000;

/** @param {HTMLElement} root scrolls @param {(i: number) => HTMLElement} line */
export function virtualRows(root, line) {
  const list = h('div.list');
  let count = 0;
  // The lines that are elements.
  let from = 0;
  let to = 0;
  /** Pixels of the lines above what is in sight, and where the scroll bar was when they were counted. */
  let top = 0;
  let bar = 0;

  /** Pixels of lines for one of the scroll bar. */
  const step = () => {
    const { clientHeight } = root;
    const all = count * HEIGHT;
    return all <= TALLEST ? 1 : (all - clientHeight) / (TALLEST - clientHeight);
  };

  const scroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = root;
    const moved = scrollTop - bar;
    const isEnd = scrollTop <= 0 || scrollTop >= scrollHeight - clientHeight - 1;
    bar = scrollTop;
    // In a list of very many lines a wheel moves pixel by pixel as in any other; the scroll bar itself leaps.
    if (step() === 1 || isEnd || Math.abs(moved) > 2 * clientHeight) top = scrollTop * step();
    else top = clamp(top + moved, 0, count * HEIGHT - clientHeight);
    update();
  };

  /** @param {number} pixels */
  const scrollTo = (pixels) => {
    top = clamp(pixels, 0, Math.max(0, count * HEIGHT - root.clientHeight));
    root.scrollTop = Math.round(top / step());
    bar = root.scrollTop;
    update();
  };

  const update = () => {
    const { clientHeight } = root;
    root.parentElement?.classList.toggle('scrolls', root.scrollHeight > clientHeight);
    const first = Math.max(0, Math.floor(top / HEIGHT) - MORE);
    const after = Math.min(count, Math.ceil((top + clientHeight) / HEIGHT) + MORE);
    const near = first >= from && after <= to && to - from <= after - first + 2 * MORE;
    if (!near || list.childElementCount === 0) {
      from = Math.max(0, first - MORE);
      to = Math.min(count, after + MORE);
      fill(
        list,
        Array.from({ length: Math.max(0, to - from) }, (_, i) => line(from + i)),
      );
    }
    list.style.translate = `0 ${bar - top + from * HEIGHT}px`;
  };

  root.append(h('div.scroll', list));
  const space = /** @type {HTMLElement} */ (list.parentElement);
  listen(root, { scroll });
  new ResizeObserver(update).observe(root);
  /** Scrolls as little as shows some lines. @param {number} first @param {number} last */
  const reveal = (first, last) =>
    scrollTo(Math.min(first * HEIGHT, Math.max(top, (last + 1) * HEIGHT - root.clientHeight + 8)));

  return {
    /** Rebuilds all lines, at the same place or where one of them is in sight. @param {number} n @param {number} [i] */
    reset(n, i = -1) {
      count = n;
      from = to = 0;
      space.style.height = `${Math.min(n * HEIGHT, TALLEST)}px`;
      fill(list);
      if (i < 0) scroll();
      else reveal(i, i);
    },

    reveal,

    /** Has the upper edge of a line in the middle. @param {number} i */
    centre(i) {
      scrollTo(i * HEIGHT - Math.round(root.clientHeight / 2));
    },

    /** The lines that are elements, each with its number. @returns {[Element, number][]} */
    lines: () => [...list.children].map((element, i) => [element, from + i]),
  };
}
