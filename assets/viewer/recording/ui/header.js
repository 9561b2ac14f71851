// The header: file, device, facts, the mark that says whether the picture can be trusted;
// and the warning bars under it.

import { bytes, count, duration } from '../../kit/format.js';
import { listen } from '../../kit/topic.js';
import { button, copyText, fill, h, popoverUnder } from '../../kit/dom.js';

/**
 * @param {import('../state/stores.js').Stores} stores
 * @param {Record<'file' | 'device' | 'facts' | 'verdict' | 'warnings', HTMLElement>} elements
 */
export function mountHeader({ shown, viewport }, elements) {
  /** @type {Set<object>} warnings that were closed */
  const closed = new Set();
  let whyText = '';
  const why = popoverUnder(elements.verdict, 'What the mark means', () => [h('p', whyText)]);
  why.classList.add('words');
  /** @type {HTMLButtonElement} */ (elements.verdict).popoverTargetElement = why;
  const choose = (/** @type {number} */ file, /** @type {number} */ device) =>
    void shown.open(file, device).then(() => viewport.settle());
  shown.changed.on(() => {
    const { file, report, measure } = shown.device;
    elements.file.textContent = file.name;
    elements.file.title = file.name;
    fill(elements.device, deviceChoice(shown, choose));
    fill(elements.facts, facts(shown.device));
    const { ok, text, why } = measure ? { ok: false, text: 'predicted', why: measure.line.text } : report.verdict;
    elements.verdict.textContent = `${ok ? '✓' : '⚠'} ${text}`;
    elements.verdict.title = why;
    whyText = why;
    elements.verdict.classList.toggle('limited', !ok);
    fill(
      elements.warnings,
      report.warnings.filter((w) => !closed.has(w)).map((w) => warningBar(w, () => closed.add(w))),
    );
  });
}

/** @param {import('../state/shown.js').Shown} shown @param {(file: number, device: number) => void} choose */
function deviceChoice(shown, choose) {
  const {
    report: { files },
    device,
  } = shown;
  const devices = files.reduce((n, file) => n + file.devices.length, 0);
  if (devices < 2) return h('span.only', device.report.label);
  const select = h('select', { label: 'Device', title: `${devices} devices` });
  files.forEach((file, f) => {
    const options = file.devices.map((d, i) => {
      const option = h('option', { text: `${d.label}  ·  peak ${bytes(d.peak_bytes)}`, value: `${f}.${i}` });
      option.selected = f === device.fileIndex && i === device.deviceIndex;
      return option;
    });
    if (files.length === 1) select.append(...options);
    else if (options.length > 0) select.append(Object.assign(h('optgroup', options), { label: file.name }));
  });
  return listen(select, {
    change() {
      const [f, i] = select.value.split('.').map(Number);
      choose(f, i);
    },
  });
}

/** @param {import('../../data/open.js').OpenDevice} device */
function facts({ report: r, file, hasHistory, hasTime }) {
  /** @type {[string, string, string, boolean][]} name, words, exact figure, always shown */
  const list = [
    ['peak', bytes(r.peak_bytes), `${count(r.peak_bytes)} bytes in state ${count(r.peak_state)}`, true],
    ['reserved', bytes(r.reserved_peak_bytes), `${count(r.reserved_peak_bytes)} bytes at most`, true],
    ['live at end', bytes(r.final_bytes), `${count(r.final_bytes)} bytes in ${count(r.live_at_end)} tensors`, false],
    ['tensors', count(r.allocations), '', true],
  ];
  if (hasHistory) list.push(['events', count(r.events), '', false]);
  if (hasTime && !file.predicted)
    list.push(['span', duration(r.span_us), r.first_time ? `from ${r.first_time}` : '', false]);
  if (file.torch) list.push(['torch, likely', file.torch, 'as what the file holds suggests', false]);
  return list.map(([name, value, title, always]) =>
    h('div', { class: always ? '' : 'wide', title }, h('dt', name), h('dd', value)),
  );
}

/** @param {{fact: string, consequence: string, code: string}} warning @param {() => void} close */
function warningBar({ fact, consequence, code }, close) {
  const bar = h(
    'div.warning',
    { role: 'status' },
    h(
      'span.words',
      h('b', fact),
      ` ${consequence} `,
      code && h('code', { text: code, title: 'Copy', click: () => void copyText(code) }),
    ),
    button(
      '×',
      '',
      () => {
        bar.remove();
        close();
      },
      { label: 'Close' },
    ),
  );
  return bar;
}
