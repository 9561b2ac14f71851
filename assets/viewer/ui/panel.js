// The side panel: what is in memory at one moment. Its legend is the breakdown.

import { bytes, change, count, counted, exactBytes } from '../data/format.js';
import { rangeInView, showRange, toggleKeptOnly } from '../state/navigate.js';
import { button, fill, h, segmented, signButton } from './dom.js';
import { makeLegend } from './legend.js';
import { settingsButton } from './settings.js';

/** @typedef {import('../state/stores.js').Stores} Stores @typedef {import('../data/open.js').OpenDevice} OpenDevice */

/** @param {Stores} stores @param {HTMLElement} root */
export function mountPanel(stores, root) {
  const { shown, appearance, highlight, viewport, moment } = stores;
  const update = () => {
    const { device } = shown;
    const { activity, state, live, total } = moment;
    const oom = activity ? null : oomCard(device, state);
    const reserved = device.timeline.reservedAt(state);
    // At an OOM the card says what of the cache was free.
    const unrequested = oom ? '' : `, ${bytes(Math.max(0, reserved - total))} of it not requested`;
    fill(
      root,
      h('div.head', h('h2', activity ? 'In the range' : 'In memory'), device.hasHistory && moments(stores)),
      h(
        'div.total',
        h('b', { text: bytes(total), title: exactBytes(total) }),
        activity
          ? rangeWords(stores, activity)
          : [
              h('span', momentWords(device, moment)),
              h('p', {
                text: `${counted(live.length, 'tensor')}; reserved ${bytes(reserved)}${unrequested}`,
                title: `reserved ${exactBytes(reserved)}`,
              }),
              !oom && settingsButton(device),
            ],
      ),
      oom ?? (activity ? null : retryCard(device, state)),
      legend.elements(live, total),
    );
  };
  const legend = makeLegend(stores, update);
  viewport.afterPicture([shown.changed, moment.changed, appearance.changed, highlight.changed], update);
}

/** @param {Stores} stores */
function moments(stores) {
  const { moment, selection } = stores;
  /** @typedef {import('../state/moment.js').MomentKind} Kind */
  const go = (
    /** @type {Kind} */ kind,
    /** @type {string} */ text,
    /** @type {string} */ title,
    click = () => moment.set(kind),
  ) => button(text, title, click, { pressed: moment.kind === kind });
  return segmented(
    'Moment',
    go('peak', 'Peak', 'P'),
    go('cursor', 'Cursor', 'Click the timeline to set it'),
    go('end', 'End', 'E'),
    go('range', 'Range', 'Shift-drag in the plot brushes one; R takes the view', () =>
      selection.range ? moment.set('range') : selection.selectRange(rangeInView(stores)),
    ),
  );
}

/** @param {Stores} stores @param {import('../data/range.js').RangeActivity} activity */
function rangeWords(stores, { first, after, kept, allocated, freed, freedTensors }) {
  const { shown, selection } = stores;
  const { active } = shown.device.timeline;
  const { from, to } = selection.range ?? { from: 0, to: 0 };
  const made = after - first;
  const net = active[to] - active[from];
  const line = (/** @type {string} */ text, /** @type {string} */ title) => h('p', { text, title });
  return [
    h('span', 'allocated inside and still live'),
    line(
      `${count(kept.length)} of ${counted(made, 'tensor')}; allocated ${bytes(allocated)}, freed ${bytes(freed)}`,
      `allocated ${exactBytes(allocated)} in ${counted(made, 'tensor')}, ` +
        `freed ${exactBytes(freed)} in ${counted(freedTensors, 'tensor')}`,
    ),
    line(
      `live at its end ${bytes(active[to])}, ${net === 0 ? 'as at' : `${change(net)} from`} its start`,
      `events ${count(from)} to ${count(to - 1)}; ` +
        `live before ${exactBytes(active[from])}, after ${exactBytes(active[to])}`,
    ),
    h(
      'span.actions',
      button('Alone', 'Show only what it keeps, in its own height (A)', () => toggleKeptOnly(stores), {
        pressed: selection.keptOnly,
      }),
      button('Zoom', 'Zoom to the range (Z)', () => showRange(stores)),
      signButton('×', 'No range', 'Esc', () => selection.selectRange(null)),
    ),
  ];
}

/** @param {OpenDevice} device @param {import('../state/moment.js').Moment} moment */
export function momentWords({ hasHistory, timeline }, { kind, state }) {
  if (!hasHistory) return 'in the final state';
  const where = kind === 'peak' ? 'at the peak, ' : kind === 'end' ? 'at the end, ' : '';
  return where + (state === timeline.lastState ? 'after the last event' : `before event ${count(state)}`);
}

/** @param {OpenDevice} device @param {number} state */
function retryCard({ data }, state) {
  const retry = data.retries.find((r) => r.state === state);
  return retry ? h('div.retry', h('b', 'Near out of memory'), h('p', retry.text)) : null;
}

/** @param {OpenDevice} device @param {number} state */
function oomCard(device, state) {
  const { data, timeline, report } = device;
  const oom = data.ooms.find((m) => m.state === state);
  if (!oom) return null;
  // The failures hold only the last of several attempts of one request.
  const failure = report.failures.find((f) => f.state >= state);
  /** @type {[string, number][]} */
  const rows = [
    ['asked for', oom.size],
    ['free on the device', oom.free],
    ['in use by tensors', timeline.active[state]],
  ];
  if (failure?.free_bytes !== undefined) rows.splice(2, 0, ['free in the cache', failure.free_bytes]);
  return h(
    'div.oom',
    h('b', 'Out of memory'),
    rows.map(([name, value]) => [h('span', name), h('span.number', { text: bytes(value), title: exactBytes(value) })]),
    failure && h('p', { text: failure.diagnosis, title: failure.evidence }),
    failure && h('p', `→ ${failure.try}`),
    settingsButton(device),
  );
}
