// The status line: where the pointer is, and what one column stands for.

import { bytes, count, duration } from '../data/format.js';
import { listen } from '../view/listen.js';
import { fill, h } from './dom.js';

/** @param {import('../app.js').App} app @param {HTMLElement} where @param {HTMLElement} scale @param {() => number} plotWidth */
export function mountStatus(app, where, scale, plotWidth) {
  const updateWhere = () => {
    const { device, hover } = app;
    const { timeline, data } = device;
    if (!device.hasHistory) {
      fill(where, 'No events were recorded: blocks of the final state, largest first in each family.');
      return;
    }
    const state = hover?.state ?? app.momentState;
    const fact = (/** @type {string} */ name, /** @type {string} */ value, note = '') =>
      h('span', `${name} `, h('b', value), note);
    fill(
      where,
      fact('state', count(state), ` of ${count(timeline.lastState)}`),
      data.time && fact('t', duration(state === 0 ? 0 : data.time[state - 1])),
      fact('active', bytes(app.shown.active[state])),
      fact('reserved', bytes(timeline.reservedAt(state))),
    );
  };
  const updateScale = () => {
    scale.textContent = app.device.hasHistory ? scaleWords(app, plotWidth()) : '';
  };
  app.onBeside(['device', 'moment', 'hover'], updateWhere);
  app.on(['settled'], updateScale);
  listen(window, {
    resize() {
      if (app.device) updateScale();
    },
  });
}

/** @param {import('../app.js').App} app @param {number} plotWidth in client pixels */
function scaleWords(app, plotWidth) {
  const { viewport } = app;
  const { axis } = viewport;
  const pixels = Math.round(plotWidth * devicePixelRatio);
  const covered = axis.states(viewport.from, viewport.to);
  const each = covered ? (covered[1] - covered[0] + 1) / pixels : 0;
  const crowded = ', drawn at its highest, dotted at its lowest; zoom in to see tensors shorter than that';
  const events = (/** @type {number} */ n) => (n < 10 ? String(Number(n.toFixed(1))) : count(n));
  if (axis.kind === 'time') {
    return `1 column = ${duration(viewport.width / pixels)}, about ${events(each)} events${each > 1 ? crowded : ''}`;
  }
  if (each > 1) return `1 column = ${events(each)} events${crowded}`;
  return each > 0.2 ? 'every event has its own column' : `1 event = ${count(plotWidth / viewport.width)} px`;
}
