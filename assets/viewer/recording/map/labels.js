// What is written into the largest blocks of an address space.

import { spanOf } from '../../data/axis.js';
import { bytes } from '../../kit/format.js';
import { OUTSIDE } from '../../data/space.js';

/** Client pixels: the least block that has a label, that has its site in it, and that has it at its top. */
const HEIGHT = 13;
const WIDTH = 56;
const WITH_SITE = 100;
const TALL = 40;

/** The most blocks that are labelled. */
const MOST = 70;

/** Text on colours that are lighter than this, and on the others. */
const LIGHT = 140;
const INK = { onLight: '#0f1216', onDark: '#ffffff' };

/** Of those that were largest when the view was last still. */
export class BlockLabels {
  /** @type {number[]} */
  #ids = [];
  /** @type {unknown} */
  #of = null;

  /** @param {import('./overlay.js').SpaceFrame} frame */
  draw(frame) {
    const { painter, scales, layout, shown, colours, mask, moving } = frame;
    if (!moving || this.#of !== shown.space) {
      this.#ids = largest(frame);
      this.#of = shown.space;
    }
    const { left, top, plotWidth, plotHeight, right: plotRight, bottom: plotBottom } = layout;
    painter.clip(left, top, plotWidth, plotHeight, () => {
      for (const id of this.#ids) {
        if (mask && !mask[id]) continue;
        const rect = shown.block(scales, id);
        if (!rect) continue;
        const x = Math.max(left, rect.left);
        const width = Math.min(plotRight, rect.right) - x;
        const from = Math.max(top, rect.top);
        const height = Math.min(plotBottom, rect.bottom) - from;
        if (width < WIDTH || height < HEIGHT) continue;
        const { name, location } = shown.device.sites.site(id);
        const site = width > WITH_SITE ? `  ${name} ${location}`.trimEnd() : '';
        const text = painter.fit(bytes(shown.device.data.size[id]) + site, width - 10);
        const y = rect.bottom - rect.top > TALL ? from + 10 : from + height / 2;
        const t = colours.index[id] * 3;
        const [r, g, b] = colours.tensor.subarray(t, t + 3);
        const isLight = 0.35 * r + 0.5 * g + 0.15 * b > LIGHT;
        painter.text(text, x + 5, y + 0.5, { color: isLight ? INK.onLight : INK.onDark });
      }
    });
  }
}

/** The largest blocks in view. @param {import('./overlay.js').SpaceFrame} frame @returns {number[]} */
function largest({ scales, layout, viewport, shown, mask }) {
  const { space, device } = shown;
  const { first, last } = device.data;
  const { axis, from, to } = viewport;
  const covered = axis.states(from, to);
  if (!covered) return [];
  const perHeight = layout.plotHeight / (viewport.high - viewport.low);
  const leastUnits = HEIGHT / (shown.layout.perUnit.reduce((a, b) => Math.max(a, b), 0) * perHeight);
  const perPosition = layout.plotWidth / (to - from);
  const found = [];
  for (let i = 0; i < first.length && first[i] <= covered[1]; i++) {
    if (last[i] < covered[0] || space.block[i] < leastUnits || space.reservation[i] === OUTSIDE) continue;
    if (mask && !mask[i]) continue;
    const [a, b] = spanOf(axis, first[i], last[i]);
    const width = (Math.min(b, to) - Math.max(a, from)) * perPosition;
    if (width < WIDTH) continue;
    const rect = shown.block(scales, i);
    if (!rect) continue;
    const height = Math.min(rect.bottom, layout.bottom) - Math.max(rect.top, layout.top);
    if (height >= HEIGHT) found.push({ i, area: width * height });
  }
  return found
    .sort((a, b) => b.area - a.area)
    .slice(0, MOST)
    .map(({ i }) => i);
}
