// The orders of ranks, and which of them a search finds.

/** @typedef {import('./job.js').Job} Job */
/** @typedef {'rank' | 'group' | 'peak' | 'reserved' | 'growth' | 'differs'} Order */

/** @type {[Order, string][]} */
export const ORDERS = [
  ['rank', 'Rank'],
  ['group', 'Group'],
  ['peak', 'Peak'],
  ['reserved', 'Reserved'],
  ['growth', 'Growth'],
  ['differs', 'Differs'],
];

/** Whether an order keeps the ranks of a group together, where their ranks do. @param {string} order */
export const showsGroups = (order) => order === 'rank' || order === 'group';

/** The ranks in an order; equal ones by rank. @param {Job} job @param {Order} order @returns {number[]} */
export function ordered(job, order) {
  const { ranks } = job;
  const above = (/** @type {number} */ i) => ranks[i].peak - (job.group(i)?.median ?? ranks[i].peak);
  const found = (/** @type {number} */ i) =>
    job.differs(i) ? 3 : job.ranOut(i) ? 2 : job.findingsOf[i].length > 0 ? 1 : 0;
  const apart = (/** @type {number} */ i) => Math.abs(above(i)) / (job.group(i)?.limit ?? 1);
  const list = ranks.map((_, i) => i);
  /** @type {Record<Order, (a: number, b: number) => number>} */
  const by = {
    rank: () => 0,
    group: (a, b) => ranks[a].group - ranks[b].group || above(b) - above(a),
    peak: (a, b) => ranks[b].peak - ranks[a].peak,
    reserved: (a, b) => ranks[b].reserved - ranks[a].reserved,
    growth: (a, b) => ranks[b].growth - ranks[a].growth,
    differs: (a, b) => found(b) - found(a) || apart(b) - apart(a),
  };
  return list.sort((a, b) => by[order](a, b) || a - b);
}

/**
 * Which ranks a search finds: by rank or a range of ranks, and by host, file, label or call site of a finding.
 * @param {Job} job @param {string} query @returns {Uint8Array | null} 1 for each that it finds; null for all
 */
export function matching(job, query) {
  const q = query.trim().toLowerCase();
  if (!q) return null;
  const range = /^(?:ranks? )?(\d+)(?:\s*[-–]\s*(\d+))?$/.exec(q);
  const has = (/** @type {string | undefined} */ text) => text?.toLowerCase().includes(q) ?? false;
  return Uint8Array.from(job.ranks, (r, i) => {
    if (range) {
      const rank = parseInt(r.name, 10);
      return Number(rank >= Number(range[1]) && rank <= Number(range[2] ?? range[1]));
    }
    const text = has(r.host) || has(r.label) || has(`rank ${r.name}`) || has(r.file);
    return Number(
      text || job.findingsOf[i].some((f) => has(f.what)) || r.sites.some(([s]) => has(job.sites[s].join(' '))),
    );
  });
}
