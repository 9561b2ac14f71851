// How much memory the device has, as far as that is known, and where from.

/** @param {import('./overlay.js').Frame} frame */
export function drawCapacity({ pen, scales, layout, style, capacity }) {
  if (!capacity) return;
  const { left, top, right, bottom } = layout;
  const y = Math.round(scales.y(capacity.bytes)) + 0.5;
  const label = { color: style.oom, halo: true };
  if (y > bottom) return;
  if (y < top - 2) {
    pen.text(`↑ ${capacity.text}`, left + 8, top + 8, label);
    return;
  }
  pen.line(left, y, right, y, { color: style.oom, dash: [6, 3] });
  pen.text(capacity.text, left + 8, y - top > 12 ? y - 8 : y + 9, label);
}
