// A device as it would have been with a change of the training: a measure of the report.

import { payload } from './codec.js';
import { DeviceData } from './device.js';
import { readMeasure } from './edits.js';
import { SiteTable } from './sites.js';
import { SpaceDecoder, decodeSlowly } from './space_decode.js';
import { Timeline } from './timeline.js';

/**
 * @typedef {import('./open.js').OpenDevice} OpenDevice @typedef {import('./report.js').Measure} Measure
 *
 * @typedef {object} ShownMeasure
 * @property {Measure} line
 * @property {Timeline} recorded as the training was recorded
 */

/**
 * The measure of a key, if it has a layout.
 * @param {import('./report.js').DeviceReport} report @param {string} key @returns {Measure | undefined}
 */
export function measureOf(report, key) {
  return report.measures?.lines.find((line) => line.key === key && line.space);
}

/**
 * @param {OpenDevice} device as it was recorded
 * @param {Measure} line with a layout
 * @param {Document} document
 * @param {import('./report.js').Report} report
 * @returns {Promise<OpenDevice>}
 */
export async function measured(device, line, document, { families }) {
  const { payload: id = '', unit = 0 } = line.space ?? {};
  const bytes = await payload(document.getElementById(id));
  const { read, tensors, preExisting } = readMeasure(bytes, unit, device.data, device.report.large_page);
  const { baseline, reservedEvent, reservedDelta } = reservedOf(read.frame, device.data.events);
  const before = device.report;
  const columns = device.data.columnsWith({ ...tensors, reservedEvent, reservedDelta });
  /** @type {import('./report.js').DeviceReport} */
  const report = {
    ...before,
    label: `${before.label}, predicted`,
    allocations: tensors.of.length,
    pre_existing: preExisting,
    has_addr: false,
    predicted: null,
    answers: [],
    failures: [],
    retries: [],
    warnings: [],
    reserved_baseline_bytes: baseline,
  };
  const data = new DeviceData(columns, report, {
    recorded: (data, progress) => decodeSlowly(new SpaceDecoder(read, null, data), progress),
  });
  const timeline = new Timeline(data, baseline);
  const { peak, active, lastState } = timeline;
  const live = timeline.live(lastState);
  Object.assign(report, {
    peak_bytes: Math.max(active[peak], line.active_peak_bytes),
    peak_state: peak,
    final_bytes: active[lastState],
    live_at_end: live.length,
    reserved_peak_bytes: timeline.reservedPeak,
    reserved_at_peak_bytes: timeline.reservedAt(peak),
    with_stack: Array.from(data.stack).filter((stack) => stack > 0).length,
  });
  const sites = new SiteTable(data, device.stacks, families);
  return { ...device, report, data, timeline, sites, measure: { line, recorded: device.timeline } };
}

/**
 * What is reserved in state 0, and how that changes.
 * @param {import('./space_decode.js').SpaceDecoder['frame']} frame @param {number} events
 */
function reservedOf({ unit, reservations: { count, size, first, last } }, events) {
  /** @type {Map<number, number>} */
  const changes = new Map();
  let baseline = 0;
  const add = (/** @type {number} */ event, /** @type {number} */ units) =>
    changes.set(event, (changes.get(event) ?? 0) + units * unit);
  for (let r = 0; r < count; r++) {
    if (first[r] === 0) baseline += size[r] * unit;
    else add(first[r] - 1, size[r]);
    if (last[r] < events) add(last[r], -size[r]);
  }
  const list = [...changes].sort((a, b) => a[0] - b[0]);
  const [reservedEvent, reservedDelta] = [list.map(([event]) => event), list.map(([, bytes]) => bytes)];
  return {
    baseline,
    reservedEvent: Uint32Array.from(reservedEvent),
    reservedDelta: Float64Array.from(reservedDelta),
  };
}
