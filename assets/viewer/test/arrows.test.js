import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** What the modules of a folder may import, as README.md says. */
const ALLOWED = {
  data: /^data\//,
  draw: /^(data|draw)\//,
  map: /^(data|draw|map)\//,
  state: /^(data|draw|map|state)\//,
  view: /^(data|draw|map|state|view)\//,
  ui: /^(data|draw|map|state|view|ui)\//,
  'compare/data': /^(compare\/data|data)\//,
  'compare/draw': /^(compare\/(data|draw)|data|draw)\//,
  'compare/state': /^(compare\/(data|state)|data|draw|state)\//,
  'compare/view': /^(compare\/(data|draw|state|view)|data|draw|state)\//,
  'compare/ui': /^(compare\/(data|draw|state|ui)|data|draw|state|ui)\//,
  'job/data': /^(job\/data|data)\//,
  'job/draw': /^(job\/(data|draw)|data|draw)\//,
  'job/state': /^(job\/(data|state)|data|state)\//,
  'job/view': /^(job\/(data|draw|state|view)|data|draw|state)\//,
  'job/ui': /^(job\/(data|draw|state|view|ui)|data|draw|state|ui)\//,
};

test('arrows between the folders point one way', () => {
  const root = new URL('../', import.meta.url);
  let imports = 0;
  for (const [folder, allowed] of Object.entries(ALLOWED)) {
    for (const file of readdirSync(new URL(folder + '/', root))) {
      const text = readFileSync(new URL(`${folder}/${file}`, root), 'utf8');
      for (const [, path] of text.matchAll(/^import .*? from '(.*)';$/gm)) {
        const target = new URL(path, new URL(`${folder}/${file}`, root)).pathname.slice(root.pathname.length);
        assert.match(target, allowed, `${folder}/${file} imports ${target}`);
        imports++;
      }
    }
  }
  assert.ok(imports > 50);
});

test('only the stores say that they have changed', () => {
  const root = new URL('../', import.meta.url);
  const tellers = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(?!node_modules|test)[^.]*\.js$/.test(path))
    .filter((path) => readFileSync(new URL(path, root), 'utf8').includes('.emit()'));
  assert.ok(tellers.length > 4);
  assert.deepEqual(
    tellers.filter((path) => !/(^|\/)state\//.test(path)),
    [],
  );
});
