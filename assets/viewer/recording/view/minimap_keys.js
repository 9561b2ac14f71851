// The window of the minimap by keyboard, as a slider.

import { count } from '../../kit/format.js';
import { MINIMAP } from '../draw/layout.js';
import { listen } from '../../kit/topic.js';

/** A part of the view that an arrow moves it by. */
const STEP = 0.25;

/**
 * @param {import('../state/stores.js').Stores} stores @param {import('./stage.js').RecordingStage} stage
 * @param {HTMLElement} root over the minimap; it takes the keyboard and no pointer
 */
export function mountMinimapKeys({ shown, viewport }, stage, root) {
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => viewport.pan(-viewport.width * STEP),
    ArrowRight: () => viewport.pan(viewport.width * STEP),
    PageUp: () => viewport.pan(viewport.width),
    PageDown: () => viewport.pan(-viewport.width),
    Home: () => viewport.pan(-viewport.axis.end),
    End: () => viewport.pan(viewport.axis.end),
    ArrowUp: () => viewport.zoom(0.5, viewport.middle),
    ArrowDown: () => viewport.zoom(2, viewport.middle),
  };
  listen(root, {
    keydown(event) {
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    },
  });
  viewport.settled.on(() => {
    const { hasHistory, timeline } = shown.device;
    root.hidden = !hasHistory || !stage.isDrawn;
    if (root.hidden) return;
    const { left, minimapWidth, minimapTop } = stage.scales.layout;
    Object.assign(root.style, {
      left: `${left}px`,
      top: `${minimapTop}px`,
      width: `${minimapWidth}px`,
      height: `${MINIMAP}px`,
    });
    const [from, to] = viewport.axis.states(viewport.from, viewport.to) ?? [0, 0];
    root.setAttribute('aria-valuemin', '0');
    root.setAttribute('aria-valuemax', String(timeline.lastState));
    root.setAttribute('aria-valuenow', String(Math.round((from + to) / 2)));
    root.setAttribute('aria-valuetext', `states ${count(from)} to ${count(to)} of ${count(timeline.lastState)}`);
  });
}
