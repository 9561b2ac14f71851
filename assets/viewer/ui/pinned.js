// The pinned tensor: what it is, how long it lived, who allocated and freed it.

import { markdownFence, plainSpaces } from '../data/escape.js';
import { bytes, count, duration, exactBytes, share } from '../data/format.js';
import { stackText } from '../data/fold.js';
import { streamName } from '../data/report.js';
import { showLife } from '../state/show.js';
import { copyButton, copyText, h, swatch } from './dom.js';
import { stackElement } from './stack.js';

/** @typedef {import('../app.js').App} App */

export class PinnedPanel {
  /** @param {App} app @param {HTMLElement} root @param {HTMLElement} side marked while something is pinned */
  constructor(app, root, side) {
    this.app = app;
    this.root = root;
    this.side = side;
    /** @type {'alloc' | 'free'} */
    this.tab = 'alloc';
    this.open = false; // all folds
    app.onBeside(['device', 'pin'], () => {
      this.#chooseTab();
      this.update();
    });
    app.onBeside(['colour'], () => this.update());
  }

  #chooseTab() {
    const {
      device: { data, stacks },
      pinned,
    } = this.app;
    const none = pinned !== null && stacks.isEmpty(data.stack[pinned]);
    this.tab = none && !stacks.isEmpty(data.freeStack(pinned ?? 0)) ? 'free' : 'alloc';
  }

  update() {
    const { app, root } = this;
    const id = app.pinned;
    this.side.classList.toggle('pinning', id !== null);
    root.hidden = id === null;
    if (id === null) {
      root.replaceChildren();
      return;
    }
    const {
      grouping,
      device: { data, report },
    } = app;
    const group = grouping.groups[grouping.of[id]];
    root.replaceChildren(
      h(
        'div.head',
        swatch(group.color),
        h('h2', `${bytes(data.size[id])} ${group.one}`),
        h('span.faint', `#${count(id)}`),
        h(
          'span.actions',
          app.device.hasHistory
            ? h('button.zoom', {
                text: 'Zoom',
                title: 'Zoom to its life (Z)',
                click: () => showLife(app, id),
              })
            : null,
          copyButton('Copy stack', 'All frames as text (Ctrl-C)', () => this.copy(false)),
          h('button', { text: '×', label: 'Unpin', title: 'Esc', click: () => app.pin(null) }),
        ),
      ),
      h('dl', ...this.#facts(id, report.peak_bytes)),
      this.#tabs(id),
      this.#stack(id),
    );
  }

  /** @param {number} id @param {number} peak */
  #facts(id, peak) {
    const { data, stacks, file } = this.app.device;
    /** @type {(Node | string)[][]} */
    const rows = [
      ['size', `${exactBytes(data.size[id])} requested`, note(`${share(data.size[id], peak)} of the peak`)],
      ['lived', ...lived(this.app, id)],
      ['address', h('span.mono', data.address.text(id) || 'left out'), note(streamName(file.streams, data.stream[id]))],
    ];
    const rule = this.app.report.rules[data.rule[id]];
    if (rule) rows.push(['because', `${rule.because}`, rule.qualifier ? note(rule.qualifier) : '']);
    const operator = stacks.operatorOf(data.stack[id]);
    if (operator) rows.push(['operator', h('span.mono', operator)]);
    const region = data.context.get(id);
    const metadata = data.metadata.get(id);
    if (region !== undefined) rows.push(['compiled', stacks.strings.at(region)]);
    if (metadata !== undefined) rows.push(['metadata', stacks.strings.at(metadata)]);
    return rows.flatMap(([name, ...values]) => {
      const dd = h('dd', ...values);
      dd.title = dd.textContent ?? '';
      return [h('dt', String(name)), dd];
    });
  }

  /** @param {number} id */
  #tabs(id) {
    const { data, stacks } = this.app.device;
    const tab = (/** @type {'alloc' | 'free'} */ value, /** @type {string} */ text) =>
      h('button', {
        role: 'tab',
        text,
        selected: this.tab === value,
        click: () => {
          this.tab = value;
          this.update();
        },
      });
    const freed = data.isLiveAtEnd(id) ? 'Never freed' : 'Freed by';
    const frames = stacks.frames(this.#shownStack(id)).length;
    return h(
      'div.tabs',
      { role: 'tablist' },
      tab('alloc', 'Allocated by'),
      tab('free', freed),
      frames > 0 ? h('span.note', `${count(frames)} ${frames === 1 ? 'frame' : 'frames, innermost first'}`) : null,
    );
  }

  /** @param {number} id */
  #stack(id) {
    const { data, stacks } = this.app.device;
    const stack = this.#shownStack(id);
    if (!stacks.isEmpty(stack)) return stackElement(stacks.frames(stack), stacks.operatorOf(stack), this.open);
    return h('p.why', whyNoStack(data, id, this.tab));
  }

  /** @param {number} id */
  #shownStack(id) {
    const { data } = this.app.device;
    return this.tab === 'alloc' ? data.stack[id] : data.freeStack(id);
  }

  toggleFolds() {
    this.open = !this.open;
    this.update();
  }

  /** Copies the stack shown, all its frames. @param {boolean} markdown in a code fence */
  copy(markdown) {
    const { app } = this;
    const id = app.pinned;
    if (id === null) return;
    const {
      grouping,
      device: { data, stacks },
    } = app;
    const life = `event ${data.startEvent(id) ?? 'before recording'} to ${data.endEvent(id) ?? 'live at the end'}`;
    const what = this.tab === 'free' ? 'freed by' : 'allocated by';
    const header = `${exactBytes(data.size[id])} ${grouping.groups[grouping.of[id]].one}, ${[life, data.address.text(id), what].filter(Boolean).join(', ')}:`;
    const text = stackText(plainSpaces(header), stacks.frames(this.#shownStack(id)));
    copyText(markdown ? markdownFence(text) : text);
  }
}

/** @param {App} app @param {number} id @returns {(Node | string)[]} */
function lived(app, id) {
  const { data } = app.device;
  if (!app.device.hasHistory) return ['live in the final state'];
  const start = data.startEvent(id);
  const end = data.endEvent(id);
  const pending = data.freeRequest(id);
  const words = `${start === null ? 'before recording' : `event ${count(start)}`} → ${end === null ? 'end (still live)' : count(end)}`;
  const { time } = data;
  const parts = [];
  if (time && start !== null) parts.push(duration((end === null ? time[time.length - 1] : time[end]) - time[start]));
  if (pending !== null) parts.push(`free requested at ${count(pending)}`);
  return [words, ...parts.map(note)];
}

/** @param {import('../data/device.js').DeviceData} data @param {number} id @param {'alloc' | 'free'} tab */
function whyNoStack(data, id, tab) {
  if (tab === 'free')
    return data.isLiveAtEnd(id)
      ? 'Still live when the snapshot was taken.'
      : 'The event that freed it carries no stack. Record with stacks="all" and context="all".';
  if (data.isPreExisting(id))
    return 'It was there before the recording began, so nobody wrote down who allocated it. Call torch.cuda.memory._record_memory_history() before the model is built.';
  return 'Its event carries no stack. Record with torch.cuda.memory._record_memory_history(context="all").';
}

/** @param {string} text */
function note(text) {
  return h('span.faint', text);
}
