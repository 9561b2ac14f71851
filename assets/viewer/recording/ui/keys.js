// Every key, what it does, and the list that "?" shows.

import { modeAfter } from '../../data/colours.js';
import { bytes } from '../../kit/format.js';
import {
  rangeInView,
  showAxis,
  showOOM,
  showStep,
  stepBeside,
  takeBack,
  toggleKeptOnly,
} from '../state/navigate.js';
import { blockBeside, zoomToPinned } from '../view/space_input.js';
import { toggleLive } from './filters.js';
import { mountKeys } from '../../kit/keys.js';
import { followAnswer } from '../../kit/strip.js';
import { stepWords } from './toolbar.js';

/**
 * @typedef {object} Actions
 * @property {import('../state/stores.js').Stores} stores
 * @property {import('../view/stage.js').RecordingStage} stage
 * @property {import('../view/history.js').ViewHistory} history
 * @property {ReturnType<typeof import('./find.js').mountFind>} find
 * @property {ReturnType<typeof import('./pinned.js').mountPinned>} pinned
 * @property {ReturnType<typeof import('./exports.js').mountExports>} exports
 * @property {ReturnType<typeof import('./table.js').mountTable>} table
 * @property {import('../../kit/theme.js').Theme} theme
 * @property {HTMLElement} spoken says what the keyboard moved to
 */

/** @param {Actions} actions @returns {import('../../kit/keys.js').KeyGroups} */
function bindings({ stores, stage, exports, history, find, pinned, table, theme, spoken }) {
  const { shown, appearance, highlight, viewport, spaceView, selection, moment } = stores;
  const pinNeighbour = (/** @type {number} */ by) => {
    const id = viewport.isSpace ? blockBeside(stores, stage, by) : neighbour(stores, by);
    if (id === null) return;
    selection.pin(id);
    const { data, sites } = shown.device;
    const site = sites.site(id);
    const { groups, of } = appearance.grouping;
    spoken.textContent = `${bytes(data.size[id])} ${groups[of[id]].one}, ${site.name} ${site.location}`;
  };
  const back = (/** @type {KeyboardEvent} */ { key }) => ['ArrowLeft', '[', ','].includes(key);
  return [
    [
      'Move',
      [
        ['drag', 'pan'],
        ['wheel', 'zoom at the pointer'],
        ['Shift wheel', 'pan'],
        [
          '← →',
          'pan a quarter, with Shift all',
          'ArrowLeft ArrowRight',
          (e) => viewport.pan(viewport.width * (back(e) ? -1 : 1) * (e.shiftKey ? 1 : 0.25)),
        ],
        ['+ −', 'zoom', '+ = -', (e) => viewport.zoom(e.key === '-' ? 2 : 0.5, viewport.middle)],
        ['0', 'whole recording', '0', () => viewport.whole()],
        ['Y', 'fit height; of the address space, all', 'y', () => viewport.toggleFit()],
        ['Alt wheel', 'zoom height'],
        ['Alt drag', 'zoom to a box'],
        ['[ ]', 'view back, forward', '[ ]', (e) => (back(e) ? history.back() : history.forward())],
      ],
    ],
    [
      'Go to',
      [
        ['P', 'peak', 'p', () => moment.set('peak')],
        ['O', 'out of memory', 'o', () => showOOM(stores)],
        ['E', 'end', 'e', () => moment.set('end')],
        [
          ', .',
          'step before, after',
          ', .',
          (e) => {
            showStep(stores, stepBeside(stores, back(e) ? -1 : 1));
            spoken.textContent = stepWords(stores);
          },
        ],
        [
          'Z',
          'zoom to the pin or range',
          'z',
          () => zoomToPinned(stores, stage),
        ],
        ['1 2 3 4', 'the four answers', '1 2 3 4', ({ key }) => followAnswer(key)],
      ],
    ],
    [
      'Find',
      [
        ['/', 'search; Enter to the largest, then the next', '/', () => find.focus()],
        ['n N', 'next, previous match', 'n', (e) => find.pinMatch(e.shiftKey ? -1 : 1)],
        ['L', 'only live at the end', 'l', () => toggleLive(highlight)],
        ['G', 'go to event, address or time', 'g', () => find.askWhere()],
      ],
    ],
    [
      'Select',
      [
        ['click', 'pin a tensor'],
        ['double click', 'zoom to its life'],
        ['↑ ↓', 'tensor above, below', 'ArrowUp ArrowDown', (e) => pinNeighbour(e.key === 'ArrowUp' ? 1 : -1)],
        ['Shift drag', 'brush a range'],
        ['R', 'range: this view', 'r', () => selection.selectRange(rangeInView(stores), selection.keptOnly)],
        ['B', 'moment A: compare others with this', 'b', () => moment.markA()],
        ['A', 'what the range keeps alone', 'a', () => toggleKeptOnly(stores)],
        ['I', 'isolate the row', 'i', () => table.isolate()],
        ['Esc', 'clear, innermost first', 'Escape', () => void takeBack(stores)],
      ],
    ],
    [
      'Show',
      [
        [
          'C',
          'colour by the next',
          'c',
          () => appearance.setColourMode(modeAfter(shown.device, appearance.colourMode)),
        ],
        ['U', 'tensors or address space', 'u', () => spaceView.show(!spaceView.isWanted)],
        ['X', 'events or time', 'x', () => showAxis(stores, viewport.axis.kind === 'events' ? 'time' : 'events')],
        ['V', 'fold the lanes', 'v', () => viewport.foldLanes(!viewport.lanesFolded)],
        ['H', 'patterns', 'h', () => appearance.setPatterns(!appearance.hasPatterns)],
        ['S', 'stack: all frames', 's', () => pinned.toggleFolds()],
        ['T', 'light, dark, system', 't', () => theme.cycle()],
      ],
    ],
    [
      'Take away',
      [
        ['Ctrl C', 'copy the pinned stack'],
        ['M', 'copy as Markdown', 'm', () => (selection.pinned === null ? exports.copyMarkdown() : pinned.copy(true))],
        ['D', 'download or copy …', 'd', () => exports.open()],
        ['K', 'copy the link to this view', 'k', () => exports.copyLink()],
      ],
    ],
  ];
}

/** @param {Actions} actions */
export function bindKeys(actions) {
  const { stores, pinned, table } = actions;
  const { shown, selection } = stores;
  mountKeys(bindings(actions), {
    isOff: (key) => !shown.isOpen || (!shown.device.hasHistory && needsHistory(key)),
    withControl({ key }) {
      if (key !== 'c' || !shown.isOpen || getSelection()?.toString()) return;
      if (selection.pinned !== null || !table.copy()) pinned.copy(false);
    },
  });
}

/** @param {string} key */
function needsHistory(key) {
  return 'ArrowLeft ArrowRight + = - p o e x y z r a b v , . [ ]'.split(' ').includes(key);
}

/**
 * The tensor above or below the pinned one at the panel's moment; without a
 * pin, the lowest or highest.
 * @param {import('../state/stores.js').Stores} stores
 * @param {number} by
 */
function neighbour({ shown, selection, moment }, by) {
  const { first, last } = shown.device.data;
  const { pinned, timeline } = selection;
  const isLive = pinned === null || (first[pinned] <= moment.state && moment.state <= last[pinned]);
  const live = timeline.live(isLive ? moment.state : last[pinned]);
  if (live.length === 0) return null;
  const at = pinned === null ? (by > 0 ? -1 : live.length) : live.indexOf(pinned);
  return live[at + by] ?? null;
}
