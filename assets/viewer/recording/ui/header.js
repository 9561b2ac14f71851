// The header: file, device, facts, and the mark that says whether the picture can be trusted.

import { bytes, count, duration } from '../../kit/format.js';
import { listen } from '../../kit/topic.js';
import { h } from '../../kit/dom.js';
import { mountHeading } from '../../kit/strip.js';

/** @param {import('../state/stores.js').Stores} stores */
export function mountHeader({ shown, viewport }) {
  const show = mountHeading();
  const choose = (/** @type {number} */ file, /** @type {number} */ device) =>
    void shown.open(file, device).then(() => viewport.settle());
  shown.changed.on(() => {
    const { file, report, measure } = shown.device;
    show({
      file: file.name,
      title: file.name,
      device: deviceChoice(shown, choose),
      facts: facts(shown.device),
      verdict: measure ? { ok: false, text: 'predicted', why: measure.line.text } : report.verdict,
      warnings: report.warnings,
    });
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

/**
 * @param {import('../../data/open.js').OpenDevice} device
 * @returns {import('../../kit/strip.js').Fact[]}
 */
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
  return list.map(([name, value, title, always]) => ({ name, value, title, isWide: !always }));
}
