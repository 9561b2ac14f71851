// What changes of the training would save, for the cards of a failed request and of the peak.

import { h } from './dom.js';

/** @typedef {import('../data/open.js').OpenDevice} OpenDevice */

/** A line for each change; null where none is predicted. @param {OpenDevice} device */
export function measureLines({ report: { measures } }) {
  if (!measures) return null;
  const { lines, note } = measures;
  if (lines.length === 0) return h('p', note);
  return lines.map(({ text, assumption }) => h('p.measure', { title: assumption }, text));
}

/** What the lines assume, to be folded below them. @param {OpenDevice} device */
export function measureAssumptions({ report: { measures } }) {
  if (!measures || measures.lines.length === 0) return [];
  return [h('p', measures.note), ...measures.lines.map(({ assumption }) => h('p', assumption))];
}
