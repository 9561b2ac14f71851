// The strip of four answers under the header; each leads to its evidence.

import { fill, h } from '../../kit/dom.js';
import { pileOrder } from '../data/side.js';

/** @param {import('../state/stores.js').Stores} stores @param {HTMLElement} root */
export function mountAnswers(stores, root) {
  const { shown, look } = stores;
  const render = () => {
    if (!shown.isOpen) return;
    fill(
      root,
      shown.pair.answers.map((answer) => {
        const { question, value, small, line, detail } = wordsOf(answer);
        return h(
          'button',
          { class: `answer${value === 'Unknown' ? ' unknown' : ''}`, click: () => follow(stores, answer) },
          h('span.question', question),
          h('span.value', { title: [value, small].filter(Boolean).join(' ') }, value, small && h('small', small)),
          answer.key === 'peak' ? bars(stores) : null,
          h('span.line', { text: line, title: detail || line }),
        );
      }),
    );
  };
  shown.changed.on(render);
  look.changed.on(render);
}

/**
 * The words of an answer as they stand on the page: of some, the first words of the line stand beside the value.
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
      const parts = pileOrder(report.families).map((family) => ({ family, bytes: side.familyBytes(family, peak) }));
      return h(
        'span.bar',
        { css: { width: `${(100 * active[peak]) / highest}%` } },
        parts
          .filter(({ bytes }) => bytes > 0)
          .map(({ family, bytes }) =>
            h('span', { css: { background: stores.colourOf(family).color, flex: `${bytes} 0 0` } }),
          ),
      );
    }),
  );
}
