// The card of a request that failed: what was asked for beside what was free, in bars of one scale.

import { bytes, count, counted, exactBytes } from '../../kit/format.js';
import { holesOf, segmentsAt, servingSegments } from '../data/segments.js';
import { memoizeLast } from '../../kit/topic.js';
import { button, h, segmented } from '../../kit/dom.js';
import { measureRows } from './measures.js';
import { settingsButton } from './settings.js';

/**
 * @typedef {import('../state/stores.js').Stores} Stores @typedef {import('../../data/open.js').OpenDevice} OpenDevice
 */

/** Holes that have a piece of the bar of their own; the others of very many share the last one. */
const PIECES = 120;

const segmentsOf = memoizeLast(segmentsAt);

/**
 * The requests that failed: of several attempts of one request only the last, as in the answers.
 * @param {OpenDevice} device
 */
function failed({ data, report: { failures } }) {
  const last = data.ooms.filter((m) => failures.some((f) => f.state === m.state));
  return last.length > 0 ? last : data.ooms;
}

/**
 * The request whose card is in the panel: the one at its moment; at the peak, where the page opens, the last.
 * @param {OpenDevice} device @param {import('../state/moment.js').Moment} moment
 * @returns {number} -1: none
 */
export function failureShown(device, { kind, state }) {
  const all = failed(device);
  const at = device.data.ooms.some((m) => m.state === state) ? all.findIndex((m) => m.state >= state) : -1;
  return at < 0 && kind === 'peak' ? all.length - 1 : at;
}

/** @param {Stores} stores @param {number} i which request that failed */
export function oomCard(stores, i) {
  const { shown, moment, viewport, addressSpace, spaceView } = stores;
  const { device } = shown;
  const all = failed(device);
  const { state, size, free } = all[i];
  const failure = device.report.failures.find((f) => f.state >= state);
  const { space } = addressSpace;
  const { pool = 0, stream = 0, free_bytes: inHoles, largest_bytes: largest } = failure ?? {};
  const holes =
    space && holesOf(servingSegments(segmentsOf(space, device, state), space.kinds, { pool, stream, bytes: size }));
  const most = Math.max(size, free, inHoles ?? 0, 1);
  const bar = (/** @type {string} */ name, /** @type {number | undefined} */ value, kind = '', pieces = [value ?? 0]) =>
    value !== undefined && [
      h('span', name),
      h(
        'span',
        { class: `of ${kind}`, css: { width: `${(100 * value) / most}%` } },
        pieces.length > 1 && pieces.map((piece) => h('i', { css: { flex: `${piece} 0 0` } })),
      ),
      h('span.number', { text: bytes(value), title: exactBytes(value) }),
    ];
  const go = (/** @type {number} */ n) => () => {
    viewport.reach(viewport.axis.middle(all[n].state));
    moment.set('cursor', all[n].state);
  };
  const where = spaceView.isPredicted ? ' in the recording' : '';
  const which = `Out of memory${where}${all.length > 1 ? `, ${count(i + 1)} of ${count(all.length)}` : ''}`;
  const asked =
    largest === undefined
      ? ''
      : `${bytes(size)} asked; ${largest > 0 ? `the largest hole has ${bytes(largest)}` : 'there is no hole for it'}. `;
  return h(
    'div.card.oom',
    h('b', `${which}, in state ${count(state)}`),
    all.length > 1 &&
      segmented(
        'Out of memory',
        button('‹', 'The one before', go(i - 1), { disabled: i === 0, label: 'The one before' }),
        button('›', 'The one after', go(i + 1), { disabled: i + 1 === all.length, label: 'The one after' }),
      ),
    h(
      'div.bars',
      bar('asked for', size, 'asked'),
      bar('free on device', free),
      bar('largest hole', largest),
      bar(allHoles(holes?.length), inHoles, 'holes', piecesOf(holes ?? [])),
    ),
    failure && h('p', asked + failure.diagnosis),
    failure && h('p', `→ ${failure.try}`),
    measureRows(stores),
    failure && h('details', h('summary', 'All numbers'), h('p', failure.evidence)),
    settingsButton(device),
  );
}

/** @param {number[]} holes bytes, the largest first */
function piecesOf(holes) {
  if (holes.length <= PIECES) return holes;
  return [...holes.slice(0, PIECES), holes.slice(PIECES).reduce((sum, hole) => sum + hole, 0)];
}

/** @param {number} [n] how many holes there are, once that is known */
function allHoles(n) {
  if (n === undefined) return 'all holes';
  return n === 1 ? 'the only hole' : `all ${counted(n, 'hole')}`;
}
