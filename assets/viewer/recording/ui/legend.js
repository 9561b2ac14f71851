// The legend: what each colour holds at the panel's moment, and why.

import { locationOf, nameOf } from '../../data/fold.js';
import { bytes, count, counted, exactBytes, share } from '../../kit/format.js';
import { totalsByGroup } from '../../data/grouping.js';
import { highlightedKeys } from '../data/masks.js';
import { BY, decidingFrame, sharesOf } from '../data/reasons.js';
import { HOST_MEMORY } from '../../data/report.js';
import { patterned } from '../draw/patterns.js';
import { button, h, swatch } from '../../kit/dom.js';

/** The most rules that the title of a group names. */
const RULES = 4;

/** @typedef {import('../state/stores.js').Stores} Stores */

/**
 * @param {Stores} stores
 * @param {() => void} update draws the panel again
 */
export function makeLegend(stores, update) {
  const { shown, appearance, highlight } = stores;
  /** The group that is explained: mode and name. */
  let explained = '';

  /**
   * @param {number} i group @param {{bytes: number, tensors: number}} totals
   * @param {import('../data/reasons.js').Share[]} shares @param {number} total
   * @param {boolean} isHighlighted whether something of it is
   */
  const entry = (i, totals, shares, total, isHighlighted) => {
    const { groups, mode } = appearance.grouping;
    const { rules } = shown.report;
    const { label, name } = groups[i];
    const why = shares.filter((s) => rules[s.rule]?.family === i).slice(0, RULES);
    const key = `${mode} ${name}`;
    const open = explained === key;
    const title = [
      `${label}: ${exactBytes(totals.bytes)} in ${counted(totals.tensors, 'tensor')}`,
      ...why.map((r) => `${bytes(r.bytes)}: ${rules[r.rule].because}`),
      'Click isolates, Shift-click adds',
    ].join('\n');
    const explain = () => {
      explained = open ? '' : key;
      update();
    };
    return [
      h(
        'div',
        { class: `entry${isHighlighted || highlight.groups.has(i) ? '' : ' faded'}` },
        h(
          'button.group',
          {
            pressed: highlight.groups.size === 0 || highlight.groups.has(i),
            title,
            click: (event) => highlight.toggleGroup(i, event.shiftKey),
          },
          groupSwatch(appearance, i),
          h('span', mode === 'size' ? `${label}, ${count(totals.tensors)}` : label),
          h('span.number', bytes(totals.bytes)),
          h('span.number.faint', totals.bytes > 0 ? share(totals.bytes, total) : ''),
        ),
        button('?', 'What decided this colour', explain, {
          class: 'why',
          label: `What decided: ${label}`,
          pressed: open,
        }),
      ),
      open
        ? [h('div.reasons', why.length > 0 ? why.map((share) => reason(stores, share)) : sentence(stores, name))]
        : [],
    ].flat();
  };

  return {
    /**
     * Of all that is reserved: the groups with the most bytes, what blocks are rounded up by, and the holes.
     * @param {import('../data/segments.js').Segments} all @param {number} most groups that have a line of their own
     */
    ofSegments({ segments, reserved, active, requested, stuck, returnable }, most) {
      const { style } = appearance;
      const isHost = shown.device.report.device === HOST_MEMORY;
      /** @type {[string, string, string, number][]} */
      const stuckRows = [
        ['Rounding', 'Blocks are larger than what was asked for', style.ink3, active - requested],
        ['Stuck holes', 'Free, but live tensors share their segment or page', style.stuck, stuck],
      ];
      const live = Int32Array.from(segments.flatMap(({ blocks }) => blocks.map(({ id }) => id)));
      return this.elements(live, reserved, {
        most,
        rest: [
          ...(isHost ? [] : stuckRows), // a segment of host memory is one block
          [
            'Returnable',
            isHost ? 'Free: nothing lies in these segments' : 'Free: empty_cache() would give it back',
            style.returnable,
            returnable,
          ],
        ],
      });
    },

    /**
     * @param {Int32Array} live @param {number} total bytes
     * @param {{most: number, rest: [label: string, title: string, color: string, bytes: number][]} | null} [more] how
     *   many groups have a line of their own, and what there is beside the groups; null: all, and nothing
     */
    elements(live, total, more = null) {
      const { grouping } = appearance;
      const { data } = shown.device;
      const { groups, present, mode } = grouping;
      const totals = totalsByGroup(grouping, data.size, live);
      const highlighted = highlightedKeys(highlight.mask, live, (id) => grouping.of[id]);
      const shares = mode === 'family' ? sharesOf(data, live) : [];
      const listed = [...groups.keys()].filter((i) => present[i]);
      const parts = listed
        .filter((i) => totals[i].bytes > 0)
        .map((i) =>
          h('span', {
            title: `${groups[i].label} ${bytes(totals[i].bytes)}`,
            css: { background: groups[i].color, flex: `${totals[i].bytes} 0 0` },
          }),
        );
      const filled = listed.filter((i) => totals[i].bytes > 0 || highlight.groups.has(i));
      if (more) filled.sort((a, b) => totals[b].bytes - totals[a].bytes);
      const own = filled.slice(0, more?.most);
      const entries = own.map((i) => entry(i, totals[i], shares, total, highlighted.has(i)));
      const others = filled.slice(own.length);
      const sum = others.reduce((n, i) => n + totals[i].bytes, 0);
      const word = mode === 'family' ? 'more family' : 'more group';
      const words = counted(others.length, word, mode === 'family' ? 'more families' : 'more groups');
      const line = (/** @type {string} */ name, /** @type {string} */ color, /** @type {number} */ n, title = '') =>
        h(
          'div.group',
          { title: `${title ? `${title}\n` : ''}${exactBytes(n)}` },
          color ? swatch(color) : h('span'),
          h('span', name),
          h('span.number', bytes(n)),
          h('span.number.faint', share(n, total)),
        );
      const rest = more?.rest.filter(([, , , n]) => n > 0) ?? [];
      return [
        h(
          'div.bar',
          parts,
          rest.map(([label, , color, n]) =>
            h('span', { title: `${label} ${bytes(n)}`, css: { background: color, flex: `${n} 0 0` } }),
          ),
        ),
        h(
          'div.legend',
          entries,
          others.length > 0 && line(words, '', sum),
          more?.rest.map(([label, title, color, n]) => line(label, color, n, title)),
        ),
      ];
    },
  };
}

/**
 * The colour of a group, with its pattern when patterns are on.
 * @param {import('../state/appearance.js').Appearance} appearance @param {number} i group
 */
function groupSwatch({ hasPatterns, grouping }, i) {
  const { color, ink } = grouping.groups[i];
  const square = swatch(color);
  if (hasPatterns) {
    square.classList.add(`p${patterned(grouping.present).indexOf(i) % 5}`);
    square.style.setProperty('--hatch', `${ink}80`);
  }
  return square;
}

/** What one rule decided. @param {Stores} stores @param {import('../data/reasons.js').Share} share */
function reason({ shown, selection }, { rule, bytes: sum, tensors, largest }) {
  const { data, stacks } = shown.device;
  const { because, qualifier } = shown.report.rules[rule];
  const by = decidingFrame(data, stacks, largest);
  return h(
    'button',
    {
      title: `${exactBytes(sum)} in ${counted(tensors, 'tensor')}\nClick pins the largest of them`,
      click: () => selection.pin(largest),
    },
    h('b', bytes(sum)),
    ` ${because}${qualifier && `, ${qualifier}`}`,
    h(
      'span.mono',
      by ? `${by.freed ? 'freed by ' : ''}${nameOf(by.frame)}  ${locationOf(by.frame)}` : 'no stack was recorded',
    ),
  );
}

/** @param {Stores} stores @param {string} name of the group */
function sentence({ shown: { device }, appearance }, name) {
  const { mode } = appearance.grouping;
  const kinds = !['family', 'size', 'life'].includes(mode);
  const rest =
    name === 'others'
      ? 'These are all others.'
      : `The eight largest${device.hasHistory ? ' at the peak' : ''} have colours of their own.`;
  return h('p', `A tensor is coloured by ${BY[mode]}. ${kinds ? rest : ''}`);
}
