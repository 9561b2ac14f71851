// Starts the job page: reads the page's data, builds its parts, shows the first picture.

import { byId } from '../kit/dom.js';
import { Look } from '../kit/look.js';
import { canvasById, readJSON, startPage } from '../kit/page.js';
import { mountPaper } from '../kit/paper.js';
import { mountTheme } from '../kit/theme.js';
import { jobApi } from './api.js';
import { openJob } from './data/job.js';
import { jobAsked, mountJobHash } from './view/hash.js';
import { JobStage } from './view/stage.js';
import { State } from './state/state.js';
import { mountAnswers, mountFind, mountHeader, mountStatus, mountToolbar } from './ui/frame.js';
import { bindKeys } from './ui/keys.js';
import { mountPanel } from './ui/panel.js';
import { mountPointer } from './ui/pointer.js';

/** @param {ECharts} echarts @param {{ranks: unknown, histogram: unknown, curve: unknown}} options of the charts */
async function build(echarts, options) {
  const report = /** @type {import('./data/job.js').JobReport} */ (readJSON('memviz-job'));
  const state = new State(await openJob(report, jobAsked(report.jobs.length), document));
  const open = async (/** @type {number} */ index) => state.open(await openJob(report, index, document));
  const look = new Look();
  const cursor = canvasById('cursor');
  const elements = { plot: byId('ranks'), chart: byId('chart'), marks: canvasById('marks'), cursor };
  const stage = new JobStage(state, look, echarts, options.ranks, elements);
  const theme = mountTheme(() => look.readTheme());
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
  bindKeys(state, { find, theme, spoken: byId('spoken') });
  const hash = mountJobHash(state, open, report.jobs.length);
  const describePlot = () => cursor.setAttribute('aria-label', describe(state));
  state.changed.on(describePlot);
  mountPaper(stage, theme, {
    alt: 'All ranks',
    height: 480,
    draw(painter) {
      stage.drawChartOn(painter);
      stage.drawOver(painter);
    },
  });
  const show = () => {
    hash.apply();
    answers.draw();
    status.draw();
    stage.drawNow();
    toolbar.draw();
    stage.drawNow(); // the legend may have made the tools higher
    mountPanel(state, stage, byId('side'), echarts, options.curve);
    describePlot();
  };
  return { state, stage, show };
}

/** What the plot shows, in a sentence. @param {State} state */
function describe({ job, choice }) {
  const { answers, label } = job.view;
  const zoomed = choice.to - choice.from < job.ranks.length ? `, rows ${choice.from + 1} to ${choice.to}` : '';
  const said = answers.map((a) => `${a.question} ${a.value}`).join('. ');
  return `${label ? `${label}: ` : ''}${job.ranks.length} ranks${zoomed}. ${said}`;
}

/** Shows the job that the page holds. */
export const start = () =>
  startPage(async (echarts, options) => {
    const { state, stage, show } = await build(echarts, options);
    return { api: (ready) => jobApi(state, stage, ready), show, painted: () => stage.painted() };
  });
