// The icicle of stacks at the panel's moment, where there is room for it.

import { bytes, exactBytes, share } from '../../kit/format.js';
import { icicle } from '../data/icicle.js';
import { listen } from '../../kit/topic.js';
import { fill, h } from '../../kit/dom.js';

/** Pixels: of a row, of the heading, and the least width of a cell, of one with a name, of one with a location. */
const ROW = 25;
const HEADING = 26;
const LEAST = 2;
const NAMED = 30;
const LOCATED = 130;

/** The least width of a control, in pixels. */
const TARGET = 25;

/** How long nothing may change before it is drawn again. */
const IDLE_MS = 80;

/** @param {import('../state/stores.js').Stores} stores @param {HTMLElement} root */
export function mountIcicle({ shown, appearance, highlight, viewport, spaceView, selection, moment, hover }, root) {
  const wide = matchMedia('(min-width: 1440px)');
  const cells = h('div.cells');
  root.append(h('h3', 'Stacks, outermost on top'), cells);
  /** @type {(stack: number) => number[]} */
  let cellsOf = () => [];
  let marked = '';
  let timer = 0;

  const draw = () => {
    if (root.hidden || root.clientHeight === 0) return;
    const { grouping } = appearance;
    const { mask, subset } = highlight;
    const rows = Math.floor((root.clientHeight - HEADING) / ROW);
    const width = cells.clientWidth;
    const { live, total } = moment;
    const made = icicle(shown.device, live, grouping.of, mask, rows, LEAST / width);
    cellsOf = made.cellsOf;
    marked = '';
    fill(
      cells,
      made.cells.map((cell) => {
        const pixels = cell.width * width;
        const own = { by: /** @type {const} */ ('stack'), key: cell.key };
        // A cell that is too narrow for a finger is for the mouse only; the table has its tensors, too.
        const element = h(
          pixels >= TARGET ? 'button' : 'div',
          {
            class: cell.highlighted ? 'cell' : 'cell faded',
            title: `${bytes(cell.bytes)}, ${share(cell.bytes, total)} (${exactBytes(cell.bytes)})\n${cell.title}`,
            ...(pixels >= TARGET && {
              label: `${cell.name} ${cell.location} ${bytes(cell.bytes)}`,
              pressed: subset?.by === 'stack' && subset.key === cell.key,
            }),
            css: {
              '--of': grouping.groups[cell.group].color,
              left: `${cell.from * 100}%`,
              top: `${cell.depth * ROW}px`,
              width: `${Math.max(1, pixels - 1)}px`,
            },
            click: () => {
              highlight.endPreview();
              highlight.toggleSubset(own);
            },
          },
          pixels >= NAMED &&
            h('span', cell.name, pixels >= LOCATED && cell.location && [' ', h('small', cell.location)]),
        );
        return listen(element, { pointerenter: () => highlight.point(own) });
      }),
    );
  };
  const update = () => {
    if (!shown.isOpen) return;
    root.hidden = !wide.matches || viewport.isSpace || (selection.pinned ?? selection.segment) !== null;
    clearTimeout(timer);
    timer = setTimeout(draw, IDLE_MS);
  };
  listen(cells, { pointerleave: () => highlight.point(null) });
  viewport.afterPicture(
    [shown, moment, appearance, highlight, spaceView].map((store) => store.changed).concat(selection.pinChanged),
    update,
  );
  viewport.afterPicture([hover.pointChanged], () => {
    const hit = hover.point?.hit;
    const path = hit ? cellsOf(shown.device.data.stack[hit.id]) : [];
    if (path.join() === marked) return;
    marked = path.join();
    [...cells.children].forEach((element, i) => element.classList.toggle('under', path.includes(i)));
  });
  new ResizeObserver(update).observe(root);
  listen(wide, { change: update });
}
