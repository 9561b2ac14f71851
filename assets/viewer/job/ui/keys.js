// Every key, what it does, and the list that "?" shows.

import { bytes } from '../../data/format.js';
import { listen } from '../../state/topic.js';
import { fillKeyList } from '../../ui/key_list.js';
import { ORDERS } from '../data/order.js';
import { whole } from './frame.js';
import { openReport, reportElement } from './reports.js';

/**
 * @param {{state: import('../state/state.js').State, find: {focus: () => void}, theme: {cycle: () => void},
 *   list: HTMLDialogElement, guide: HTMLElement, spoken: HTMLElement}} actions
 */
export function mountKeys({ state, find, theme, list, guide, spoken }) {
  const speak = () => {
    const { job, choice } = state;
    const r = job.ranks[choice.selected];
    if (r)
      spoken.textContent = [
        `rank ${r.name}`,
        r.error ? 'could not be read' : bytes(r.peak),
        ...job.findingsOf[choice.selected].map((f) => f.what),
      ].join(', ');
  };
  const move = (/** @type {number} */ by) => {
    const at = state.list.indexOf(state.choice.selected);
    const next =
      at < 0
        ? by > 0
          ? state.choice.from
          : state.choice.to - 1
        : Math.max(0, Math.min(state.list.length - 1, at + by));
    state.select(state.list[next] ?? -1);
    speak();
  };
  const finding = (/** @type {number} */ by) => {
    const ranks = [...new Set(state.job.view.findings.map((f) => f.rank))];
    if (ranks.length === 0) return;
    const at = ranks.indexOf(state.choice.selected);
    state.select(ranks[at < 0 ? (by > 0 ? 0 : ranks.length - 1) : (at + by + ranks.length) % ranks.length]);
    speak();
  };
  const zoom = (/** @type {number} */ factor) => {
    const { from, to, selected } = state.choice;
    const at = state.list.indexOf(selected);
    state.zoom(at >= from && at < to ? at : (from + to) / 2, factor);
  };
  const escape = () => {
    const { choice } = state;
    if (!guide.hidden) guide.hidden = true;
    else if (choice.selected >= 0) state.choose({ selected: -1 });
    else if (choice.query) state.choose({ query: '' });
    else whole(state);
  };
  const order = () => {
    const keys = ORDERS.map(([key]) => key);
    state.choose({ order: keys[(keys.indexOf(state.choice.order) + 1) % keys.length] });
  };
  /** @type {[string, string, string, () => void][]} shown, what it does, keys, does it */
  const bindings = [
    ['Up Down', 'rank above, below', 'arrowup', () => move(-1)],
    ['', '', 'arrowdown', () => move(1)],
    ['n N', 'next, previous finding', 'n', () => finding(1)],
    ['', '', 'N', () => finding(-1)],
    ['+ −', 'fewer, more ranks', '+', () => zoom(0.5)],
    ['', '', '=', () => zoom(0.5)],
    ['', '', '-', () => zoom(2)],
    [
      'Left Right',
      'ranks above, below, when zoomed',
      'arrowleft',
      () => state.pan(-Math.max(1, state.shown.length >> 2)),
    ],
    ['', '', 'arrowright', () => state.pan(Math.max(1, state.shown.length >> 2))],
    ['0', 'all ranks and steps', '0', () => whole(state)],
    ['O', 'next order', 'o', order],
    [
      'D',
      'differences or bytes',
      'd',
      () => state.choose({ show: state.choice.show === 'bytes' ? 'differences' : 'bytes' }),
    ],
    ['X', 'steps or time', 'x', () => state.choose({ axis: state.choice.axis === 'time' ? 'step' : 'time' })],
    [
      'E',
      'open the report of the rank',
      'e',
      () => {
        const { job, choice } = state;
        if (reportElement(job.index, choice.selected)) void openReport(job.index, choice.selected);
      },
    ],
    ['/', 'search; Enter next, Esc leaves', '/', () => find.focus()],
    ['T', 'light, dark, system', 't', () => theme.cycle()],
    ['W', 'how to read this', 'w', () => void (guide.hidden = !guide.hidden)],
    ['?', 'this list', '?', () => list.showModal()],
    ['Esc', 'undo the innermost', 'escape', escape],
    ['wheel', 'zoom at the pointer; with Shift, pan', '', () => {}],
    ['drag', 'pan; in the lane, or with Shift, show some steps', '', () => {}],
    ['click on step', 'show it alone', '', () => {}],
    ['double click', 'all ranks and steps', '', () => {}],
  ];
  fillKeyList(list, [['', bindings.filter(([shown]) => shown)]]);
  listen(window, {
    keydown(event) {
      const { target, key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || list.open) return;
      if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
      const found = bindings.find(
        ([, , bound]) => bound && (bound === key || (bound !== 'n' && bound !== 'N' && bound === key.toLowerCase())),
      );
      if (!found) return;
      event.preventDefault();
      found[3]();
    },
  });
}
