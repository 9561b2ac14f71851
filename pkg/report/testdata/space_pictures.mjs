// Compares what the viewer draws and says of an address space with what follows from its places by definition.

import assert from 'node:assert/strict';
import { columnStates, EventAxis } from '../../../assets/viewer/data/axis.js';
import { segmentsAt } from '../../../assets/viewer/recording/data/segments.js';
import { Timeline } from '../../../assets/viewer/data/timeline.js';
import { ColourTable } from '../../../assets/viewer/pile/colour_table.js';
import { Picture } from '../../../assets/viewer/pile/picture.js';
import { arrange } from '../../../assets/viewer/recording/map/arrange.js';
import { SpaceColours } from '../../../assets/viewer/pile/colour_table.js';
import { SpaceLayout } from '../../../assets/viewer/recording/map/layout.js';
import { SpaceRaster } from '../../../assets/viewer/recording/map/raster.js';
import { COLORS, PAPER } from '../../../assets/viewer/test/support/brute.js';
import { GREYS, piecesAt, spaceError } from '../../../assets/viewer/test/support/brute_space.js';
import { random } from '../../../assets/viewer/test/support/random.js';

/** Views of each layout: the whole, a part of the states, and parts of them and of the height. */
const VIEWS = 5;
const COLUMNS = 40;
const COMPARED = 3;

/** Compares columns of random views, in both layouts. */
function comparePixels({ data, timeline, space, device }, next) {
  const of = Uint8Array.from({ length: data.count }, () => Math.floor(next() * COLORS.length));
  const colours = new SpaceColours(new ColourTable('light', PAPER, COLORS, of), GREYS, false);
  const axis = new EventAxis(data.events, false);
  const raster = new SpaceRaster(timeline, space);
  const found = { pixels: 0, off: 0 };
  for (const packed of [false, true])
    for (let n = 0; n < VIEWS; n++) {
      const height = 100 + Math.floor(next() * 200);
      const layout = new SpaceLayout(space, arrange(space, packed), height);
      const from = n === 0 ? 0 : next() * axis.end * 0.8;
      const to = n === 0 ? axis.end : from + (axis.end - from) * next();
      const low = n < 2 ? 0 : next() * 0.9;
      const high = n < 2 ? 1 : low + (1 - low) * (0.01 + 0.9 * next());
      const picture = new Picture(raster);
      const states = columnStates(axis, timeline, from, to, COLUMNS);
      picture.paint(colours, { states, height, low, high, layout }, Infinity);
      const columns = Array.from({ length: COMPARED }, () => Math.floor(next() * COLUMNS));
      const { most, compared } = spaceError({ device, space }, of, picture, columns);
      found.pixels += compared;
      found.off = Math.max(found.off, most);
    }
  return found;
}

/** Adds up what the panel says of states. @returns {number} how many */
function addUp(opened, isPredicted) {
  const { data, timeline, space } = opened;
  const step = Math.max(1, Math.floor(data.events / 12));
  let states = 0;
  for (let k = 0; k <= data.events; k += step) {
    const all = segmentsAt(space, { data, timeline }, k);
    const { reserved, free, blocks } = piecesAt(opened, k);
    const bytes = (pieces) => pieces.reduce((sum, { from, to }) => sum + (to - from) * space.unit, 0);
    const say = `state ${k}`;
    assert.equal(all.reserved, bytes(reserved), say);
    assert.equal(all.active, bytes(blocks), say);
    assert.equal(all.returnable, bytes(free), say);
    // What another setting would have reserved is another curve.
    if (!isPredicted) assert.equal(all.reserved, timeline.reservedAt(k), say);
    const holes = all.segments.flatMap((s) => s.holes);
    assert.equal(holes.reduce((sum, hole) => sum + hole.bytes, 0), all.reserved - all.active, say);
    assert.equal(all.stuck + all.returnable, all.reserved - all.active, say);
    for (const { blocks: inside, holes: between, bytes: size } of all.segments) {
      let at = 0;
      for (const piece of [...inside, ...between].sort((a, b) => a.offset - b.offset)) {
        assert.equal(piece.offset, at, say);
        at += piece.bytes;
      }
      assert.equal(at, size, say);
    }
    states++;
  }
  return states;
}

/**
 * Compares both. Answers how many pixels were compared, how far the worst channel is off, and how many states were
 * added up.
 */
export function comparePictures({ report, data, space, isPredicted }) {
  const timeline = new Timeline(data, report.reserved_baseline_bytes);
  const allocations = Array.from(data.size, (size, i) => ({ start: data.first[i] - 1, end: data.last[i], size }));
  const opened = { data, timeline, space, device: { allocations } };
  const states = addUp(opened, isPredicted);
  // Without a course of events the page draws bars.
  return { states, ...(data.events > 1 ? comparePixels(opened, random(data.count)) : {}) };
}
