// Starts the compare page: reads the page's data, builds the parts, shows the first picture.

import { Library } from '../data/open.js';
import { parseReport } from '../data/report.js';
import { listen } from '../kit/topic.js';
import { byId } from '../kit/dom.js';
import { canvasById, startPage } from '../kit/page.js';
import { mountPaper } from '../kit/paper.js';
import { mountTheme } from '../kit/theme.js';
import { compareApi } from './api.js';
import { openPair, parseComparison } from './data/pair.js';
import { describePlots } from './draw/plot.js';
import { CompareStores } from './state/stores.js';
import { mountAnswers } from './ui/answers.js';
import { mountHeader } from './ui/header.js';
import { bindKeys } from './ui/keys.js';
import { mountPanel } from './ui/panel.js';
import { mountRows } from './ui/rows.js';
import { mountStatus } from './ui/status.js';
import { mountFind, mountToolbar } from './ui/toolbar.js';
import { mountTooltip } from './ui/tooltip.js';
import { mountCompareHash } from './view/hash.js';
import { mountPointer } from './view/pointer.js';
import { CompareStage } from './view/stage.js';

/** @param {ECharts} echarts @param {unknown} options */
function build(echarts, options) {
  const report = parseReport(byId('memviz-report').textContent ?? '');
  const comparison = parseComparison(byId('memviz-compare').textContent ?? '');
  const library = new Library(report, document);
  const stores = new CompareStores(report);
  const { shown, look } = stores;
  const cursor = canvasById('cursor');
  const elements = { plot: byId('timeline'), chart: byId('chart'), marks: canvasById('marks'), cursor };
  const stage = new CompareStage(stores, elements, echarts, options);

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
  const theme = mountTheme(() => look.readTheme());
  mountHeader(stores, (index) => void open(index, shown.pair.isSwapped));
  mountAnswers(stores);
  mountToolbar(stores, byId('toolbar'));
  const find = mountFind(stores, byId('find'));
  mountPanel(stores, byId('moment'));
  mountRows(stores, byId('table'));
  mountTooltip(stores, byId('tooltip'), elements.plot);
  mountStatus(stores, byId('where'), byId('scale'));
  mountPointer(stores, stage, cursor);
  bindKeys(stores, { swap, find, theme });
  mountPaper(stage, theme, {
    alt: 'Both recordings and their difference',
    height: 540,
    draw(painter) {
      stage.drawChartOn(painter);
      stage.drawOver(painter);
    },
  });
  shown.changed.on(() => cursor.setAttribute('aria-label', describePlots(shown.pair)));

  listen(byId('swap'), { click: swap });
  return { stores, stage, hash, open };
}

/** Shows the two recordings that the page holds. */
export const start = () =>
  startPage((echarts, options) => {
    const { stores, stage, hash, open } = build(echarts, options);
    return {
      api: (ready) => compareApi(stores, stage, ready),
      async show() {
        const { index, isSwapped } = hash.pairAsked();
        await open(index, isSwapped);
        hash.apply();
        stage.drawNow();
      },
      painted: () => stage.painted(),
    };
  });
