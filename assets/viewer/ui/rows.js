// A list of lines of one height, of which only those in sight are on the page.

import { h } from './dom.js';

/** Height of a line in pixels, and lines put on the page above and below those in sight. */
const HEIGHT = 21;
const MORE = 12;

export class VirtualRows {
  /** @param {HTMLElement} root scrolls @param {(i: number) => HTMLElement} line */
  constructor(root, line) {
    this.root = root;
    this.line = line;
    this.count = 0;
    /** Lines on the page. */
    this.from = this.to = 0;
    this.list = h('div.list');
    root.append(this.list);
    root.addEventListener('scroll', () => this.#fill(), { passive: true });
    new ResizeObserver(() => this.#fill()).observe(root);
  }

  /** Makes all lines anew. @param {number} count */
  reset(count) {
    this.count = count;
    this.from = this.to = 0;
    this.list.style.height = `${count * HEIGHT}px`;
    this.list.replaceChildren();
    this.#fill();
  }

  /** Scrolls as little as shows some lines. @param {number} first @param {number} last */
  reveal(first, last) {
    const { root } = this;
    root.scrollTop = Math.min(first * HEIGHT, Math.max(root.scrollTop, (last + 1) * HEIGHT - root.clientHeight + 8));
  }

  #fill() {
    const { root, list, count } = this;
    root.parentElement?.classList.toggle('scrolls', root.scrollHeight > root.clientHeight);
    const from = Math.max(0, Math.floor(root.scrollTop / HEIGHT) - MORE);
    const to = Math.min(count, Math.ceil((root.scrollTop + root.clientHeight) / HEIGHT) + MORE);
    const near = from >= this.from && to <= this.to && this.to - this.from <= to - from + 2 * MORE;
    if (near && list.childElementCount > 0) return;
    this.from = Math.max(0, from - MORE);
    this.to = Math.min(count, to + MORE);
    list.style.paddingTop = `${this.from * HEIGHT}px`;
    const length = Math.max(0, this.to - this.from);
    list.replaceChildren(...Array.from({ length }, (_, i) => this.line(this.from + i)));
  }
}
