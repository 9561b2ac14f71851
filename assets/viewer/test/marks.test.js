import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnStates, EventAxis } from '../data/axis.js';
import { layoutOf, Scales } from '../recording/draw/layout.js';
import { drawOOMs, drawTicks } from '../recording/draw/marks.js';
import { fake } from './support/encode.js';

/** A frame with some markers, and what is drawn in it: lines, and texts with their edges. */
function frameOf(events, markers) {
  const layout = layoutOf(900, 600, true);
  const axis = new EventAxis(events, false);
  const viewport = { axis, from: 0, to: axis.end, low: 0, high: 100 };
  const timeline = { reservedAt: () => 50, lastState: events, highest: { best: (...range) => range[1] }, active: [] };
  const lines = [];
  const texts = [];
  const g = new Proxy({}, { get: () => () => {}, set: () => true });
  const painter = {
    g,
    measure: (text) => text.length * 6,
    line: (x) => lines.push(x),
    stroke() {},
    clip: (...args) => args[4](),
    text: (text, x, ...rest) => texts.push([text, rest[1].align === 'right' ? x - text.length * 6 : x]),
    flag: (text, x, ...rest) => {
      const { min, max } = rest[1];
      const width = text.length * 6;
      const left = Math.min(Math.max(min, x - width / 2), max - width);
      return [left, left + width];
    },
  };
  const scales = new Scales(layout, fake(viewport));
  const columns = columnStates(axis, fake(timeline), 0, axis.end, layout.plotWidth);
  const style = { theme: 'light', oom: 'red', ink3: 'grey' };
  return {
    frame: fake({ painter, scales, timeline, layout, viewport, style, markers, columns }),
    lines,
    texts,
    layout,
  };
}

test('the line of an out-of-memory event stands beside the column of its state', () => {
  for (let state = 7900; state < 7960; state++) {
    const { frame, lines, layout } = frameOf(8000, [{ kind: 'oom', state, size: 10 }]);
    drawOOMs(frame);
    const [left, right] = [lines[0] - 0.75, lines[0] + 0.75].map((x) => x - layout.left);
    const column = Math.floor(((state + 0.5) / frame.viewport.axis.end) * layout.plotWidth);
    assert.ok(left >= column + 1 && right <= column + 3, `column ${column}, the line from ${left} to ${right}`);
  }
});

test('no name of a mark is under the flag of an out-of-memory event', () => {
  const retries = Array.from({ length: 40 }, (_, i) => ({ kind: 'retry', state: i * 200, size: 0 }));
  const { frame, texts } = frameOf(8000, [...retries, { kind: 'oom', state: 4000, size: 2 ** 20 }]);
  const flags = drawOOMs(frame);
  drawTicks(frame, flags);
  assert.ok(flags.length === 1 && texts.length > 3);
  for (const [text, x] of texts)
    assert.ok(x + text.length * 6 < flags[0][0] || x > flags[0][1], `${text} at ${x}, the flag at ${flags[0]}`);
});
