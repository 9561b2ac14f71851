// The side panel: what is in memory at one moment. Its legend is the breakdown.

import { bytes, change, count, counted, exactBytes } from '../../kit/format.js';
import { HOST_MEMORY } from '../../data/report.js';
import { spikeSites } from '../data/spike.js';
import { growthRange, rangeInView, showRange, toggleKeptOnly } from '../state/navigate.js';
import { againstCard, momentAButton } from './against.js';
import { button, fill, h, segmented, signButton } from '../../kit/dom.js';
import { makeLegend } from './legend.js';
import { measureRows } from './measures.js';
import { failureShown, oomCard } from './oom_card.js';
import { settingsButton } from './settings.js';

/**
 * @typedef {import('../state/stores.js').Stores} Stores @typedef {import('../../data/open.js').OpenDevice} OpenDevice
 */

/** @param {Stores} stores @param {HTMLElement} root */
export function mountPanel(stores, root) {
  const { shown, appearance, highlight, viewport, selection, moment, addressSpace, spaceView } = stores;
  const update = () => {
    const { device } = shown;
    const { activity, state, total } = moment;
    const live = moment.live.slice(); // the card of an OOM asks for the allocations of another state
    const failed = activity ? -1 : failureShown(device, moment);
    // In the picture of the address space the panel speaks of all that is reserved.
    const segments = viewport.isSpace && !activity ? addressSpace.segmentsAt(state) : null;
    const reservedWord = spaceView.isPredicted ? 'predicted ' : 'reserved ';
    const isOOM = device.data.ooms.some((m) => !activity && m.state === state);
    const reserved = device.timeline.reservedAt(state);
    const unused = device.report.device === HOST_MEMORY ? 'cached' : 'not requested';
    // At an OOM the card says what of the cache was free.
    const unrequested = isOOM ? '' : `, ${bytes(Math.max(0, reserved - total))} of it ${unused}`;
    fill(
      root,
      h(
        'div.head',
        h('h2', activity ? 'In the range' : segments ? 'In the allocator' : 'In memory'),
        device.hasHistory && [moments(stores), segmented('Compare', momentAButton(stores))],
      ),
      h(
        'div.total',
        amount(segments?.reserved ?? total),
        activity
          ? rangeWords(stores, activity)
          : [
              h('span', (segments ? reservedWord : '') + momentWords(device, moment)),
              segments
                ? segmentsLine(segments)
                : h('p', {
                    text: `${counted(live.length, 'tensor')}; reserved ${bytes(reserved)}${unrequested}`,
                    title: `reserved ${exactBytes(reserved)}`,
                  }),
              failed < 0 && settingsButton(device),
            ],
      ),
      failed >= 0 && oomCard(stores, failed),
      activity ? growthCard(stores) : failed < 0 && retryCard(device, state),
      !activity && failed < 0 && moment.kind === 'peak' && peakCard(stores),
      !activity && spikeCard(stores),
      againstCard(stores),
      segments
        ? legend.ofSegments(segments, failed >= 0 ? 2 : (selection.pinned ?? selection.segment) === null ? 6 : 3)
        : legend.elements(live, total),
    );
  };
  const legend = makeLegend(stores, update);
  viewport.afterPicture(
    [shown.changed, moment.changed, appearance.changed, highlight.changed, addressSpace.changed, spaceView.changed],
    update,
  );
  viewport.afterPicture([selection.pinChanged], () => viewport.isSpace && update());
}

/** @param {number} n bytes */
function amount(n) {
  return h('b', { text: bytes(n), title: exactBytes(n) });
}

/** @param {import('../data/segments.js').Segments} segments */
function segmentsLine({ segments, stuck, returnable, holes, largest }) {
  const free = stuck + returnable;
  const where = holes > 0 ? ` in ${counted(holes, 'hole')}, the largest ${bytes(largest)}` : '';
  const text = `${counted(segments.length, 'segment')}; ${bytes(free)} free${where}`;
  return h('p', { text, title: exactBytes(free) });
}

/** @param {Stores} stores */
function moments(stores) {
  const { moment, selection } = stores;
  /** @typedef {import('../state/moment.js').MomentKind} Kind */
  const go = (
    /** @type {Kind} */ kind,
    /** @type {string} */ text,
    /** @type {string} */ title,
    click = () => moment.set(kind),
  ) => button(text, title, click, { pressed: moment.kind === kind });
  return segmented(
    'Moment',
    go('peak', 'Peak', 'P'),
    go('cursor', 'Cursor', 'Click the timeline to set it'),
    go('end', 'End', 'E'),
    go('range', 'Range', 'Shift-drag in the plot brushes one; R takes the view', () =>
      selection.range ? moment.set('range') : selection.selectRange(rangeInView(stores)),
    ),
  );
}

/** @param {Stores} stores @param {import('../../data/range.js').RangeActivity} activity */
function rangeWords(stores, { first, after, kept, allocated, freed, freedTensors }) {
  const { shown, selection } = stores;
  const { active } = shown.device.timeline;
  const { from, to } = selection.range ?? { from: 0, to: 0 };
  const { steps } = shown.device.lanes;
  const step = steps.from.findIndex((_, i) => steps.range(i).from === from && steps.range(i).to === to);
  const made = after - first;
  const net = active[to] - active[from];
  const line = (/** @type {string} */ text, /** @type {string} */ title) => h('p', { text, title });
  return [
    h('span', 'allocated inside and still live'),
    step >= 0 && h('p', `${steps.name(step)}; ${steps.method}`),
    line(
      `${count(kept.length)} of ${counted(made, 'tensor')}; allocated ${bytes(allocated)}, freed ${bytes(freed)}`,
      `allocated ${exactBytes(allocated)} in ${counted(made, 'tensor')}, ` +
        `freed ${exactBytes(freed)} in ${counted(freedTensors, 'tensor')}`,
    ),
    line(
      `live at its end ${bytes(active[to])}, ${net === 0 ? 'as at' : `${change(net)} from`} its start`,
      `events ${count(from)} to ${count(to - 1)}; ` +
        `live before ${exactBytes(active[from])}, after ${exactBytes(active[to])}`,
    ),
    h(
      'span.actions',
      button('Alone', 'Show only what it keeps, in its own height (A)', () => toggleKeptOnly(stores), {
        pressed: selection.keptOnly,
      }),
      button('Zoom', 'Zoom to the range (Z)', () => showRange(stores)),
      signButton('×', 'No range', 'Esc', () => selection.selectRange(null)),
    ),
  ];
}

/** @param {OpenDevice} device @param {import('../state/moment.js').Moment} moment */
export function momentWords({ hasHistory, timeline }, { kind, state }) {
  if (!hasHistory) return 'in the final state';
  const where = kind === 'peak' ? 'at the peak, ' : kind === 'end' ? 'at the end, ' : '';
  return where + (state === timeline.lastState ? 'after the last event' : `before event ${count(state)}`);
}

/** @param {OpenDevice} device @param {number} state */
function retryCard({ data }, state) {
  const retry = data.retries.find((r) => r.state === state);
  return retry ? h('div.card.retry', h('b', 'Near out of memory'), h('p', retry.text)) : null;
}

/** What the answer says about growth, if the range is the answer's. @param {Stores} stores */
function growthCard({ shown, selection }) {
  const { device } = shown;
  const { range } = selection;
  const growth = growthRange(device);
  if (!growth || range?.from !== growth.range.from || range.to !== growth.range.to) return null;
  const { value, small, line, detail, evidence } = growth.card;
  const pinned = evidence?.allocation ?? -1;
  return h(
    'div.card',
    h('b', growth.card.question),
    h('span', `${value} ${small}`),
    pinned >= 0 && button('Its stack', 'Pins the last tensor kept', () => selection.pin(pinned), { class: 'to' }),
    h('p', detail || line),
  );
}

/** What the peak holds and need not, and what would lower it. @param {Stores} stores */
function peakCard(stores) {
  const { device } = stores.shown;
  const detail = device.report.answers[0]?.detail;
  const measures = measureRows(stores);
  if (!detail && !measures) return null;
  return h('div.card.peak', detail && [h('b', 'At the peak'), h('p', detail)], measures);
}

/** The most call sites that the card of a spike lists. */
const MADE_BY = 4;

/** Who made the spike that was clicked. @param {Stores} stores */
function spikeCard({ shown, moment, selection }) {
  const { spike, state } = moment;
  if (spike === null) return null;
  const { active } = shown.device.timeline;
  const sites = spikeSites(shown.device, spike, state);
  const rest = sites.slice(MADE_BY);
  return h(
    'div.card.spike',
    h('b', 'Made this spike'),
    h('span', `above state ${count(spike)}`),
    h('span.number', { text: change(active[state] - active[spike]), title: exactBytes(active[state] - active[spike]) }),
    sites.slice(0, MADE_BY).map((s) => [
      button(`${s.name} ${s.location}`, 'Pins its largest tensor', () => selection.pin(s.largest), { class: 'to' }),
      h('span.number', { text: bytes(s.bytes), title: exactBytes(s.bytes) }),
    ]),
    rest.length > 0 && [
      h('span.faint', counted(rest.length, 'more call site')),
      h('span.number.faint', bytes(rest.reduce((sum, s) => sum + s.bytes, 0))),
    ],
  );
}
