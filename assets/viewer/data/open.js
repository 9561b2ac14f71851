// Opens a device of the report: decodes its payloads and indexes them.

import { payload } from './codec.js';
import { DeviceData } from './device.js';
import { Lanes } from './lanes.js';
import { measured, measureOf } from './measured.js';
import { SiteTable } from './sites.js';
import { SpaceDecoder, decodeSlowly, recordedMap } from './space_decode.js';
import { Stacks } from './stacks.js';
import { Timeline } from './timeline.js';

/**
 * @typedef {object} OpenDevice
 * @property {number} fileIndex
 * @property {number} deviceIndex position in the file's list, not the ordinal
 * @property {import('./report.js').FileReport} file
 * @property {import('./report.js').DeviceReport} report
 * @property {Stacks} stacks
 * @property {DeviceData} data
 * @property {Timeline} timeline
 * @property {SiteTable} sites
 * @property {Lanes} lanes
 * @property {boolean} hasHistory whether there is a course of events to draw; a single event is none
 * @property {boolean} hasTime whether a time axis can be drawn
 * @property {import('./measured.js').ShownMeasure | null} measure what it is predicted with; null: it was recorded
 */

export class Library {
  /** @param {import('./report.js').Report} report @param {Document} document */
  constructor(report, document) {
    this.report = report;
    this.document = document;
    /** @type {Map<string, Promise<Stacks>>} stacks are shared by the devices of a file */
    this.stacks = new Map();
  }

  /**
   * @param {number} fileIndex
   * @param {number} deviceIndex
   * @param {string} [measure] the key of one, as which the device would have been
   * @returns {Promise<OpenDevice>}
   */
  async open(fileIndex, deviceIndex, measure = '') {
    const file = this.report.files[fileIndex];
    const report = file?.devices[deviceIndex];
    if (!report) throw new Error('there is no such device in this report');
    const [stacks, bytes, lanes, maps] = await Promise.all([
      this.#stacksOf(file.stacks),
      payload(this.document.getElementById(report.payload)),
      payload(this.document.getElementById(report.lanes.payload)),
      this.#mapsOf(report),
    ]);
    const data = new DeviceData(bytes, report, maps);
    const timeline = new Timeline(data, report.reserved_baseline_bytes);
    const device = {
      fileIndex,
      deviceIndex,
      file,
      report,
      stacks,
      data,
      timeline,
      sites: new SiteTable(data, stacks, this.report.families),
      lanes: new Lanes(lanes, report),
      hasHistory: data.events > 1,
      hasTime: data.hasTime && report.span_us > 0,
      measure: null,
    };
    const line = measureOf(report, measure);
    return line ? measured(device, line, this.document, this.report) : device;
  }

  /** @param {import('./report.js').DeviceReport} report @returns {Promise<import('./device.js').Maps>} */
  async #mapsOf(report) {
    if (!report.space) return {};
    const [bytes, addresses] = await Promise.all([
      payload(this.document.getElementById(report.space.payload)),
      payload(this.document.getElementById(report.space.addresses)),
    ]);
    const maps = recordedMap((data) => SpaceDecoder.recorded(bytes, addresses, report, data));
    const predicted = report.predicted?.space?.payload;
    if (predicted)
      maps.predicted = async (data, progress) => {
        const other = await payload(this.document.getElementById(predicted));
        return decodeSlowly(SpaceDecoder.predicted(other, report, data), progress);
      };
    return maps;
  }

  /** @param {string} id of the element @returns {Promise<Stacks>} */
  #stacksOf(id) {
    let stacks = this.stacks.get(id);
    if (!stacks) {
      stacks = payload(this.document.getElementById(id)).then((bytes) => new Stacks(bytes));
      this.stacks.set(id, stacks);
    }
    return stacks;
  }
}
