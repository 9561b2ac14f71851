// What colour means: the mode, the theme, and patterns beside it.

import { groupingOf, modesOf } from '../data/colours.js';
import { readStyle } from '../draw/pen.js';
import { Tones } from '../draw/tones.js';
import { relight } from './light.js';

/** @typedef {import('../app.js').App} App */

/** @param {App} app @param {string} mode one that the device has something to show of, or nothing happens */
export function setColourMode(app, mode) {
  const known = modesOf(app.device).find((m) => m.mode === mode && m.lacks === '');
  if (!known || mode === app.colourMode) return;
  app.colourMode = known.mode;
  app.isolated = new Set();
  regroup(app);
  app.emit('colour');
}

/** @param {App} app @param {boolean} patterns */
export function setPatterns(app, patterns) {
  if (patterns === app.patterns) return;
  app.patterns = patterns;
  app.emit('colour');
}

/** The style sheet has another theme now. @param {App} app */
export function themeChanged(app) {
  app.style = readStyle();
  if (!app.device) return;
  regroup(app);
  app.emit('theme');
  app.emit('colour');
}

/** Groups the allocations by what colour means now. @param {App} app */
export function regroup(app) {
  const { theme, paper } = app.style;
  app.grouping = groupingOf(app.colourMode, app.device, app.report, theme);
  app.plainTones = new Tones(theme, paper, app.grouping.colors, app.grouping.tones);
  relight(app);
}
