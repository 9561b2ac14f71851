// Every key, what it does, and the list that "?" shows.

import { bytes } from '../data/format.js';
import { h } from './dom.js';

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
 * @property {import('./pinned.js').PinnedPanel} pinned
 * @property {import('./theme.js').Theme} theme
 * @property {HTMLDialogElement} list of keys
 * @property {HTMLElement} guide how to read this
 * @property {HTMLElement} spoken says what the keyboard moved to
 */

/** @param {Actions} actions @returns {[string, Binding[]][]} */
function bindings({ app, history, pinned, theme, list, guide, spoken }) {
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
          keys: ['z'],
          shown: 'Z',
          does: 'life of the pinned tensor',
          run: () => {
            if (app.pinned !== null) app.showLife(app.pinned);
          },
        },
        { keys: ['1', '2', '3', '4'], shown: '1 2 3 4', does: 'the four answers', run: (e) => answer(Number(e.key)) },
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
          does: 'colour by family or size',
          run: () => app.setColourMode(app.colourMode === 'family' ? 'size' : 'family'),
        },
        {
          keys: ['x'],
          shown: 'X',
          does: 'events or time',
          run: () => app.setAxis(view().axis.kind === 'events' ? 'time' : 'events'),
        },
        { keys: ['s'], shown: 'S', does: 'stack: all frames', run: () => pinned.toggleFolds() },
        { keys: ['t'], shown: 'T', does: 'light, dark, system', run: () => theme.cycle() },
      ],
    ],
    [
      'Take away',
      [
        { keys: none, shown: 'Ctrl C', does: 'copy the pinned stack' },
        { keys: ['m'], shown: 'M', does: 'copy it as Markdown', run: () => pinned.copy(true) },
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
  const { app, list, pinned } = actions;
  const groups = bindings(actions);
  const byKey = new Map(
    groups.flatMap(([, all]) => all.flatMap((b) => b.keys.map((key) => /** @type {[string, Binding]} */ ([key, b])))),
  );
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || !app.device || list.open || isTyping(event.target)) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key === 'c' && !getSelection()?.toString() && app.pinned !== null) pinned.copy(false);
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
  return 'ArrowLeft ArrowRight + = - p o e x y z [ ]'.split(' ').includes(key);
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
    device: { timeline, data },
    pinned,
  } = app;
  const state =
    pinned === null || (data.first[pinned] <= app.momentState && app.momentState <= data.last[pinned])
      ? app.momentState
      : data.last[pinned];
  const live = timeline.live(state);
  if (live.length === 0) return null;
  const at = pinned === null ? (by > 0 ? -1 : live.length) : live.indexOf(pinned);
  return live[at + by] ?? null;
}
