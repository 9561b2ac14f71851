// How high the whole view of a device reaches.

/** A request for more than this many times what was recorded sticks out of the plot. */
const GHOST = 1.25;

/** A capacity farther than this above what was recorded would make the picture flat. */
const FAR = 2;

/** @param {import('./open.js').OpenDevice} device @returns {number} bytes of the highest thing to be seen */
export function ceilingOf({ data, timeline, report }) {
  const recorded = Math.max(timeline.active[timeline.peak], timeline.reservedPeak);
  const capacity = report.capacity?.bytes ?? 0;
  const ghosts = data.ooms.map((m) => Math.min(timeline.reservedAt(m.state) + m.size, recorded * GHOST));
  return Math.max(recorded, capacity <= recorded * FAR ? capacity : 0, ...ghosts);
}
