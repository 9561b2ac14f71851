// What every page does when it starts.

import { byId } from './dom.js';
import { nextTask } from './stage.js';

/**
 * @typedef {object} Page
 * @property {(ready: Promise<void>) => object} api window.memviz
 * @property {() => unknown} show shows what the address names; the page is laid out then, but out of sight
 * @property {() => Promise<void>} painted resolves with the first picture
 * @property {() => void} [after] does what the first picture does not need
 */

/**
 * Starts a page with the chart library that the loader has run. Resolves with the first picture; the rest of the page
 * follows. On an error the loader brings the summary back.
 * @param {(echarts: ECharts, options: any) => Page | Promise<Page>} build makes the parts of the page; options: of its
 *   charts, as JSON
 */
export async function startPage(build) {
  requireFeatures();
  const page = await build(/** @type {ECharts} */ (window.echarts), readJSON('memviz-chart'));
  const ready = showFirst(page);
  window.memviz = page.api(ready);
  await ready;
  nextTask().then(() => {
    page.after?.();
    document.documentElement.dataset.ready = 'true';
  });
}

/** @param {Page} page */
async function showFirst({ show, painted }) {
  const viewer = byId('viewer');
  viewer.classList.add('measuring');
  viewer.hidden = false;
  await show();
  viewer.classList.remove('measuring');
  byId('summary').hidden = true;
  await painted();
}

/** @throws when the browser lacks what the viewer cannot do without; the loader has looked for the rest */
function requireFeatures() {
  if (!document.createElement('canvas').getContext('2d')) throw new Error('this browser lacks the 2D canvas');
  if (typeof ResizeObserver === 'undefined') throw new Error('this browser lacks ResizeObserver');
}

/** What an element of the page holds. @param {string} id */
export function readJSON(id) {
  return JSON.parse(byId(id).textContent ?? '');
}

/** A canvas of the page. @param {string} id */
export function canvasById(id) {
  return /** @type {HTMLCanvasElement} */ (byId(id));
}
