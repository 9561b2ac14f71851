// Every key, what it does, and the list that "?" shows.

import { bytes } from '../../kit/format.js';
import { mountKeys } from '../../kit/keys.js';
import { ORDERS } from '../data/order.js';
import { whole } from './frame.js';
import { openReport, reportElement } from './reports.js';

/**
 * @param {import('../state/state.js').State} state
 * @param {{find: {focus: () => void}, theme: import('../../kit/theme.js').Theme, spoken: HTMLElement}} actions
 */
export function bindKeys(state, { find, theme, spoken }) {
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
    if (choice.selected >= 0) state.choose({ selected: -1 });
    else if (choice.query) state.choose({ query: '' });
    else whole(state);
  };
  const order = () => {
    const keys = ORDERS.map(([key]) => key);
    state.choose({ order: keys[(keys.indexOf(state.choice.order) + 1) % keys.length] });
  };
  const pan = (/** @type {number} */ by) => state.pan(by * Math.max(1, state.shown.length >> 2));
  const open = () => {
    const { job, choice } = state;
    if (reportElement(job.index, choice.selected)) void openReport(job.index, choice.selected);
  };
  const show = () => state.choose({ show: state.choice.show === 'bytes' ? 'differences' : 'bytes' });
  const along = () => state.choose({ axis: state.choice.axis === 'time' ? 'step' : 'time' });
  mountKeys([
    [
      'Ranks',
      [
        ['↑ ↓', 'rank above, below', 'ArrowUp ArrowDown', ({ key }) => move(key === 'ArrowUp' ? -1 : 1)],
        ['n N', 'next, previous finding', 'n', ({ shiftKey }) => finding(shiftKey ? -1 : 1)],
        ['E', 'open the report of the rank', 'e', open],
        ['/', 'search; Enter next, Esc leaves', '/', () => find.focus()],
        ['Esc', 'take back, innermost first', 'Escape', escape],
      ],
    ],
    [
      'Move',
      [
        ['wheel', 'zoom at the pointer'],
        ['Shift wheel', 'pan'],
        ['drag', 'pan; in the lane, pick steps'],
        ['Shift drag', 'pick steps'],
        ['click on step', 'show it alone'],
        ['double click', 'all ranks and steps'],
        ['+ −', 'fewer, more ranks', '+ = -', ({ key }) => zoom(key === '-' ? 2 : 0.5)],
        ['← →', 'ranks above, below', 'ArrowLeft ArrowRight', ({ key }) => pan(key === 'ArrowLeft' ? -1 : 1)],
        ['0', 'all ranks and steps', '0', () => whole(state)],
      ],
    ],
    [
      'Show',
      [
        ['O', 'next order', 'o', order],
        ['D', 'differences or bytes', 'd', show],
        ['X', 'steps or time', 'x', along],
        ['T', 'light, dark, system', 't', () => theme.cycle()],
      ],
    ],
  ]);
}
