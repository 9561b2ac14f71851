// The pinned tensor: what it is, how long it lived, who allocated and freed it.

import { hasFamilies } from '../../data/colours.js';
import { markdownFence, plainSpaces, printable } from '../../kit/escape.js';
import { foldStack, fullText, locationOf, nameOf, stackText } from '../../data/fold.js';
import { bytes, count, counted, duration, exactBytes, share } from '../../kit/format.js';
import { HOST_MEMORY, recordFunction, streamName } from '../../data/report.js';
import { LIBRARY, USER } from '../../data/stacks.js';
import { blockFacts } from './block_facts.js';
import { button, copyButton, copyText, fill, h, pathElement, signButton, swatch } from '../../kit/dom.js';
import { pinnedSegmentElements } from './pinned_segment.js';

/** @typedef {import('../state/stores.js').Stores} Stores */

/**
 * @param {Stores} stores @param {HTMLElement} root
 * @param {HTMLElement} side marked while something is pinned
 * @param {() => void} zoom to what is pinned
 */
export function mountPinned(stores, root, side, zoom) {
  const { shown, appearance, highlight, viewport, selection, moment, addressSpace, spaceView } = stores;
  /** @type {'alloc' | 'free'} */
  let tab = 'alloc';
  let open = false; // all folds

  /** The stack that the tab shows. @param {number} id */
  const stackOf = (id) => {
    const { data } = shown.device;
    return tab === 'alloc' ? data.stack[id] : data.freeStack(id);
  };

  const chooseTab = () => {
    const { data, stacks } = shown.device;
    const { pinned } = selection;
    const none = pinned !== null && stacks.isEmpty(data.stack[pinned]);
    tab = none && !stacks.isEmpty(data.freeStack(pinned)) ? 'free' : 'alloc';
  };

  const update = () => {
    const { pinned: id, segment } = selection;
    const { grouping } = appearance;
    side.classList.toggle('pinning', id !== null || segment !== null);
    root.hidden = id === null && segment === null;
    if (segment !== null) fill(root, pinnedSegmentElements(stores, segment, zoom));
    if (id === null) return;
    const { data, hasHistory } = shown.device;
    const group = grouping.groups[grouping.of[id]];
    fill(
      root,
      h(
        'div.head',
        swatch(group.color),
        h('h2', `${bytes(data.size[id])} ${group.one}`),
        h('span.faint', `#${count(id)}`),
        h(
          'span.actions',
          hasHistory && button('Zoom', 'Zoom to it (Z)', zoom, { class: 'zoom' }),
          copyButton('Copy stack', 'All frames as text (Ctrl-C)', () => copy(false)),
          signButton('×', 'Unpin', 'Esc', () => selection.pin(null)),
        ),
      ),
      h('dl', facts(stores, id), blockFacts(stores, id)),
      tabs(id),
      stack(id),
    );
  };

  /** @param {number} id */
  const tabs = (id) => {
    const { data, stacks } = shown.device;
    const choice = (/** @type {'alloc' | 'free'} */ value, /** @type {string} */ text) => {
      const choose = () => {
        tab = value;
        update();
      };
      return button(text, '', choose, { role: 'tab', selected: tab === value });
    };
    const frames = stacks.frames(stackOf(id)).length;
    return h(
      'div.tabs',
      { role: 'tablist' },
      choice('alloc', 'Allocated by'),
      choice('free', data.isLiveAtEnd(id) ? 'Never freed' : 'Freed by'),
      frames > 0 && h('span.note', counted(frames, 'frame', 'frames, innermost first')),
    );
  };

  /** @param {number} id */
  const stack = (id) => {
    const { data, stacks, file } = shown.device;
    const of = stackOf(id);
    if (stacks.isEmpty(of)) return h('p.why', whyNoStack(data, id, tab, recordFunction(file)));
    return stackElement(stacks.frames(of), stacks.operatorOf(of), open);
  };

  /** Copies the stack shown, all its frames. @param {boolean} markdown in a code fence */
  const copy = (markdown) => {
    const { pinned: id } = selection;
    const { grouping } = appearance;
    const { data, stacks } = shown.device;
    if (id === null) return;
    const lifetime = `event ${data.startEvent(id) ?? 'before recording'} to ${data.endEvent(id) ?? 'live at the end'}`;
    const what = tab === 'free' ? 'freed by' : 'allocated by';
    const name = `${exactBytes(data.size[id])} ${grouping.groups[grouping.of[id]].one}`;
    const header = `${[name, lifetime, data.address.text(id), what].filter(Boolean).join(', ')}:`;
    const text = stackText(plainSpaces(header), stacks.frames(stackOf(id)));
    copyText(markdown ? markdownFence(text) : text);
  };

  viewport.afterPicture([shown.changed, selection.pinChanged], () => {
    chooseTab();
    update();
  });
  viewport.afterPicture([appearance.changed, highlight.changed], update);
  viewport.afterPicture([moment.changed, addressSpace.changed, spaceView.changed], () => {
    if (selection.segment !== null || (selection.pinned !== null && addressSpace.isKnown)) update();
  });
  return {
    copy,
    toggleFolds() {
      open = !open;
      update();
    },
  };
}

/** @param {Stores} stores @param {number} id */
function facts({ shown }, id) {
  const { data, stacks, file, report } = shown.device;
  /** @type {[string, ...(Node | string)[]][]} */
  const rows = [
    [
      'size',
      `${exactBytes(data.size[id])} ${report.device === HOST_MEMORY ? 'rounded' : 'requested'}`,
      note(`${share(data.size[id], report.peak_bytes)} of the peak`),
    ],
    ['lived', ...lived(shown.device, id)],
    ['address', h('span.mono', data.address.text(id) || 'left out'), note(streamName(file.streams, data.stream[id]))],
  ];
  const rule = shown.report.rules[data.rule[id]];
  if (rule && hasFamilies(shown.device)) rows.push(['because', rule.because, rule.qualifier && note(rule.qualifier)]);
  const operator = stacks.operatorOf(data.stack[id]);
  if (operator) rows.push(['operator', h('span.mono', operator)]);
  const region = data.context.get(id);
  const metadata = data.metadata.get(id);
  if (region !== undefined) rows.push(['compiled', stacks.strings.at(region)]);
  if (metadata !== undefined) rows.push(['metadata', ...longText(stacks.strings.at(metadata))]);
  return rows.map(([name, ...values]) => {
    const dd = h('dd', { class: name === 'because' || name === 'metadata' ? 'whole' : '' }, values);
    dd.title = dd.textContent ?? '';
    return [h('dt', name), dd];
  });
}

/** Characters of a text that are shown at once. */
const LONG = 120;

/** A text of the program; a click shows all of it. @param {string} text @returns {(Node | string)[]} */
function longText(text) {
  const all = printable(text);
  if (all.length <= LONG) return [all];
  const start = h('span', `${[...all].slice(0, LONG).join('')}… `);
  const unfold = () => start.parentElement?.replaceChildren(h('div.long', all));
  const more = button(`all ${count(all.length)} characters`, '', unfold, { class: 'link' });
  return [start, more];
}

/** @param {import('../../data/open.js').OpenDevice} device @param {number} id @returns {(Node | string)[]} */
function lived({ data, hasHistory }, id) {
  if (!hasHistory) return ['live in the final state'];
  const start = data.startEvent(id);
  const end = data.endEvent(id);
  const pending = data.freeRequest(id);
  const began = start === null ? 'before recording' : `event ${count(start)}`;
  const words = `${began} → ${end === null ? 'end (still live)' : count(end)}`;
  const { time } = data;
  const parts = [];
  if (time && start !== null) parts.push(duration((end === null ? time[time.length - 1] : time[end]) - time[start]));
  if (pending !== null) parts.push(`free requested at ${count(pending)}`);
  return [words, ...parts.map(note)];
}

/**
 * Says why there is no stack and, if torch made the recording, how to record one.
 * @param {import('../../data/device.js').DeviceData} data
 * @param {number} id
 * @param {'alloc' | 'free'} tab
 * @param {string} call the function that starts recording, or ''
 */
function whyNoStack(data, id, tab, call) {
  if (tab === 'free' && data.isLiveAtEnd(id)) return 'Still live when the snapshot was taken.';
  let [why, advice] = ['Its event carries no stack.', `Record with ${call}(context="all").`];
  if (tab === 'free')
    [why, advice] = ['The event that freed it carries no stack.', 'Record with stacks="all" and context="all".'];
  else if (data.isPreExisting(id))
    [why, advice] = [
      'It was there before the recording began, so nobody wrote down who allocated it.',
      `Call ${call}() before the model is built.`,
    ];
  return call ? `${why} ${advice}` : why;
}

/** @param {string} text */
function note(text) {
  return h('span.faint', text);
}

/** @typedef {import('../../data/stacks.js').Frame} Frame */

/**
 * @param {Frame[]} frames innermost first
 * @param {string} operator
 * @param {boolean} open all folds
 */
function stackElement(frames, operator, open) {
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
  const location = locationOf(frame);
  const name = nameOf(frame);
  return h(
    'div',
    { class: `frame ${kind}`, title: fullText(frame) },
    pathElement(location || name, 'place'),
    h('span.name', (location ? name : '') + (times > 1 ? ` × ${count(times)}` : '')),
  );
}
