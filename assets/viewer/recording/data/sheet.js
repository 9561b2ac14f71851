// What the side panel shows, for export: the table, the tensors of the panel's moment,
// and a summary in Markdown. Numbers are given as the page shows them, and exactly.

import { breakdown, sorted } from './breakdown.js';
import { csvCell, markdownCode, plainSpaces } from '../../kit/escape.js';
import { bytes, counted, exactBytes, share } from '../../kit/format.js';
import { totalsByGroup } from '../../data/grouping.js';
import { streamName } from '../../data/report.js';

/**
 * @typedef {string | number | null} Value null: there is none
 * @typedef {{columns: string[], rows: Value[][]}} Sheet
 *
 * @typedef {object} Screen what the page shows
 * @property {import('../../data/open.js').OpenDevice} device
 * @property {import('../../data/report.js').Report} report
 * @property {import('../../data/grouping.js').Grouping} grouping
 * @property {string} words of the moment: "at the peak, before event 9,967"
 * @property {number} state of the moment
 * @property {import('../../data/range.js').Range | null} range that the panel speaks about
 * @property {import('../../data/range.js').RangeActivity | null} activity in it
 * @property {Int32Array} live at the moment, or kept by the range
 * @property {import('./masks.js').Mask} mask of what is highlighted
 * @property {import('./breakdown.js').Order} order of the table
 * @property {string} query of the search box
 * @property {string[]} filters
 */

/** The most rows of the table in Markdown. */
const MOST = 20;

/** @type {Record<import('../../data/sites.js').By, string>} */
const NAMES = { site: 'call site', file: 'file', function: 'function', family: 'family' };

/** @param {Screen} screen */
export function total({ device, activity, state }) {
  return activity ? activity.keptBytes : device.timeline.active[state];
}

/** The rows of the table, in its order. @param {Screen} screen */
export function tableRows({ device, live, activity, order, grouping }) {
  const { rows, gone } = sorted(breakdown(device, live, activity, order.by, grouping.of), order, activity);
  return [...rows, ...gone];
}

/** @param {Screen} screen @returns {Sheet} */
export function tableSheet(screen) {
  const { activity, grouping, order } = screen;
  const all = total(screen);
  const colour = order.by === 'family' ? [] : [grouping.mode === 'family' ? 'family' : `colour by ${grouping.mode}`];
  const site = order.by === 'site';
  return {
    columns: [
      NAMES[order.by],
      ...(site ? ['file', 'line'] : []),
      ...(activity ? ['still live', 'still live bytes', 'allocated', 'allocated bytes'] : ['size', 'bytes', 'share']),
      'tensors',
      ...colour,
    ],
    rows: tableRows(screen).map((row) => [
      order.by === 'file' ? row.title : row.name,
      ...(site ? [row.file || null, lineOf(row.location)] : []),
      bytes(row.bytes),
      row.bytes,
      ...(activity ? [bytes(row.allocated), row.allocated] : [share(row.bytes, all)]),
      row.tensors,
      ...colour.map(() => grouping.groups[row.group].label),
    ]),
  };
}

/** @param {string} location "file.py:80" */
function lineOf(location) {
  const line = /:(\d+)$/.exec(location);
  return line && Number(line[1]);
}

/** The tensors of the moment that are not faded, bottom of the pile first. @param {Screen} screen */
export function selection({ live, mask }) {
  return mask ? live.filter((id) => mask[id]) : live;
}

/** @param {Screen} screen @returns {Sheet} */
export function tensorSheet(screen) {
  const { device, report } = screen;
  const { data, file, sites, stacks } = device;
  const ids = selection(screen);
  const noted = ids.some((id) => data.metadata.get(id) !== undefined);
  if (ids.length > 1) data.address.prepare();
  return {
    columns: [
      'tensor',
      'size',
      'bytes',
      'family',
      'call site',
      'file',
      'line',
      'allocated at event',
      'freed at event',
      'address',
      'stream',
      ...(noted ? ['metadata'] : []),
    ],
    rows: Array.from(ids, (id) => {
      const { name, file: path, location } = sites.site(id);
      return [
        id,
        bytes(data.size[id]),
        data.size[id],
        report.families[data.family[id]]?.label ?? null,
        name,
        path || null,
        lineOf(location),
        data.startEvent(id),
        data.endEvent(id),
        data.address.text(id) || null,
        streamName(file.streams, data.stream[id]),
        ...(noted ? [textOf(stacks.strings, data.metadata.get(id))] : []),
      ];
    }),
  };
}

/** @param {{at(i: number): string}} strings @param {number | undefined} text */
function textOf(strings, text) {
  return text === undefined ? null : strings.at(text);
}

/** @param {Sheet} sheet */
export function csv({ columns, rows }) {
  return [columns, ...rows].map((cells) => cells.map(csvCell).join(',') + '\r\n').join('');
}

/** @param {Screen} screen @param {string} name of the rows @param {Sheet} sheet */
export function json(screen, name, { columns, rows }) {
  const keys = columns.map((c) => c.replaceAll(' ', '_'));
  const list = rows.map((cells) =>
    Object.fromEntries(cells.map((v, i) => [keys[i], typeof v === 'string' ? plainSpaces(v) : v])),
  );
  return JSON.stringify({ schema: 'memviz.export/1', ...about(screen), [name]: list }, null, 1) + '\n';
}

/** What the rows are of. @param {Screen} screen */
function about(screen) {
  const { device, report, words, state, range, live, mask, query, filters } = screen;
  const { timeline, file } = device;
  return {
    program: report.program,
    file: file.name,
    ...(file.predicted && { predicted: file.predicted }),
    device: device.report.label,
    torch: file.torch,
    moment: plainSpaces(words),
    state,
    ...(range && { range }),
    active_bytes: timeline.active[state],
    reserved_bytes: timeline.reservedAt(state),
    total_bytes: total(screen),
    live_tensors: live.length,
    ...(mask && { selected_tensors: selection(screen).length, query, filters }),
  };
}

/**
 * What each group holds, those that hold something.
 * @param {Screen} screen
 * @returns {{label: string, color: string, bytes: number, tensors: number}[]}
 */
export function groupTotals({ device, live, grouping }) {
  return totalsByGroup(grouping, device.data.size, live)
    .map((sum, i) => ({ label: grouping.groups[i].label, color: grouping.groups[i].color, ...sum }))
    .filter((s) => s.bytes > 0);
}

/** The panel as Markdown: totals, groups and the largest rows of the table. @param {Screen} screen */
export function markdown(screen) {
  const { device, grouping, order, state, activity, words, report } = screen;
  const { file, timeline } = device;
  const all = total(screen);
  const rows = tableRows(screen);
  const torch = file.torch ? `, torch ${file.torch}` : '';
  const both = (/** @type {number} */ n) => `${bytes(n)} (${exactBytes(n)})`;
  const facts = [
    `**${both(all)}** ${words}, in ${counted(screen.live.length, 'tensor')}`,
    `reserved ${both(timeline.reservedAt(state))}; peak of the recording ${both(timeline.active[timeline.peak])}`,
  ];
  const groups = groupTotals(screen).map((g) => [
    markdownText(g.label),
    bytes(g.bytes),
    exactBytes(g.bytes),
    share(g.bytes, all),
    String(g.tensors),
  ]);
  const sites = rows
    .slice(0, MOST)
    .map((row) => [
      [markdownCode(row.name), row.location && markdownCode(row.location)].filter(Boolean).join(' '),
      bytes(row.bytes),
      exactBytes(row.bytes),
      activity ? bytes(row.allocated) : share(row.bytes, all),
      String(row.tensors),
    ]);
  const more = rows.length > MOST ? `\n${counted(rows.length - MOST, 'more row')} not shown.\n` : '';
  const last = activity ? 'of allocated' : 'share';
  return plainSpaces(
    `${markdownCode(file.name)}, ${device.report.label}${torch}, ${report.program}\n\n` +
      `${facts.map((f) => `- ${f}`).join('\n')}\n\n` +
      grid(
        [grouping.mode === 'family' ? 'family' : `by ${grouping.mode}`, 'size', 'exact', 'share', 'tensors'],
        groups,
      ) +
      `\n${grid([NAMES[order.by], activity ? 'still live' : 'size', 'exact', last, 'tensors'], sites)}${more}`,
  );
}

/** Labels of groups may be names of a snapshot. @param {string} label */
function markdownText(label) {
  return /^[\w ,./-]+$/.test(label) ? label : markdownCode(label);
}

/** A Markdown table whose first column is text. @param {string[]} heads @param {string[][]} rows */
function grid(heads, rows) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |\n`;
  return line(heads) + line(heads.map((_, i) => (i === 0 ? '---' : '---:'))) + rows.map(line).join('');
}
