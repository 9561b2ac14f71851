// What changes of the training would save, for the cards of a failed request and of the peak, and for the strip over a
// training that is predicted with one of them.

import { bytes } from '../../kit/format.js';
import { showMeasure } from '../state/navigate.js';
import { button, h } from '../../kit/dom.js';

/** @typedef {import('../state/stores.js').Stores} Stores */

/**
 * A row for each change, which leads to what it predicts, below what they assume, folded; null where there is none.
 * @param {Stores} stores
 */
export function measureRows(stores) {
  const { report, measure } = stores.shown.device;
  if (!report.measures) return null;
  const { lines, note, next_step: next } = report.measures;
  if (lines.length === 0) return h('p', note);
  const someFit = lines.some(({ fit }) => fit && fit !== 'does not fit');
  const rows = lines.map((line) => {
    const { key, name, text, assumption, active_peak_bytes: most, fit, space } = line;
    const title = `${text} ${assumption}`;
    const cells = [h('span', name), h('span', bytes(most)), someFit && h('span', fit)];
    if (!space) return h('p.measure', { title }, cells);
    const pressed = measure?.line === line;
    return h('button.measure', { title, pressed, click: () => void showMeasure(stores, pressed ? '' : key) }, cells);
  });
  const assumed = [note, ...lines.map(({ assumption }) => assumption)].map((text) => h('p', text));
  const caption = `Predicted active peak${next ? ' in the next step' : ''}, if the training is changed`;
  return [h('details', h('summary', caption), assumed), rows];
}

/**
 * Replaces the answers over a predicted training.
 * @param {Stores} stores @param {import('../../data/report.js').Measure} line
 */
export function measureStrip(stores, { text, active_peak_bytes: most, assumption }) {
  const { report, timeline } = stores.shown.device;
  const { active, peak } = timeline;
  const within =
    most > active[peak]
      ? ` What comes and goes within one recorded event is not drawn, so the picture peaks at ${bytes(active[peak])}.`
      : '';
  return h(
    'div.predicted',
    h('b', text),
    h('p', `${assumption} ${report.measures?.note ?? ''}${within}`),
    button('Back to the recording', 'Shows what was recorded (Esc)', () => void showMeasure(stores, '')),
  );
}
