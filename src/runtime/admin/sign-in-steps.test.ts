import { expect, test } from 'vitest';
import { OAuthError } from '../../host/oauth/oauth-error.ts';
import { UP_LIMITS } from '../limits.ts';
import { SignInSteps } from './sign-in-steps.ts';

const TIME = '1970-01-01T00:00:00.000Z';
const created = () => new SignInSteps({ now: () => 0, redact: (text) => text.replaceAll('secret', '***') });
const step = { next: null, requests: [], time: TIME };

test('a step is shown with its requests, and the running step gets the failure and its remedy', () => {
  const steps = created();
  const watch = steps.begin('docs');
  watch.onStep({ name: 'discover', state: 'running' });
  const asked = { method: 'GET', url: 'https://docs.example/secret', status: 404, type: 'text/html' };
  watch.onRequest(asked);
  watch.onStep({ name: 'discover', state: 'done', detail: 'https://login.example' });
  watch.onStep({ name: 'register', state: 'running' });
  watch.onFailed(new OAuthError('registration_refused', 'the secret was refused'));
  const requests = [{ ...asked, url: 'https://docs.example/***' }];
  expect(steps.of('docs')).toEqual([
    { ...step, name: 'discover', state: 'done', detail: 'https://login.example', requests },
    {
      ...step,
      name: 'register',
      state: 'failed',
      detail: 'the *** was refused',
      next: expect.stringContaining('oauth.client_id'),
    },
  ]);
});

test('a failure before the first step is one of discovery, and a new sign-in begins with nothing', () => {
  const steps = created();
  steps.begin('docs').onFailed(new Error('no answer'));
  const failed = steps.of('docs');
  steps.begin('docs');
  expect([failed, steps.of('docs')]).toEqual([
    [{ ...step, name: 'discover', state: 'failed', detail: 'no answer' }],
    [],
  ]);
});

test('the sign-in of each user is their own, and only so many are remembered', () => {
  const steps = created();
  steps.begin('docs', 'ada').onStep({ name: 'consent', state: 'running' });
  const shown = ['ada', 'ben', undefined].map((owner) => steps.of('docs', owner).map(({ name }) => name));
  for (let user = 0; user < UP_LIMITS.signInsNotedMax; user += 1)
    steps.begin('docs', `user-${user}`).onStep({ name: 'consent', state: 'running' });
  const kept = ['ada', 'user-0', `user-${UP_LIMITS.signInsNotedMax - 1}`].map(
    (owner) => steps.of('docs', owner).length,
  );
  expect([shown, kept]).toEqual([
    [['consent'], [], []],
    [0, 1, 1],
  ]);
});
