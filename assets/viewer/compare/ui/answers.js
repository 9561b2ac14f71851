// The strip of four answers under the header; each leads to its evidence.

import { h } from '../../kit/dom.js';
import { barParts, showAnswers } from '../../kit/strip.js';
import { on } from '../../kit/topic.js';
import { pileOrder } from '../data/side.js';

/** @param {import('../state/stores.js').Stores} stores */
export function mountAnswers(stores) {
  const { shown, look } = stores;
  on([shown.changed, look.changed], () => {
    if (!shown.isOpen) return;
    showAnswers(
      shown.pair.answers.map((answer) => ({
        ...wordsOf(answer),
        mood: answer.value === 'Unknown' ? 'unknown' : '',
        picture: answer.key === 'peak' ? bars(stores) : null,
        click: () => follow(stores, answer),
      })),
    );
  });
}

/**
 * The words of an answer as the page shows them: some have the start of their line beside the value.
 * @param {import('../data/pair.js').Answer} answer
 */
function wordsOf({ key, question, value, line, detail }) {
  const [first, ...rest] = line.split('; ');
  if ((key === 'peak' || key === 'program') && rest.length > 0)
    return { question, value, small: first, line: rest.join('; '), detail };
  if (key === 'peak') return { question, value, small: first, line: 'phases are not known of both', detail };
  return { question, value, small: '', line, detail };
}

/**
 * Shows what an answer is about.
 * @param {import('../state/stores.js').Stores} stores @param {import('../data/pair.js').Answer} answer
 */
function follow({ choice, names, pair }, { key, group, family }) {
  const at = pair.hasAnyHistory ? 'peak' : 'end';
  const nothing = { row: null, family: null, query: '' };
  if (key === 'peak') choice.set({ at, ...nothing });
  else if (key === 'row' && family >= 0) choice.set({ at, ...nothing, family });
  else if (key === 'row' && group >= 0)
    choice.set({ at, ...nothing, tab: 'site', row: { by: 'site', key: names.of(group, 'site').key } });
  else if (key === 'cache') choice.set({ at: 'reserved', ...nothing });
  else if (key === 'program') choice.set({ tab: 'lines', ...nothing });
}

/** A bar of the families at each peak, to one scale. @param {import('../state/stores.js').Stores} stores */
function bars(stores) {
  const { pair, report } = stores;
  const highest = Math.max(1, ...pair.sides.map(({ timeline: t }) => t.active[t.peak]));
  return h(
    'span.picture.peaks',
    pair.sides.map((side) => {
      const { peak, active } = side.timeline;
      const parts = pileOrder(report.families).map((family) => ({
        color: stores.colourOf(family).color,
        bytes: side.familyBytes(family, peak),
      }));
      return h(
        'span.bar',
        { css: { width: `${(100 * active[peak]) / highest}%` } },
        barParts(parts.filter(({ bytes }) => bytes > 0)),
      );
    }),
  );
}
