// The axis of an address space: the name of each group, turned by 90 degrees, a bracket, and ticks of bytes in
// the group.

import { axisBytes, byteInterval } from '../../kit/format.js';

/** In client pixels: least heights of a group with a turned name, of one that also says how many segments it has, and
 * of one that has a name at all. */
const TURNED = 60;
const COUNTED = 150;
const NAMED = 10;

/** From one tick to the next, about, and from a name to a tick that is wider than the room beside it. */
const APART = 100;
const BESIDE = 8;
const WIDE = 44;

/** From the plot's left edge to the bracket, to the right ends of ticks, and from the left edge to the turned names. */
const BRACKET = 3.5;
const TICK = 7;
const NAME = 9;

/** @typedef {import('./overlay.js').SpaceFrame} SpaceFrame @typedef {import('./layout.js').Band} Band */

/** @param {SpaceFrame} frame */
export function drawSpaceAxis(frame) {
  const { painter, layout, shown } = frame;
  const { left, top, plotHeight } = layout;
  painter.clip(0, top - 6, left, plotHeight + 12, () => drawBands(frame, shown.layout.bands));
  drawWindow(frame);
}

/** @param {SpaceFrame} frame @param {Band[]} bands */
function drawBands(frame, bands) {
  const { scales, layout } = frame;
  for (const band of bands) {
    const bottom = Math.min(scales.y(band.low), layout.bottom);
    const top = Math.max(scales.y(band.high), layout.top);
    if (bottom - top < 2) continue;
    // Joined groups have names of their own when they are high enough.
    if (band.members.length > 0 && scales.y(band.low) - scales.y(band.high) > band.members.length * NAMED * 2)
      drawBands(frame, band.members);
    else drawBand(frame, band, top, bottom);
  }
}

/** @param {SpaceFrame} frame @param {Band} band @param {number} top @param {number} bottom of what is in view of it */
function drawBand(frame, band, top, bottom) {
  const { painter, layout, style } = frame;
  const { left } = layout;
  const high = bottom - top;
  const middle = (top + bottom) / 2;
  painter.line(left - BRACKET, top, left - BRACKET, bottom, { color: style.strong });
  if (high < NAMED) return;
  if (high < TURNED) {
    const factor = band.enlarged < 10 ? band.enlarged.toFixed(1) : band.enlarged.toFixed(0);
    const names = band.enlarged > 1.5 ? [`${band.name} ×${factor}`, band.name] : [band.name];
    const name = names.find((text) => painter.measure(text) <= left - NAME) ?? painter.fit(band.name, left - NAME);
    painter.text(name, left - 8, middle, { align: 'right' });
    return;
  }
  const { g } = painter;
  const words = high > COUNTED && band.segments ? `${band.name}, ${band.segments}` : band.name;
  const name = painter.fit(words, high);
  g.save();
  g.translate(NAME, middle);
  g.rotate(-Math.PI / 2);
  painter.text(name, 0, 0, { align: 'center' });
  g.restore();
  drawTicks(frame, band, { top, bottom, middle, half: painter.measure(name) / 2 + BESIDE });
}

/**
 * @param {SpaceFrame} frame @param {Band} band
 * @param {{top: number, bottom: number, middle: number, half: number}} within middle and half of the name's length
 */
function drawTicks({ painter, scales, layout, style, shown }, band, { top, bottom, middle, half }) {
  const { unit } = shown.space;
  const perByte = band.perUnit / unit;
  const bytesAt = (/** @type {number} */ y) => (scales.bytes(y) - band.low) / perByte;
  const [from, to] = [bytesAt(bottom), bytesAt(top)];
  const interval = byteInterval(to - from, Math.max(1, (bottom - top) / APART));
  const end = Math.min(to, band.units * unit) * (1 + 1e-9);
  for (let v = Math.max(0, Math.ceil(from / interval - 1e-9) * interval); v <= end; v += interval) {
    const y = Math.min(scales.y(band.low + v * perByte), layout.bottom - 1);
    const text = axisBytes(v, band.units * unit, interval);
    // A wide one would run into the name.
    if (painter.measure(text) > WIDE && Math.abs(y - middle) < half) continue;
    painter.text(text, layout.left - TICK, y, { align: 'right', color: style.ink3 });
  }
}

/** Which part of the height is in view. @param {SpaceFrame} frame */
function drawWindow({ painter, layout, viewport, style }) {
  const { low, high } = viewport;
  if (low <= 0 && high >= 1) return;
  const { left, minimapWidth, top, plotHeight } = layout;
  const x = left + minimapWidth + 6;
  painter.fill(style.grid, x, top, 3, plotHeight);
  painter.fill(style.ink3, x, top + (1 - high) * plotHeight, 3, Math.max(6, (high - low) * plotHeight));
}
