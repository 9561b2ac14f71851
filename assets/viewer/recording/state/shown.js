// Which recording the page shows: one device of one file of the report.

import { Topic } from '../../kit/topic.js';

/** @typedef {import('../../data/open.js').OpenDevice} OpenDevice */

export class Shown {
  /** Another device is shown. The other stores start over then, before any other listener is called. */
  changed = new Topic();
  /** @type {OpenDevice | null} */
  #device = null;
  #calls = 0;
  #library;

  /**
   * @param {import('../../data/report.js').Report} report
   * @param {Pick<import('../../data/open.js').Library, 'open'>} library
   */
  constructor(report, library) {
    this.report = report;
    this.#library = library;
  }

  /** Whether a device is open yet. */
  get isOpen() {
    return this.#device !== null;
  }

  /** The device that is open; there has to be one. */
  get device() {
    if (!this.#device) throw new Error('no device is open yet');
    return this.#device;
  }

  /**
   * @param {number} fileIndex
   * @param {number} deviceIndex position in the file's list of devices
   * @param {string} [measure] the key of a change of the training, with which the device is predicted
   */
  async open(fileIndex, deviceIndex, measure) {
    const call = ++this.#calls;
    const device = await this.#library.open(fileIndex, deviceIndex, measure);
    if (call !== this.#calls) return; // a later choice has overtaken this one
    this.#device = device;
    this.changed.emit();
  }
}
