// Taking away: the view as a picture, the table and the tensors as data, and
// both in words.

import { bytes, count, counted } from '../data/format.js';
import { csv, held, json, markdown, selection, tableRows, tableSheet, tensorSheet, total } from '../data/sheet.js';
import { drawFigure, figureSize } from '../draw/figure.js';
import { SvgContext } from '../draw/svg.js';
import { copyButton, copyText, h } from './dom.js';
import { momentWords } from './panel.js';
import { popUnder } from './pop.js';

/** How long a browser may take to begin with a download. */
const KEPT_MS = 60_000;

/** @typedef {import('../data/sheet.js').Screen} Screen */

export class Exports {
  /**
   * @param {import('../app.js').App} app
   * @param {import('../view/stage.js').Stage} stage
   * @param {HTMLButtonElement} button that opens the menu
   */
  constructor(app, stage, button) {
    this.app = app;
    this.stage = stage;
    this.pop = popUnder(button, 'Export', () => this.#menu());
    this.pop.addEventListener('toggle', () => this.pop.querySelector('button')?.focus());
    button.popoverTargetElement = this.pop;
  }

  open() {
    this.pop.showPopover();
  }

  #menu() {
    const screen = this.#screen();
    const rows = tableRows(screen).length;
    const { length } = selection(screen);
    const file = (/** @type {string} */ text, /** @type {() => void} */ click) => h('button', { text, title: `Download as ${text}`, click });
    const line = (/** @type {string} */ name, /** @type {string} */ note, /** @type {HTMLElement[]} */ ...buttons) =>
      h('div.export', h('span', name), h('span.faint', note), ...buttons);
    return [
      line('Picture', 'the view with its legend', file('PNG', () => this.picture()), file('SVG', () => this.vectors())),
      line(
        'Table',
        counted(rows, 'row'),
        file('CSV', () => this.#data('table', 'csv', csv(tableSheet(screen)))),
        file('JSON', () => this.#data('table', 'json', json(screen, 'table', tableSheet(screen)))),
      ),
      line(
        'Tensors',
        screen.lit ? `${count(length)} lit` : counted(length, 'tensor'),
        file('CSV', () => this.#data('tensors', 'csv', csv(tensorSheet(screen)))),
        file('JSON', () => this.#data('tensors', 'json', json(screen, 'tensors', tensorSheet(screen)))),
      ),
      line('Markdown', 'for a ticket', copyButton('Copy', 'Copy as Markdown (M)', () => this.copyMarkdown())),
      line('Link', 'to this view', copyButton('Copy', 'Copy the link (K)', () => this.copyLink())),
    ];
  }

  /** What the page shows now. @returns {Screen} */
  #screen() {
    const { app } = this;
    const { device, report, grouping, momentState: state, happened, lit, order, found } = app;
    const range = happened ? app.range : null;
    return {
      device,
      report,
      grouping,
      state,
      happened,
      range,
      words: range ? `allocated in events ${count(range.from)} to ${count(range.to - 1)} and still live` : momentWords(app, state),
      // The shared buffer of the timeline would not outlast the menu.
      live: app.live.slice(),
      lit,
      order,
      query: found.query,
      filters: found.filters,
    };
  }

  copyMarkdown() {
    copyText(markdown(this.#screen()));
  }

  copyLink() {
    copyText(location.href);
  }

  /** The view as pixels, as fine as the screen. */
  picture() {
    const figure = this.#figure((g) => {
      const { marks, cursor } = this.stage.elements;
      const { width, height } = figure.layout;
      for (const canvas of [marks, cursor]) g.drawImage(canvas, 0, 0, width, height);
    });
    const { width, height } = figureSize(figure);
    const canvas = h('canvas');
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(height * devicePixelRatio);
    const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    g.scale(devicePixelRatio, devicePixelRatio);
    drawFigure(g, figure);
    canvas.toBlob((blob) => blob && download(this.#name('png'), blob));
  }

  /** The view as vectors and text; the picture in it stays one of pixels. */
  vectors() {
    const figure = this.#figure((g) => this.stage.drawOver(g.canvas));
    const { width, height } = figureSize(figure);
    const ruler = /** @type {CanvasRenderingContext2D} */ (h('canvas').getContext('2d'));
    const svg = new SvgContext(width, height, (font, text) => {
      ruler.font = font;
      return ruler.measureText(text).width;
    });
    drawFigure(/** @type {any} */ (svg), figure);
    download(this.#name('svg'), new Blob([svg.toString()], { type: 'image/svg+xml' }));
  }

  /** @param {(g: any) => void} over @returns {import('../draw/figure.js').Figure} */
  #figure(over) {
    const { app, stage } = this;
    stage.drawNow();
    const screen = this.#screen();
    const { device } = app;
    const { timeline, file, report } = device;
    return {
      style: app.style,
      layout: stage.scales.layout,
      scales: stage.scales,
      ticks: stage.ticks,
      hasHistory: device.hasHistory,
      title: `${file.name}, ${report.label}`,
      facts: [
        `peak ${bytes(timeline.active[timeline.peak])}`,
        `reserved ${bytes(timeline.reservedPeak)}`,
        `live at end ${bytes(report.final_bytes)}`,
        counted(report.allocations, 'tensor'),
        counted(report.events, 'event'),
        file.torch && `torch ${file.torch}`,
        app.report.program,
      ]
        .filter(Boolean)
        .join(' · '),
      words: screen.words,
      total: total(screen),
      held: held(screen),
      plot: stage.chart.plot.element,
      minimap: stage.chart.minimap.element,
      over,
    };
  }

  /** @param {string} what @param {'csv' | 'json'} kind @param {string} text */
  #data(what, kind, text) {
    const type = kind === 'csv' ? 'text/csv' : 'application/json';
    download(this.#name(`${what}.${kind}`), new Blob([text], { type: `${type};charset=utf-8` }));
  }

  /** A file's name: snapshot, device, moment. @param {string} end */
  #name(end) {
    const { device, moment, momentState } = this.app;
    const stem = device.file.name.replace(/\.(pickle|pkl|json)?(\.gz)?$/i, '');
    const when = moment === 'cursor' ? `state ${momentState}` : moment;
    const name = `${stem} ${device.report.label} ${when}`.replace(/[^\w.]+/g, '-').replace(/^[-.]+/, '');
    return /^\w+\.\w+$/.test(end) ? `${name}-${end}` : `${name}.${end}`;
  }
}

/** @param {string} name @param {Blob} blob */
function download(name, blob) {
  const link = h('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
