// What the search box and the filters understand.
//
//   optimizer.py:7        in a function, a file with its line, an operator, an annotation, metadata
//   "two words"           separate words must all be found, in any place
//   /adamw?\.py:8\d/      a regular expression; see regex.js
//   0x7f06, b7f06         the beginning of an address; b7f06_0 the first allocation there
//   size>1MiB life<=20    filters; life is in events, or in time as in life>5ms
//   live:yes pre:no       live at the end; there before the recording
//   stream:0 pool:default

import { LinearRegex } from './regex.js';

/**
 * @typedef {object} Term
 * @property {string} text in lower case
 * @property {LinearRegex | null} regex instead of the text
 * @property {AddressPrefix | null} address that the text may also mean
 *
 * @typedef {{digits: string, generation: number | null}} AddressPrefix the first hex digits of an address, and which
 *   allocation there is meant, counted from 0; null: all
 *
 * @typedef {{key: 'size' | 'life', sign: string, value: number, unit: 'bytes' | 'events' | 'us'}} Bound
 * @typedef {{key: 'live' | 'pre' | 'stream' | 'pool', name: string}} Trait
 *   name: "yes" or "no", or that of the stream or pool
 * @typedef {Bound | Trait} Filter
 */

/** @param {string} text @returns {{terms: Term[], filters: Filter[]}} @throws {SyntaxError} with words for a person */
export function parseQuery(text) {
  /** @type {Term[]} */
  const terms = [];
  /** @type {Filter[]} */
  const filters = [];
  for (const [word, quoted, source] of text.matchAll(/"([^"]*)"?|\/(.+?)\/(?!\S)|\S+/g)) {
    const filter = /[<>:]/.test(word) && quoted === undefined ? parseFilter(word) : null;
    if (filter) filters.push(filter);
    else if (source) terms.push({ text: '', regex: new LinearRegex(source), address: null });
    else if (quoted !== '')
      terms.push({ text: (quoted ?? word).toLowerCase(), regex: null, address: parseAddress(word) });
  }
  return { terms, filters };
}

/**
 * An address as people write it. A word without a prefix such as 0x has to be long to
 * count as one, since "add" and "decade" are hex too.
 * @param {string} word
 * @returns {AddressPrefix | null}
 */
export function parseAddress(word) {
  const found = /^(0x|b(?=[\da-f]{4}))?0*([\da-f]{1,16})(?:_(\d{1,9}))?$/i.exec(word);
  if (!found || (!found[1] && found[2].length < 6)) return null;
  return { digits: found[2].toLowerCase(), generation: found[3] === undefined ? null : Number(found[3]) };
}

const POWER = { b: 0, k: 10, m: 20, g: 30, t: 40 };
const MICROS = { us: 1, µs: 1, ms: 1e3, s: 1e6 };

/** @param {string} word @returns {Filter | null} */
export function parseFilter(word) {
  const [, key, sign, number, unit = ''] =
    /^(size|life)([<>]=?)([\d,]*\.?\d+)([a-zµ]*)$/.exec(word.toLowerCase()) ?? [];
  const value = Number(number?.replaceAll(',', ''));
  if (key === 'size' && /^([kmgt]?(i?b)?)$/.test(unit))
    return { key, sign, value: value * 2 ** POWER[/** @type {'b'} */ (unit[0] ?? 'b')], unit: 'bytes' };
  if (key === 'life' && unit === '') return { key, sign, value, unit: 'events' };
  if (key === 'life' && Object.hasOwn(MICROS, unit))
    return { key, sign, value: value * MICROS[/** @type {'us'} */ (unit)], unit: 'us' };
  const trait = /^(?:(live|pre)(?::(yes|no|end))?|(stream|pool):(.+))$/i.exec(word);
  if (trait?.[3]) return { key: trait[3].toLowerCase() === 'pool' ? 'pool' : 'stream', name: trait[4].toLowerCase() };
  if (!trait) return null;
  return {
    key: trait[1].toLowerCase() === 'live' ? 'live' : 'pre',
    name: trait[2]?.toLowerCase() === 'no' ? 'no' : 'yes',
  };
}

/**
 * @typedef {{event: number, address: AddressPrefix | null} | {us: number} | {id: number} |
 *   {address: AddressPrefix | null}} Goal
 */

/**
 * Where to go: "1,525" or "event 1525", "54.4 ms", "#1,070" for a tensor, or an address.
 * @param {string} text
 * @returns {Goal | null}
 */
export function parseGoal(text) {
  const plain = text.trim().toLowerCase().replaceAll(',', '');
  const [, mark, number, unit] = /^(#|event |state )?\s*(\d*\.?\d+)\s*(us|µs|ms|s)?$/.exec(plain) ?? [];
  const value = Number(number);
  if (unit && !mark) return { us: value * MICROS[/** @type {'us'} */ (unit)] };
  if (mark === '#' && !unit && Number.isInteger(value)) return { id: value };
  const address = mark ? null : parseAddress(plain);
  if (number && !unit && Number.isInteger(value)) return { event: value, address };
  return address && { address };
}
