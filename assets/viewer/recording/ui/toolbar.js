// The row of controls over the timeline.

import { modesOf } from '../../data/colours.js';
import { count } from '../../kit/format.js';
import { showAxis, showOOM, showRetry, showStep, stepBeside, stepShown } from '../state/navigate.js';
import { on } from '../../kit/topic.js';
import { button, choice, fill, h, segmented, signButton } from '../../kit/dom.js';

/** @typedef {import('../state/stores.js').Stores} Stores */

/** @param {Stores} stores @param {import('../view/history.js').ViewHistory} history @param {HTMLElement} root */
export function mountToolbar(stores, history, root) {
  const { shown, appearance, highlight, viewport, spaceView, moment } = stores;
  const update = () => {
    const { device } = shown;
    if (!device.hasHistory) {
      fill(root, spaceChoice(stores), colourChoice(stores));
      return;
    }
    const axis = (/** @type {'events' | 'time'} */ kind, /** @type {string} */ text, /** @type {string} */ title) =>
      button(text, title, () => showAxis(stores, kind), { pressed: viewport.axis.kind === kind });
    fill(
      root,
      spaceChoice(stores),
      colourChoice(stores),
      device.hasTime
        ? segmented(
            'Axis',
            axis('events', 'Events', 'One state, one step (X)'),
            axis('time', 'Time', 'Recorded time (X)'),
          )
        : '',
      segmented(
        'Go to',
        button('Peak', 'Panel to the peak (P)', () => moment.set('peak')),
        device.data.ooms.length > 0 && button('OOM', 'The last events before out of memory (O)', () => showOOM(stores)),
        device.data.retries.length > 0 &&
          h('button.retries', {
            text: 'Retry',
            title: 'The next request that was served only after the cache was given back',
            click: () => showRetry(stores),
          }),
        button('End', 'Panel to the end (E)', () => moment.set('end')),
      ),
      stepButtons(stores) ?? '',
      segmented(
        'View',
        button('Whole', 'Whole recording (0)', () => viewport.whole()),
        signButton('↶', 'View back', '[', () => history.back(), { disabled: !history.canBack }),
        signButton('↷', 'View forward', ']', () => history.forward(), { disabled: !history.canForward }),
      ),
      !viewport.isSpace && segmented(
        'Height',
        button(
          'Fit height',
          'Start the height at the lowest byte that changes in view (Y)',
          () => viewport.toggleFit(),
          { pressed: viewport.isFitted },
        ),
      ),
    );
  };
  on([shown.changed, viewport.settled, spaceView.changed, appearance.changed, highlight.changed], update);
}

/** Which picture is shown, and of the address space which one. @param {Stores} stores */
function spaceChoice({ shown, spaceView }) {
  const { space, lacks, isPacked, isPackable, isPredicted, setting } = spaceView;
  const { data } = shown.device;
  const one = (
    /** @type {string} */ text,
    /** @type {string} */ title,
    /** @type {boolean} */ pressed,
    /** @type {() => void} */ click,
    disabled = false,
  ) => button(text, title, click, { pressed, disabled });
  return [
    segmented(
      'Picture',
      one('Tensors', 'Live tensors, one on the other (U)', !space, () => spaceView.show(false)),
      one(
        'Address space',
        lacks || 'Where they lie in what the allocator has reserved (U)',
        space !== null,
        () => spaceView.show(true),
        lacks !== '',
      ),
    ),
    space && data.hasPredictedMap
      ? segmented(
          'Allocator',
          one('Recorded', 'As the allocator laid it out', !isPredicted, () => spaceView.show(true, false)),
          h(
            'button',
            {
              title: `As it would have under ${setting}`,
              pressed: isPredicted,
              click: () => spaceView.show(true, true),
            },
            'Predicted',
            h('span.setting', `: ${setting}`),
          ),
        )
      : '',
    space && isPackable
      ? segmented(
          'Layout',
          one('By address', 'Every address has a height of its own', !isPacked, () => spaceView.pack(false)),
          one('Packed', 'A segment may take the place of one that was returned', isPacked, () =>
            spaceView.pack(true),
          ),
        )
      : '',
  ];
}

/** @param {Stores} stores */
function colourChoice({ shown, appearance }) {
  const options = modesOf(shown.device).map(({ mode, label, lacks }) => ({
    text: lacks ? `${label}: ${lacks}` : label,
    value: mode,
    disabled: lacks !== '',
  }));
  const select = choice('Colour by', options, appearance.colourMode, (mode) => appearance.setColourMode(mode));
  select.title = 'Colour by (C)';
  return h('label.choice', h('span', 'Colour'), select);
}

/** The step in view: "step 3 of 12". @param {Stores} stores */
export function stepWords(stores) {
  const { steps } = stores.shown.device.lanes;
  const i = stepShown(stores);
  return i < 0 ? steps.word : steps.name(i);
}

/** @param {Stores} stores @returns {HTMLElement | null} null where there is nothing to go between */
function stepButtons(stores) {
  const { steps } = stores.shown.device.lanes;
  if (steps.count < 2) return null;
  const go = (/** @type {number} */ i) => showStep(stores, i);
  const words = stepWords(stores);
  const [before, after] = [stepBeside(stores, -1), stepBeside(stores, 1)];
  return segmented(
    'Steps',
    button('‹', `The ${steps.word} before (,)`, () => go(stepBeside(stores, -1)), { disabled: before < 0 }),
    button(
      words[0].toUpperCase() + words.slice(1),
      `The ${steps.word} that the panel speaks about. ${count(steps.ended)} of them, ${steps.method}`,
      () => go(steps.at(stores.moment.state)),
    ),
    button('›', `The ${steps.word} after (.)`, () => go(stepBeside(stores, 1)), { disabled: after < 0 }),
  );
}
