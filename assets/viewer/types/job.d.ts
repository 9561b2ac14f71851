// Written by `go test ./pkg/report/job -update` from the Go types of the same names.

export interface Page {
  schema: string;
  program: string;
  /** by families.Family */
  families: Family[];
  jobs: Job[];
}

export interface Ranks {
  ranks: Rank[];
  groups: Group[];
  /** function, and file with line */
  sites: [string, string][];
}

export interface Family {
  /** in the pile, from below */
  place: number;
  label: string;
  light: string;
  dark: string;
}

export interface Job {
  label: string;
  facts: JobFact[];
  verdict: Verdict;
  warnings: Warning[];
  answers: [JobAnswer, JobAnswer, JobAnswer, JobAnswer];
  notes: string[];
  findings: JobFinding[];
  /** how ranks are aligned, as a sentence */
  alignment: string;
  /** of ranks */
  count: number;
  median_peak: number;
  median_reserved: number;
  /** names of the steps, and of what follows the last */
  stretches: string[];
  /** how many of the stretches are steps that ended */
  steps: number;
  /** columns */
  per_stretch: number;
  /** columns of the curves of families; 0 where they are left out */
  few_per_stretch: number;
  /** bytes of one unit of the curves */
  unit: number;
  has_time: boolean;
}

export interface Rank {
  /** "37", "3 cuda:1" */
  name: string;
  label?: string;
  host?: string;
  file: string;
  report?: string;
  error?: string;
  /** or -1 */
  group: number;
  peak: number;
  reserved: number;
  /** after the last step; -1 where that is not known */
  end: number;
  steps: number;
  /** of the highest of its steps, a step */
  growth: number;
  adds_up: boolean;
  /** at the peak: family, bytes */
  families: [number, number][];
  /** Sites are the call sites that are further than siteDifference from the median of the group: index in ranksModel.Sites, bytes, median. The furthest come first. Of a rank without a group they are the largest, with a median of -1. */
  sites: [number, number, number][];
  /** other sites, that hold what the group holds */
  within: number;
  /** other sites, that do not */
  beyond: number;
  /** Times of the stretches in milliseconds from the first event of the job: begin and end; null where they are not known. */
  times?: [number, number][];
}

export interface Group {
  name: string;
  ranks: number;
  /** of the peaks */
  median: number;
  /** how far from it a rank of the group may be */
  limit: number;
  /** By column, in units: the median, and what holds most ranks. -1 where nothing is known. */
  middle: number[];
  low: number[];
  high: number[];
}

export interface JobFact {
  name: string;
  value: string;
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

export interface JobAnswer {
  question: string;
  mood: 'alarm' | 'known' | 'unknown';
  value: string;
  /** beside the value */
  small?: string;
  /** below the value */
  line: string;
  /** a whole sentence */
  detail?: string;
  /** that a click leads to */
  rank?: number;
  /** that a click sets */
  order?: string;
}

export interface JobFinding {
  rank: number;
  kind: string;
  what: string;
  detail: string;
  /** against the group, or of each step */
  change?: number;
  /** of the OOMs */
  first?: boolean;
  also?: number[];
}
