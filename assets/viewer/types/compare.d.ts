// Written by `go test ./pkg/report/compare -update` from the Go types of the same names.

export interface Comparison {
  schema: string;
  /** the pair that the page shows first: the GPU with the highest peak */
  start: number;
  /** the devices that both files have */
  pairs: Pair[];
}

export interface Pair {
  /** positions in the files' Devices */
  devices: [number, number];
  payload: string;
  /** both recordings have C++ frames, so operators are compared */
  operators: boolean;
  /** less than half of the bytes are from lines of both */
  different: boolean;
  /** empty where the phases of one are not known */
  runs: Run[];
  /** empty where they are not paired */
  steps: Step[];
  /** the peaks first, the end last */
  moments: Moment[];
  /** What is said of the pair, and of the pair with its files swapped. four */
  answers: [Answer[], Answer[]];
  warnings: [Warning[], Warning[]];
}

export interface Run {
  /** "forward"; "before" for the events before the first phase */
  phase: string;
  /** the first and the last one; null on a side that lacks the run */
  states: [[number, number] | null, [number, number] | null];
  /** index in Steps; -1: none */
  step: number;
}

export interface Step {
  /** its number */
  label: string;
  has: [boolean, boolean];
}

export interface Moment {
  /** "peak", "forward", "step:3", "end" */
  key: string;
  states: [number, number];
}

export interface Answer {
  /** peak, row, cache or program */
  key: string;
  question: string;
  /** in a few words */
  value: string;
  /** what it rests on */
  line: string;
  /** a whole sentence, or empty */
  detail: string;
  /** the row that changed most, an index into the groups of the payload; -1: none */
  group: number;
  /** the family that changed most, an index into Report.Families; -1: none */
  family: number;
}

export interface Warning {
  fact: string;
  consequence: string;
  code: string;
}
