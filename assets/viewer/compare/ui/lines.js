// The list of lines in which the programs differ: lines of one recording only, and
// those that have moved.

import { counted } from '../../kit/format.js';
import { h } from '../../kit/dom.js';
import { changeWords } from '../data/words.js';

/** Lines that are listed of each kind. */
const MOST = 300;

/** @param {import('../state/stores.js').Stores} stores */
export function linesOfBoth({ pair, names, difference, choice }) {
  /** @type {Record<'before' | 'after' | 'moved' | 'same', number[]>} */
  const kinds = { before: [], after: [], moved: [], same: [] };
  pair.groups.forEach(({ isNamed }, group) => {
    if (!isNamed) return;
    const [a, b] = pair.sides.map(({ stackOfGroup }) => stackOfGroup.has(group));
    if (!a && !b) return;
    const [from, to] = names.of(group, 'site').lines;
    kinds[!b ? 'before' : !a ? 'after' : from !== to ? 'moved' : 'same'].push(group);
  });
  const section = (/** @type {string} */ title, /** @type {number[]} */ groups) =>
    groups.length > 0 &&
    h(
      'section.lines',
      h('h3', `${counted(groups.length, 'line')} ${title}`),
      groups.slice(0, MOST).map((group) => {
        const { name, location, title, key } = names.of(group, 'site');
        const [a, b] = difference.groups[group].bytes;
        return h(
          'button.line',
          { title, click: () => choice.set({ tab: 'site', row: { by: 'site', key }, family: null, query: '' }) },
          h('b', name),
          h('span.where', location),
          h('span.number', a || b ? changeWords(b - a) : 'none here'),
        );
      }),
      groups.length > MOST && h('p.same', `and ${counted(groups.length - MOST, 'more line')}`),
    );
  const { before, after, moved, same } = kinds;
  const more = before.length + after.length + moved.length > 0 ? ' more' : '';
  return [
    section('only before', before),
    section('only after', after),
    section('moved', moved),
    h('p.same', `${counted(same.length, 'line')}${more} stand where they stood.`),
  ];
}
