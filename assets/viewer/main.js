// Starts the viewer: reads the page's data, builds the parts, shows the first picture.

import { setPatterns } from './state/colour.js';
import { consoleApi } from './api.js';
import { App } from './app.js';
import { bytes, count } from './data/format.js';
import { heldBy } from './data/held.js';
import { Library } from './data/open.js';
import { parseReport } from './data/report.js';
import { mountAnswers } from './ui/answers.js';
import { byId } from './ui/dom.js';
import { mountExports } from './ui/exports.js';
import { mountFind } from './ui/find.js';
import { mountHeader } from './ui/header.js';
import { mountIcicle } from './ui/icicle.js';
import { mountLaneTip } from './ui/lane_tip.js';
import { mountKeys } from './ui/keys.js';
import { mountPanel } from './ui/panel.js';
import { mountPinned } from './ui/pinned.js';
import { mountStatus } from './ui/status.js';
import { mountTable } from './ui/table.js';
import { mountTheme } from './ui/theme.js';
import { mountToolbar } from './ui/toolbar.js';
import { mountTooltip } from './ui/tooltip.js';
import { mountHash } from './view/hash.js';
import { mountHistory } from './view/history.js';
import { mountLaneKeys } from './view/lanes.js';
import { listen } from './view/listen.js';
import { mountPointer } from './view/pointer.js';
import { nextTask, Stage } from './view/stage.js';

/** Milliseconds for the first picture; what is missing then follows when it has settled. */
const FIRST_MS = 30;

/** What the viewer cannot do without, by name. @returns {string | null} the first that is missing */
function missingFeature() {
  if (!document.createElement('canvas').getContext('2d')) return 'the 2D canvas';
  if (typeof ResizeObserver === 'undefined') return 'ResizeObserver';
  return /** @type {any} */ (window).echarts ? null : 'the chart library';
}

/** Keeps the summary that the page came with, and says why. @param {string} why */
function keepSummary(why) {
  byId('summary').hidden = false;
  const notice = byId('notice');
  notice.textContent = why;
  notice.hidden = false;
  document.documentElement.classList.remove('scripted');
}

/** @param {import('./data/report.js').Report} report */
function build(report) {
  const app = new App(report, new Library(report, document));
  const timeline = byId('timeline');
  const cursor = /** @type {HTMLCanvasElement} */ (byId('cursor'));
  const stage = new Stage(
    app,
    { timeline, chart: byId('chart'), marks: byId('marks'), cursor },
    /** @type {any} */ (window).echarts,
    JSON.parse(byId('memviz-chart').textContent ?? ''),
  );
  const hash = mountHash(app);
  const history = mountHistory(app);
  const theme = mountTheme(app);
  const forced = new URLSearchParams(location.hash.slice(1)).get('theme');
  if (forced === 'light' || forced === 'dark') theme.force(forced);
  const list = /** @type {HTMLDialogElement} */ (byId('keys'));
  const guide = byId('guide');

  mountHeader(app, {
    file: byId('file'),
    device: byId('device'),
    facts: byId('facts'),
    verdict: byId('verdict'),
    warnings: byId('warnings'),
  });
  mountAnswers(app, byId('answers'));
  mountToolbar(app, history, byId('toolbar'));
  const find = mountFind(app, byId('find'));
  const exports = mountExports(app, stage, byId('export'));
  mountPanel(app, byId('moment'));
  // The table comes after what takes room from it, so that it knows what is in sight.
  const pinned = mountPinned(app, byId('pinned'), byId('side'));
  mountIcicle(app, byId('icicle'));
  const table = mountTable(app, byId('table'));
  mountTooltip(app, byId('tooltip'), timeline);
  mountLaneTip(app, timeline);
  mountStatus(app, byId('where'), byId('scale'), () => stage.scales?.layout.plotWidth ?? 1);
  mountKeys({ app, exports, history, find, pinned, table, theme, list, guide, spoken: byId('spoken') });
  mountPointer(app, stage, cursor);
  mountLaneKeys(app, stage, byId('lanes'), byId('spoken'));
  app.on(['settled'], () => cursor.setAttribute('aria-label', describePlot(app)));

  for (const id of ['show-guide', 'close-guide']) listen(byId(id), { click: () => void (guide.hidden = !guide.hidden) });
  for (const id of ['show-keys', 'show-keys-too']) listen(byId(id), { click: () => list.showModal() });
  listen(byId('theme'), { click: theme.cycle });
  // The printer gets the light theme, and patterns, drawn before it looks.
  let patterns = false;
  const print = (/** @type {boolean} */ shown) => {
    if (!app.device) return;
    setPatterns(app, shown);
    stage.drawNow();
  };
  listen(window, {
    beforeprint() {
      ({ patterns } = app);
      print(true);
    },
    afterprint: () => print(patterns),
  });
  return { app, stage, hash, history };
}

/** @param {App} app */
function describePlot(app) {
  const { timeline, report, data } = app.device;
  const { viewport, grouping } = app;
  const sums = heldBy(grouping, data.size, timeline.live(timeline.peak)).map((sum) => sum.bytes);
  const most = grouping.groups[sums.indexOf(Math.max(...sums))]?.label ?? 'nothing';
  const covered = viewport.axis.states(viewport.from, viewport.to) ?? [0, 0];
  return `Stacked memory timeline of ${report.label}: peak ${bytes(timeline.active[timeline.peak])} in state ${count(timeline.peak)}, most of it ${most}; showing states ${count(covered[0])} to ${count(covered[1])}${report.capacity ? `; ${report.capacity.text}` : ''}`;
}

/**
 * Shows the device that the address names, or the one with the longest history.
 * @param {App} app @param {Stage} stage @param {import('./view/hash.js').Hash} hash @param {import('./view/history.js').ViewHistory} history
 */
async function showFirst(app, stage, hash, history) {
  const viewer = byId('viewer');
  const { file, device } = hash.device();
  // The plot needs its place before the first frame, out of sight.
  viewer.classList.add('measuring');
  viewer.hidden = false;
  await app.open(file, device);
  hash.apply();
  history.keep();
  stage.drawNow(FIRST_MS);
  viewer.classList.remove('measuring');
  byId('summary').hidden = true;
  await stage.painted();
}

/** What stands beside the first picture, and what there was no time for in it. @param {App} app */
async function showRest(app) {
  await nextTask();
  app.settle();
}

/** Says that a snapshot holds no memory at all. @param {import('./data/report.js').Report} report */
async function showEmpty(report) {
  byId('file').textContent = report.files[0]?.name ?? '';
  for (const id of ['device', 'answers', 'toolbar', 'side', 'chart', 'marks', 'cursor', 'lanes', 'status'])
    byId(id).hidden = true;
  byId('empty').hidden = byId('viewer').hidden = false;
  byId('summary').hidden = true;
}

async function start() {
  const missing = missingFeature();
  if (missing) {
    keepSummary(
      `This browser lacks ${missing}, which the interactive timeline needs. Below is the summary written with the file.`,
    );
    return;
  }
  try {
    const report = parseReport(byId('memviz-report').textContent ?? '');
    const { app, stage, hash, history } = build(report);
    const empty = report.files.every((f) => f.devices.length === 0);
    const shown = empty ? showEmpty(report) : showFirst(app, stage, hash, history);
    /** @type {any} */ (window).memviz = consoleApi(app, stage, shown);
    await shown;
    if (!empty) await showRest(app);
    document.documentElement.dataset.ready = 'true';
  } catch (error) {
    byId('viewer').hidden = true;
    keepSummary(
      `The interactive timeline could not start: ${error instanceof Error ? error.message : error}. Below is the summary written with the file.`,
    );
    throw error;
  }
}

start();
