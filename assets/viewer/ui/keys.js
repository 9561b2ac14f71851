// Every key, what it does, and the list that "?" shows.

import { modeAfter } from '../data/colours.js';
import { bytes } from '../data/format.js';
import { h } from './dom.js';
import { toggleLive } from './filters.js';
import { showStep, stepBeside } from '../view/steps.js';
import { stepWords } from './steps.js';

/**
 * @typedef {object} Binding
 * @property {string[]} keys as KeyboardEvent.key
 * @property {string} shown in the list: words, or keys parted by spaces
 * @property {string} does
 * @property {(event: KeyboardEvent) => void} [run] none: it is a mouse gesture
 */

/**
 * @typedef {object} Actions
 * @property {import('../app.js').App} app
 * @property {import('../view/history.js').ViewHistory} history
 * @property {import('./find.js').FindBox} find
 * @property {import('./pinned.js').PinnedPanel} pinned
 * @property {import('./exports.js').Exports} exports
 * @property {import('./table.js').Table} table
 * @property {import('./theme.js').Theme} theme
 * @property {HTMLDialogElement} list of keys
 * @property {HTMLElement} guide how to read this
 * @property {HTMLElement} spoken says what the keyboard moved to
 */

/** @param {Actions} actions @returns {[string, Binding[]][]} */
function bindings({ app, exports, history, find, pinned, table, theme, list, guide, spoken }) {
  const view = () => app.viewport;
  const middle = () => (view().from + view().to) / 2;
  const step = (/** @type {number} */ by) => {
    const id = neighbour(app, by);
    if (id === null) return;
    app.pin(id);
    const { data, sites } = app.device;
    const site = sites.site(id);
    spoken.textContent = `${bytes(data.size[id])} ${app.grouping.groups[app.grouping.of[id]].one}, ${site.name} ${site.place}`;
  };
  const none = /** @type {string[]} */ ([]);
  return [
    [
      'Move',
      [
        { keys: none, shown: 'drag', does: 'pan' },
        { keys: none, shown: 'wheel', does: 'zoom at the pointer' },
        { keys: none, shown: 'Shift wheel', does: 'pan' },
        {
          keys: ['ArrowLeft', 'ArrowRight'],
          shown: '← →',
          does: 'pan a quarter, with Shift all',
          run: (e) => view().pan(view().width * (e.key === 'ArrowLeft' ? -1 : 1) * (e.shiftKey ? 1 : 0.25)),
        },
        {
          keys: ['+', '=', '-'],
          shown: '+ −',
          does: 'zoom',
          run: (e) => view().zoom(e.key === '-' ? 2 : 0.5, middle()),
        },
        { keys: ['0'], shown: '0', does: 'whole recording', run: () => view().whole() },
        { keys: ['y'], shown: 'Y', does: 'fit height', run: () => view().toggleFit() },
        { keys: none, shown: 'Alt wheel', does: 'zoom height' },
        { keys: none, shown: 'Alt drag', does: 'zoom to a box' },
        {
          keys: ['[', ']'],
          shown: '[ ]',
          does: 'view back, forward',
          run: (e) => (e.key === '[' ? history.back() : history.forward()),
        },
      ],
    ],
    [
      'Go to',
      [
        { keys: ['p'], shown: 'P', does: 'peak', run: () => app.setMoment('peak') },
        { keys: ['o'], shown: 'O', does: 'out of memory', run: () => app.showOOM() },
        { keys: ['e'], shown: 'E', does: 'end', run: () => app.setMoment('end') },
        {
          keys: [',', '.'],
          shown: ', .',
          does: 'step before, after',
          run: (e) => {
            showStep(app, stepBeside(app, e.key === ',' ? -1 : 1));
            spoken.textContent = stepWords(app);
          },
        },
        {
          keys: ['z'],
          shown: 'Z',
          does: 'zoom to the pin or range',
          run: () => {
            if (app.pinned !== null) app.showLife(app.pinned);
            else app.showRange();
          },
        },
        { keys: ['1', '2', '3', '4'], shown: '1 2 3 4', does: 'the four answers', run: (e) => answer(Number(e.key)) },
      ],
    ],
    [
      'Find',
      [
        { keys: ['/'], shown: '/', does: 'search; Enter next, Esc leaves', run: () => find.focus() },
        { keys: ['n'], shown: 'n N', does: 'next, previous match', run: (e) => find.step(e.shiftKey ? -1 : 1) },
        { keys: ['l'], shown: 'L', does: 'only live at the end', run: () => toggleLive(app) },
        { keys: ['g'], shown: 'G', does: 'go to event, address or time', run: () => find.askWhere() },
      ],
    ],
    [
      'Select',
      [
        { keys: none, shown: 'click', does: 'pin a tensor' },
        { keys: none, shown: 'double click', does: 'zoom to its life' },
        {
          keys: ['ArrowUp', 'ArrowDown'],
          shown: '↑ ↓',
          does: 'tensor above, below',
          run: (e) => step(e.key === 'ArrowUp' ? 1 : -1),
        },
        { keys: none, shown: 'Shift drag', does: 'brush a range' },
        {
          keys: ['r'],
          shown: 'R',
          does: 'range: this view',
          run: () => app.setRange(app.viewRange, app.alone !== null),
        },
        { keys: ['a'], shown: 'A', does: 'what the range keeps alone', run: () => app.toggleAlone() },
        { keys: ['i'], shown: 'I', does: 'isolate the row', run: () => table.isolate() },
        {
          keys: ['Escape'],
          shown: 'Esc',
          does: 'clear, innermost first',
          run: () => {
            if (!guide.hidden) guide.hidden = true;
            else app.escape();
          },
        },
      ],
    ],
    [
      'Show',
      [
        {
          keys: ['c'],
          shown: 'C',
          does: 'colour by the next',
          run: () => app.setColourMode(modeAfter(app.device, app.colourMode)),
        },
        {
          keys: ['x'],
          shown: 'X',
          does: 'events or time',
          run: () => app.setAxis(view().axis.kind === 'events' ? 'time' : 'events'),
        },
        { keys: ['v'], shown: 'V', does: 'fold the lanes', run: () => app.foldLanes(!app.lanesFolded) },
        { keys: ['h'], shown: 'H', does: 'patterns', run: () => app.setPatterns(!app.patterns) },
        { keys: ['s'], shown: 'S', does: 'stack: all frames', run: () => pinned.toggleFolds() },
        { keys: ['t'], shown: 'T', does: 'light, dark, system', run: () => theme.cycle() },
      ],
    ],
    [
      'Take away',
      [
        { keys: none, shown: 'Ctrl C', does: 'copy the pinned stack' },
        {
          keys: ['m'],
          shown: 'M',
          does: 'as Markdown: the pinned stack, or the panel',
          run: () => (app.pinned === null ? exports.copyMarkdown() : pinned.copy(true)),
        },
        { keys: ['d'], shown: 'D', does: 'download or copy …', run: () => exports.open() },
        { keys: ['k'], shown: 'K', does: 'copy the link to this view', run: () => exports.copyLink() },
      ],
    ],
    [
      'Help',
      [
        { keys: ['?'], shown: '?', does: 'this list', run: () => list.showModal() },
        {
          keys: ['w'],
          shown: 'W',
          does: 'how to read this',
          run: () => {
            guide.hidden = !guide.hidden;
          },
        },
      ],
    ],
  ];
}

/** @param {Actions} actions */
export function mountKeys(actions) {
  const { app, list, pinned, table } = actions;
  const groups = bindings(actions);
  const byKey = new Map(
    groups.flatMap(([, all]) => all.flatMap((b) => b.keys.map((key) => /** @type {[string, Binding]} */ ([key, b])))),
  );
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || !app.device || list.open || isTyping(event.target)) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key === 'c' && !getSelection()?.toString() && !(app.pinned === null && table.copy()))
        pinned.copy(false);
      return;
    }
    if (event.altKey) return;
    // Shift makes some keys what they are ("?"), and letters capital.
    const binding = byKey.get(event.key) ?? byKey.get(event.key.toLowerCase());
    if (!binding?.run || (!app.device.hasHistory && needsHistory(event.key))) return;
    event.preventDefault();
    binding.run(event);
  });
  list.append(
    h('h2', { text: 'Keys' }),
    h(
      'div',
      { class: 'keys' },
      ...groups.map(([title, all]) =>
        h(
          'section',
          {},
          h('h3', { text: title }),
          ...all.map((b) => h('p', {}, h('span', {}, ...caps(b.shown)), h('span', { text: b.does }))),
        ),
      ),
    ),
  );
  list.addEventListener('click', (event) => {
    if (event.target === list) list.close();
  });
}

/** @param {string} key */
function needsHistory(key) {
  return 'ArrowLeft ArrowRight + = - p o e x y z r a v , . [ ]'.split(' ').includes(key);
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return (
    target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
  );
}

/** @param {string} shown @returns {(Node | string)[]} */
function caps(shown) {
  return shown
    .split(' ')
    .flatMap((word) => [/^(drag|wheel|click|double)$/.test(word) ? word : h('kbd', { text: word }), ' ']);
}

/** @param {number} n */
function answer(n) {
  const element = document.querySelector(`#answers > :nth-child(${n})`);
  if (element instanceof HTMLButtonElement) element.click();
}

/**
 * The tensor above or below the pinned one at the panel's moment; without a
 * pin, the lowest or highest.
 * @param {import('../app.js').App} app
 * @param {number} by
 */
function neighbour(app, by) {
  const {
    shown,
    device: { data },
    pinned,
  } = app;
  const state =
    pinned === null || (data.first[pinned] <= app.momentState && app.momentState <= data.last[pinned])
      ? app.momentState
      : data.last[pinned];
  const live = shown.live(state);
  if (live.length === 0) return null;
  const at = pinned === null ? (by > 0 ? -1 : live.length) : live.indexOf(pinned);
  return live[at + by] ?? null;
}
