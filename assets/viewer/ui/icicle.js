// The icicle of stacks at the panel's moment, where there is room for it.

import { bytes, exactBytes, share } from '../data/format.js';
import { icicle } from '../data/icicle.js';
import { isolatePart } from '../state/light.js';
import { fill, h } from './dom.js';
import { listen } from '../view/listen.js';
import { makeGlance } from './glance.js';

/** Pixels: of a row, of the heading, and the least width of a cell, of one with a name, of one with a place. */
const ROW = 17;
const HEADING = 26;
const LEAST = 2;
const NAMED = 30;
const PLACED = 130;

/** How long the page rests before it is drawn again. */
const IDLE_MS = 80;

/** @param {import('../app.js').App} app @param {HTMLElement} root */
export function mountIcicle(app, root) {
  const wide = matchMedia('(min-width: 1440px)');
  const glance = makeGlance(app);
  const cells = h('div.cells');
  root.append(h('h3', 'Stacks, outermost on top'), cells);
  /** @type {(stack: number) => number[]} */
  let wayOf = () => [];
  let shown = '';
  let timer = 0;

  const draw = () => {
    if (root.hidden) return;
    const { device, grouping, lit, part } = app;
    const rows = Math.floor((root.clientHeight - HEADING) / ROW);
    const width = cells.clientWidth;
    const { live, total } = app;
    const made = icicle(device, live, grouping.of, lit, rows, LEAST / width);
    wayOf = made.wayOf;
    shown = '';
    fill(
      cells,
      made.cells.map((cell) => {
        const pixels = cell.width * width;
        const own = { by: /** @type {const} */ ('stack'), key: cell.key };
        const element = h(
          'button',
          {
            class: cell.lit ? 'cell' : 'cell unlit',
            title: `${bytes(cell.bytes)}, ${share(cell.bytes, total)} (${exactBytes(cell.bytes)})\n${cell.title}`,
            label: `${cell.name} ${bytes(cell.bytes)}`,
            pressed: part?.by === 'stack' && part.key === cell.key,
            css: {
              '--of': grouping.groups[cell.group].color,
              left: `${cell.from * 100}%`,
              top: `${cell.depth * ROW}px`,
              width: `${Math.max(1, pixels - 1)}px`,
            },
            click: () => {
              glance.drop();
              isolatePart(app, own);
            },
          },
          pixels >= NAMED && cell.name,
          pixels >= PLACED && cell.place && h('small', cell.place),
        );
        return listen(element, { pointerenter: () => glance.at(own) });
      }),
    );
  };
  const update = () => {
    if (!app.device) return;
    root.hidden = !wide.matches || app.pinned !== null;
    clearTimeout(timer);
    timer = setTimeout(draw, IDLE_MS);
  };
  listen(cells, { pointerleave: () => glance.at(null) });
  app.onBeside(['device', 'moment', 'colour', 'pin'], update);
  app.onBeside(['hover'], () => {
    const { hover, device } = app;
    const way = hover?.hit ? wayOf(device.data.stack[hover.hit.id]) : [];
    if (way.join() === shown) return;
    shown = way.join();
    [...cells.children].forEach((element, i) => element.classList.toggle('under', way.includes(i)));
  });
  new ResizeObserver(update).observe(root);
  listen(wide, { change: update });
}
