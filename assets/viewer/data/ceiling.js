// How high the whole view of a device reaches.

/** A request for more than this many times what was recorded sticks out of the plot. */
const GHOST = 1.25;

/** A line farther than this above what was recorded would make the picture flat. */
const FAR = 2;

/** @param {import('./open.js').OpenDevice} device @returns {number} bytes of the highest thing to be seen */
export function ceilingOf({ data, timeline, report }) {
  const recorded = Math.max(timeline.active[timeline.peak], timeline.reservedPeak);
  const capacity = report.capacity?.bytes ?? 0;
  const predicted = Math.max(0, ...(report.predicted?.curve.bytes ?? []));
  const ghosts = data.ooms.map((m) => Math.min(timeline.reservedAt(m.state) + m.size, recorded * GHOST));
  const lines = [capacity, predicted].filter((bytes) => bytes <= recorded * FAR);
  return Math.max(recorded, ...lines, ...ghosts);
}
