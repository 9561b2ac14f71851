// The side panel: what is in memory at one moment. Its legend is the breakdown.

import { bytes, change, count, counted, exactBytes } from '../data/format.js';
import { rangeInView, setRange, toggleAlone } from '../state/range.js';
import { showRange } from '../state/show.js';
import { h, segmented } from './dom.js';
import { Legend } from './legend.js';

/** @param {import('../app.js').App} app @param {HTMLElement} root */
export function mountPanel(app, root) {
  const update = () => {
    const { device, happened, momentState: state, live, total } = app;
    const reserved = device.timeline.reservedAt(state);
    const unused = bytes(Math.max(0, reserved - total));
    root.replaceChildren(
      h('div.head', h('h2', happened ? 'In the range' : 'In memory'), device.hasHistory ? moments(app) : null),
      h(
        'div.total',
        h('b', { text: bytes(total), title: exactBytes(total) }),
        ...(happened
          ? rangeWords(app, happened)
          : [
              h('span', momentWords(app, state)),
              h('p', {
                text: `${counted(live.length, 'tensor')}; reserved ${bytes(reserved)}, of it unused ${unused}`,
                title: `reserved ${exactBytes(reserved)}`,
              }),
            ]),
      ),
      ...(happened ? [] : oomCard(app, state)),
      ...legend.elements(live, total),
    );
  };
  const legend = new Legend(app, update);
  app.onBeside(['device', 'moment', 'colour'], update);
}

/** @param {import('../app.js').App} app */
function moments(app) {
  const { moment } = app;
  return segmented('Moment', [
    { text: 'Peak', title: 'P', pressed: moment === 'peak', click: () => app.setMoment('peak') },
    {
      text: 'Cursor',
      title: 'Click the timeline to set it',
      pressed: moment === 'cursor',
      click: () => app.setMoment('cursor'),
    },
    { text: 'End', title: 'E', pressed: moment === 'end', click: () => app.setMoment('end') },
    {
      text: 'Range',
      title: 'Shift-drag in the plot brushes one; R takes the view',
      pressed: moment === 'range',
      click: () => (app.range ? app.setMoment('range') : setRange(app, rangeInView(app))),
    },
  ]);
}

/** @param {import('../app.js').App} app @param {import('../data/range.js').Happened} happened */
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
      h('button', {
        text: 'Alone',
        title: 'Show only what it keeps, in its own height (A)',
        pressed: app.alone !== null,
        click: () => toggleAlone(app),
      }),
      h('button', { text: 'Zoom', title: 'Zoom to the range (Z)', click: () => showRange(app) }),
      h('button', { text: '×', label: 'No range', title: 'Esc', click: () => setRange(app, null) }),
    ),
  ];
}

/** @param {import('../app.js').App} app @param {number} state */
export function momentWords(app, state) {
  if (!app.device.hasHistory) return 'in the final state';
  const where = app.moment === 'peak' ? 'at the peak, ' : app.moment === 'end' ? 'at the end, ' : '';
  return where + (state === app.device.timeline.lastState ? 'after the last event' : `before event ${count(state)}`);
}

/** @param {import('../app.js').App} app @param {number} state */
function oomCard(app, state) {
  const oom = app.device.data.ooms.find((m) => m.state === state);
  if (!oom) return [];
  const { timeline } = app.device;
  const active = timeline.active[state];
  /** @type {[string, number][]} */
  const rows = [
    ['asked for', oom.size],
    ['free on the device', oom.free],
    ['reserved, unused', Math.max(0, timeline.reservedAt(state) - active)],
    ['in use by tensors', active],
  ];
  return [
    h(
      'div.oom',
      h('b', 'Out of memory'),
      ...rows.flatMap(([name, value]) => [
        h('span', name),
        h('span.number', { text: bytes(value), title: exactBytes(value) }),
      ]),
    ),
  ];
}
