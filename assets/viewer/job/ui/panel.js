// The panel: what differs and the groups, or one rank against its group.

import { bytes, change, count, counted } from '../../kit/format.js';
import { button, fill, h, say, swatch } from '../../kit/dom.js';
import { CurveChart, isThinned } from '../draw/chart.js';
import { freshContext } from '../../kit/painter.js';
import { openReport, reportElement } from './reports.js';

/** How many findings are listed. */
const MOST = 300;

/**
 * @param {import('../state/state.js').State} state
 * @param {import('../view/stage.js').JobStage} stage
 * @param {HTMLElement} side
 * @param {ECharts} echarts
 * @param {unknown} options of the curve
 */
export function mountPanel(state, stage, side, echarts, options) {
  let shown = '';
  const draw = () => {
    const { selected } = state.choice;
    // Rebuilt only when it shows something else, so that a search does not scroll it back.
    const key = `${state.job.index} ${selected} ${stage.style.paper}`;
    if (key === shown) return;
    shown = key;
    side.setAttribute('aria-label', selected < 0 ? 'What differs' : `Rank ${state.job.ranks[selected].name}`);
    if (selected < 0) showFindings(state, stage, side);
    else showRank(state, stage, side, echarts, options);
  };
  state.changed.on(draw);
  draw();
}

/** @param {string} kind @param {number} [size] */
const toneOf = (kind, size = 0) => (kind !== 'differs' && kind !== 'leaks' ? '' : size > 0 ? 'more' : 'less');

/** @param {import('../data/job.js').Finding} f @param {string} name @param {(() => void) | null} click */
function findingRow(f, name, click) {
  const children = [
    h('b', { class: f.kind === 'out_of_memory' ? 'oom' : '', text: name, title: name }),
    h('span.what', { text: f.what, title: f.what }),
    h('span', {
      class: `size ${toneOf(f.kind, f.change)}`,
      text: f.change ? change(f.change) + (f.kind === 'leaks' ? ' a step' : '') : '',
    }),
    h('span.detail', { text: f.detail }),
  ];
  return click ? h('button.finding', { click }, children) : h('div.finding', children);
}

/**
 * @param {import('../state/state.js').State} state
 * @param {import('../view/stage.js').JobStage} stage
 * @param {HTMLElement} side
 */
function showFindings(state, stage, side) {
  const { job } = state;
  const { findings } = job.view;
  const ranks = new Set(findings.flatMap((f) => [f.rank, ...(f.also ?? [])])).size;
  const list = findings
    .slice(0, MOST)
    .map((f) => findingRow(f, `rank ${job.ranks[f.rank].name}`, () => state.select(f.rank)));
  fill(
    side,
    h('div.head', h('h2', 'What differs'), h('span.faint', `${counted(ranks, 'rank')} of ${count(job.ranks.length)}`)),
    h(
      'div.scroll',
      list,
      findings.length > MOST && h('p.same', `${count(findings.length - MOST)} findings more, in memviz ranks`),
      findings.length === 0 &&
        h(
          'p.same',
          job.groups.length
            ? 'No rank stands out: at every call site each holds about what its group holds.'
            : 'Nothing to tell: these ranks are not compared.',
        ),
      job.groups.length > 0 && [
        h('h3', 'Groups of ranks that hold as many tensors at the same call sites'),
        job.groups.map((g, i) => groupRow(state, stage, g, i)),
        h(
          'p.same',
          'A rank differs when it is further from the median of its group than 6 normal deviations, 1 % of the peak, ' +
            '2 % of the value and twice the spread of the other 98 %. What a group is was read from the recordings, ' +
            'not from a configuration.',
        ),
      ],
      job.view.notes.map((note) => h('p.same', note)),
    ),
  );
}

const SPREAD_WIDTH = 96;

/** @param {import('../state/state.js').State} state @param {import('../view/stage.js').JobStage} stage
 * @param {import('../data/job.js').Group} group @param {number} index */
function groupRow(state, { style }, group, index) {
  const { job } = state;
  const canvas = h('canvas');
  const ctx = freshContext(canvas, SPREAD_WIDTH, 12);
  const span = job.peakHigh - job.peakLow || 1;
  const at = (/** @type {number} */ v) => 3 + ((v - job.peakLow) / span) * (SPREAD_WIDTH - 6);
  ctx.fillStyle = style.strong;
  ctx.fillRect(3, 5.5, SPREAD_WIDTH - 6, 1);
  ctx.fillStyle = style.ink;
  ctx.globalAlpha = 0.35;
  for (const r of job.ranks) if (r.group === index) ctx.fillRect(at(r.peak) - 0.5, 2, 1, 8);
  ctx.globalAlpha = 1;
  ctx.fillRect(at(group.median) - 1, 0, 2, 12);
  const first = job.ranks.findIndex((r) => r.group === index);
  const title = `not different within ${bytes(group.limit)} of the median; a click shows its rows`;
  return h(
    'button.group',
    { title, click: () => showGroup(state, index, first) },
    h('span.name', { text: `ranks ${group.name}`, title: group.name }),
    h('span.number.faint', counted(group.ranks, 'rank')),
    canvas,
    h('span.number', bytes(group.median)),
  );
}

/**
 * Shows the rows from the first to the last rank of a group.
 * @param {import('../state/state.js').State} state
 * @param {number} index
 * @param {number} first
 */
function showGroup(state, index, first) {
  state.choose({ order: 'group' });
  const rows = state.list.flatMap((rank, i) => (state.job.ranks[rank].group === index ? [i] : []));
  if (first >= 0) state.choose({ from: rows[0], to: rows[rows.length - 1] + 1 });
}

/**
 * @param {import('../state/state.js').State} state
 * @param {import('../view/stage.js').JobStage} stage
 * @param {HTMLElement} side
 * @param {ECharts} echarts
 * @param {unknown} options
 */
function showRank(state, stage, side, echarts, options) {
  const { job } = state;
  const rank = state.choice.selected;
  const r = job.ranks[rank];
  const group = job.group(rank);
  const { theme } = stage.style;
  const close = h('button.close', {
    label: 'Close',
    title: 'Close (Esc)',
    text: '✕',
    click: () => state.choose({ selected: -1 }),
  });
  const head = h('div.head', h('h2', `Rank ${r.name}${r.label ? ` (${r.label})` : ''}`), close);
  if (r.error) {
    fill(side, head, h('p.same', `${r.file} could not be read: ${r.error}`));
    return;
  }
  const apart = group ? r.peak - group.median : 0;
  const tone = group && Math.abs(apart) > group.limit ? (apart > 0 ? 'more' : 'less') : '';
  const families = r.families.map(([f, size]) => ({ ...job.families[f], size })).sort((a, b) => a.place - b.place);
  const facts = [
    r.host && `host ${r.host}`,
    r.file,
    counted(r.steps, 'step'),
    r.adds_up ? '✓ adds up' : 'does not add up',
  ];
  const chart = h('div.curve', { role: 'img', label: `Active memory of rank ${r.name} against its group` });
  const found = job.findingsOf[rank];
  fill(
    side,
    head,
    h(
      'div.sum',
      h('b', bytes(r.peak)),
      h('span', { class: tone, text: group ? `${change(apart)} against the median of its group` : 'at its peak' }),
    ),
    h('p.facts', { text: facts.filter(Boolean).join(' · '), title: r.file }),
    h(
      'div.bar',
      families.map((f) =>
        h('i', {
          title: `${f.label} ${bytes(f.size)}`,
          css: { width: `${(f.size / r.peak) * 100}%`, background: f[theme] },
        }),
      ),
    ),
    h(
      'p.families',
      families
        .filter((f) => f.size > r.peak * 0.02)
        .map((f) => h('span', swatch(f[theme]), `${f.label} ${bytes(f.size)}`)),
    ),
    reportLink(job, rank),
    h(
      'div.scroll',
      found.map((f) =>
        findingRow(
          f,
          { out_of_memory: 'OOM', differs: 'differs', short: 'short', leaks: 'grows' }[f.kind] ?? 'note',
          null,
        ),
      ),
      h('h3', curveWords(job, group)),
      chart,
      h('h3', group ? 'Call sites, the furthest from the median of the group first' : 'Call sites, the largest first'),
      siteRows(job, rank),
      h('p.same', restWords(r, group)),
    ),
  );
  const curve = new CurveChart(echarts, chart, options);
  new ResizeObserver(() => {
    const { clientWidth: width, clientHeight: height } = chart;
    if (width > 80) curve.draw(job, rank, stage.style, width, height);
  }).observe(chart);
}

/** @param {import('../data/job.js').Job} job @param {import('../data/job.js').Group | null} group */
function curveWords(job, group) {
  const what = isThinned(job) ? 'Highest of each half step' : 'Active memory';
  if (!group) return what;
  return `${what}; the group: median dashed, ${group.ranks < 20 ? 'others' : '5 to 95 %'} shaded`;
}

/** @param {import('../data/job.js').Job} job @param {number} rank */
function siteRows(job, rank) {
  const { sites } = job.ranks[rank];
  const far = sites.map(([, size, median]) => (median < 0 ? size : size - median));
  const most = Math.max(1, ...far.map(Math.abs));
  const found = new Set(job.findingsOf[rank].filter((f) => job.isOdd(f)).map((f) => f.what));
  return sites.map(([site, size, median], i) => {
    const [name, where] = job.sites[site];
    const d = far[i];
    const part = `${Math.max(1.5, (Math.abs(d) / most) * 50)}%`;
    const color = found.has(`${name} ${where}`.trim()) ? (d > 0 ? 'var(--more)' : 'var(--less)') : 'var(--ink3)';
    const title = median < 0 ? bytes(size) : `${name} ${where}: ${bytes(size)}, median of its group ${bytes(median)}`;
    return h(
      'div.site',
      { title },
      h('span.name', h('b', name), h('span.faint', ` ${where}`)),
      h('span.diverging', h('i', { css: { width: part, [d > 0 ? 'left' : 'right']: '50%', background: color } })),
      h('span.number', median < 0 ? bytes(size) : change(d)),
    );
  });
}

/** @param {import('../data/job.js').Rank} r @param {import('../data/job.js').Group | null} group */
function restWords(r, group) {
  if (!group) return r.beyond ? `${counted(r.beyond, 'site')} more` : '';
  const words = [];
  if (r.beyond)
    words.push(`${counted(r.beyond, 'site')} more ${r.beyond === 1 ? 'is' : 'are'} further than 1 MiB from the group.`);
  if (!r.sites.length) words.push('Every call site holds what its group holds, within 1 MiB.');
  else if (r.within)
    words.push(
      `${counted(r.within, 'site')} more ${r.within === 1 ? 'holds' : 'hold'} what the group holds, within 1 MiB.`,
    );
  return words.join(' ');
}

/** @param {import('../data/job.js').Job} job @param {number} rank */
function reportLink(job, rank) {
  const r = job.ranks[rank];
  if (reportElement(job.index, rank)) {
    const open = () =>
      void openReport(job.index, rank).catch((error) => say(`The report could not be opened: ${error.message}`));
    return h('p.links', button('Open its report', 'In a new tab, from this file (E)', open, { class: 'open' }));
  }
  if (!r.report || /^[a-z][a-z0-9+.-]*:|^[/\\]/i.test(r.report)) return null;
  const link = h('a.open', { title: `${r.report}, beside this file` }, `Open its report ${r.report.split('/').pop()}`);
  link.href = r.report.split('/').map(encodeURIComponent).join('/');
  return h('p.links', link);
}
