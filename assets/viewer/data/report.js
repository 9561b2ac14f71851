// The report as JSON, as pkg/report writes it (its Go types say what each key means).

/**
 * @typedef {object} Report
 * @property {string} schema
 * @property {string} program
 * @property {FileReport[]} files
 * @property {Family[]} families
 * @property {Rule[]} rules
 * @property {{light: Hue[], dark: Hue[]}} palette
 * @property {{file: number, device: number}} start
 *
 * @typedef {object} FileReport
 * @property {string} name
 * @property {string} torch '' if torch did not write the file
 * @property {string} [record] the function of Python that starts recording, if torch wrote it; not in old reports
 * @property {string[]} streams
 * @property {string} stacks
 * @property {[key: string, value: string][]} [settings] of the allocator
 * @property {DeviceReport[]} devices
 * @property {{x: number, base: number, next_step: boolean}} [predicted] a run that was never made
 *
 * @typedef {object} DeviceReport
 * @property {number} device ordinal of a GPU, or HOST_MEMORY
 * @property {string} label
 * @property {string} payload
 * @property {number} events
 * @property {number} allocations
 * @property {number} pre_existing
 * @property {boolean} has_time
 * @property {string} first_time
 * @property {number} span_us
 * @property {string} base_addr
 * @property {boolean} has_addr false: addresses were left out
 * @property {boolean} wide_addr
 * @property {SpaceReport | null} [space] null: it is not known where the tensors lay; not in old reports
 * @property {number} [large_page] bytes of a page of large expandable segments, if it is not 20 MiB
 * @property {number} time_step_us times are multiples of this
 * @property {number} baseline_bytes
 * @property {number} peak_bytes
 * @property {number} peak_state
 * @property {number} final_bytes
 * @property {number} live_at_end
 * @property {number} reserved_baseline_bytes
 * @property {number} reserved_peak_bytes
 * @property {number} reserved_at_peak_bytes
 * @property {number} reserved_final_bytes
 * @property {number} oom_events
 * @property {number} with_stack
 * @property {string[]} pools
 * @property {LanesReport} lanes
 * @property {Capacity | null} capacity null: not known
 * @property {Predicted | null} predicted what other settings of the allocator would have done
 * @property {Measures | null} [measures] what changes of the training would save; not in old reports
 * @property {Card[]} answers to the four questions
 * @property {Failure[]} failures
 * @property {{state: number, text: string}[]} [retries] served only after the cache was given back; not in old reports
 * @property {{ok: boolean, text: string, why: string}} verdict
 * @property {{fact: string, consequence: string, code: string}[]} warnings
 *
 * @typedef {{payload: string, ranges_left_out: number, phases_left_out: number, step_word: string,
 *   steps_from: string}} LanesReport
 * @typedef {{payload: string, addresses: string, unit: number}} SpaceReport payloads, and the bytes that places count
 * @typedef {{state: number, free_bytes?: number, largest_bytes?: number, stream?: number, pool?: number,
 *   diagnosis: string, evidence: string, try: string}} Failure
 *   a request that failed; free_bytes: in the holes where it might have been served, largest_bytes: in the largest of
 *   them; neither of these, nor stream and pool, are in old reports
 *
 * @typedef {object} Capacity
 * @property {number} bytes
 * @property {string} text what, and where from
 *
 * @typedef {object} Predicted
 * @property {string} text what the best setting would have done, and the proof
 * @property {string} export the line for it; "" if none is better
 * @property {number} lower_bound_bytes
 * @property {Setting} reference the recorded one
 * @property {Setting[]} settings the best first
 * @property {{payload: string, unit: number}} [space] where the best one would have put the tensors, if that is known
 * @property {{states: number[], bytes: number[]}} curve reserved memory under the best one: bytes[i] from states[i] on
 *
 * @typedef {object} Setting
 * @property {string} setting "": the defaults
 * @property {number} reserved_peak_bytes
 * @property {number} fragmentation_peak_bytes
 * @property {number} driver_calls
 * @property {number} failure_state -1: nothing fails
 *
 * @typedef {object} Measures
 * @property {Measure[]} lines none: too many events to predict them here
 * @property {string} note what holds for all lines, or why there are none
 * @property {boolean} next_step the lines are about the step after the recorded one
 *
 * @typedef {object} Measure
 * @property {string} key of a change of the training, or of several
 * @property {string} name in a few words
 * @property {string} text a sentence
 * @property {string} fit "fits", "may fit" or "does not fit" where a request fails without it; else ""
 * @property {number} active_peak_bytes
 * @property {string} assumption sentences
 * @property {{payload: string, unit: number}} [space] where the tensors would have lain, if that is known
 *
 * @typedef {object} Card
 * @property {string} question
 * @property {'known' | 'unknown' | 'alarm'} mood
 * @property {string} value
 * @property {string} small beside the value
 * @property {string} line
 * @property {string} detail a sentence, or ""
 * @property {{family: number, bytes: number}[]} bar
 * @property {number[]} curve lowest totals from left to right
 * @property {Evidence | null} evidence null: there is nothing to show
 *
 * @typedef {object} Evidence
 * @property {number} from first state
 * @property {number} to last state; equal to from: the whole recording
 * @property {number} state
 * @property {number} allocation -1: none
 *
 * @typedef {object} Family
 * @property {string} key
 * @property {string} label
 * @property {string} one
 * @property {number} hue
 *
 * @typedef {object} Rule
 * @property {number} family
 * @property {string} because
 * @property {string} qualifier
 * @property {boolean} retained
 *
 * @typedef {object} Hue
 * @property {string} name
 * @property {string} color
 * @property {string[]} shades
 * @property {string} ink
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
