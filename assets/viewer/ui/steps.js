// The buttons that go from step to step.

import { count } from '../data/format.js';
import { showStep, stepBeside, stepShown } from '../view/steps.js';
import { button, segmented } from './dom.js';

/** The step shown: "step 3 of 12". @param {import('../app.js').App} app */
export function stepWords(app) {
  const { steps } = app.device.lanes;
  const i = stepShown(app);
  return i < 0 ? steps.word : `${steps.word} ${count(i + 1)} of ${count(steps.count)}`;
}

/** @param {import('../app.js').App} app @returns {HTMLElement | null} null where there is nothing to go between */
export function stepButtons(app) {
  const { steps } = app.device.lanes;
  if (steps.count < 2) return null;
  const go = (/** @type {number} */ i) => showStep(app, i);
  const words = stepWords(app);
  const [before, after] = [stepBeside(app, -1), stepBeside(app, 1)];
  return segmented(
    'Steps',
    button('‹', `The ${steps.word} before (,)`, () => go(stepBeside(app, -1)), { disabled: before < 0 }),
    button(
      words[0].toUpperCase() + words.slice(1),
      `The ${steps.word} that the panel speaks about. ${count(steps.count)} of them, ${steps.method}`,
      () => go(steps.at(app.momentState)),
    ),
    button('›', `The ${steps.word} after (.)`, () => go(stepBeside(app, 1)), { disabled: after < 0 }),
  );
}
