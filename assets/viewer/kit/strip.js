// The head of every page: what is shown, its facts, the mark that says whether it can be
// trusted, and the warnings; under it the strip of answers, each of which leads to its evidence.

import { button, byId, copyText, fill, h, popoverUnder } from './dom.js';

/**
 * @typedef {import('./dom.js').Child} Child
 * @typedef {{name: string, value: string, title?: string, isWide?: boolean}} Fact isWide: left out where room is scarce
 * @typedef {{fact: string, consequence: string, code?: string}} Warning code: to be copied
 *
 * @typedef {object} Heading
 * @property {Child} file
 * @property {string} [title] of the file
 * @property {Child} [device]
 * @property {Fact[]} facts
 * @property {{ok: boolean, text: string, why?: string}} verdict
 * @property {Warning[]} warnings
 */

/** @returns {(heading: Heading) => void} shows another heading */
export function mountHeading() {
  /** @type {Set<string>} warnings that were closed */
  const closed = new Set();
  const verdict = byId('verdict');
  let whyText = '';
  if (verdict instanceof HTMLButtonElement) {
    const why = popoverUnder(verdict, 'What the mark means', () => [h('p', whyText)]);
    why.classList.add('words');
    verdict.popoverTargetElement = why;
  }
  return ({ file, title = '', device, facts, verdict: { ok, text, why = '' }, warnings }) => {
    fill(byId('file'), file);
    byId('file').title = title;
    if (device !== undefined) fill(byId('device'), device);
    fill(byId('facts'), facts.map(factElement));
    verdict.textContent = `${ok ? '✓' : '⚠'} ${text}`;
    verdict.title = whyText = why;
    verdict.classList.toggle('limited', !ok);
    const keyOf = (/** @type {Warning} */ w) => `${w.fact} ${w.consequence}`;
    const open = warnings.filter((w) => !closed.has(keyOf(w)));
    fill(
      byId('warnings'),
      open.map((w) => warningBar(w, () => closed.add(keyOf(w)))),
    );
  };
}

/** @param {Fact} fact */
function factElement({ name, value, title, isWide }) {
  return h('div', { class: isWide ? 'wide' : '', title }, h('dt', name), h('dd', value));
}

/** @param {Warning} warning @param {() => void} close */
function warningBar({ fact, consequence, code }, close) {
  const copy = code && h('code', { text: code, title: 'Copy', click: () => void copyText(code) });
  const bar = h('div.warning', { role: 'status' }, h('span.words', h('b', fact), ` ${consequence} `, copy));
  const remove = () => {
    bar.remove();
    close();
  };
  bar.append(button('×', '', remove, { label: 'Close this warning' }));
  return bar;
}

/**
 * @typedef {object} Answer
 * @property {string} question
 * @property {string} value
 * @property {string} [small] beside the value
 * @property {string} line
 * @property {string} [detail] the line in full
 * @property {string} [mood] a class: known, unknown or alarm
 * @property {import('./dom.js').Leaf} [picture]
 * @property {(() => void) | null} [click] shows the evidence, if there is any
 */

/** Fills the strip. @param {Answer[]} answers */
export function showAnswers(answers) {
  fill(byId('answers'), answers.map(answerElement));
}

/** @param {Answer} answer */
function answerElement({ question, value, small = '', line, detail = '', mood = '', picture, click }) {
  const content = [
    h('span.question', question),
    h(
      'span.value',
      { title: detail || [value, small].filter(Boolean).join(' ') },
      value,
      small && h('small', small),
    ),
    picture,
    h('span.line', { text: line, title: detail || line }),
  ];
  const style = `answer ${mood}`.trimEnd();
  return click ? h('button', { class: style, click }, content) : h('div', { class: style }, content);
}

/** The parts of a bar, each as wide as its bytes. @param {{color: string, bytes: number, title?: string}[]} parts */
export function barParts(parts) {
  return parts.map(({ color, bytes, title }) =>
    h('span', { title, css: { background: color, flex: `${bytes} 0 0` } }),
  );
}

/** Follows an answer. @param {string} n its number, from 1 on */
export function followAnswer(n) {
  const element = document.querySelector(`#answers > :nth-child(${n})`);
  if (element instanceof HTMLButtonElement) element.click();
}
