// The strip of four answers under the header; each leads to its evidence.

import { answersOf } from '../../data/answers.js';
import { GROWING, showEvidence, showGrowth, showOOM } from '../state/navigate.js';
import { fill, h } from '../../kit/dom.js';
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
    const answers = answersOf(shown.device, appearance.grouping, selection.pinned);
    fill(
      root,
      answers.map((answer, i) => {
        const { evidence, mood } = answer;
        if (!evidence) return cell(answer, null);
        if (i === GROWING) return cell(answer, () => showGrowth(stores));
        return cell(answer, mood === 'alarm' ? () => showOOM(stores) : () => showEvidence(stores, evidence));
      }),
    );
  });
}

/**
 * @param {import('../../data/answers.js').Answer} answer
 * @param {(() => void) | null} click null: there is no evidence to show
 */
function cell(answer, click) {
  const content = [
    h('span.question', answer.question),
    h(
      'span.value',
      { title: answer.detail || [answer.value, answer.small].filter(Boolean).join(' ') },
      answer.value,
      answer.small && h('small', answer.small),
    ),
    answer.segments.length > 0 ? bar(answer.segments) : answer.curve.length > 1 ? sparkline(answer.curve) : null,
    h('span.line', { text: answer.line, title: answer.detail || answer.line }),
  ];
  const style = `answer ${answer.mood}`;
  return click ? h('button', { class: style, click }, content) : h('div', { class: style }, content);
}

/** @param {{color: string, bytes: number}[]} segments */
function bar(segments) {
  return h(
    'span.picture.bar',
    segments.map(({ color, bytes }) => h('span', { css: { background: color, flex: `${bytes} 0 0` } })),
  );
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
