import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBase64, inflate } from '../data/codec.js';
import { packed } from './support/encode.js';
import { random } from './support/random.js';

test('base64 without help from the browser', () => {
  const next = random(1);
  for (let n = 0; n < 100; n++) {
    const bytes = Uint8Array.from({ length: n }, () => next() * 256);
    assert.deepEqual(decodeBase64(Buffer.from(bytes).toString('base64')), bytes);
  }
  assert.throws(() => decodeBase64('AAA'), /cut off/);
  assert.throws(() => decodeBase64('AA*A'), { name: 'InvalidCharacterError' });
});

test('inflate gives exactly the bytes announced', async () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => (i * i) % 251);
  const deflated = decodeBase64(packed(bytes));
  assert.deepEqual(await inflate(deflated, bytes.length), bytes);
  assert.deepEqual(await inflate(decodeBase64(packed(new Uint8Array(0))), 0), new Uint8Array(0));
  await assert.rejects(inflate(deflated, bytes.length - 1), /longer than/);
  await assert.rejects(inflate(deflated, bytes.length + 1), /has 100000 of its 100001/);
  await assert.rejects(inflate(deflated.subarray(0, deflated.length / 2), bytes.length));
  await assert.rejects(inflate(Uint8Array.of(255, 255, 255), 3));
});
