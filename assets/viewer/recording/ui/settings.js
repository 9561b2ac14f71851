// What other settings of the allocator would have done, in a table that floats under a
// button.

import { bytes, count, exactBytes } from '../../kit/format.js';
import { button, copyButton, copyText, h, popoverUnder } from '../../kit/dom.js';

const NAME = 'Other allocator settings';

/**
 * The button; null where nothing is predicted.
 * @param {import('../../data/open.js').OpenDevice} device
 */
export function settingsButton({ report, data }) {
  const { predicted } = report;
  if (!predicted) return null;
  const opener = button(NAME, 'What they would have done, predicted', () => {});
  const root = h('span.actions.settings', opener);
  opener.popoverTargetElement = popoverUnder(opener, NAME, () => {
    const { text, export: line } = predicted;
    const copy = copyButton('Copy', 'Copy the line', () => copyText(line));
    return [
      table(predicted, report.reserved_peak_bytes, data.ooms[0]?.state ?? -1),
      h('p', text),
      line && h('p.actions', h('code', line), copy),
    ];
  });
  return root;
}

/**
 * @param {import('../../data/report.js').Predicted} predicted
 * @param {number} recorded peak of reserved memory
 * @param {number} failed state of the first request that failed, -1: none did
 */
function table({ export: line, lower_bound_bytes, reference, settings }, recorded, failed) {
  const anyFails = [reference, ...settings].some((x) => x.failure_state >= 0) || failed >= 0;
  const amount = (/** @type {number} */ n) => h('td', { text: bytes(n), title: exactBytes(n) });
  const outcome = (/** @type {number} */ state) =>
    anyFails && h('td', state < 0 ? 'nothing fails' : `state ${count(state)}`);
  const row = (
    /** @type {import('../../data/report.js').Setting} */ x,
    /** @type {import('../../kit/dom.js').Leaf} */ name,
  ) =>
    h(
      'tr',
      h('td', name),
      amount(x.reserved_peak_bytes),
      amount(x.fragmentation_peak_bytes),
      h('td', count(x.driver_calls)),
      outcome(x.failure_state),
    );
  const same = recorded === reference.reserved_peak_bytes;
  const rows = settings.map((x) => row(x, h('code', x.setting.replaceAll(',', ', ') || 'the defaults')));
  if (line) rows[0].className = 'best';
  return h(
    'table',
    h(
      'tr',
      ['setting, predicted', 'reserved', 'fragmented', 'driver calls', anyFails && 'fails in'].map(
        (text) => text && h('th', text),
      ),
    ),
    rows,
    row(reference, same ? 'as recorded' : 'the recorded one'),
    !same && h('tr', h('td', 'as recorded'), amount(recorded), h('td'), h('td'), outcome(failed)),
    h('tr', h('td', 'lower bound: a perfect allocator'), amount(lower_bound_bytes)),
  );
}
