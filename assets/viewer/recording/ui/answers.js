// The strip of four answers under the header; each leads to its evidence.

import { answersOf } from '../data/answers.js';
import { GROWING, showEvidence, showGrowth, showOOM } from '../state/navigate.js';
import { fill, h } from '../../kit/dom.js';
import { barParts, showAnswers } from '../../kit/strip.js';
import { measureStrip } from './measures.js';

const SVG = 'http://www.w3.org/2000/svg';

/** @param {import('../state/stores.js').Stores} stores @param {HTMLElement} root */
export function mountAnswers(stores, root) {
  const { shown, viewport, selection, appearance, highlight } = stores;
  viewport.afterPicture([shown.changed, selection.pinChanged, appearance.changed, highlight.changed], () => {
    const { measure } = shown.device;
    root.classList.toggle('single', measure !== null);
    if (measure) {
      fill(root, measureStrip(stores, measure.line));
      return;
    }
    showAnswers(
      answersOf(shown.device, appearance.grouping, selection.pinned).map((answer, i) => ({
        ...answer,
        picture: pictureOf(answer),
        click: linkOf(stores, answer, i),
      })),
    );
  });
}

/**
 * @param {import('../state/stores.js').Stores} stores @param {import('../data/answers.js').Answer} answer
 * @param {number} i its place
 */
function linkOf(stores, { evidence, mood }, i) {
  if (!evidence) return null;
  if (i === GROWING) return () => showGrowth(stores);
  return mood === 'alarm' ? () => showOOM(stores) : () => showEvidence(stores, evidence);
}

/** @param {import('../data/answers.js').Answer} answer */
function pictureOf({ segments, curve }) {
  if (segments.length > 0) return h('span.picture.bar', barParts(segments));
  return curve.length > 1 ? sparkline(curve) : null;
}

/** @param {number[]} values */
function sparkline(values) {
  const width = 108;
  const height = 20;
  const low = Math.min(...values);
  const range = Math.max(...values) - low;
  const svg = document.createElementNS(SVG, 'svg');
  const line = document.createElementNS(SVG, 'polyline');
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('class', 'picture spark');
  svg.setAttribute('aria-hidden', 'true');
  const spacing = (width - 2) / Math.max(1, values.length - 1);
  line.setAttribute(
    'points',
    values
      .map((v, i) => `${(1 + i * spacing).toFixed(1)},${(range > 0 ? 18 - (16 * (v - low)) / range : 10).toFixed(1)}`)
      .join(' '),
  );
  svg.append(line);
  return svg;
}
