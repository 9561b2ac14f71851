// window.memviz: what the console and tests ask the page.

/**
 * @param {import('./state/state.js').State} state
 * @param {import('./view/stage.js').JobStage} stage
 * @param {Promise<unknown>} ready
 */
export function jobApi(state, stage, ready) {
  const rank = (/** @type {number} */ i) => {
    const { families, sites, times, ...r } = state.job.ranks[i];
    return {
      ...r,
      index: i,
      group: state.job.group(i)?.name ?? null,
      families: families.map(([f, size]) => ({ family: state.job.families[f].label, bytes: size })),
      sites: sites.map(([s, size, median]) => ({
        site: state.job.sites[s].join(' '),
        bytes: size,
        median: median < 0 ? null : median,
      })),
      findings: state.job.findingsOf[i],
    };
  };
  return {
    /** Resolves when the page shows its first picture. */
    ready,
    /** All ranks, in the order of their numbers. */
    ranks: () => state.job.ranks.map((_, i) => rank(i)),
    /** One of them, by its place in ranks(). */
    rank,
    findings: () => state.job.view.findings,
    /** Resolves when what is chosen has been drawn. */
    settled: () => stage.painted(),
    /** Where the plot lies, in client pixels, and the rows in it. */
    geometry() {
      const { left, top } = stage.elements.plot.getBoundingClientRect();
      const { layout, rows } = stage;
      return {
        left: left + layout.left,
        top: top + layout.top,
        width: layout.plotWidth,
        height: layout.plotHeight,
        ratio: devicePixelRatio,
        columns: [],
        rows: rows.list.map((rank, i) => ({ rank, from: top + rows.edges[i], to: top + rows.edges[i + 1] })),
      };
    },
    /** What is chosen. */
    choice: () => ({ ...state.choice }),
    /** Shows rows from and up to, and says how long drawing took. @param {{from: number, to: number}} rows */
    view({ from, to }) {
      const start = performance.now();
      state.choose({ from: Math.max(0, from), to: Math.min(state.job.ranks.length, to) });
      stage.drawNow();
      return { ms: performance.now() - start };
    },
  };
}
