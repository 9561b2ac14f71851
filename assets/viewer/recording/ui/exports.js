// Exports: the view as an image, the table and the tensors as data, and a summary in
// Markdown.

import { bytes, count, counted } from '../../kit/format.js';
import {
  csv,
  groupTotals,
  json,
  markdown,
  selection,
  tableRows,
  tableSheet,
  tensorSheet,
  total,
} from '../data/sheet.js';
import { segmentAt, segmentsAt } from '../data/segments.js';
import { drawExport, drawTimeline, exportSize } from '../draw/export_image.js';
import { SvgContext } from '../../kit/svg.js';
import { button, copyButton, copyText, h, popoverUnder, say } from '../../kit/dom.js';
import { mountPaper } from '../../kit/paper.js';
import { momentWords } from './panel.js';

/** How long a browser may take until it has started a download. */
const KEPT_MS = 60_000;

/** @typedef {import('../data/sheet.js').Screen} Screen @typedef {import('../data/sheet.js').Sheet} Sheet */
/** @typedef {import('../state/stores.js').Stores} Stores @typedef {import('../view/stage.js').RecordingStage} Stage */

/** @param {Stores} stores @param {Stage} stage @param {HTMLButtonElement} opener of the menu */
export function mountExports(stores, stage, opener) {
  const copyMarkdown = () => copyText(markdown(screenOf(stores)));
  const copyLink = () => copyText(location.href);
  const popover = popoverUnder(opener, 'Export', () => {
    const screen = screenOf(stores);
    const held = heldBySegment(stores, screen);
    const { length } = selection(held ?? screen);
    const tensorsWords = held
      ? `${counted(length, 'tensor')} of the pinned segment`
      : screen.mask
        ? `${count(length)} lit`
        : counted(length, 'tensor');
    const file = (/** @type {string} */ text, /** @type {() => void} */ click) =>
      button(text, `Download as ${text}`, click);
    const line = (/** @type {string} */ name, /** @type {string} */ note, /** @type {HTMLElement[]} */ ...buttons) =>
      h('div.export', h('span', name), h('span.faint', note), buttons);
    const data = (
      /** @type {'table' | 'tensors'} */ what,
      /** @type {string} */ note,
      /** @type {(screen: Screen) => Sheet} */ sheetOf,
    ) =>
      line(
        what[0].toUpperCase() + what.slice(1),
        note,
        file('CSV', () => save(stores, `-${what}.csv`, csv(sheetOf(screen)), 'text/csv')),
        file('JSON', () => save(stores, `-${what}.json`, json(screen, what, sheetOf(screen)), 'application/json')),
      );
    return [
      line(
        'Picture',
        'the view with its legend',
        file('PNG', () => savePixels(stores, stage)),
        file('SVG', () => saveVectors(stores, stage)),
      ),
      data('table', counted(tableRows(screen).length, 'row'), tableSheet),
      data('tensors', tensorsWords, (screen) => tensorSheet(held ?? screen)),
      line('Markdown', 'for a ticket', copyButton('Copy', 'Copy as Markdown (M)', copyMarkdown)),
      line('Link', 'to this view', copyButton('Copy', 'Copy the link (K)', copyLink)),
    ];
  });
  opener.popoverTargetElement = popover;
  return { open: () => popover.showPopover(), copyMarkdown, copyLink };
}

/** What the page shows now. @param {Stores} stores @returns {Screen} */
function screenOf({ shown, appearance, highlight, selection, moment, tableOrder }) {
  const { device } = shown;
  const { state, activity } = moment;
  const { found } = highlight;
  const range = activity ? selection.range : null;
  return {
    device,
    report: shown.report,
    grouping: appearance.grouping,
    state,
    activity,
    range,
    words: range
      ? `allocated in events ${count(range.from)} to ${count(range.to - 1)} and still live`
      : momentWords(device, moment),
    // A copy, since the timeline reuses its buffer while the menu is open.
    live: moment.live.slice(),
    mask: highlight.mask,
    order: tableOrder.order,
    query: found.query,
    filters: found.filters,
  };
}

/**
 * The tensors that keep the pinned segment; null when none is pinned.
 * @param {Stores} stores @param {Screen} screen @returns {Screen | null}
 */
function heldBySegment({ spaceView, selection: { segment: r } }, screen) {
  const { space } = spaceView;
  if (!space || r === null || r >= space.reservations.count) return null;
  const all = segmentsAt(space, screen.device, screen.state);
  const segment = segmentAt(all, space.reservations.start[r], space.unit);
  return segment && { ...screen, live: Int32Array.from(segment.blocks, ({ id }) => id), mask: null };
}

/** The view as pixels, as fine as the screen. @param {Stores} stores @param {Stage} stage */
function savePixels(stores, stage) {
  const image = imageOf(stores, stage, ({ g }) => {
    const { marks, cursor } = stage.elements;
    const { width, height } = image.layout;
    for (const canvas of [marks, cursor]) g.drawImage(canvas, 0, 0, width, height);
  });
  const { width, height } = exportSize(image);
  const canvas = h('canvas');
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  g.scale(devicePixelRatio, devicePixelRatio);
  drawExport(g, image);
  canvas.toBlob((blob) => blob && download(nameOf(stores) + '.png', blob));
}

/** The view as vectors and text; the picture in it stays one of pixels. @param {Stores} stores @param {Stage} stage */
function saveVectors(stores, stage) {
  const image = imageOf(stores, stage);
  const { width, height } = exportSize(image);
  const ruler = /** @type {CanvasRenderingContext2D} */ (h('canvas').getContext('2d'));
  const svg = new SvgContext(width, height, (font, text) => {
    ruler.font = font;
    return ruler.measureText(text).width;
  });
  drawExport(svg, image);
  save(stores, '.svg', svg.toString(), 'image/svg+xml');
}

/**
 * @param {Stores} stores @param {Stage} stage
 * @param {import('../draw/export_image.js').ExportImage['drawOver']} [drawOver]
 * @returns {import('../draw/export_image.js').ExportImage}
 */
function imageOf(stores, stage, drawOver = (painter) => stage.drawOver(painter)) {
  stage.drawNow();
  const screen = screenOf(stores);
  const { shown, appearance } = stores;
  const { timeline, file, report, hasHistory } = shown.device;
  const { scales, ticks, chart } = stage;
  return {
    style: appearance.style,
    layout: scales.layout,
    scales,
    ticks,
    hasHistory,
    title: `${file.name}, ${report.label}`,
    facts: [
      `peak ${bytes(timeline.active[timeline.peak])}`,
      `reserved ${bytes(timeline.reservedPeak)}`,
      `live at end ${bytes(report.final_bytes)}`,
      counted(report.allocations, 'tensor'),
      counted(report.events, 'event'),
      file.torch && `torch ${file.torch}`,
      shown.report.program,
    ]
      .filter(Boolean)
      .join(' · '),
    words: screen.words,
    total: total(screen),
    groups: groupTotals(screen),
    plot: chart.plot.element,
    minimap: chart.minimap.element,
    drawOver,
  };
}

/**
 * Prints the timeline with patterns.
 * @param {Stores} stores @param {Stage} stage @param {import('../../kit/theme.js').Theme} theme
 */
export function mountRecordingPaper(stores, stage, theme) {
  const { shown, appearance } = stores;
  let hadPatterns = false;
  mountPaper(stage, theme, {
    alt: 'The timeline',
    height: 500,
    isEmpty: () => !shown.isOpen,
    before() {
      hadPatterns = appearance.hasPatterns;
      appearance.setPatterns(true);
    },
    draw: (painter) => drawTimeline(painter, imageOf(stores, stage)),
    after: () => appearance.setPatterns(hadPatterns),
  });
}

/** A file's name, but for its end: snapshot, device, moment. @param {Stores} stores */
function nameOf({ shown: { device }, moment }) {
  const stem = device.file.name.replace(/\.(pickle|pkl|json)?(\.gz)?$/i, '');
  const when = moment.kind === 'cursor' ? `state ${moment.state}` : moment.kind;
  return `${stem} ${device.report.label} ${when}`.replace(/[^\w.]+/g, '-').replace(/^[-.]+/, '');
}

/** @param {Stores} stores @param {string} end of the file's name @param {string} text @param {string} type */
function save(stores, end, text, type) {
  download(nameOf(stores) + end, new Blob([text], { type: `${type};charset=utf-8` }));
}

/** @param {string} name @param {Blob} blob */
function download(name, blob) {
  if (isSandboxed()) {
    say('This frame may not save files; write the report to a file and open that');
    return;
  }
  const link = h('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

/** Whether the page around this one, such as a notebook, gave it an origin of its own. */
function isSandboxed() {
  return document.documentElement.classList.contains('framed') && window.origin === 'null';
}
