// The state of a page that shows one recording: what stores there are, and which
// follows which. Each changes only by its own methods, and says so on its own
// topics; when another device is shown, all of them start over.

import { axisOf } from '../../data/axis.js';
import { AddressSpace } from './address_space.js';
import { Appearance } from './appearance.js';
import { Highlight } from './highlight.js';
import { Moment, OpenList, TableOrder } from './moment.js';
import { Hover, Selection } from './selection.js';
import { Shown } from './shown.js';
import { SpaceView } from './space_view.js';
import { Viewport } from './viewport.js';

/** Out-of-memory requests may reach this far above what was recorded; larger ones are cut. */
const GHOST = 1.25;

/** Lines farther than this above what was recorded are left out, since they would make the picture flat. */
const FAR = 2;

/** @typedef {ReturnType<typeof recordingStores>} Stores */

/**
 * @param {import('../../data/report.js').Report} report
 * @param {Pick<import('../../data/open.js').Library, 'open'>} library
 */
export function recordingStores(report, library) {
  const shown = new Shown(report, library);
  const appearance = new Appearance(shown);
  const highlight = new Highlight(shown, appearance);
  const hover = new Hover(shown);
  const selection = new Selection(shown);
  const viewport = new Viewport();
  shown.changed.on(() => {
    const { device } = shown;
    viewport.begin(axisOf(device, 'events'), device.timeline, ceilingOf(device));
  });
  selection.rangeChanged.on(() => {
    const { timeline, keptOnly } = selection;
    const { device } = shown;
    if (timeline === viewport.timeline) viewport.touch();
    else viewport.restack(timeline, keptOnly ? timeline.active[timeline.peak] : ceilingOf(device));
  });
  const spaceView = new SpaceView(shown);
  /** @type {typeof spaceView.space} */
  let before = null;
  shown.changed.on(() => (before = null));
  spaceView.changed.on(() => {
    const { space } = spaceView;
    viewport.setSpace(space !== null);
    // A segment is one of the address space in which it was pinned.
    if (before && space && space !== before && selection.segment !== null) selection.pin(null);
    before = space ?? before;
  });
  const moment = new Moment(shown, selection);
  const addressSpace = new AddressSpace(shown, spaceView);
  const tableOrder = new TableOrder();
  const openList = new OpenList(() => spaceView.isWanted);
  const pictures = { appearance, highlight, hover, selection, viewport, spaceView };
  return { shown, ...pictures, moment, addressSpace, tableOrder, openList };
}

/** @param {import('../../data/open.js').OpenDevice} device @returns {number} bytes of the highest thing to be seen */
function ceilingOf({ data, timeline, report, measure }) {
  const heights = (/** @type {typeof timeline} */ of) => [of.active[of.peak], of.reservedPeak];
  // What is predicted has the scale of what was recorded.
  const recorded = Math.max(...heights(timeline), ...(measure ? heights(measure.recorded) : []));
  const capacity = report.capacity?.bytes ?? 0;
  const predicted = Math.max(0, ...(report.predicted?.curve.bytes ?? []));
  const ghosts = data.ooms.map((m) => Math.min(timeline.reservedAt(m.state) + m.size, recorded * GHOST));
  const lines = [capacity, predicted].filter((bytes) => bytes <= recorded * FAR);
  return Math.max(recorded, ...lines, ...ghosts);
}
