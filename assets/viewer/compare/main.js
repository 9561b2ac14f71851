// Starts the compare page: reads the page's data, builds the parts, shows the first picture.

import { Library } from '../data/open.js';
import { parseReport } from '../data/report.js';
import { listen } from '../kit/topic.js';
import { byId } from '../kit/dom.js';
import { mountTheme } from '../kit/theme.js';
import { compareApi } from './api.js';
import { openPair, parseComparison } from './data/pair.js';
import { describePlots } from './draw/plot.js';
import { CompareStores } from './state/stores.js';
import { mountAnswers } from './ui/answers.js';
import { mountHeader } from './ui/header.js';
import { mountKeys } from './ui/keys.js';
import { mountPanel } from './ui/panel.js';
import { mountPaper } from './ui/paper.js';
import { mountRows } from './ui/rows.js';
import { mountStatus } from './ui/status.js';
import { mountFind, mountToolbar } from './ui/toolbar.js';
import { mountTooltip } from './ui/tooltip.js';
import { mountCompareHash } from './view/hash.js';
import { mountPointer } from './view/pointer.js';
import { Stage } from './view/stage.js';

/** @throws when the browser lacks what the viewer cannot do without; the loader has looked for the rest */
function requireFeatures() {
  if (!document.createElement('canvas').getContext('2d')) throw new Error('this browser lacks the 2D canvas');
  if (typeof ResizeObserver === 'undefined') throw new Error('this browser lacks ResizeObserver');
}

/** @param {ECharts} echarts */
function build(echarts) {
  const report = parseReport(byId('memviz-report').textContent ?? '');
  const comparison = parseComparison(byId('memviz-compare').textContent ?? '');
  const library = new Library(report, document);
  const stores = new CompareStores(report);
  const { shown, look } = stores;
  const timeline = byId('timeline');
  const cursor = /** @type {HTMLCanvasElement} */ (byId('cursor'));
  const marks = /** @type {HTMLCanvasElement} */ (byId('marks'));
  const elements = { plots: timeline, chart: byId('chart'), marks, cursor };
  const stage = new Stage(stores, elements, echarts, JSON.parse(byId('memviz-chart').textContent ?? ''));

  const open = async (/** @type {number} */ index, /** @type {boolean} */ isSwapped) => {
    const known = comparison.pairs[index] ? index : comparison.start;
    shown.show(await openPair(library, comparison, known, document, isSwapped));
  };
  // What was chosen stays, as far as it is of both.
  const swap = async () => {
    const { pair, choice, zoom, names } = stores;
    const { row, cursor, ...others } = choice.now;
    const { from, to } = zoom;
    const group = row ? pair.groups.findIndex((_, g) => names.of(g, row.by).key === row.key) : -1;
    await open(pair.index, !pair.isSwapped);
    choice.set({
      ...others,
      cursor: cursor && [cursor[1], cursor[0]],
      row: row && group >= 0 ? { by: row.by, key: stores.names.of(group, row.by).key } : null,
    });
    zoom.show(from, to);
  };
  const hash = mountCompareHash(stores, comparison.start, open);
  const theme = mountTheme({ appearance: /** @type {any} */ (look) });
  const forced = new URLSearchParams(location.hash.slice(1)).get('theme');
  if (forced === 'light' || forced === 'dark') theme.force(forced);
  const list = /** @type {HTMLDialogElement} */ (byId('keys'));
  const guide = byId('guide');

  mountHeader(stores, (index) => void open(index, shown.pair.isSwapped));
  mountAnswers(stores);
  mountToolbar(stores, byId('toolbar'));
  const find = mountFind(stores, byId('find'));
  mountPanel(stores, byId('moment'));
  mountRows(stores, byId('table'));
  mountTooltip(stores, byId('tooltip'), timeline);
  mountStatus(stores, byId('where'), byId('scale'));
  mountPointer(stores, stage, cursor);
  mountKeys({ stores, swap, find, theme, list, guide });
  mountPaper(stores, stage, theme, timeline);
  shown.changed.on(() => cursor.setAttribute('aria-label', describePlots(shown.pair)));

  listen(byId('swap'), { click: swap });
  listen(byId('theme'), { click: theme.cycle });
  for (const id of ['show-guide', 'close-guide'])
    listen(byId(id), { click: () => void (guide.hidden = !guide.hidden) });
  for (const id of ['show-keys', 'show-keys-too']) listen(byId(id), { click: () => list.showModal() });
  return { stores, stage, hash, open };
}

/** @param {ReturnType<typeof build>} page */
async function showFirst({ stage, hash, open }) {
  const viewer = byId('viewer');
  const { index, isSwapped } = hash.pairAsked();
  // Laid out before the first frame, but out of sight, so that the plots have their size.
  viewer.classList.add('measuring');
  viewer.hidden = false;
  await open(index, isSwapped);
  hash.apply();
  stage.drawNow();
  viewer.classList.remove('measuring');
  byId('summary').hidden = true;
  await stage.painted();
}

/** Shows the two recordings that stand in the page. On an error the loader brings the summary back. */
export async function start() {
  requireFeatures();
  const page = build(/** @type {ECharts} */ (window.echarts));
  const shown = showFirst(page);
  Object.assign(window, { memviz: compareApi(page.stores, page.stage, shown) });
  await shown;
  document.documentElement.dataset.ready = 'true';
}
