// Written by `go test ./pkg/report/recording -update` from the Go types of the same names.

export interface Report {
  schema: string;
  /** "memviz 0.1.0" */
  program: string;
  files: File[];
  /** index: the payload's family column */
  families: Family[];
  /** index: the payload's rule column */
  rules: Rule[];
  palette: Palette;
  start: Start;
  /** what was replaced by pseudonyms: paths, names, prefixes */
  redacted?: string[];
  /** GivenCapacity is the capacity that the user gave for every device; left out without one. */
  given_capacity?: GivenCapacity;
  /** to make the file smaller; see Document.LeftOut */
  left_out?: string[];
}

export interface File {
  /** base name; U+FFFD stands for what cannot be printed */
  name: string;
  /** a guess, such as "2.10 or 2.11" */
  torch: string;
  /** Record is the function of Python that starts recording, left out if torch did not write the file. */
  record?: string;
  /** handles in hex, or their numbers where addresses are left out; [0] is the default stream */
  streams: string[];
  /** id of the payload element */
  stacks: string;
  /** Settings of the allocator, as key and value; the first ones of very many, and none where the file has none. */
  settings?: [string, string][];
  /** Snapshot is the id of the payload that makes a snapshot of the others; left out where the report holds too little for one. */
  snapshot?: string;
  devices: Device[];
  /** Categories: the payload Snapshot has the categories of events. */
  categories?: boolean;
  /** Predicted is left out of what was recorded. */
  predicted?: AnalysisPredicted;
  /** Salvaged says that the file was read in part, and what is missing; left out when it was read whole. It is the first warning of each device, too. */
  salvaged?: string;
}

export interface Family {
  /** "optimizer" */
  key: string;
  /** "Optimizer state" */
  label: string;
  /** of a single tensor: "optimizer state" */
  one: string;
  /** index into the palette's hues */
  hue: number;
}

export interface Rule {
  /** index into Families */
  family: number;
  /** a clause: "allocated in forward and freed in backward" */
  because: string;
  /** "", "by its lifetime" or "probably" */
  qualifier: string;
  /** an activation that outlived its backward pass */
  retained: boolean;
}

export interface Palette {
  light: Hue[];
  dark: Hue[];
}

export interface Start {
  file: number;
  /** position in the file's Devices */
  device: number;
}

export interface GivenCapacity {
  /** 0: nothing */
  bytes: number;
  /** the card that was named, if one was */
  gpu?: string;
}

export interface Device {
  /** ordinal in the recorded process; -1: snapshot.Pinned */
  device: number;
  /** "cuda:0" */
  label: string;
  payload: string;
  events: number;
  allocations: number;
  pre_existing: number;
  has_time: boolean;
  /** RFC 3339 with microseconds, UTC; "" without time */
  first_time: string;
  span_us: number;
  /** what the payload's times are multiples of: 1 unless the report was made smaller */
  time_step_us: number;
  /** false when addresses were left out to make the report smaller */
  has_addr: boolean;
  /** hex */
  base_addr: string;
  wide_addr: boolean;
  /** active in state 0 */
  baseline_bytes: number;
  /** active, over all states */
  peak_bytes: number;
  /** first state that has PeakBytes */
  peak_state: number;
  /** active in the last state */
  final_bytes: number;
  /** allocations */
  live_at_end: number;
  /** state 0 */
  reserved_baseline_bytes: number;
  reserved_peak_bytes: number;
  /** in PeakState */
  reserved_at_peak_bytes: number;
  /** sum of the final segments; with EndUnknown, all three are lower bounds */
  reserved_final_bytes: number;
  oom_events: number;
  /** allocations that carry an allocation stack */
  with_stack: number;
  /** index: the payload's pool column; "default" first, then "1,2" */
  pools: string[];
  /** null: it is not known where the tensors lay */
  space: Space | null;
  /** LargePage is the bytes of a page of large expandable segments, if it is not 20 MiB. */
  large_page?: number;
  lanes: Lanes;
  /** null: not known */
  capacity: Capacity | null;
  /** four */
  answers: Card[];
  /** the last requests that failed, in order */
  failures: Failure[];
  /** the last requests that were served only after the cache was given back, in order */
  retries?: RetryCard[];
  /** null: no finding that settings can cure, or no proof */
  predicted: Predicted | null;
  /** null: no forward pass, no proof, or nothing helps */
  measures: Measures | null;
  verdict: Verdict;
  warnings: Warning[];
}

export interface AnalysisPredicted {
  /** the size that it is predicted at, such as a batch or the length of sequences */
  x: number;
  /** Base is the size of the recording that order, lifetimes, stacks and times are taken from. */
  base: number;
  /** NextStep: that recording is of a first step. It is followed by the step after it, in which the gradients of the first live until the backward pass. */
  next_step: boolean;
}

export interface Hue {
  name: string;
  color: string;
  shades: string[];
  ink: string;
}

export interface Space {
  payload: string;
  /** id of the payload with the addresses of the lanes */
  addresses: string;
  /** bytes that places and sizes count */
  unit: number;
}

export interface Lanes {
  payload: string;
  /** annotations nested too deep, or too many */
  ranges_left_out: number;
  /** the shortest of too many */
  phases_left_out: number;
  /** "step", "backward call", "iteration" or "window"; "" without any */
  step_word: string;
  /** a clause: "found from optimizer frames" */
  steps_from: string;
}

export interface Capacity {
  bytes: number;
  /** what and where from: "capacity, from the OOM: 10.6 GiB" */
  text: string;
}

export interface Card {
  question: string;
  mood: 'alarm' | 'known' | 'unknown';
  value: string;
  /** beside the value */
  small?: string;
  /** below the value */
  line: string;
  /** a whole sentence */
  detail?: string;
  /** in the order of the legend */
  bar: FamilyBytes[];
  /** the least active bytes of each step */
  curve: number[];
  /** its allocation is an index into the payload; null: there is nothing to show */
  evidence: Evidence | null;
}

export interface Failure {
  state: number;
  /** in the cache where the request may be served; not in old reports */
  free_bytes?: number;
  /** LargestBytes is the largest hole of these; not in old reports. */
  largest_bytes?: number;
  /** numbers of the request's stream and pool, 0 for the default */
  stream: number;
  pool: number;
  /** a sentence without the numbers that the panel lists */
  diagnosis: string;
  /** the sentence with all numbers */
  evidence: string;
  /** a sentence on the most promising thing to change */
  try: string;
}

export interface RetryCard {
  /** before the first segment was given back */
  state: number;
  /** a sentence */
  text: string;
}

export interface Predicted {
  /** what the best setting would have done, or that none is better, and the proof */
  text: string;
  /** the line for it; "" if none is better */
  export: string;
  lower_bound_bytes: number;
  /** the recorded setting, predicted like the others */
  reference: PredictedSetting;
  /** the best first */
  settings: PredictedSetting[];
  /** of the best setting; empty if none is better */
  curve: PredictedCurve;
  /** Space is where the best setting would have put the tensors; left out if none is better, or if that cannot be said. */
  space?: PredictedSpace;
}

export interface Measures {
  /** none: too many events to predict them here */
  lines: Measure[];
  /** what holds for all lines, or why there are none */
  note: string;
  /** NextStep: the lines are about the step after the recorded one, which is a first step. */
  next_step: boolean;
}

export interface Verdict {
  ok: boolean;
  /** one of the words below */
  text: string;
  /** a sentence or two */
  why: string;
}

export interface Warning {
  fact: string;
  consequence: string;
  code: string;
}

export interface FamilyBytes {
  /** index into Report.Families */
  family: number;
  bytes: number;
}

export interface Evidence {
  /** states; From == To: the whole recording */
  from: number;
  to: number;
  /** timeline.NoState: there is nothing to show */
  state: number;
  /** index into Device.Allocations; -1: none */
  allocation: number;
}

export interface PredictedSetting {
  /** a value of PYTORCH_CUDA_ALLOC_CONF; "" for the defaults */
  setting: string;
  reserved_peak_bytes: number;
  fragmentation_peak_bytes: number;
  driver_calls: number;
  /** of the first request that fails; -1 if none does */
  failure_state: number;
}

export interface PredictedCurve {
  /** ascending; the first is 0 */
  states: number[];
  bytes: number[];
}

export interface PredictedSpace {
  payload: string;
  /** bytes that places and sizes count */
  unit: number;
}

export interface Measure {
  /** "checkpoint", or several, joined with commas */
  key: string;
  /** in a few words */
  name: string;
  /** a sentence */
  text: string;
  /** "fits", "may fit" or "does not fit" where a request fails without it; else "" */
  fit: string;
  active_peak_bytes: number;
  /** sentences: what has to be true, and where the peak is then */
  assumption: string;
  /** Space is where the tensors would have been put, and which ones there would have been; left out if that cannot be said. */
  space?: PredictedSpace;
}
