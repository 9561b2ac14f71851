// The side panel: what is in memory at one moment. Its legend is the breakdown.

import { bytes, change, count, counted, exactBytes } from '../data/format.js';
import { rangeInView, setRange, toggleAlone } from '../state/range.js';
import { showRange } from '../state/show.js';
import { button, fill, h, segmented, signButton } from './dom.js';
import { makeLegend } from './legend.js';
import { settingsButton } from './settings.js';

/** @typedef {import('../app.js').App} App */

/** @param {App} app @param {HTMLElement} root */
export function mountPanel(app, root) {
  const update = () => {
    const { device, happened, momentState: state, live, total } = app;
    const oom = happened ? null : oomCard(app, state);
    const reserved = device.timeline.reservedAt(state);
    const unused = bytes(Math.max(0, reserved - total));
    fill(
      root,
      h('div.head', h('h2', happened ? 'In the range' : 'In memory'), device.hasHistory && moments(app)),
      h(
        'div.total',
        h('b', { text: bytes(total), title: exactBytes(total) }),
        happened
          ? rangeWords(app, happened)
          : [
              h('span', momentWords(app, state)),
              h('p', {
                text: `${counted(live.length, 'tensor')}; reserved ${bytes(reserved)}, of it unused ${unused}`,
                title: `reserved ${exactBytes(reserved)}`,
              }),
              !oom && settingsButton(device),
            ],
      ),
      oom,
      legend.elements(live, total),
    );
  };
  const legend = makeLegend(app, update);
  app.onBeside(['device', 'moment', 'colour'], update);
}

/** @param {App} app */
function moments(app) {
  const go = (/** @type {import('../app.js').Moment} */ moment, /** @type {string} */ text, /** @type {string} */ title, click = () => app.setMoment(moment)) =>
    button(text, title, click, { pressed: app.moment === moment });
  return segmented(
    'Moment',
    go('peak', 'Peak', 'P'),
    go('cursor', 'Cursor', 'Click the timeline to set it'),
    go('end', 'End', 'E'),
    go('range', 'Range', 'Shift-drag in the plot brushes one; R takes the view', () =>
      app.range ? app.setMoment('range') : setRange(app, rangeInView(app)),
    ),
  );
}

/** @param {App} app @param {import('../data/range.js').Happened} happened */
function rangeWords(app, { first, after, kept, allocated, freed, freedTensors }) {
  const { active } = app.device.timeline;
  const { from, to } = app.range ?? { from: 0, to: 0 };
  const made = after - first;
  const net = active[to] - active[from];
  const line = (/** @type {string} */ text, /** @type {string} */ title) => h('p', { text, title });
  return [
    h('span', 'allocated inside and still live'),
    line(
      `${count(kept.length)} of ${counted(made, 'tensor')}; allocated ${bytes(allocated)}, freed ${bytes(freed)}`,
      `allocated ${exactBytes(allocated)} in ${counted(made, 'tensor')}, freed ${exactBytes(freed)} in ${counted(freedTensors, 'tensor')}`,
    ),
    line(
      `live at its end ${bytes(active[to])}, ${net === 0 ? 'as at' : `${change(net)} from`} its start`,
      `events ${count(from)} to ${count(to - 1)}; live before ${exactBytes(active[from])}, after ${exactBytes(active[to])}`,
    ),
    h(
      'span.actions',
      button('Alone', 'Show only what it keeps, in its own height (A)', () => toggleAlone(app), { pressed: app.alone !== null }),
      button('Zoom', 'Zoom to the range (Z)', () => showRange(app)),
      signButton('×', 'No range', 'Esc', () => setRange(app, null)),
    ),
  ];
}

/** @param {App} app @param {number} state */
export function momentWords(app, state) {
  if (!app.device.hasHistory) return 'in the final state';
  const where = app.moment === 'peak' ? 'at the peak, ' : app.moment === 'end' ? 'at the end, ' : '';
  return where + (state === app.device.timeline.lastState ? 'after the last event' : `before event ${count(state)}`);
}

/** @param {App} app @param {number} state */
function oomCard(app, state) {
  const oom = app.device.data.ooms.find((m) => m.state === state);
  if (!oom) return null;
  const { timeline, report } = app.device;
  // Several attempts of one request are judged at the last.
  const failure = report.failures.find((f) => f.state >= state);
  const active = timeline.active[state];
  /** @type {[string, number][]} */
  const rows = [
    ['asked for', oom.size],
    ['free on the device', oom.free],
    ['reserved, unused', Math.max(0, timeline.reservedAt(state) - active)],
    ['in use by tensors', active],
  ];
  return h(
    'div.oom',
    h('b', 'Out of memory'),
    rows.map(([name, value]) => [
      h('span', name),
      h('span.number', { text: bytes(value), title: exactBytes(value) }),
    ]),
    failure && h('p', { text: failure.diagnosis, title: failure.evidence }),
    failure && h('p', `→ ${failure.try}`),
    settingsButton(app.device),
  );
}
