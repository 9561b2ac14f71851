// The picture of a long recording against brute force: MEMVIZ_ALLOCATIONS says
// how long, a million without it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnStates, EventAxis } from '../data/axis.js';
import { Timeline } from '../data/timeline.js';
import { ColourTable } from '../pile/colour_table.js';
import { Picture } from '../pile/picture.js';
import { Raster } from '../pile/raster.js';
import { COLORS, columnError, PAPER } from './support/brute.js';
import { fake } from './support/encode.js';
import { random } from './support/random.js';

const ALLOCATIONS = Number(process.env.MEMVIZ_ALLOCATIONS ?? 1_000_000);

/** A recording whose tensors mostly go soon, some late and some never; two events each, and gaps. */
function longRecording(count) {
  const next = random(5);
  const first = new Uint32Array(count);
  const last = new Uint32Array(count);
  const size = new Float64Array(count);
  const events = count * 2;
  for (let i = 0, k = 1; i < count; i++) {
    first[i] = k;
    k += next() < 0.5 ? 1 : 2;
    const kind = next();
    const life = kind < 0.9 ? next() * 3000 : kind < 0.995 ? next() * 20_000 : next() * events * 4;
    last[i] = Math.min(events, first[i] + Math.floor(life));
    size[i] = Math.floor(2 ** (9 + next() * 18));
  }
  return fake({ events, count, preExisting: 0, first, last, size, reservedEvent: [], reservedDelta: [] });
}

/** What is live in state k, by definition: every allocation is looked at. */
function pileOf({ count, first, last, size }, k, of) {
  const pile = [];
  for (let i = 0; i < count; i++) if (first[i] <= k && k <= last[i]) pile.push({ size: size[i], colour: of[i] });
  return pile;
}

test(`100 columns of ${ALLOCATIONS} allocations equal brute force`, () => {
  const data = longRecording(ALLOCATIONS);
  const timeline = new Timeline(data, 0);
  const colours = new ColourTable(
    'light',
    PAPER,
    COLORS,
    Uint8Array.from(data.first, (_, i) => (i * 31) % COLORS.length),
  );
  const axis = new EventAxis(data.events, false);
  const picture = new Picture(new Raster(timeline));
  const next = random(6);
  let checked = 0;
  // The second view is painted from the first, the last one is close.
  for (const [from, part] of [
    [0, 1],
    [0.02, 0.97],
    [0.4, 0.001],
  ]) {
    const states = columnStates(axis, timeline, axis.end * from, axis.end * (from + part), 1200);
    const view = { states, height: 700, bytesFrom: 0, bytesTo: timeline.active[timeline.peak] * 1.05, lines: true };
    picture.paint(colours, view, Infinity);
    for (let n = 0; n < 34; n++, checked++) {
      const x = Math.floor(next() * states.length);
      const pile = pileOf(data, states[x], colours.index);
      assert.equal(
        timeline.active[states[x]],
        pile.reduce((sum, { size }) => sum + size, 0),
      );
      const error = columnError(picture.pixels, states.length, x, pile, view);
      assert.ok(error <= 1, `column ${x} at state ${states[x]} is off by ${error}`);
    }
  }
  assert.ok(checked >= 100);
});
