// What is drawn over the picture: marks, names, patterns and outlines, and on another canvas the cursor.

import { siteNames } from '../data/breakdown.js';
import { BandLabels } from '../draw/labels.js';
import { drawMomentA } from '../draw/marks.js';
import { drawCursor, drawMarks } from '../draw/overlay.js';
import { Patterns, pileOfGroups } from '../draw/patterns.js';
import { drawHole } from '../map/outlines.js';
import { drawSpaceMarks } from '../map/overlay.js';
import { memoizeLast } from '../../kit/topic.js';

/**
 * @typedef {import('../../kit/painter.js').Painter} Painter
 *
 * @typedef {object} Drawn what they are drawn over
 * @property {import('../draw/layout.js').Scales} scales
 * @property {import('../draw/layout.js').Ticks} ticks
 * @property {import('../../data/timeline.js').Timeline} timeline
 */

export class Marks {
  #stores;
  #space;
  #chart;
  #patterns = new Patterns();
  #labels = new BandLabels();
  #siteNames = memoizeLast(siteNames);
  #pileOfGroups = memoizeLast(pileOfGroups);

  /**
   * @param {import('../state/stores.js').Stores} stores
   * @param {import('./space_source.js').SpaceSource} space
   * @param {import('../draw/chart.js').RecordingChart} chart
   */
  constructor(stores, space, chart) {
    this.#stores = stores;
    this.#space = space;
    this.#chart = chart;
  }

  /**
   * @param {Painter} painter @param {Drawn} drawn @param {number} ms that painting patterns may take
   * @returns {boolean} whether there was no time for all of them
   */
  draw(painter, drawn, ms) {
    const { shown, viewport, highlight, selection } = this.#stores;
    const { data, report, lanes } = shown.device;
    const { isSpace } = viewport;
    const { plot, columns, minimapStates } = this.#chart;
    const patterns = this.#paintPatterns(ms);
    /** @type {import('../draw/overlay.js').Frame} */
    const frame = {
      ...this.#sceneOf(painter, drawn),
      columns,
      minimap: minimapStates,
      markers: data.markers,
      names: this.#names(),
      labels: this.#labels,
      faded: highlight.isFading,
      moving: viewport.isMoving || plot.isCoarse,
      outline: selection.outline,
      range: selection.range,
      growth: selection.range && lanes.steps.growth(shown.device.timeline.active, selection.range),
      keptOnly: selection.keptOnly && !isSpace,
      capacity: report.capacity,
      predicted: report.predicted,
      steps: lanes.steps,
      time: selection.range && data.time,
      patterns: patterns && patterns.element,
    };
    if (isSpace) drawSpaceMarks({ ...frame, ...this.#space.marks(frame.layout) });
    else drawMarks(frame);
    return patterns?.isUnfinished ?? false;
  }

  /** What is written into the bands: call sites where only what a range keeps is drawn, otherwise groups. */
  #names() {
    const { shown, appearance, selection } = this.#stores;
    const { grouping } = appearance;
    if (!selection.keptOnly) return [grouping];
    return [this.#siteNames(shown.device.sites, selection.timeline, grouping), grouping];
  }

  /** The patterns over a finished picture, or null. @param {number} ms that painting them may take */
  #paintPatterns(ms) {
    const { viewport, appearance } = this.#stores;
    const { plot } = this.#chart;
    const view = plot.shown?.view;
    if (!appearance.hasPatterns || viewport.isMoving || plot.isCoarse || !view) return null;
    const { grouping, style } = appearance;
    const source = viewport.isSpace
      ? this.#space.groups(grouping, view)
      : this.#pileOfGroups(plot.raster, grouping, view);
    this.#patterns.paint(source, grouping, style.ink, ms);
    return this.#patterns;
  }

  /** @param {Painter} painter @param {Drawn} drawn @param {import('../draw/overlay.js').ZoomBox | null} zoomBox */
  drawCursor(painter, drawn, zoomBox) {
    const { viewport, moment, hover } = this.#stores;
    const { scales } = drawn;
    const { point } = hover;
    const cursor = point
      ? { x: point.x, state: point.state, hovered: true }
      : moment.kind === 'cursor'
        ? { x: scales.x(viewport.axis.middle(moment.cursor)), state: moment.cursor, hovered: false }
        : null;
    const scene = this.#sceneOf(painter, drawn);
    if (moment.a !== null) drawMomentA(scene, moment.a);
    drawCursor(scene, cursor, zoomBox, hover.lane);
    if (point?.spot) drawHole({ ...scene, shown: this.#space.shown(scales.layout.plotHeight) }, point.x, point.spot);
    this.#drawProgress(painter, scales.layout);
  }

  /**
   * How much of the address space is decoded, once that takes a while.
   * @param {Painter} painter @param {import('../draw/layout.js').Layout} layout
   */
  #drawProgress(painter, { left, top, plotWidth, plotHeight }) {
    const { progress } = this.#stores.spaceView;
    if (progress === null) return; // none, or not for long
    const text = `Finding the place of every tensor: ${Math.floor(progress * 100)} %`;
    painter.text(text, left + plotWidth / 2, top + plotHeight / 2, { align: 'center', weight: 600, halo: true });
  }

  /** What marks and cursor have in common. @param {Painter} painter @param {Drawn} drawn */
  #sceneOf(painter, { scales, ticks, timeline }) {
    const { shown, viewport, appearance, spaceView } = this.#stores;
    return {
      painter,
      layout: scales.layout,
      scales,
      ticks,
      style: appearance.style,
      timeline,
      viewport,
      hasHistory: shown.device.hasHistory,
      isStacked: !viewport.isSpace,
      isPredicted: viewport.isSpace && spaceView.isPredicted,
    };
  }
}
