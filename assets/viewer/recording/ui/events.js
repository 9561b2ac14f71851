// The list of all events: what happened before and after the cursor, one line an event.

import { EventList } from '../data/events.js';
import { bytes, count, counted, exactBytes } from '../../kit/format.js';
import { kindName } from '../data/segments.js';
import { siteOf } from '../../data/sites.js';
import { listen, memoizeLast } from '../../kit/topic.js';
import { h, swatch } from '../../kit/dom.js';
import { virtualRows } from './rows.js';

/** @typedef {import('../data/events.js').RecordedEvent} RecordedEvent */

/**
 * @param {import('../state/stores.js').Stores} stores @param {HTMLElement} root
 * @param {import('./lists.js').Note} note
 * @param {(state: number) => number} xOf client pixel of a state in the timeline's element
 */
export function mountEvents(stores, root, note, xOf) {
  const { shown, appearance, highlight, viewport, selection, moment, hover, addressSpace } = stores;
  const eventsOf = memoizeLast((/** @type {import('../../data/device.js').DeviceData} */ data) => new EventList(data));
  const all = () => {
    const events = eventsOf(shown.device.data);
    const { space } = addressSpace;
    if (space) events.learn(space);
    return events;
  };
  /** The event gone to last, and the state that the cursor was set to for it. */
  let gone = { event: -1, state: -1 };

  const heads = h(
    'div.columns',
    ['event', 'action', 'bytes', 'site', 'active'].map((text) => h('span', text)),
  );
  const body = h('div.rows');
  const list = virtualRows(body, (i) => lineOf(all().at(i)));
  root.append(heads, body);

  const fillLines = () => list.reset(all().count);

  const update = () => {
    if (root.hidden) return;
    const events = all();
    root.style.setProperty('--event', `${Math.max(5, count(events.count).length)}ch`);
    note(counted(events.count, 'event'));
    fillLines();
    list.centre(moment.state);
  };

  /** @param {RecordedEvent} of */
  const lineOf = (of) => {
    const { timeline } = shown.device;
    const { event, action, id, sign } = of;
    const { groups, of: groupOf } = appearance.grouping;
    const { mask } = highlight;
    const { pinned } = selection;
    const { state } = moment;
    const style = [
      'row',
      action === 'OOM' && 'failed',
      id >= 0 && id === pinned && 'on',
      mask && !mask[id] && 'faded',
      event === state && 'cursor',
      event === state - 1 && state === timeline.lastState && 'end',
    ];
    const signed = (sign > 0 ? '+' : sign < 0 ? '\u2212' : '') + bytes(of.bytes);
    return h(
      'button',
      { class: style.filter(Boolean).join(' '), click: () => choose(of) },
      h('span.number.faint', count(event)),
      h('span.action', action),
      h('span.number', of.bytes > 0 ? signed : ''),
      h('span.site', id >= 0 && swatch(groups[groupOf[id]].color), h('span', whereOf(of))),
      h('span.number.faint', bytes(timeline.active[event + 1])),
    );
  };

  /** The stack of an event of a tensor; for a free without one, the allocation's. @param {RecordedEvent} of */
  const stackOf = ({ id, action }) => {
    const { data, stacks } = shown.device;
    const freed = action === 'alloc' ? 0 : data.freeStack(id);
    return stacks.isEmpty(freed) ? data.stack[id] : freed;
  };

  /** @param {RecordedEvent} of @returns {string} */
  const whereOf = (of) => {
    if (of.action === 'OOM') return `${bytes(of.free)} free on the device`;
    if (of.kind) return kindName(of.kind);
    if (of.id < 0) return '';
    const { name, location } = siteOf(shown.device.stacks, stackOf(of));
    return `${name} ${location}`.trimEnd();
  };

  /** Everything about an event, which takes too long to have it ready for each line. @param {RecordedEvent} of */
  const titleOf = (of) => {
    const { data, timeline, stacks } = shown.device;
    const { event, action, id } = of;
    const [active, reserved] = [timeline.active[event + 1], timeline.reservedAt(event + 1)];
    const size = of.bytes > 0 ? ` ${exactBytes(of.bytes)}` : '';
    return [
      `event ${count(event)}: ${action}${size}`,
      id >= 0 && `#${count(id)} ${data.address.text(id)}`.trimEnd(),
      id >= 0 && siteOf(stacks, stackOf(of)).title,
      `active ${bytes(active)}, reserved ${bytes(reserved)} after it`,
    ]
      .filter(Boolean)
      .join('\n');
  };

  /** Sets the cursor at an event, and pins what it is about. @param {RecordedEvent} of */
  const choose = ({ event, state, id, reservation }) => {
    gone = { event, state };
    viewport.reach(viewport.axis.middle(state));
    moment.set('cursor', state);
    if (reservation >= 0) selection.pinSegment(reservation);
    else selection.pin(id < 0 ? null : id);
  };

  /** @param {Event} event */
  const point = ({ target }) => {
    const element = target instanceof Element && target.closest('.row');
    const i = list.lines().find(([e]) => e === element)?.[1];
    if (i === undefined || !(element instanceof HTMLElement)) return hover.setPoint(null);
    const of = all().at(i);
    element.title ||= titleOf(of);
    hover.setPoint({ x: xOf(of.state), state: of.state, hit: null });
  };
  const leave = () => hover.setPoint(null);
  listen(body, { pointerover: point, focusin: point, pointerleave: leave, focusout: leave });

  viewport.afterPicture([shown.changed], update);
  viewport.afterPicture(
    [appearance.changed, highlight.changed, selection.pinChanged, addressSpace.changed],
    () => root.hidden || fillLines(),
  );
  viewport.afterPicture([moment.changed], () => {
    if (root.hidden) return;
    fillLines();
    if (gone.state !== moment.state) list.centre(moment.state);
  });
  return {
    update,

    /**
     * Goes to the next event of something highlighted, when the list is open.
     * @param {1 | -1} by
     * @returns {boolean} whether it is open
     */
    goToMatch(by) {
      if (root.hidden || !highlight.mask) return !root.hidden;
      const from = gone.state === moment.state ? gone.event : moment.state - Number(by > 0);
      const event = all().nextMatch(highlight.mask, Math.min(from, all().count - 1), by);
      if (event < 0) return true;
      choose(all().at(event));
      list.centre(event);
      return true;
    },
  };
}
