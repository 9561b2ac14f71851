// The side panel: what is in memory at one moment. Its legend is the breakdown.

import { bytes, count, counted, exactBytes, share } from '../data/format.js';
import { h, segmented, swatch } from './dom.js';

/** @param {import('../app.js').App} app @param {HTMLElement} root */
export function mountPanel(app, root) {
  const update = () => {
    const { device, momentState: state } = app;
    const { timeline } = device;
    const live = timeline.live(state);
    const total = timeline.active[state];
    const reserved = timeline.reservedAt(state);
    const unused = bytes(Math.max(0, reserved - total));
    root.replaceChildren(
      h('div', { class: 'head' }, h('h2', { text: 'In memory' }), device.hasHistory ? moments(app) : null),
      h(
        'div',
        { class: 'total' },
        h('b', { text: bytes(total), title: exactBytes(total) }),
        h('span', { text: momentWords(app, state) }),
        h('p', {
          text: `${counted(live.length, 'tensor')}; reserved ${bytes(reserved)}, of it unused ${unused}`,
          title: `reserved ${exactBytes(reserved)}`,
        }),
      ),
      ...oomCard(app, state),
      ...legend(app, live, total),
    );
  };
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
  ]);
}

/** @param {import('../app.js').App} app @param {number} state */
function momentWords(app, state) {
  if (!app.device.hasHistory) return 'in the final state';
  const where = app.moment === 'peak' ? 'at the peak, ' : app.moment === 'end' ? 'at the end, ' : '';
  return where + (state === app.device.timeline.lastState ? 'after the last event' : `before event ${count(state)}`);
}

/** @param {import('../app.js').App} app @param {number} state */
function oomCard(app, state) {
  const oom = app.ooms.find((m) => m.state === state);
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
      'div',
      { class: 'oom' },
      h('b', { text: 'Out of memory' }),
      ...rows.flatMap(([name, value]) => [
        h('span', { text: name }),
        h('span', { class: 'number', text: bytes(value), title: exactBytes(value) }),
      ]),
    ),
  ];
}

/** @param {import('../app.js').App} app @param {Int32Array} live @param {number} total */
function legend(app, live, total) {
  const {
    grouping,
    device: { data },
    isolated,
  } = app;
  const n = grouping.groups.length;
  const sums = new Float64Array(n);
  const tensors = new Uint32Array(n);
  for (const id of live) {
    sums[grouping.of[id]] += data.size[id];
    tensors[grouping.of[id]]++;
  }
  const why = rulesOf(app, live);
  const shown = grouping.groups.map((group, i) => ({ group, i })).filter(({ i }) => grouping.present[i]);
  const bar = h(
    'div',
    { class: 'bar' },
    ...shown
      .filter(({ i }) => sums[i] > 0)
      .map(({ group, i }) =>
        h('span', {
          title: `${group.label} ${bytes(sums[i])}`,
          css: { background: group.color, flex: `${sums[i]} 0 0` },
        }),
      ),
  );
  const rows = shown.map(({ group, i }) =>
    h(
      'button',
      {
        class: sums[i] > 0 ? '' : 'none',
        pressed: isolated.size === 0 || isolated.has(i),
        title: [
          `${group.label}: ${exactBytes(sums[i])} in ${counted(tensors[i], 'tensor')}`,
          ...(why.get(i) ?? []),
          'Click isolates, Shift-click adds',
        ].join('\n'),
        click: (event) => app.isolate(i, event.shiftKey),
      },
      swatch(group.color),
      h('span', { text: grouping.mode === 'size' ? `${group.label}, ${count(tensors[i])}` : group.label }),
      h('span', { class: 'number', text: bytes(sums[i]) }),
      h('span', { class: 'number faint', text: sums[i] > 0 ? share(sums[i], total) : '' }),
    ),
  );
  return [bar, h('div', { class: 'legend' }, ...rows)];
}

/** Rules named in the title of a group. */
const RULES = 3;

/**
 * The rules that decided what is live in each family, most bytes first.
 * @param {import('../app.js').App} app @param {Int32Array} live
 * @returns {Map<number, string[]>} by group
 */
function rulesOf({ grouping, report, device: { data } }, live) {
  if (grouping.mode !== 'family') return new Map();
  const sums = new Float64Array(report.rules.length);
  const { rule, size } = data;
  for (const id of live) sums[rule[id]] += size[id];
  const order = [...sums.keys()].filter((r) => sums[r] > 0).sort((a, b) => sums[b] - sums[a]);
  return new Map(
    grouping.groups.map((_, i) => [
      i,
      order
        .filter((r) => report.rules[r].family === i)
        .slice(0, RULES)
        .map((r) => `${bytes(sums[r])}: ${report.rules[r].because}`),
    ]),
  );
}
