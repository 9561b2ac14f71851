// Going from step to step.

import { stretchOf } from './axis.js';

/** @typedef {import('../app.js').App} App */

/** Where a step stands. @param {App} app @param {number} i */
function spanOfStep({ device, viewport: { axis } }, i) {
  const { from, to } = device.lanes.steps.range(i);
  return stretchOf(axis, from, to);
}

/** The step that is just what the view shows. @param {App} app @returns {number} -1: none */
export function stepShown(app) {
  const { viewport } = app;
  const { steps } = app.device.lanes;
  if (steps.count === 0) return -1;
  const { axis, from, to } = viewport;
  if (app.step && app.step.from === from && app.step.to === to) return app.step.i;
  const i = steps.at(axis.stateAt(viewport.middle));
  const [a, b] = spanOfStep(app, i);
  return Math.abs(a - from) < 1 && Math.abs(b - to) < 1 ? i : -1;
}

/** The step before or after what is shown. @param {App} app @param {1 | -1} by @returns {number} -1: none */
export function stepBeside(app, by) {
  const { viewport } = app;
  const left = viewport.axis.stateAt(viewport.from);
  return app.device.lanes.steps.next(stepShown(app), viewport.isWhole, left, by);
}

/** Shows a step. @param {App} app @param {number} i nothing happens below 0 */
export function showStep(app, i) {
  if (i < 0) return;
  const { viewport } = app;
  viewport.show(...spanOfStep(app, i));
  // A short one is shown with more around it.
  app.step = { i, from: viewport.from, to: viewport.to };
}
