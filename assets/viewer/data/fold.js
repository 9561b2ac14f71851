// A stack for reading: user and library frames one per line, runs of internal frames
// folded away, C++ names without their template arguments.

import { counted } from '../kit/format.js';
import { located, shortPath } from './sites.js';
import { INTERNAL, USER } from './stacks.js';

/** @typedef {import('./stacks.js').Frame} Frame */

/**
 * @typedef {{fold: false, frame: Frame, times: number}} Line one frame, or the same one several times in a row
 * @typedef {{fold: true, frames: Frame[], label: string}} Fold a run of machinery
 */

/**
 * @param {Frame[]} frames innermost first
 * @param {string} operator written on the innermost fold when known
 * @returns {(Line | Fold)[]}
 */
export function foldStack(frames, operator) {
  /** @type {(Line | Fold)[]} */
  const out = [];
  for (let i = 0; i < frames.length; ) {
    const frame = frames[i];
    let end = i + 1;
    if (frame.kind === INTERNAL) {
      while (end < frames.length && frames[end].kind === INTERNAL) end++;
      const run = frames.slice(i, end);
      out.push({ fold: true, frames: run, label: foldLabel(run) + (i === 0 && operator ? `, ${operator}` : '') });
    } else {
      while (end < frames.length && frames[end] === frame) end++;
      if (end - i < 3) end = i + 1;
      out.push({ fold: false, frame, times: end - i });
    }
    i = end;
  }
  return out;
}

/** @param {Frame[]} run */
function foldLabel(run) {
  const python = run.filter(isPython).length;
  const what = python === 0 ? 'C++' : python === run.length ? 'wrapper' : 'C++ and wrapper';
  return counted(run.length, `${what} frame`);
}

/** @param {Frame} frame */
function isPython(frame) {
  return /\.(py|ipynb)$|^</.test(frame.file);
}

/** @param {Frame} frame @returns {string} "file.py:12", with the end of the path that is worth reading */
export function locationOf(frame) {
  if (frame.file === '??') return '';
  return located(shortPath(frame), frame.line);
}

/** @param {Frame} frame @returns {string} without template arguments */
export function nameOf(frame) {
  return isPython(frame) ? frame.name : elide(frame.name);
}

/** @param {Frame} frame @returns {string} in full, as "file:line:function" */
export function fullText(frame) {
  return `${located(frame.file, frame.line)}:${frame.name}`;
}

/**
 * A C++ name without the contents of its template arguments and parameters.
 * @param {string} name
 */
export function elide(name) {
  const plain = name.replaceAll('(anonymous namespace)::', '');
  let out = '';
  let angle = 0;
  let round = 0;
  for (let i = 0; i < plain.length; i++) {
    const c = plain[i];
    const operator = /operator[<>()-]*$/.test(out);
    if (c === '<' && !operator && round === 0) {
      if (angle++ === 0) out += '<…>';
    } else if (c === '>' && !operator && angle > 0 && round === 0) angle--;
    else if (angle > 0) continue;
    else if (c === '(' && !(operator && plain[i + 1] === ')')) {
      if (round++ === 0) out += '(…)';
    } else if (c === ')' && round > 0) round--;
    else if (round === 0) out += c;
  }
  return out.replace(/\(…\)\s*const$/, '(…)');
}

/**
 * All frames of a stack as plain text, unfolded, under a header line: the frames of the program and its callers, then what
 * the program called.
 * @param {string} header
 * @param {Frame[]} frames innermost first
 */
export function stackText(header, frames) {
  const lines = frames.map((f) => `${located(f.file, f.line)} ${f.name}`);
  const user = Math.max(0, frames.findIndex((f) => f.kind === USER));
  const inner = user > 0 ? ['called from there, innermost first:', ...lines.slice(0, user)] : [];
  return [header, ...lines.slice(user), ...inner].join('\n') + '\n';
}
