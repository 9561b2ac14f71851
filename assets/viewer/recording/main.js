// Starts the viewer: reads the page's data, builds the parts, shows the first picture.

import { consoleApi } from './api.js';
import { bytes, count, counted } from '../kit/format.js';
import { totalsByGroup } from '../data/grouping.js';
import { Library } from '../data/open.js';
import { parseReport } from '../data/report.js';
import { segmentsAt } from './data/segments.js';
import { recordingStores } from './state/stores.js';
import { canvasById, startPage } from '../kit/page.js';
import { mountAnswers } from './ui/answers.js';
import { byId } from '../kit/dom.js';
import { mountExports, mountRecordingPaper } from './ui/exports.js';
import { mountFind } from './ui/find.js';
import { mountHeader } from './ui/header.js';
import { mountIcicle } from './ui/icicle.js';
import { bindKeys } from './ui/keys.js';
import { mountLists } from './ui/lists.js';
import { mountPanel } from './ui/panel.js';
import { mountPinned } from './ui/pinned.js';
import { mountStatus } from './ui/status.js';
import { mountTheme } from '../kit/theme.js';
import { mountToolbar } from './ui/toolbar.js';
import { mountLaneTip, mountTooltip } from './ui/tooltip.js';
import { mountRecordingHash } from './view/hash.js';
import { mountHistory } from './view/history.js';
import { mountLaneKeys } from './view/lane_input.js';
import { mountMinimapKeys } from './view/minimap_keys.js';
import { mountPointer } from './view/pointer.js';
import { zoomToPinned } from './view/space_input.js';
import { RecordingStage } from './view/stage.js';

/** @typedef {import('./state/stores.js').Stores} Stores */

/** Milliseconds for the first picture; columns that are missing then follow when it has settled. */
const FIRST_MS = 30;

/** @param {import('../data/report.js').Report} report @param {ECharts} echarts @param {unknown} options */
function build(report, echarts, options) {
  const stores = recordingStores(report, new Library(report, document));
  const { viewport } = stores;
  const cursor = canvasById('cursor');
  const elements = { plot: byId('timeline'), chart: byId('chart'), marks: canvasById('marks'), cursor };
  const stage = new RecordingStage(stores, elements, echarts, options);
  const hash = mountRecordingHash(stores);
  const history = mountHistory(stores);
  const theme = mountTheme(() => stores.appearance.readTheme());
  mountHeader(stores);
  mountAnswers(stores, byId('answers'));
  mountToolbar(stores, history, byId('toolbar'));
  const find = mountFind(stores, byId('find'), (by) => lists.events.goToMatch(by));
  const exports = mountExports(stores, stage, byId('export'));
  mountPanel(stores, byId('moment'));
  // The table comes after what takes room from it, so that it knows how many rows fit.
  const pinned = mountPinned(stores, byId('pinned'), byId('side'), () => zoomToPinned(stores, stage));
  mountIcicle(stores, byId('icicle'));
  const xOf = (/** @type {number} */ state) => (stage.isDrawn ? stage.scales.x(viewport.axis.middle(state)) : -1);
  const lists = mountLists(stores, byId('table'), xOf);
  mountTooltip(stores, byId('tooltip'), elements.plot);
  mountLaneTip(stores, elements.plot);
  mountStatus(stores, byId('where'), byId('scale'), () => (stage.isDrawn ? stage.scales.layout.plotWidth : 1));
  const spoken = byId('spoken');
  bindKeys({ stores, stage, exports, history, find, pinned, table: lists.table, theme, spoken });
  mountPointer(stores, stage, cursor);
  mountLaneKeys(stores, stage, byId('lanes'), byId('spoken'));
  mountMinimapKeys(stores, stage, byId('minimap'));
  viewport.settled.on(() => cursor.setAttribute('aria-label', describePlot(stores)));
  // Of an address space it is about the panel's moment.
  stores.moment.changed.on(() => {
    if (viewport.isSpace) cursor.setAttribute('aria-label', describePlot(stores));
  });

  mountRecordingPaper(stores, stage, theme);
  return { stores, stage, hash, history };
}

/** @param {Stores} stores */
function describePlot({ shown, viewport, spaceView, moment, appearance: { grouping } }) {
  const { timeline, report, data } = shown.device;
  const sums = totalsByGroup(grouping, data.size, timeline.live(timeline.peak)).map((sum) => sum.bytes);
  const most = grouping.groups[sums.indexOf(Math.max(...sums))]?.label ?? 'nothing';
  const covered = viewport.axis.states(viewport.from, viewport.to) ?? [0, 0];
  const states = `showing states ${count(covered[0])} to ${count(covered[1])}`;
  const { space, isPredicted } = spaceView;
  const name = isPredicted || shown.device.measure ? 'Predicted address space' : 'Address space';
  if (space) return `${name} of ${report.label}: ${spaceWords(space, shown.device, moment.state)}; ${states}`;
  const peak = `peak ${bytes(timeline.active[timeline.peak])} in state ${count(timeline.peak)}, most of it ${most}`;
  const capacity = report.capacity ? `; ${report.capacity.text}` : '';
  return `Stacked memory timeline of ${report.label}: ${peak}; ${states}${capacity}`;
}

/**
 * "58.5 GiB reserved in 820 segments; 7.29 GiB free, 6.26 GiB of it returnable; largest hole 80.0 MiB"
 * @param {import('../data/space.js').Space} space @param {import('../data/open.js').OpenDevice} device
 * @param {number} state
 */
function spaceWords(space, device, state) {
  const { segments, reserved, stuck, returnable, largest } = segmentsAt(space, device, state);
  const held = `${bytes(reserved)} reserved in ${counted(segments.length, 'segment')} in state ${count(state)}`;
  const free = `${bytes(stuck + returnable)} free, ${bytes(returnable)} of it returnable`;
  return `${held}; ${free}; largest hole ${bytes(largest)}`;
}

/**
 * Shows the device that the address names, or else the one that the report starts with.
 * @param {ReturnType<typeof build>} page
 */
async function showFirst({ stores: { shown }, stage, hash, history }) {
  const { file, device, measure } = hash.device();
  await shown.open(file, device, measure);
  hash.apply();
  history.keep();
  stage.drawNow(FIRST_MS);
}

/** Says that a snapshot holds no memory at all. @param {import('../data/report.js').Report} report */
function showEmpty(report) {
  byId('file').textContent = report.files[0]?.name ?? '';
  for (const id of ['device', 'verdict', 'answers', 'tools', 'side', 'chart', 'marks', 'cursor', 'lanes', 'status'])
    byId(id).hidden = true;
  byId('empty').hidden = false;
}

/** Shows the recording that the page holds. */
export const start = () =>
  startPage((echarts, options) => {
    const report = parseReport(byId('memviz-report').textContent ?? '');
    const page = build(report, echarts, options);
    const { stores, stage } = page;
    const isEmpty = report.files.every((f) => f.devices.length === 0);
    return {
      api: (ready) => consoleApi(stores, stage, ready),
      show: () => (isEmpty ? showEmpty(report) : showFirst(page)),
      painted: () => stage.painted(),
      after: () => isEmpty || stores.viewport.settle(),
    };
  });
