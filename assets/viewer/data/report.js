// The report as JSON, as pkg/report writes it.

/**
 * @typedef {import('../types/recording').Report} Report
 * @typedef {import('../types/recording').File} FileReport
 * @typedef {import('../types/recording').Device} DeviceReport
 * @typedef {import('../types/recording').Lanes} LanesReport
 * @typedef {import('../types/recording').Space} SpaceReport
 * @typedef {import('../types/recording').Failure} Failure
 * @typedef {import('../types/recording').Capacity} Capacity
 * @typedef {import('../types/recording').Predicted} Predicted
 * @typedef {import('../types/recording').PredictedSetting} Setting
 * @typedef {import('../types/recording').Measures} Measures
 * @typedef {import('../types/recording').Measure} Measure
 * @typedef {import('../types/recording').Card} Card
 * @typedef {import('../types/recording').Evidence} Evidence
 * @typedef {import('../types/recording').Family} Family
 * @typedef {import('../types/recording').Rule} Rule
 * @typedef {import('../types/recording').Hue} Hue
 */

/** What this viewer reads; the first is older and says nothing of the address space. */
const SCHEMAS = ['memviz.report/1', 'memviz.report/2'];

/** The device whose memory is pinned memory of the host: one block a segment, and sizes are rounded. */
export const HOST_MEMORY = -1;

/** The function of Python that starts recording, or '' if torch did not write the file. @param {FileReport} file */
export function recordFunction({ torch, record }) {
  return record ?? (torch && 'torch.cuda.memory._record_memory_history');
}

/**
 * @param {string} text
 * @returns {Report}
 */
export function parseReport(text) {
  const report = JSON.parse(text);
  if (!SCHEMAS.includes(report.schema))
    throw new Error(`this viewer reads ${SCHEMAS.join(' and ')}, the page holds ${report.schema}`);
  return report;
}

/**
 * A stream as people call it: its handle, or 0 for the default stream.
 * @param {string[]} streams of the file
 * @param {number} i
 */
export function streamName(streams, i) {
  return i === 0 ? 'stream 0' : `stream ${streams[i] ?? i}`;
}
