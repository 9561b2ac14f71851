// The header, the warnings, the four answers, the tools and the status line.

import { bytes, count, counted } from '../../kit/format.js';
import { button, choice, fill, h, segmented, swatch } from '../../kit/dom.js';
import { searchBox } from '../../kit/find.js';
import { choosers } from '../../kit/toolbar.js';
import { mountHeading, showAnswers } from '../../kit/strip.js';
import { ORDERS } from '../data/order.js';
import { HistogramChart } from '../draw/chart.js';

/** @typedef {import('../state/state.js').State} State */

/**
 * @param {State} state @param {string[]} labels of the jobs @param {(job: number) => void} open
 */
export function mountHeader(state, labels, open) {
  const show = mountHeading();
  let shown = -1;
  const draw = () => {
    const { job } = state;
    if (shown === job.index) return;
    shown = job.index;
    const { label, facts, verdict, warnings } = job.view;
    const jobs = labels.map((text, i) => ({ text, value: String(i) }));
    const file =
      jobs.length > 1 ? choice('Job', jobs, String(job.index), (i) => open(Number(i))) : label || 'all ranks';
    show({ file, facts, verdict, warnings });
  };
  state.changed.on(draw);
  draw();
}

/**
 * @param {State} state @param {import('../view/stage.js').JobStage} stage
 * @param {ECharts} echarts @param {unknown} options of the histogram
 */
export function mountAnswers(state, stage, echarts, options) {
  const picture = h('div.picture.histogram');
  const histogram = new HistogramChart(echarts, picture, options);
  const draw = () => {
    const { job } = state;
    showAnswers(
      job.view.answers.map((answer, i) => ({
        ...answer,
        picture: i === 0 && picture,
        click: () => follow(state, answer),
      })),
    );
    if (picture.offsetWidth > 0) histogram.draw(job, stage.style, 120, 20);
  };
  let of = '';
  const drawIfOther = () => {
    const key = `${state.job.index} ${stage.style.paper}`;
    if (key === of) return;
    of = key;
    draw();
  };
  state.changed.on(drawIfOther);
  return { draw };
}

/** Shows what an answer is about. @param {State} state @param {import('../data/job.js').Answer} answer */
export function follow(state, { rank, order }) {
  const known = ORDERS.find(([key]) => key === order);
  if (known && state.job.ranks.length > 2) state.choose({ order: known[0] });
  if (rank !== undefined) state.select(rank);
}

/** @param {State} state @param {import('../view/stage.js').JobStage} stage @param {HTMLElement} element */
export function mountToolbar(state, stage, element) {
  const draw = () => {
    const { choice, job } = state;
    const isPile = stage.isPile ?? job.ranks.length <= 24;
    const option = choosers(choice, (to) => state.choose(to));
    const group = (/** @type {string} */ label, /** @type {HTMLElement[]} */ ...buttons) =>
      h('div.choice', h('span', label), segmented(label, ...buttons));
    const orders = ORDERS.filter(([key]) => job.groups.length > 0 || (key !== 'group' && key !== 'differs'));
    fill(
      element,
      group('Order', ...orders.map(([order, text]) => option(text, { order }, `Order by ${text.toLowerCase()} (O)`))),
      !isPile &&
        group(
          'Show',
          option('Differences', { show: 'differences' }, 'From the median of the group (D)'),
          option('Bytes', { show: 'bytes' }, 'Only bytes (D)'),
        ),
      job.view.has_time &&
        group(
          'Along',
          option('Steps', { axis: 'step' }, 'Steps side by side (X)'),
          option('Time', { axis: 'time' }, 'By their own clocks (X)'),
        ),
      !state.isWhole &&
        h('div.choice', button('Whole', 'All ranks and steps (0)', () => whole(state), { class: 'whole' })),
      h('div.key', legend(state, stage, isPile)),
    );
  };
  state.changed.on(draw);
  return { draw };
}

/** @param {State} state */
export function whole(state) {
  state.choose({ from: 0, to: state.job.ranks.length, left: 0, right: 1 });
}

/** @param {State} state @param {import('../view/stage.js').JobStage} stage @param {boolean} isPile */
function legend({ job, choice }, { style }, isPile) {
  const entry = (/** @type {string} */ color, /** @type {string} */ text) => h('span', swatch(color), text);
  if (!isPile)
    return [
      choice.show === 'differences' &&
        job.groups.length > 0 && [entry(style.more, 'more than its group'), entry(style.less, 'less')],
      entry(style.ink3, `${style.theme === 'dark' ? 'lighter' : 'darker'} is more bytes`),
    ];
  const most = job.families.map(() => 0);
  for (const r of job.ranks)
    for (const [f, size] of r.families) most[f] = Math.max(most[f], size / Math.max(1, r.peak));
  return job.families
    .map((family, f) => ({ ...family, part: most[f] }))
    .filter((f) => f.part > 0.001)
    .sort((a, b) => a.place - b.place)
    .map((f) => entry(f[style.theme], f.label));
}

/** @param {State} state @param {HTMLElement} root */
export function mountFind(state, root) {
  const toMatch = (/** @type {1 | -1} */ by) => {
    const list = by > 0 ? state.list : [...state.list].reverse();
    const at = list.indexOf(state.choice.selected);
    const next = [...list.slice(at + 1), ...list].find((rank) => state.matches?.[rank]);
    if (next !== undefined) state.select(next);
  };
  const search = searchBox('Search', 'Rank, host, file or call site', (query) => state.choose({ query }), toMatch);
  root.append(search.element());
  state.changed.on(() => {
    search.show(state.choice.query);
    const n = state.matches?.reduce((sum, m) => sum + m, 0);
    search.words.textContent = n === undefined ? '' : counted(n, 'rank');
  });
  return search;
}

/** @param {State} state @param {HTMLElement} where @param {HTMLElement} scale */
export function mountStatus(state, where, scale) {
  const draw = () => {
    const { job, choice, hover } = state;
    const rank = hover >= 0 ? hover : choice.selected;
    /** @type {[string, string][]} */
    let facts = [
      ['ranks', count(job.ranks.length)],
      ['median peak', bytes(job.view.median_peak)],
      ['median reserved', bytes(job.view.median_reserved)],
    ];
    if (rank >= 0) {
      const r = job.ranks[rank];
      facts = [['rank', r.name]];
      if (r.host) facts.push(['host', r.host]);
      if (!r.error) facts.push(['peak', bytes(r.peak)], ['reserved', bytes(r.reserved)]);
      if (r.end >= 0) facts.push(['after the last step', bytes(r.end)]);
      facts.push(['steps', count(r.steps)]);
    }
    fill(
      where,
      facts.map(([name, value]) => h('span', `${name} `, h('b', value))),
    );
    scale.textContent =
      choice.axis === 'time'
        ? 'each rank by its own clock; clocks of different hosts may be apart'
        : job.view.alignment;
  };
  state.changed.on(draw);
  state.hovered.on(draw);
  return { draw };
}
