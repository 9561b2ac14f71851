// One of the two recordings, as it is compared: which family and which line each of its
// allocations counts to, and its pile sorted by family.

import { Timeline } from '../../data/timeline.js';
import { siteOf } from '../../data/sites.js';

/** Families from the bottom of the pile; others lie above in the order of the legend. */
const BOTTOM = ['parameter', 'parameter_or_gradient', 'parameter_or_optimizer', 'resident', 'optimizer'];

/** @param {{key: string}[]} families of the report @returns {number[]} indices into them, from the bottom */
export function pileOrder(families) {
  const place = (/** @type {number} */ f) => {
    const at = BOTTOM.indexOf(families[f].key);
    return at < 0 ? BOTTOM.length + f : at;
  };
  return families.map((_, f) => f).sort((a, b) => place(a) - place(b));
}

/**
 * The allocations of one family, as a pile of their own.
 * @typedef {object} Band
 * @property {number} family index into the report's families
 * @property {Int32Array} members the allocation that each one of the timeline is
 * @property {Timeline} timeline
 */

/** The group of an allocation that is in none. */
export const NO_GROUP = -1;

export class Side {
  /**
   * @param {import('../../data/open.js').OpenDevice} device
   * @param {import('../../data/report.js').Family[]} families
   * @param {ArrayLike<number>} groupOf by stack: 1 + the group, 0: none
   * @param {{alloc: number, group: number, family: number}[]} earlier allocations that the other side knows more of
   */
  constructor(device, families, groupOf, earlier) {
    const { data, timeline } = device;
    this.device = device;
    this.data = data;
    this.timeline = timeline;
    this.family = Uint8Array.from(data.family, (f) => Math.min(f, families.length - 1));
    this.group = Int32Array.from(data.stack, (stack) => (groupOf[stack] ?? 0) - 1);
    for (const { alloc, group, family } of earlier) {
      this.family[alloc] = family;
      this.group[alloc] = group;
    }
    /** A stack of each group that this side has. @type {Map<number, number>} */
    this.stackOfGroup = new Map();
    for (let i = 0; i < data.count; i++) {
      const group = (groupOf[data.stack[i]] ?? 0) - 1;
      if (!this.stackOfGroup.has(group)) this.stackOfGroup.set(group, data.stack[i]);
    }
    /** @type {Band[]} from the bottom; none that are empty */
    this.bands = pileOrder(families).flatMap((family) => {
      const members = membersOf(this.family, family);
      return members.length > 0 ? [{ family, members, timeline: part(data, members) }] : [];
    });
    this.bandOf = families.map((_, family) => this.bands.find((band) => band.family === family) ?? null);
  }

  /** Bytes of a family in state k. @param {number} family @param {number} k */
  familyBytes(family, k) {
    return this.bandOf[family]?.timeline.active[k] ?? 0;
  }

  /** The site of a group. @param {number} group @returns {import('../../data/sites.js').Site | null} */
  site(group) {
    const stack = this.stackOfGroup.get(group);
    return stack === undefined ? null : siteOf(this.device.stacks, stack);
  }

  /** The site of a group, and the operators below it. @param {number} group */
  textOf(group) {
    const site = this.site(group);
    if (!site) return '';
    const { stacks } = this.device;
    this.#operators ??= operatorsByGroup(this.data.stack, this.group, stacks);
    return [site.title, ...(this.#operators.get(group) ?? [])].join(' ');
  }
  /** @type {Map<number, Set<string>> | null} */
  #operators = null;

  /** What lies at a height of the pile in state k. @param {number} k @param {number} byte */
  hit(k, byte) {
    let below = 0;
    for (const { timeline, members } of this.bands) {
      const bytes = timeline.active[k];
      if (byte < below + bytes) {
        const hit = timeline.hit(k, byte - below);
        return hit && { id: members[hit.id], offset: below + hit.offset };
      }
      below += bytes;
    }
    return null;
  }

  /** What some allocations hold in each state. @param {(id: number) => boolean} has */
  bytesOf(has) {
    const { data } = this;
    const bytes = new Float64Array(data.events + 2);
    for (let i = 0; i < data.count; i++) {
      if (!has(i)) continue;
      bytes[data.first[i]] += data.size[i];
      bytes[data.last[i] + 1] -= data.size[i];
    }
    let sum = 0;
    for (let k = 0; k <= data.events; k++) bytes[k] = sum += bytes[k];
    return bytes.subarray(0, data.events + 1);
  }
}

/**
 * @param {ArrayLike<number>} stacks of each allocation @param {Int32Array} groups likewise
 * @param {import('../../data/stacks.js').Stacks} table
 */
function operatorsByGroup(stacks, groups, table) {
  /** @type {Map<number, Set<string>>} */
  const operators = new Map();
  for (let i = 0; i < groups.length; i++) {
    const known = operators.get(groups[i]);
    if (known) known.add(table.operatorOf(stacks[i]));
    else operators.set(groups[i], new Set([table.operatorOf(stacks[i])]));
  }
  return operators;
}

/** @param {Uint8Array} families @param {number} family */
function membersOf(families, family) {
  let n = 0;
  for (let i = 0; i < families.length; i++) if (families[i] === family) n++;
  const members = new Int32Array(n);
  for (let i = 0, at = 0; at < n; i++) if (families[i] === family) members[at++] = i;
  return members;
}

/**
 * The timeline of some allocations alone.
 * @param {import('../../data/device.js').DeviceData} data @param {Int32Array} members
 */
function part(data, members) {
  const { events, first, last, size } = data;
  const none = new Uint32Array(0);
  return new Timeline(
    {
      ...{ events, count: members.length },
      ...{ first: Uint32Array.from(members, (i) => first[i]), last: Uint32Array.from(members, (i) => last[i]) },
      size: Float64Array.from(members, (i) => size[i]),
      ...{ pendingAlloc: none, pendingWait: none, reservedEvent: none, reservedDelta: none },
    },
    0,
  );
}
