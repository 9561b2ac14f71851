// The row of controls over the timeline.

import { modesOf } from '../data/colours.js';
import { setColourMode } from '../state/colour.js';
import { showOOM } from '../state/show.js';
import { h, segmented } from './dom.js';
import { stepButtons } from './steps.js';

/** @param {import('../app.js').App} app @param {import('../view/history.js').ViewHistory} history @param {HTMLElement} root */
export function mountToolbar(app, history, root) {
  const update = () => {
    const { device, viewport } = app;
    if (!device.hasHistory) {
      root.replaceChildren(colourChoice(app));
      return;
    }
    const go = [{ text: 'Peak', title: 'Panel to the peak (P)', click: () => app.setMoment('peak') }];
    if (app.device.data.ooms.length > 0)
      go.push({ text: 'OOM', title: 'The last events before out of memory (O)', click: () => showOOM(app) });
    go.push({ text: 'End', title: 'Panel to the end (E)', click: () => app.setMoment('end') });
    const back = h('button.icon', {
      text: '↶',
      title: 'View back ([)',
      label: 'View back',
      disabled: !history.canBack,
      click: () => history.back(),
    });
    const forward = h('button.icon', {
      text: '↷',
      title: 'View forward (])',
      label: 'View forward',
      disabled: !history.canForward,
      click: () => history.forward(),
    });
    const view = segmented('View', [{ text: 'Whole', title: 'Whole recording (0)', click: () => viewport.whole() }]);
    view.append(back, forward);
    const fitted = viewport.isFitted;
    root.replaceChildren(
      colourChoice(app),
      ...(device.hasTime
        ? [
            segmented('Axis', [
              {
                text: 'Events',
                title: 'One state, one step (X)',
                pressed: viewport.axis.kind === 'events',
                click: () => app.setAxis('events'),
              },
              {
                text: 'Time',
                title: 'Recorded time (X)',
                pressed: viewport.axis.kind === 'time',
                click: () => app.setAxis('time'),
              },
            ]),
          ]
        : []),
      segmented('Go to', go),
      stepButtons(app) ?? '',
      view,
      segmented('Height', [
        {
          text: 'Fit height',
          title: 'Start the height at the lowest byte that changes in view (Y)',
          pressed: fitted,
          click: () => viewport.toggleFit(),
        },
      ]),
    );
  };
  app.on(['device', 'settled', 'colour'], update);
}

/** @param {import('../app.js').App} app */
function colourChoice(app) {
  const select = h(
    'select',
    { label: 'Colour by', title: 'Colour by (C)' },
    ...modesOf(app.device).map(({ mode, label, lacks }) => {
      const option = h('option', { text: lacks ? `${label}: ${lacks}` : label, value: mode });
      option.disabled = lacks !== '';
      return option;
    }),
  );
  select.value = app.colourMode;
  select.addEventListener('change', () => setColourMode(app, select.value));
  return h('label.choice', h('span', 'Colour'), select);
}
