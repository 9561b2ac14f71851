import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LinearRegex } from '../data/regex.js';
import { random } from './support/random.js';

const plenty = () => ({ left: 1e7 });
const matches = (source, text) => new LinearRegex(source).test(text, plenty());

/** A random pattern over few letters, so that it often matches. */
function randomPattern(next, depth = 3) {
  const pick = (list) => list[Math.floor(next() * list.length)];
  const atom = () =>
    depth > 0 && next() < 0.3
      ? pick(['(', '(?:']) + randomPattern(next, depth - 1) + ')'
      : pick([
          'a',
          'b',
          'B',
          '.',
          '\\.',
          '[ab]',
          '[^a]',
          '[b-d]',
          '\\d',
          '\\w',
          '\\W',
          '\\s',
          '\\b',
          '\\B',
          '^',
          '$',
          '1',
        ]);
  const counted = () => {
    const part = atom();
    const fixed = /^(\\[bB]|\^|\$)$/.test(part);
    return part + (fixed || next() < 0.5 ? '' : pick(['*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?']));
  };
  const branch = () => Array.from({ length: 1 + Math.floor(next() * 3) }, counted).join('');
  return next() < 0.3 ? branch() + '|' + branch() : branch();
}

test('random patterns find what the engine of JavaScript finds', () => {
  const next = random(7);
  let found = 0;
  for (let i = 0; i < 3000; i++) {
    const source = randomPattern(next);
    const native = new RegExp(source, 'i');
    for (let j = 0; j < 8; j++) {
      const text = Array.from({ length: Math.floor(next() * 9) }, () => 'aAbc.1 _'[Math.floor(next() * 8)]).join('');
      const want = native.test(text);
      assert.equal(matches(source, text), want, `/${source}/ in "${text}"`);
      found += Number(want);
    }
  }
  assert.ok(found > 1000 && found < 23000, `${found} found`);
});

test('patterns as people write them', () => {
  for (const [source, text, want] of /** @type {[string, string, boolean][]} */ ([
    ['adamw?\\.py:8\\d', 'torch/optim/AdamW.py:83 step', true],
    ['adamw?\\.py:8\\d$', 'torch/optim/adam.py:83 step', false],
    ['^aten::(mm|bmm)$', 'aten::bmm', true],
    ['a{2,3}b', 'xaab', true],
    ['[]]', 'a]', new RegExp('[]]', 'i').test('a]')],
    ['layers/\\d+', 'layers/12', true],
    ['ÄÖ', 'äö', true],
    ['', '', true],
  ]))
    assert.equal(matches(source, text), want, source);
});

test('errors of an expression are said in words', () => {
  for (const [source, why] of /** @type {[string, RegExp][]} */ ([
    ['(a', /\( is not closed/],
    ['a)', /\) is not opened/],
    ['[a', /\[ is not closed/],
    ['[z-a]', /no range/],
    ['*a', /nothing to repeat/],
    ['a**', /nothing to repeat/],
    ['a{3,1}', /wrong order/],
    ['(a)\\1', /back references/],
    ['(?=a)', /looking around/],
    ['((((a{99}){99}){99}){99})', /too long/],
    ['(?:a{0,999}){0,999}', /too long/],
  ]))
    assert.throws(() => new LinearRegex(source), { name: 'SyntaxError', message: why });
});

test('patterns that make a backtracking engine hang take linear time, and all of them a bounded one', () => {
  const text = 'a'.repeat(5000) + '!';
  const budget = plenty();
  for (const source of ['^(a+)+$', '(a|a)*b', '(a|aa)+$', '^(.*)*x', 'a*a*a*a*a*a*b'])
    assert.equal(new LinearRegex(source).test(text, budget), false);
  assert.ok(budget.left > 1e7 - 5 * 5001 * 30, `${1e7 - budget.left} steps`);
  assert.throws(() => new LinearRegex('(a?){300}b').test(text, { left: 1e5 }), { message: /too long/ });
  assert.throws(() => new LinearRegex('(|'.repeat(200) + ')'.repeat(200) + 'b').test(text, { left: 1e5 }), {
    message: /too long/,
  });
});
