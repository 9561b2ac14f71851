// The call stacks of a file: a trie of frames, shared by all of its devices.

import { ColumnReader } from './columns.js';

/** What a frame belongs to. */
export const USER = 0;
export const LIBRARY = 1;
export const INTERNAL = 2;

/**
 * @typedef {object} Frame
 * @property {string} name function
 * @property {string} file
 * @property {number} line 0: unknown
 * @property {number} kind USER, LIBRARY or INTERNAL
 */

export class Stacks {
  /** @param {Uint8Array} bytes the payload "stacks-F" */
  constructor(bytes) {
    const r = new ColumnReader(bytes);
    this.strings = r.strings();
    this.frameName = r.unsigned().values;
    this.frameFile = r.unsigned().values;
    this.frameLine = r.unsigned().values;
    this.frameKind = r.unsigned().values;
    const back = r.unsigned().values;
    this.nodeFrame = r.unsigned().values;
    this.node = r.unsigned().values;
    this.site = r.unsigned().values;
    this.operator = r.unsigned().values;
    this.shade = r.unsigned().values;
    this.backward = r.unsigned().values;
    this.named = r.unsigned().values;
    /** @type {(Frame | undefined)[]} */
    this.known = [];
    // Every parent comes before its children, so a walk to the root ends.
    this.parent = new Uint32Array(back.length);
    for (let i = 0; i < back.length; i++) {
      if (back[i] < 1 || back[i] > i + 1) throw new RangeError(`node ${i + 1} has no parent`);
      this.parent[i] = i + 1 - back[i];
    }
  }

  get length() {
    return this.node.length;
  }

  /**
   * The frames of a stack, innermost first.
   * @param {number} stack
   * @returns {Frame[]}
   */
  frames(stack) {
    const out = [];
    let node = this.node[stack] ?? 0;
    if (node > this.parent.length) node = 0;
    for (; node > 0; node = this.parent[node - 1]) out.push(this.frame(this.nodeFrame[node - 1]));
    return out;
  }

  /**
   * @param {number} i
   * @returns {Frame}
   */
  frame(i) {
    return (this.known[i] ??= {
      name: this.strings.at(this.frameName[i]),
      file: this.strings.at(this.frameFile[i]),
      line: this.frameLine[i] ?? 0,
      kind: this.frameKind[i] ?? INTERNAL,
    });
  }

  /**
   * The innermost user frame of a stack.
   * @param {number} stack
   * @returns {Frame | null}
   */
  siteFrame(stack) {
    const site = this.site[stack] ?? 0;
    return site > 0 ? this.frame(site - 1) : null;
  }

  /**
   * The frame whose name decided the family, where one did.
   * @param {number} stack
   * @returns {Frame | null}
   */
  namedFrame(stack) {
    const named = this.named[stack] ?? 0;
    return named > 0 ? this.frame(named - 1) : null;
  }

  /**
   * @param {number} stack
   * @returns {string} such as "aten::mm", or ""
   */
  operatorOf(stack) {
    return this.strings.at(this.operator[stack]);
  }

  /**
   * @param {number} stack
   * @returns {boolean} whether the stack has no frame at all
   */
  isEmpty(stack) {
    return !(this.node[stack] > 0);
  }
}
