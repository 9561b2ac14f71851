// Every event of a recording, worked out from what the page has of allocations, segment events and markers. The
// command `memviz events` prints the same ones from the snapshot.

/** What an event did. @type {readonly string[]} */
export const ACTIONS = ['other', 'alloc', 'free', 'free asked', 'reserve', 'return', 'map', 'unmap', 'OOM', 'snapshot'];
const [, ALLOC, FREE, FREE_ASKED, RESERVE, RETURN, MAP, , OOM, SNAPSHOT] = ACTIONS.keys();

/** What snapshots call these. */
const NAMES = [
  ...['', 'alloc', 'free_completed', 'free_requested', 'segment_alloc', 'segment_free', 'segment_map', 'segment_unmap'],
  ...['oom', 'snapshot'],
];

/** How actions change a total: tensors the active bytes, segments the reserved bytes. */
const SIGNS = [0, 1, -1, 0, 1, -1, 1, -1, 0, 0];

/**
 * @typedef {object} RecordedEvent
 * @property {number} event its index
 * @property {string} action one of ACTIONS
 * @property {string} name of the action in a snapshot, "" for others
 * @property {number} id of the allocation that it began, ended or asked to free; -1: none
 * @property {number} bytes
 * @property {number} sign 1 or -1 where it adds the bytes to a total, or takes them from it; else 0
 * @property {number} reservation that it began or ended: index into space.reservations; -1: none, or not known
 * @property {import('../../data/space.js').Kind | null} kind of that reservation
 * @property {number} free bytes on the device at an OOM, else 0
 * @property {number} state one in which what it is about is there: after what adds, before everything else
 */

export class EventList {
  #data;
  /** By event: index into ACTIONS. */
  #action;
  /** By event: the allocation, or the index of the segment event or marker. */
  #of;
  /** Which reservation a segment event began or ended. @type {Map<number, number>} */
  #reservations = new Map();
  /** @type {import('../../data/space.js').Space | null} */
  #space = null;

  /** @param {import('../../data/device.js').DeviceData} data */
  constructor(data) {
    const { events, count, preExisting, first, last, reservedEvent, reservedDelta, markers } = data;
    const action = (this.#action = new Uint8Array(events));
    const of = (this.#of = new Int32Array(events));
    this.#data = data;
    const put = (/** @type {number} */ event, /** @type {number} */ what, /** @type {number} */ i) => {
      action[event] = what;
      of[event] = i;
    };
    // An alloc event at an address in use is also the end of what was there, so begins come last.
    for (let i = 0; i < count; i++) if (last[i] < events) put(last[i], FREE, i);
    for (let i = preExisting; i < count; i++) put(first[i] - 1, ALLOC, i);
    reservedEvent.forEach((event, i) => put(event, reservedDelta[i] < 0 ? RETURN : RESERVE, i));
    markers.forEach(({ state, kind }, i) => {
      if (kind !== 'retry') put(state, kind === 'oom' ? OOM : SNAPSHOT, i);
    });
    const { pendingAlloc, pendingWait } = data;
    pendingAlloc.forEach((id, i) => put(last[id] - pendingWait[i], FREE_ASKED, id));
    // Of other tensors the event before the last one asked for the free, unless it did something else.
    for (let i = 0; i < count; i++) {
      const asked = last[i] - 1;
      if (last[i] < events && asked >= 0 && action[asked] === 0 && action[last[i]] === FREE) put(asked, FREE_ASKED, i);
    }
  }

  get count() {
    return this.#action.length;
  }

  /**
   * Tells cudaMalloc and pages of expandable segments apart.
   * @param {import('../../data/space.js').Space} space
   */
  learn(space) {
    if (space === this.#space) return;
    this.#space = space;
    const {
      reservations: { count, first, last, kind },
      kinds,
    } = space;
    const learn = (/** @type {number} */ event, /** @type {number} */ what, /** @type {number} */ i) => {
      if (this.#action[event] !== what && this.#action[event] !== what + MAP - RESERVE) return;
      if (kinds[kind[i]].expandable) this.#action[event] = what + MAP - RESERVE;
      this.#reservations.set(event, i);
    };
    for (let i = 0; i < count; i++) {
      if (first[i] > 0) learn(first[i] - 1, RESERVE, i);
      if (last[i] < this.count) learn(last[i], RETURN, i);
    }
  }

  /** @param {number} event @returns {RecordedEvent} */
  at(event) {
    const { size, reservedDelta, markers } = this.#data;
    const action = this.#action[event];
    const of = this.#of[event];
    const sign = SIGNS[action];
    const tensor = action >= ALLOC && action <= FREE_ASKED;
    const marker = action >= OOM ? markers[of] : null;
    const reservation = this.#reservations.get(event) ?? -1;
    return {
      event,
      action: ACTIONS[action],
      name: NAMES[action],
      id: tensor ? of : -1,
      bytes: marker ? marker.size : tensor ? size[of] : action === 0 ? 0 : Math.abs(reservedDelta[of]),
      sign,
      reservation,
      kind: this.#space?.kinds[this.#space.reservations.kind[reservation]] ?? null,
      free: marker?.free ?? 0,
      state: event + Number(sign > 0),
    };
  }

  /**
   * The next event of a highlighted tensor.
   * @param {Uint8Array} mask @param {number} from event, which is not looked at @param {1 | -1} by
   * @returns {number} after the last one comes the first; -1: there is none
   */
  nextMatch(mask, from, by) {
    const n = this.count;
    for (let i = 1, event = from; i <= n; i++) {
      event = (event + by + n) % n;
      const action = this.#action[event];
      if (action >= ALLOC && action <= FREE_ASKED && mask[this.#of[event]]) return event;
    }
    return -1;
  }
}
