import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** What the modules of a folder may import, as README.md says. No page imports another. */
const ALLOWED = {
  kit: 'kit',
  data: 'kit data',
  pile: 'kit data pile',
  'recording/data': 'kit data recording/data',
  'recording/draw': 'kit data pile recording/data recording/draw',
  'recording/map': 'kit data pile recording/data recording/draw recording/map',
  'recording/state': 'kit data pile recording/data recording/draw recording/map recording/state',
  'recording/view': 'kit data pile recording/data recording/draw recording/map recording/state recording/view',
  'recording/ui':
    'kit data pile recording/data recording/draw recording/map recording/state recording/view recording/ui',
  recording: 'kit data pile recording',
  'compare/data': 'kit data compare/data',
  'compare/draw': 'kit data pile compare/data compare/draw',
  'compare/state': 'kit data pile compare/data compare/state',
  'compare/view': 'kit data compare/data compare/draw compare/state compare/view',
  'compare/ui': 'kit data compare/data compare/draw compare/state compare/ui',
  compare: 'kit data compare',
  'job/data': 'kit data job/data',
  'job/draw': 'kit data job/data job/draw',
  'job/state': 'kit job/data job/state',
  'job/view': 'kit job/data job/draw job/state job/view',
  'job/ui': 'kit data job/data job/draw job/state job/view job/ui',
  job: 'kit data job',
};

const root = new URL('../', import.meta.url);
/** The modules in folders, each with the folder. @type {[path: string, folder: string][]} */
const modules = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /^(?!node_modules|test).*\/[^.]*\.js$/.test(path))
  .map((path) => [path, path.slice(0, path.lastIndexOf('/'))]);

test('arrows between the folders point one way', () => {
  let imports = 0;
  for (const [module, folder] of modules) {
    const allowed = ALLOWED[folder]?.split(' ');
    assert.ok(allowed, `README.md and this test lack the folder ${folder}`);
    const url = new URL(module, root);
    for (const [, path] of readFileSync(url, 'utf8').matchAll(/ from '(\..*)';$/gm)) {
      const target = new URL(path, url).pathname.slice(root.pathname.length);
      assert.ok(
        allowed.some((a) => target.startsWith(`${a}/`)),
        `${module} imports ${target}`,
      );
      imports++;
    }
  }
  assert.ok(imports > 50);
});

test('only the stores say that they have changed', () => {
  const tellers = modules.filter(([module]) => readFileSync(new URL(module, root), 'utf8').includes('.emit()'));
  assert.ok(tellers.length > 4);
  assert.deepEqual(
    tellers.filter(([, folder]) => !/(state|kit)$/.test(folder)),
    [],
  );
});
