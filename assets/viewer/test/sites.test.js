import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { baseName, NO_STACK, siteOf } from '../data/sites.js';
import { INTERNAL, LIBRARY, USER } from '../data/stacks.js';
import { fake } from './support/encode.js';

const KINDS = { user: USER, library: LIBRARY, internal: INTERNAL };

// The same cases hold analysis.StackFacts.Site.
const cases = JSON.parse(
  readFileSync(new URL('../../../pkg/analysis/stacks/testdata/sites.json', import.meta.url), 'utf8'),
);

test('the call site of a stack is that of the analysis', () => {
  assert.ok(cases.length > 10);
  for (const { case: name, frames, operator, backward, site } of cases) {
    const all = frames.map((f) => ({ ...f, kind: KINDS[f.class] }));
    const stacks = fake({
      frames: () => all,
      siteFrame: () => all.find((f) => f.kind === USER) ?? null,
      operatorOf: () => operator,
      backward: [Number(backward)],
    });
    const got = siteOf(stacks, 0);
    assert.equal(got.name, site.function || NO_STACK, name);
    assert.equal(got.file, site.file, name);
    assert.equal(got.location, site.file && `${baseName(site.file)}:${site.line}`, name);
  }
});
