// Places a tooltip beside the pointer and inside the window.

/** Pixels between a tooltip and the pointer, and between it and the edge of the window. */
export const AWAY = 14;
export const EDGE = 8;

/**
 * @param {HTMLElement} tooltip that is filled and shown @param {HTMLElement} plot
 * @param {{x: number, y: number}} point
 */
export function placeTooltip(tooltip, plot, point) {
  const box = plot.getBoundingClientRect();
  const [x, y] = [box.left + point.x, box.top + point.y];
  const { offsetWidth: width, offsetHeight: height } = tooltip;
  const left = x + AWAY + width > innerWidth - EDGE ? x - width - AWAY : x + AWAY;
  const below = y + AWAY + 2;
  const top = below + height > innerHeight - EDGE ? y - height - AWAY : below;
  tooltip.style.left = `${Math.max(EDGE, left)}px`;
  tooltip.style.top = `${Math.max(EDGE, top)}px`;
}
