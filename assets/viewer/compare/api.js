// What a developer's console can ask the compare page: window.memviz.

import { differenceOf, rowsOf } from './data/rows.js';
import { kindOfChange } from './data/words.js';

/**
 * @param {import('./state/stores.js').Stores} stores
 * @param {import('./view/stage.js').CompareStage} stage
 * @param {Promise<void>} ready
 */
export function compareApi(stores, stage, ready) {
  const { shown, zoom } = stores;
  /** @param {number} side @param {number} k */
  const known = (side, k) => {
    const last = shown.pair.sides[side]?.timeline.lastState;
    if (!(k >= 0 && k <= last)) throw new RangeError(`side ${side} has the states 0 to ${last}`);
  };
  return {
    /** Resolves when the page has painted its first picture. */
    ready,

    /** Resolves when the view is still and all of it is painted. */
    async settled() {
      await ready;
      do await stage.painted();
      while (stage.isPending);
    },

    /** The four answers as the page words them. */
    answers: () => shown.pair.answers.map(({ key, question, value, line }) => ({ key, question, value, line })),

    /** The moments with buttons: {key, states}. */
    moments: () => shown.pair.moments.map(({ key, states }) => ({ key, states: [...states] })),

    /** The states that are compared now. */
    states: () => [...stores.states],

    /**
     * What changed between two states, the largest change first; without states, those that are compared now.
     * @param {{before: number, after: number, by?: import('./data/rows.js').By}} [states]
     */
    rows({ before, after, by = 'site' } = { before: stores.states[0], after: stores.states[1] }) {
      known(0, before);
      known(1, after);
      const difference = differenceOf(shown.pair, [before, after], stores.report.families);
      return {
        before_bytes: difference.bytes[0],
        after_bytes: difference.bytes[1],
        families: difference.families.flatMap(([a, b], f) =>
          a || b ? [{ family: stores.report.families[f].key, before_bytes: a, after_bytes: b }] : [],
        ),
        rows: rowsOf(difference, stores.names, by).map((row) => ({
          ...{ name: row.name, location: row.location, key: row.key },
          ...{ before_line: row.lines[0], after_line: row.lines[1] },
          ...{ before_bytes: row.bytes[0], after_bytes: row.bytes[1], delta_bytes: row.change },
          ...{ before_allocations: row.tensors[0], after_allocations: row.tensors[1] },
          what: kindOfChange(row),
        })),
      };
    },

    /** Totals of state k of side 0 (before) or 1 (after). @param {number} side @param {number} k */
    state(side, k) {
      known(side, k);
      const { timeline } = shown.pair.sides[side];
      return {
        active_bytes: timeline.active[k],
        reserved_bytes: timeline.reservedAt(k),
        allocations: timeline.live(k).length,
      };
    },

    /** The live tensors of state k, bottom of the pile first. @param {number} side @param {number} k */
    live(side, k) {
      known(side, k);
      const { bands, data, group } = shown.pair.sides[side];
      let offset = 0;
      return bands.flatMap(({ timeline, members, family }) =>
        Array.from(timeline.live(k), (i) => {
          const id = members[i];
          const at = offset;
          offset += data.size[id];
          return { id, size: data.size[id], offset: at, family, group: group[id], stack: data.stack[id] };
        }),
      );
    },

    /** The groups that are picked out, as live has them; null: nothing is. */
    picked: () => stores.picked?.flatMap((is, group) => (is ? [group] : [])) ?? null,

    /** What lies under a client pixel of the page, or null. @param {number} x @param {number} y */
    at(x, y) {
      const box = stage.elements.plot.getBoundingClientRect();
      const point = stage.pointAt(x - box.left, y - box.top);
      if (!point) return null;
      const { states, side, hit } = point;
      if (!hit) return { states: [...states], side, id: -1 };
      return {
        states: [...states],
        side,
        id: hit.id,
        offset: hit.offset,
        size: shown.pair.sides[side].data.size[hit.id],
      };
    },

    /**
     * Where the pile of side 0 or 1 is in client pixels of the page, what it shows, and the state of each column
     * of its raster (-1: none); and where the lane of phases and the difference are, with the net of each column.
     * @param {number} side
     */
    geometry(side = 1) {
      const box = stage.elements.plot.getBoundingClientRect();
      const { layout, scales, columns, difference } = stage.frame;
      const { left, plotWidth, piles, laneTop } = layout;
      const pile = piles[side] ?? { top: 0, height: 0 };
      return {
        ...{ left: box.left + left, top: box.top + pile.top, width: plotWidth, height: pile.height },
        ...{ from: zoom.from, to: zoom.to, axis: 'aligned', bytes_from: 0, bytes_to: scales.pile.high },
        ratio: columns[side].length / plotWidth,
        columns: Int32Array.from(columns[side]),
        lane_top: laneTop < 0 ? null : box.top + laneTop,
        difference: layout.difference && {
          ...{ top: box.top + layout.difference.top, height: layout.difference.height },
          ...{
            bytes_from: scales.difference.low,
            bytes_to: scales.difference.high,
            net: Array.from(difference?.net ?? []),
          },
        },
      };
    },

    /** The raster of a side: RGBA bytes, the top row first. @param {number} side */
    pixels(side) {
      const image = stage.chart.pixels(side);
      return image && { width: image.width, height: image.height, data: image.data };
    },
  };
}
