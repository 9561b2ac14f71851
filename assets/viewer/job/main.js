// Starts the job page: reads the page's data, builds its parts, shows the first picture.

import { listen } from '../kit/topic.js';
import { byId } from '../kit/dom.js';
import { mountTheme } from '../kit/theme.js';
import { jobApi } from './api.js';
import { openJob } from './data/job.js';
import { jobAsked, mountJobHash } from './view/hash.js';
import { Stage } from './view/stage.js';
import { State } from './state/state.js';
import { mountAnswers, mountFind, mountHeader, mountStatus, mountToolbar } from './ui/frame.js';
import { mountKeys } from './ui/keys.js';
import { mountPanel } from './ui/panel.js';
import { mountPointer } from './ui/pointer.js';

/** @throws when the browser lacks what the viewer cannot do without; the loader has looked for the rest */
function requireFeatures() {
  if (!document.createElement('canvas').getContext('2d')) throw new Error('this browser lacks the 2D canvas');
  if (typeof ResizeObserver === 'undefined') throw new Error('this browser lacks ResizeObserver');
}

async function build() {
  const report = /** @type {import('./data/job.js').JobReport} */ (JSON.parse(byId('memviz-job').textContent ?? ''));
  const options = JSON.parse(byId('memviz-chart').textContent ?? '');
  const echarts = /** @type {ECharts} */ (window.echarts);
  const state = new State(await openJob(report, jobAsked(report.jobs.length), document));
  const canvas = (/** @type {string} */ id) => /** @type {HTMLCanvasElement} */ (byId(id));
  const elements = { plot: byId('ranks'), chart: byId('chart'), marks: canvas('marks'), cursor: canvas('cursor') };
  const open = async (/** @type {number} */ index) => state.open(await openJob(report, index, document));

  // Laid out before the first frame, but out of sight, so that everything has its size.
  const viewer = byId('viewer');
  viewer.classList.add('measuring');
  viewer.hidden = false;
  const stage = new Stage(state, echarts, options.ranks, elements);
  const theme = mountTheme({ appearance: /** @type {any} */ ({ readTheme: () => stage.restyle() }) });
  const forced = new URLSearchParams(location.hash.slice(1)).get('theme');
  if (forced === 'light' || forced === 'dark') theme.force(forced);
  mountHeader(
    state,
    report.jobs.map((j, i) => j.label || `job ${i + 1}`),
    (i) => void open(i),
  );
  const answers = mountAnswers(state, stage, echarts, options.histogram);
  const toolbar = mountToolbar(state, stage, byId('toolbar'));
  const find = mountFind(state, byId('find'));
  const status = mountStatus(state, byId('where'), byId('scale'));
  mountPointer(state, stage, byId('tooltip'));
  const list = /** @type {HTMLDialogElement} */ (byId('keys'));
  const guide = byId('guide');
  mountKeys({ state, find, theme, list, guide, spoken: byId('spoken') });
  const hash = mountJobHash(state, open, report.jobs.length);
  hash.apply();
  answers.draw();
  status.draw();
  stage.drawNow();
  toolbar.draw();
  stage.drawNow(); // the legend may have made the tools higher
  mountPanel(state, stage, byId('side'), echarts, options.curve);
  state.changed.on(() => elements.cursor.setAttribute('aria-label', describe(state)));
  elements.cursor.setAttribute('aria-label', describe(state));
  listen(byId('theme'), { click: theme.cycle });
  for (const id of ['show-guide', 'close-guide'])
    listen(byId(id), { click: () => void (guide.hidden = !guide.hidden) });
  for (const id of ['show-keys', 'show-keys-too']) listen(byId(id), { click: () => list.showModal() });
  const root = document.documentElement;
  listen(window, {
    beforeprint() {
      root.classList.add('printing'); // as wide as on paper
      theme.print();
      stage.drawNow();
    },
    afterprint() {
      root.classList.remove('printing');
      theme.apply();
      stage.drawNow();
    },
  });
  return { state, stage, viewer };
}

/** What the plot shows, in a sentence. @param {State} state */
function describe({ job, choice }) {
  const { answers, label } = job.view;
  const zoomed = choice.to - choice.from < job.ranks.length ? `, rows ${choice.from + 1} to ${choice.to}` : '';
  const said = answers.map((a) => `${a.question} ${a.value}`).join('. ');
  return `${label ? `${label}: ` : ''}${job.ranks.length} ranks${zoomed}. ${said}`;
}

/** Shows the job that stands in the page. On an error the loader brings the summary back. */
export async function start() {
  requireFeatures();
  const { state, stage, viewer } = await build();
  viewer.classList.remove('measuring');
  byId('summary').hidden = true;
  const painted = stage.painted();
  Object.assign(window, { memviz: jobApi(state, stage, painted) });
  await painted;
  document.documentElement.dataset.ready = 'true';
}
