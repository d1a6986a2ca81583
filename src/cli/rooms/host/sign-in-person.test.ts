import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import type { SignInRequest } from '../../../host/oauth/sign-in.ts';
import { personAt } from './sign-in-person.ts';

test('a pasted address that does not fit is asked for again with the reason', async () => {
  let shown = '';
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      shown += String(chunk);
      done();
    },
  });
  const { paste } = personAt({ stderr, ask: async () => 'https://elsewhere.example/' }, {});
  const request = {} as SignInRequest;
  const { signal } = new AbortController();
  await paste?.(request, signal);
  expect(shown).toBe('');
  await paste?.(request, signal);
  expect(shown).toContain('That is not where this sign-in ends');
});
