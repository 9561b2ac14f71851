// Outlines of what is pinned in an address space, and the extent of a hole.

/** Client pixels: a rectangle lower than this has triangles at its ends, or nobody finds it. */
const LOW = 14;

/** @typedef {import('./overlay.js').SpaceFrame} SpaceFrame @typedef {import('./places.js').Rect} Rect */

/** The exact rectangle of a tensor's block. @param {SpaceFrame} frame @param {number} id */
export function outlineTensor(frame, id) {
  const rect = frame.shown.block(frame.scales, id);
  if (rect) outline(frame, rect);
}

/**
 * The life of a segment. An expandable one has two lines and a bar at the panel's moment: outlines of all runs of its
 * pages could not be read.
 * @param {SpaceFrame} frame @param {number} r reservation
 */
export function outlineSegment(frame, r) {
  const { painter, scales, layout, style, shown, state, viewport } = frame;
  const { space } = shown;
  if (r >= space.reservations.count) return;
  if (!space.kinds[space.reservations.kind[r]].expandable) {
    outline(frame, shown.reservation(scales, r));
    return;
  }
  const place = space.reservations.start[r];
  const segment = shown
    .segments(state)
    .segments.find((s) => s.place <= place && place < s.place + s.bytes / space.unit);
  const [low, high] = segment
    ? [shown.heightAt(segment, 0), shown.heightAt(segment, segment.bytes)]
    : [shown.layout.low[r], shown.layout.high(r)];
  const [bottom, top] = [scales.y(low), scales.y(high)];
  const { g } = painter;
  g.beginPath();
  for (const y of [bottom, top]) {
    g.moveTo(layout.left, y);
    g.lineTo(layout.right, y);
  }
  painter.stroke(style.halo, 4);
  painter.stroke(style.select, 1.75);
  if (segment) painter.fill(style.select, scales.x(viewport.axis.middle(state)) - 2, top, 4, bottom - top);
}

/** @param {SpaceFrame} frame @param {Rect} rect */
function outline({ painter, layout, style }, { left, right, top, bottom }) {
  const { g } = painter;
  // Something thinner than a pixel is carried by its outline alone.
  const width = Math.max(2, right - left);
  const height = Math.max(1, bottom - top);
  g.beginPath();
  g.rect(left, top, width, height);
  painter.stroke(style.halo, 4);
  painter.stroke(style.select, 1.75);
  if (height >= LOW) return;
  const y = top + height / 2;
  for (const [x, way] of [
    [Math.max(left, layout.left), -1],
    [Math.min(left + width, layout.right), 1],
  ]) {
    // Outwards, or inwards where there is no room.
    const tip = x + way * 9 < layout.left || x + way * 9 > layout.right ? -way : way;
    g.beginPath();
    g.moveTo(x + tip, y);
    g.lineTo(x + tip * 8, y - 5);
    g.lineTo(x + tip * 8, y + 5);
    g.closePath();
    g.fillStyle = style.select;
    g.fill();
    painter.stroke(style.halo, 1);
  }
}

/**
 * A bracket over a hole in its state.
 * @param {Pick<SpaceFrame, 'painter' | 'scales' | 'style' | 'shown' | 'layout'>} frame
 * @param {number} x @param {import('./places.js').Spot} spot
 */
export function drawHole({ painter, scales, style, shown, layout }, x, { segment, hole }) {
  if (!hole) return;
  const { g } = painter;
  const bottom = scales.y(shown.heightAt(segment, hole.offset));
  const top = scales.y(shown.heightAt(segment, hole.offset + hole.bytes));
  painter.clip(layout.left, layout.top - 1, layout.plotWidth, layout.plotHeight + 2, () => {
    g.beginPath();
    for (const y of [top, bottom]) {
      g.moveTo(x - 6, y);
      g.lineTo(x + 6, y);
    }
    painter.stroke(style.ink, 1.5);
    painter.line(x, top, x, bottom, { color: style.ink, width: 3 });
  });
}
