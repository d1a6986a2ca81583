import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { redactLines } from './redact-digests.ts';

test('every digest of a line is keyed, in every position, and nothing else changes', () => {
  const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const digest = 'a'.repeat(64);
  const keyed = createHmac('sha256', key).update(digest).digest('hex');
  const line = (hash: string) =>
    JSON.stringify({
      hash,
      anchors: { c: { seq: 1, hash } },
      list: [hash],
      short: 'a'.repeat(63),
      long: 'a'.repeat(65),
      capitals: 'A'.repeat(64),
      number: 7,
      none: null,
    });
  expect(redactLines([line(digest), line(digest)], key)).toEqual([line(keyed), line(keyed)]);
  expect(redactLines([line(digest)], other)).not.toEqual([line(keyed)]);
});
