import { expect, test } from 'vitest';
import { SignInSteps } from './sign-in-steps.ts';

const TIME = '1970-01-01T00:00:00.000Z';

test('a step is shown as it is now, and the one under way takes the failure', () => {
  const steps = new SignInSteps(() => 0);
  steps.begin('docs');
  steps.note('docs', { name: 'discover', state: 'running' });
  steps.note('docs', { name: 'discover', state: 'done', detail: 'https://login.example' });
  steps.note('docs', { name: 'register', state: 'running' });
  steps.fail('docs', 'registration was refused');
  expect(steps.of('docs')).toEqual([
    { name: 'discover', state: 'done', detail: 'https://login.example', time: TIME },
    { name: 'register', state: 'failed', detail: 'registration was refused', time: TIME },
  ]);
});

test('a failure before the first step is one of discovery, and a new sign-in begins with nothing', () => {
  const steps = new SignInSteps(() => 0);
  steps.begin('docs');
  steps.fail('docs', 'no answer');
  const failed = steps.of('docs');
  steps.begin('docs');
  expect([failed, steps.of('docs')]).toEqual([
    [{ name: 'discover', state: 'failed', detail: 'no answer', time: TIME }],
    [],
  ]);
});
