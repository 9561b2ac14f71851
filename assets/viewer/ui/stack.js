// A stack as lines: user frames stand out, machinery is folded away.

import { foldStack, fullText, nameOf, placeOf } from '../data/fold.js';
import { LIBRARY, USER } from '../data/stacks.js';
import { count } from '../data/format.js';
import { h } from './dom.js';

/** @typedef {import('../data/stacks.js').Frame} Frame */

/**
 * @param {Frame[]} frames innermost first
 * @param {string} operator
 * @param {boolean} open all folds
 */
export function stackElement(frames, operator, open) {
  const list = h('div.stack');
  for (const item of foldStack(frames, operator)) {
    if (!item.fold) {
      list.append(line(item.frame, item.times));
      continue;
    }
    const inner = h('div', ...item.frames.map((f) => line(f, 1)));
    inner.hidden = !open;
    const button = h('button.fold', {
      text: `${open ? '▾' : '▸'} ${item.label}`,
      click: () => {
        inner.hidden = !inner.hidden;
        button.textContent = `${inner.hidden ? '▸' : '▾'} ${item.label}`;
      },
    });
    list.append(button, inner);
  }
  return list;
}

/** @param {Frame} frame @param {number} times in a row */
function line(frame, times) {
  const kind = frame.kind === USER ? 'user' : frame.kind === LIBRARY ? 'library' : 'internal';
  const place = placeOf(frame);
  const name = nameOf(frame);
  return h(
    'div',
    { class: `frame ${kind}`, title: fullText(frame) },
    h('span.place', place || name),
    h('span.name', (place ? name : '') + (times > 1 ? ` × ${count(times)}` : '')),
  );
}
