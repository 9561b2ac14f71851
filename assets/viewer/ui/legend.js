// The legend: what each colour holds at the panel's moment, and why.

import { bytes, count, counted, exactBytes, share } from '../data/format.js';
import { nameOf, placeOf } from '../data/fold.js';
import { heldBy } from '../data/held.js';
import { BY, decidingFrame, sharesOf } from '../data/reasons.js';
import { patterned } from '../draw/patterns.js';
import { isolate } from '../state/light.js';
import { h, swatch } from './dom.js';

/** Rules named of one group. */
const RULES = 4;

/** @typedef {import('../app.js').App} App */

export class Legend {
  /** @param {App} app @param {() => void} update draws the panel again */
  constructor(app, update) {
    this.app = app;
    this.update = update;
    /** The group that is explained: mode and name. */
    this.explained = '';
  }

  /**
   * @param {Int32Array} live
   * @param {number} total bytes
   * @returns {HTMLElement[]}
   */
  elements(live, total) {
    const {
      grouping: { groups, present, mode },
      device: { data },
    } = this.app;
    const held = heldBy(this.app.grouping, data.size, live);
    const shares = mode === 'family' ? sharesOf(data, live) : [];
    const shown = [...groups.keys()].filter((i) => present[i]);
    const parts = shown
      .filter((i) => held[i].bytes > 0)
      .map((i) =>
        h('span', {
          title: `${groups[i].label} ${bytes(held[i].bytes)}`,
          css: { background: groups[i].color, flex: `${held[i].bytes} 0 0` },
        }),
      );
    return [h('div.bar', ...parts), h('div.legend', ...shown.flatMap((i) => this.#entry(i, held[i], shares, total)))];
  }

  /** @param {number} i group @param {{bytes: number, tensors: number}} held @param {import('../data/reasons.js').Share[]} shares @param {number} total */
  #entry(i, held, shares, total) {
    const { app } = this;
    const { groups, mode } = app.grouping;
    const { label, color, name } = groups[i];
    const why = shares.filter((s) => app.report.rules[s.rule]?.family === i).slice(0, RULES);
    const key = `${mode} ${name}`;
    const open = this.explained === key;
    const title = [
      `${label}: ${exactBytes(held.bytes)} in ${counted(held.tensors, 'tensor')}`,
      ...why.map((r) => `${bytes(r.bytes)}: ${app.report.rules[r.rule].because}`),
      'Click isolates, Shift-click adds',
    ].join('\n');
    return [
      h(
        'div',
        { class: held.bytes > 0 ? 'entry' : 'entry none' },
        h(
          'button.group',
          {
            pressed: app.isolated.size === 0 || app.isolated.has(i),
            title,
            click: (event) => isolate(app, i, event.shiftKey),
          },
          this.#swatch(i, color),
          h('span', mode === 'size' ? `${label}, ${count(held.tensors)}` : label),
          h('span.number', bytes(held.bytes)),
          h('span.number.faint', held.bytes > 0 ? share(held.bytes, total) : ''),
        ),
        h('button.why', {
          text: '?',
          title: 'What decided this colour',
          label: `What decided: ${label}`,
          pressed: open,
          click: () => {
            this.explained = open ? '' : key;
            this.update();
          },
        }),
      ),
      open ? h('div.reasons', ...(why.length > 0 ? this.#reasons(why) : [this.#sentence(name)])) : null,
    ].filter((x) => x !== null);
  }

  /** @param {number} i group @param {string} color */
  #swatch(i, color) {
    const { patterns, grouping } = this.app;
    const square = swatch(color);
    if (patterns) {
      square.classList.add(`p${patterned(grouping.present).indexOf(i) % 5}`);
      square.style.setProperty('--hatch', `${grouping.groups[i].ink}80`);
    }
    return square;
  }

  /** @param {import('../data/reasons.js').Share[]} why */
  #reasons(why) {
    const { app } = this;
    const {
      report,
      device: { data, stacks },
    } = app;
    return why.map(({ rule, bytes: sum, tensors, largest }) => {
      const { because, qualifier } = report.rules[rule];
      const by = decidingFrame(data, stacks, largest);
      return h(
        'button',
        {
          title: `${exactBytes(sum)} in ${counted(tensors, 'tensor')}\nClick pins the largest of them`,
          click: () => app.pin(largest),
        },
        h('b', bytes(sum)),
        ` ${because}${qualifier ? `, ${qualifier}` : ''}`,
        by
          ? h('span.mono', `${by.freed ? 'freed by ' : ''}${nameOf(by.frame)}  ${placeOf(by.frame)}`)
          : h('span.mono', 'no stack was recorded'),
      );
    });
  }

  /** @param {string} name of the group */
  #sentence(name) {
    const { mode } = this.app.grouping;
    const kinds = !['family', 'size', 'life'].includes(mode);
    const rest =
      name === 'others' ? 'These are all others.' : 'The eight largest at the peak have colours of their own.';
    return h('p', `A tensor is coloured by ${BY[mode]}. ${kinds ? rest : ''}`);
  }
}
