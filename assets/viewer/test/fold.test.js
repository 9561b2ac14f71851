import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elide, foldStack, fullText, locationOf, nameOf, stackText } from '../data/fold.js';
import { NO_STACK, siteOf } from '../data/sites.js';
import { INTERNAL, LIBRARY, Stacks, USER } from '../data/stacks.js';
import { Writer } from './support/encode.js';

const cpp = (name) => ({ name, file: '??', line: 0, kind: INTERNAL });
const wrapper = { name: '_call_impl', file: '/x/site-packages/torch/nn/modules/module.py', line: 1747, kind: INTERNAL };
const user = { name: 'forward', file: '/home/me/run/cs336_basics/model.py', line: 150, kind: USER };
const library = {
  name: 'forward',
  file: '/x/lib/python3.12/site-packages/torch/nn/modules/linear.py',
  line: 125,
  kind: LIBRARY,
};

test('runs of machinery fold, the rest stays in order', () => {
  const folded = /** @type {any[]} */ (
    foldStack([cpp('at::cat'), cpp('b'), user, wrapper, library, cpp('c'), wrapper], 'aten::cat')
  );
  assert.deepEqual(
    folded.map((f) => (f.fold ? f.label : `${locationOf(f.frame)} ${nameOf(f.frame)}`)),
    [
      '2 C++ frames, aten::cat',
      'cs336_basics/model.py:150 forward',
      '1 wrapper frame',
      'torch/nn/modules/linear.py:125 forward',
      '2 C++ and wrapper frames',
    ],
  );
  assert.equal(
    folded.reduce((n, f) => n + (f.fold ? f.frames.length : f.times), 0),
    7,
    'no frame is lost',
  );
});

test('three or more equal frames in a row are one line', () => {
  const other = { ...user, line: 151 };
  const lines = /** @type {any[]} */ (foldStack([user, user, other, user, user, user, user], ''));
  assert.deepEqual(
    lines.map((l) => l.times),
    [1, 1, 1, 4],
  );
});

test('C++ names lose what is in their brackets', () => {
  for (const [name, want] of [
    ['void at::native::f<float, std::vector<int> >(int, at::Tensor const&)', 'void at::native::f<…>(…)'],
    ['(anonymous namespace)::run(int)', 'run(…)'],
    ['at::Tensor::operator<<(int)', 'at::Tensor::operator<<(…)'],
    ['Foo::operator()(int) const', 'Foo::operator()(…)'],
    ['std::function<void (at::Tensor&)>::call', 'std::function<…>::call'],
    ['plain', 'plain'],
    ['', ''],
    ['>>weird((', '>>weird(…)'],
  ])
    assert.equal(elide(name), want);
});

test('paths and full text', () => {
  assert.equal(locationOf(cpp('x')), '');
  assert.equal(locationOf({ ...user, file: 'C:\\work\\net\\model.py' }), 'net/model.py:150');
  assert.equal(fullText(user), '/home/me/run/cs336_basics/model.py:150:forward');
  assert.equal(
    stackText('head', [user, cpp('at::cat')]),
    'head\n/home/me/run/cs336_basics/model.py:150 forward\n?? at::cat\n',
  );
});

/** stacks 1: main > forward > cat; 2: engine > mm (backward, no user frame); 0 empty */
function stacks() {
  const w = new Writer();
  w.strings(['', 'main', '/a/b/main.py', 'forward', '/a/b/net.py', 'cat', 'aten::cat', 'Engine', 'aten::mm']);
  w.unsigned([1, 3, 5, 7]);
  w.unsigned([2, 4, 0, 0]);
  w.unsigned([9, 8, 0, 0]);
  w.unsigned([0, 0, 2, 2]);
  w.unsigned([1, 1, 1, 4]); // nodes 1, 2, 3 under one another, node 4 under the root
  w.unsigned([0, 1, 2, 3]);
  w.unsigned([0, 3, 4]);
  w.unsigned([0, 2, 0]);
  w.unsigned([0, 6, 8]);
  w.unsigned([2, 1, 3]);
  w.unsigned([0, 0, 1]);
  w.unsigned([0, 2, 0]);
  return w.array;
}

test('stacks are walks to the root, innermost first', () => {
  const s = new Stacks(stacks());
  assert.deepEqual(
    s.frames(1).map((f) => f.name),
    ['cat', 'forward', 'main'],
  );
  assert.deepEqual(s.frames(0), []);
  assert.deepEqual(s.frames(99), []);
  assert.equal(s.isEmpty(0) && !s.isEmpty(2), true);
  assert.equal(s.siteFrame(1)?.name, 'forward');
  assert.deepEqual(
    [0, 1, 2].map((i) => s.namedFrame(i)?.name),
    [undefined, 'forward', undefined],
  );
  assert.deepEqual([siteOf(s, 1).name, siteOf(s, 1).location], ['forward', 'net.py:8']);
  assert.equal(siteOf(s, 2).name, 'autograd aten::mm');
  assert.equal(siteOf(s, 0).name, NO_STACK);
});

test('a trie that would loop is refused', () => {
  for (const parents of [[0], [1, 3]]) {
    const w = new Writer();
    w.strings(['']);
    for (let i = 0; i < 4; i++) w.unsigned([0]);
    w.unsigned(parents);
    for (let i = 0; i < 7; i++) w.unsigned(parents.map(() => 0));
    assert.throws(() => new Stacks(w.array), /has no parent/);
  }
});

test('a copied stack begins in the program, and loses no frame', () => {
  assert.equal(
    stackText('head', [cpp('at::cat'), library, user, wrapper]),
    'head\n/home/me/run/cs336_basics/model.py:150 forward\n' +
      '/x/site-packages/torch/nn/modules/module.py:1747 _call_impl\ncalled from there, innermost first:\n' +
      '?? at::cat\n/x/lib/python3.12/site-packages/torch/nn/modules/linear.py:125 forward\n',
  );
  assert.equal(stackText('head', [cpp('at::cat')]), 'head\n?? at::cat\n', 'without a frame of the program');
});
