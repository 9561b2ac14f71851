// Which list of the side panel is open.

import { Topic } from './topic.js';

/** @typedef {'table' | 'segments' | 'events' | 'allocator'} ListName */

/** The list that is open under the tabs: each of the two pictures keeps its own. */
export class OpenList {
  changed = new Topic();
  /** @type {Record<'pile' | 'map', ListName>} */
  #names = { pile: 'table', map: 'segments' };
  #isMap;

  /** @param {() => boolean} isMap whether the picture is that of the address space */
  constructor(isMap) {
    this.#isMap = isMap;
  }

  get name() {
    return this.#names[this.#isMap() ? 'map' : 'pile'];
  }

  /** Whether it is the one that this picture starts with. */
  get isFirst() {
    return this.name === (this.#isMap() ? 'segments' : 'table');
  }

  /** The lists that this picture has. @returns {ListName[]} */
  get all() {
    return this.#isMap() ? ['segments', 'events', 'allocator', 'table'] : ['table', 'events'];
  }

  /** @param {string | null} name one that this picture does not have opens its first */
  open(name) {
    const found = this.all.find((n) => n === name) ?? this.all[0];
    if (found === this.name) return;
    this.#names[this.#isMap() ? 'map' : 'pile'] = found;
    this.changed.emit();
  }
}
