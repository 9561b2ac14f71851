// The list of segments at the panel's moment, with a bar for each, and what few tensors keep of them.

import { bytes, counted, exactBytes } from '../../kit/format.js';
import { keepWords, kindName, pinnedSegment } from '../data/segments.js';
import { SpaceColours } from '../../pile/colour_table.js';
import { button, fill, h } from '../../kit/dom.js';
import { virtualRows } from './rows.js';

/** @typedef {import('../data/segments.js').Segment} Segment */

/** Client pixels of a bar, where the panel is wide and where it is narrow. */
const BAR = { wide: 118, narrow: 80, height: 11 };

/**
 * A column: its title, what it sorts by, and whether it begins with the largest.
 * @type {Record<string, [text: string, by: (a: Segment, b: Segment) => number, falls: boolean]>}
 */
const COLUMNS = {
  place: ['first to last byte', (a, b) => a.place - b.place, false],
  kind: ['kind', (a, b) => a.kind - b.kind || a.place - b.place, false],
  size: ['size', (a, b) => a.bytes - b.bytes, true],
  stuck: ['stuck', (a, b) => a.stuck - b.stuck || a.returnable - b.returnable || a.bytes - b.bytes, true],
  largest: ['max hole', (a, b) => a.largest - b.largest, true],
};

/**
 * @param {import('../state/stores.js').Stores} stores @param {HTMLElement} root
 * @param {import('./lists.js').Note} note
 */
export function mountSegments(stores, root, note) {
  const { shown, appearance, highlight, viewport, selection, moment, addressSpace, spaceView } = stores;
  let sort = 'stuck';
  let falls = true;
  /** @type {Segment[]} */
  let rows = [];
  /** @type {ReturnType<typeof segmentBars>} */
  let draw;
  const heads = h('div.columns');
  const body = h('div.rows');
  const closing = h('p.closing');
  const list = virtualRows(body, (i) => lineOf(rows[i]));
  root.append(heads, body, closing);

  const update = () => {
    if (root.hidden) return;
    const all = addressSpace.segmentsAt(moment.state);
    rows = all ? [...all.segments] : [];
    rows.sort((a, b) => COLUMNS[sort][1](a, b) * (falls ? -1 : 1) || a.place - b.place);
    note(counted(rows.length, 'row'));
    fill(
      heads,
      Object.entries(COLUMNS).map(([key, [text, , fallsFirst]]) =>
        button(text + (key === sort ? (falls ? ' ↓' : ' ↑') : ''), 'Sort', () => {
          falls = key === sort ? !falls : fallsFirst;
          sort = key;
          update();
        }),
      ),
    );
    closing.textContent = all ? keepWords(all) : '';
    closing.hidden = closing.textContent === '';
    fillLines();
  };

  const fillLines = () => {
    draw = segmentBars(stores);
    list.reset(rows.length, rows.findIndex(isPinned));
  };

  /** @param {Segment} segment */
  const isPinned = (segment) => {
    const { segment: r } = selection;
    const { shown: space } = addressSpace;
    return r !== null && space !== null && pinnedSegment(rows, space, r) === segment;
  };

  /** @param {Segment} segment */
  const lineOf = (segment) => {
    const { kind, bytes: size, stuck, returnable, largest, blocks, reservation } = segment;
    const { shown: space } = addressSpace;
    const { mask } = highlight;
    const faded = mask && !blocks.some(({ id }) => mask[id]);
    const amount = (/** @type {string} */ text, more = '') => h('span', { class: `number ${more}`, text });
    return h(
      'button',
      {
        class: `row${isPinned(segment) ? ' on' : ''}${faded ? ' faded' : ''}`,
        title:
          `${exactBytes(size)}, ${counted(blocks.length, 'tensor')}; ` +
          `${exactBytes(stuck)} stuck, ${exactBytes(returnable)} returnable`,
        click: () => selection.pinSegment(reservation),
      },
      draw(segment, innerWidth < 1180 ? BAR.narrow : BAR.wide, BAR.height),
      h('span.kind', space ? kindName(space.kinds[kind]) : ''),
      amount(bytes(size)),
      amount(stuck === 0 && returnable > 0 ? '\u2013' : bytes(stuck)),
      amount(bytes(largest), 'faint'),
    );
  };

  viewport.afterPicture(
    [shown.changed, moment.changed, appearance.changed, highlight.changed, addressSpace.changed, spaceView.changed],
    update,
  );
  viewport.afterPicture([selection.pinChanged], () => {
    if (!root.hidden) fillLines();
  });
  return { update };
}

/**
 * A function that draws bars in the colours of now.
 * @param {import('../state/stores.js').Stores} stores
 * @returns {(segment: Segment, width: number, height: number) => HTMLCanvasElement} sizes in client pixels
 */
export function segmentBars({ appearance, highlight }) {
  const colours = new SpaceColours(highlight.colours, appearance.style, highlight.isFading);
  const rgb = (/** @type {ArrayLike<number>} */ c, at = 0) => `rgb(${c[at]},${c[at + 1]},${c[at + 2]})`;
  return ({ blocks, holes, bytes }, width, height) => {
    const canvas = h('canvas.strip');
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(height * devicePixelRatio);
    const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    const scale = canvas.width / bytes;
    const paint = (/** @type {string} */ color, /** @type {number} */ from, /** @type {number} */ to) => {
      g.fillStyle = color;
      g.fillRect(from * scale, 0, Math.max((to - from) * scale, 0.5), canvas.height);
    };
    for (const { offset, bytes: size, returnable } of holes)
      paint(rgb(returnable > 0 ? colours.returnable : colours.stuck), offset, offset + size);
    // The lines between blocks are the last thing of each that has room for one.
    for (const { id, offset, bytes: size } of blocks) {
      const at = colours.index[id] * 3;
      const line = size * scale >= 4 ? 1 / scale : 0;
      paint(rgb(colours.tensor, at), offset, offset + size - line);
      if (line > 0) paint(rgb(colours.line, at), offset + size - line, offset + size);
    }
    return canvas;
  };
}
