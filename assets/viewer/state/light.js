// What is lit: groups, rows and cells isolated, and what a search finds. The
// rest is faded.

import { litPart } from '../data/breakdown.js';
import { find } from '../data/find.js';
import { fadeOthers, litOf } from '../data/lit.js';
import { Tones } from '../draw/tones.js';

/** @typedef {import('../app.js').App} App @typedef {import('../data/breakdown.js').Part} Part */

/**
 * Isolates a group; the only isolated one is let go again.
 * @param {App} app
 * @param {number} group
 * @param {boolean} add to those isolated, or take it from them
 */
export function isolate(app, group, add) {
  const only = app.isolated.size === 1 && app.isolated.has(group);
  const next = new Set(add ? app.isolated : []);
  if (add && next.has(group)) next.delete(group);
  else if (!only) next.add(group);
  setIsolated(app, next);
}

/** @param {App} app @param {Set<number>} groups @param {Part | null} [part] a row or a cell instead of groups */
export function setIsolated(app, groups, part = null) {
  app.isolated = groups;
  app.part = part;
  relight(app);
  app.emit('colour');
}

/** Isolates a row or a cell; the isolated one is let go again. @param {App} app @param {Part} part */
export function isolatePart(app, part) {
  const same = part.by === app.part?.by && part.key === app.part.key;
  setIsolated(app, new Set(), same ? null : part);
}

/** Lights a part for as long as the pointer rests on it. @param {App} app @param {Part | null} part */
export function glance(app, part) {
  if (part === app.glanced) return;
  app.glanced = part;
  app.tones = tonesOf(app, litPart(app.device, part ? null : app.lit, part));
  app.emit('glance');
}

/**
 * Lights what a search finds, and fades the rest.
 * @param {App} app
 * @param {string} query text of the search box; see data/query.js
 * @param {string[]} filters such as "size>1MiB"; those that say nothing are left out
 */
export function search(app, query, filters = app.found.filters) {
  if (query === app.found.query && filters.join() === app.found.filters.join()) return;
  app.found = find(app.device, query, filters);
  relight(app);
  app.emit('colour');
}

/** Puts together what is isolated and what was found. @param {App} app */
export function relight(app) {
  app.lit = litPart(app.device, litOf(app.grouping, app.isolated, app.found.hits), app.part);
  app.glanced = null;
  app.tones = tonesOf(app, app.lit);
}

/** @param {App} app @param {Uint8Array | null} lit */
function tonesOf({ grouping, style, plainTones }, lit) {
  return lit ? new Tones(style.theme, style.paper, grouping.colors, fadeOthers(grouping, lit)) : plainTones;
}
