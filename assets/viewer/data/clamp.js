/** @param {number} v @param {number} least @param {number} most @returns {number} v, kept between the two; least when they cross */
export function clamp(v, least, most) {
  return Math.max(least, Math.min(most, v));
}
