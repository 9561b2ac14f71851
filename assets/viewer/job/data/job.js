// A job as the page draws it: its ranks, groups, and the curves of all ranks side by side.

import { payload } from '../../data/codec.js';

/**
 * @typedef {import('../../types/job').Family} Family
 * @typedef {import('../../types/job').JobFinding} Finding
 * @typedef {import('../../types/job').JobAnswer} Answer
 * @typedef {import('../../types/job').Rank} Rank
 * @typedef {import('../../types/job').Group} Group
 * @typedef {import('../../types/job').Job} JobView
 * @typedef {import('../../types/job').Page} JobReport
 */

/** A column that a rank did not record. */
export const MISSING = -1;

/** Its value in the payload. */
const ABSENT = -32768;

/** Numbers whose low bytes all come before their high bytes. @param {Uint8Array} planes */
export function int16s(planes) {
  const n = planes.length >> 1;
  const values = new Int16Array(n);
  for (let i = 0; i < n; i++) values[i] = planes[i] | (planes[n + i] << 8);
  return values;
}

/** @param {JobReport} report @param {number} index @param {Document} page */
export async function openJob(report, index, page) {
  const [text, curves] = await Promise.all(
    ['ranks', 'curves'].map((kind) => payload(page.getElementById(`${kind}-${index}`))),
  );
  return new Job(report, index, JSON.parse(new TextDecoder().decode(text)), int16s(curves));
}

export class Job {
  /** @type {Int16Array} of all ranks behind one another, in units */
  active;
  /** @type {Int16Array | null} the same of reserved memory */
  reserved = null;
  /** @type {Int16Array | null} of each family of each rank */
  byFamily = null;
  /** Findings of each rank. @type {Finding[][]} */
  findingsOf;

  /**
   * @param {JobReport} report @param {number} index
   * @param {import('../../types/job').Ranks} data
   * @param {Int16Array} curves
   */
  constructor(report, index, data, curves) {
    this.index = index;
    this.view = report.jobs[index];
    this.families = report.families;
    this.ranks = data.ranks;
    this.groups = data.groups;
    this.sites = data.sites;
    const { stretches, per_stretch: per, few_per_stretch: few } = this.view;
    this.columns = stretches.length * per;
    const n = this.ranks.length * this.columns;
    const fewColumns = stretches.length * few;
    const size = n + (few ? n + this.ranks.length * this.families.length * fewColumns : 0);
    if (curves.length !== size) throw new Error(`curves have ${curves.length} of ${size} numbers`);
    this.active = curves.subarray(0, n);
    this.#addMedians();
    if (few) {
      this.reserved = curves.subarray(n, 2 * n).map((v) => (v === ABSENT ? MISSING : v));
      this.byFamily = curves.subarray(2 * n).map((v) => (v === ABSENT ? 0 : v));
    }
    this.fewColumns = fewColumns;
    this.findingsOf = this.ranks.map(() => /** @type {Finding[]} */ ([]));
    for (const f of this.view.findings) {
      this.findingsOf[f.rank].push(f);
      for (const rank of f.also ?? []) this.findingsOf[rank].push({ ...f, rank });
    }
    let low = Infinity;
    let high = 1;
    for (const v of this.active) {
      if (v > 0 && v < low) low = v;
      if (v > high) high = v;
    }
    /** The lowest of all curves, in units. */
    this.lowest = Math.min(low, high);
    /** What the greys span: the medians of the groups, so that one rank alone does not make all others pale. */
    this.greys = { from: this.lowest, to: high };
    const middles = this.groups.flatMap((g) => g.middle).filter((v) => v > 0);
    if (middles.length > 0) {
      this.greys = { from: middles.reduce((a, b) => Math.min(a, b)), to: middles.reduce((a, b) => Math.max(a, b)) };
    }
    this.highest = high;
    this.peakLow = this.#peaks().reduce((a, b) => Math.min(a, b));
    this.peakHigh = this.#peaks().reduce((a, b) => Math.max(a, b), 1);
    this.reservedHigh = this.ranks.reduce((most, r) => Math.max(most, r.reserved, r.peak), 1);
  }

  #peaks() {
    const known = this.ranks.filter((r) => !r.error).map((r) => r.peak);
    return known.length ? known : [0];
  }

  /** The payload has the distance of each rank from the median of its group. */
  #addMedians() {
    const { columns } = this;
    for (let i = 0; i < this.ranks.length; i++) {
      const middle = this.groups[this.ranks[i].group]?.middle;
      for (let c = 0, at = i * columns; c < columns; c++, at++) {
        if (this.active[at] === ABSENT) this.active[at] = MISSING;
        else if (middle) this.active[at] += middle[c];
      }
    }
  }

  /** Most active memory of a rank in each column, in units. @param {number} rank */
  curve(rank) {
    return this.active.subarray(rank * this.columns, (rank + 1) * this.columns);
  }

  /** @param {number} rank */
  reservedCurve(rank) {
    return this.reserved?.subarray(rank * this.columns, (rank + 1) * this.columns) ?? null;
  }

  /** @param {number} rank @param {number} family */
  familyCurve(rank, family) {
    const at = (rank * this.families.length + family) * this.fewColumns;
    return this.byFamily?.subarray(at, at + this.fewColumns) ?? new Int16Array(0);
  }

  /** The group of a rank. @param {number} rank @returns {Group | null} */
  group(rank) {
    return this.groups[this.ranks[rank].group] ?? null;
  }

  /** Whether a rank ran out of memory. @param {number} rank */
  ranOut(rank) {
    return this.findingsOf[rank].some((f) => f.kind === 'out_of_memory');
  }

  /** Whether a rank holds what its group does not. @param {number} rank */
  differs(rank) {
    return this.findingsOf[rank].some((f) => this.isOdd(f));
  }

  /** Whether a finding is about few ranks: growth on most ranks is the program's. @param {Finding} f */
  isOdd(f) {
    return f.kind === 'differs' || (f.kind === 'leaks' && 4 * ((f.also?.length ?? 0) + 1) <= this.ranks.length);
  }

  /** The column behind the last that a rank recorded. @param {number} rank */
  endColumn(rank) {
    const curve = this.curve(rank);
    let c = this.columns;
    while (c > 0 && curve[c - 1] === MISSING) c--;
    return c;
  }

  /** How far from the median, in units, a rank is coloured as different. @param {number} rank */
  limit(rank) {
    const g = this.group(rank);
    if (!g) return Infinity;
    const found = this.findingsOf[rank]
      .filter((f) => this.isOdd(f) && f.change)
      .map((f) => Math.abs(f.change ?? 0) * (f.kind === 'leaks' ? Math.max(1, this.ranks[rank].steps) : 1));
    return Math.max(1, Math.min(g.limit, ...found) / this.view.unit);
  }

  /** The time of the job in milliseconds. @returns {[number, number]} */
  get span() {
    let last = 1;
    for (const r of this.ranks) for (const [, end] of r.times ?? []) last = Math.max(last, end);
    return [0, last];
  }

  /** Which of its columns a rank was in at a time by its own clock. @param {number} rank @param {number} ms */
  columnAtTime(rank, ms) {
    const { times } = this.ranks[rank];
    const per = this.view.per_stretch;
    for (let s = 0; times && s < times.length; s++) {
      const [begin, end] = times[s];
      if (begin >= 0 && ms >= begin && ms < end) return s * per + Math.floor(((ms - begin) / (end - begin)) * per);
    }
    return MISSING;
  }
}
