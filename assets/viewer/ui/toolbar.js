// The row of controls over the timeline.

import { modesOf } from '../data/colours.js';
import { setColourMode } from '../state/colour.js';
import { showOOM } from '../state/show.js';
import { listen } from '../view/listen.js';
import { button, fill, h, segmented, signButton } from './dom.js';
import { stepButtons } from './steps.js';

/** @param {import('../app.js').App} app @param {import('../view/history.js').ViewHistory} history @param {HTMLElement} root */
export function mountToolbar(app, history, root) {
  const update = () => {
    const { device, viewport } = app;
    if (!device.hasHistory) {
      fill(root, colourChoice(app));
      return;
    }
    const axis = (/** @type {'events' | 'time'} */ kind, /** @type {string} */ text, /** @type {string} */ title) =>
      button(text, title, () => app.setAxis(kind), { pressed: viewport.axis.kind === kind });
    fill(
      root,
      colourChoice(app),
      device.hasTime
        ? segmented('Axis', axis('events', 'Events', 'One state, one step (X)'), axis('time', 'Time', 'Recorded time (X)'))
        : '',
      segmented(
        'Go to',
        button('Peak', 'Panel to the peak (P)', () => app.setMoment('peak')),
        device.data.ooms.length > 0 &&
          button('OOM', 'The last events before out of memory (O)', () => showOOM(app)),
        button('End', 'Panel to the end (E)', () => app.setMoment('end')),
      ),
      stepButtons(app) ?? '',
      segmented(
        'View',
        button('Whole', 'Whole recording (0)', () => viewport.whole()),
        signButton('↶', 'View back', '[', () => history.back(), { disabled: !history.canBack }),
        signButton('↷', 'View forward', ']', () => history.forward(), { disabled: !history.canForward }),
      ),
      segmented(
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
  app.on(['device', 'settled', 'colour'], update);
}

/** @param {import('../app.js').App} app */
function colourChoice(app) {
  const select = h(
    'select',
    { label: 'Colour by', title: 'Colour by (C)' },
    modesOf(app.device).map(({ mode, label, lacks }) =>
      h('option', { text: lacks ? `${label}: ${lacks}` : label, value: mode, disabled: lacks !== '' }),
    ),
  );
  select.value = app.colourMode;
  listen(select, { change: () => setColourMode(app, select.value) });
  return h('label.choice', h('span', 'Colour'), select);
}
