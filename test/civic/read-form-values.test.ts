import { describe, expect, test } from 'vitest';
import { createReadApp, sampleFiles } from './read-app.ts';

const served = createReadApp(sampleFiles());
const problem = async (request: object, path = '/api/onboarding-form') => {
  const response = await served.post(path, request);
  const body = (await response.json()) as { code?: string; errors?: { pointer: string; keyword: string }[] };
  return [response.status, ...(body.errors ?? []).map(({ pointer, keyword }) => `${pointer} ${keyword}`)];
};

describe('[civic:F9] [civic:FM9] markers of what follows later', () => {
  const pending = (mode: string) => ({ __mode: mode, __status: 'pending' });
  const REQUIRED = { residence_history: pending('chat') };
  const check = async (values: object, skill_id = 'sample-residence-card') =>
    problem({ skill_id, values: { ...REQUIRED, ...values } }, '/api/onboarding-form/check');

  test('what is required and missing is a fault, and another way of capture is an answer', async () => {
    const skill_id = 'sample-residence-card';
    const sent = (values: object) => problem({ skill_id, values }, '/api/onboarding-form/check');
    const row = (index: number, cells: object) =>
      Object.fromEntries(
        Object.entries({ card_type: 'card-a', start_month: '2020-01', current: 'true', ...cells }).map(
          ([cell, value]) => [`residence_history.${index}.${cell}`, value],
        ),
      );
    const [status, ...faults] = await sent({ alpha_consent_bundle: 'yes', residence_history: [], region: '' });
    expect([
      await sent({}),
      await sent({ 'residence_history.__mode': 'inline', 'residence_history.0.notes': '' }),
      await sent({ 'residence_history.__mode': 'folder_drop' }),
      await sent({ 'residence_history.__mode': 'inline', ...row(1, { notes: 'since May' }) }),
      status,
      faults.includes('/values/residence_history required') && faults.includes('/values/region required'),
      faults.some((one) => String(one).includes('commune')),
    ]).toEqual([
      [422, '/values/residence_history required'],
      [422, '/values/residence_history required'],
      [200],
      [200],
      422,
      true,
      false,
    ]);
  });

  test('pass on a list that declares the mode', async () => {
    const response = await served.post('/api/onboarding-form/check', {
      skill_id: 'sample-residence-card',
      values: {
        residence_history: pending('chat'),
        region: 'brussels',
        preferred_name: 'x',
        version: 'y',
        reasons: ['work'],
      },
    });
    expect([response.status, response.headers.get('cache-control'), await response.json()]).toEqual([
      200,
      'no-store',
      { valid: true, pending: ['residence_history'] },
    ]);
  });

  test("are what the form's own control sends; another mode is a fault of the control", async () => {
    const answer = async (values: object) => {
      const sent = { skill_id: 'sample-residence-card', values };
      const response = await served.post('/api/onboarding-form/check', sent);
      const body = (await response.json()) as { pending?: string[]; errors?: { pointer: string; keyword: string }[] };
      return [response.status, body.pending ?? body.errors?.map(({ pointer, keyword }) => `${pointer} ${keyword}`)];
    };
    const mode = 'residence_history.__mode';
    expect([
      await answer({ [mode]: 'chat' }),
      await answer({ [mode]: 'folder_drop', 'residence_history.0.card_type': '' }),
      await answer({ [mode]: 'fax' }),
      await answer({ [mode]: ['chat'] }),
    ]).toEqual([
      [200, ['residence_history']],
      [200, ['residence_history']],
      [422, ['/values/residence_history required', `/values/${mode} enum`]],
      [422, ['/values/residence_history required', `/values/${mode} enum`]],
    ]);
  });

  test('are refused everywhere else', async () => {
    const at = (name: string) => [422, `/values/${name} sentinel`];
    expect([
      await check({ remarks: pending('chat') }),
      await check({ region: pending('chat') }),
      await check({ unknown: pending('chat') }),
      await check({ residence_history: pending('inline') }),
      await check({ residence_history: pending('telepathy') }),
      await check({ residence_history: { ...pending('chat'), value: 1 } }),
      await check({ residence_history: { __mode: 'chat', __status: 'done' } }),
      await check({ residence_history: { __mode: 'chat' } }),
      await check({ residence_history: [pending('chat')] }),
    ]).toEqual([at('remarks'), at('region'), at('unknown'), ...Array(6).fill(at('residence_history'))]);
  });

  test('are looked for in a profile, too', async () => {
    const ask_ = (profile_snapshot: object) =>
      problem({ skill_id: 'sample-residence-card', mode: 'returning', profile_snapshot });
    expect([
      await ask_({ residence_history: pending('folder_drop') }),
      await ask_({ commune: pending('chat') }),
    ]).toEqual([[200], [422, '/profile_snapshot/commune sentinel']]);
  });

  test('[civic:FM8] rows have the parts of a row, each as its control would send it', async () => {
    const rows = (...list: unknown[]) => check({ residence_history: list });
    const at = (part: string) => [422, `/values/residence_history/0${part}`];
    expect([
      await rows({
        card_type: 'card-a',
        start_month: '2020-01',
        end_month: '',
        current: true,
        notes: '😀'.repeat(200),
      }),
      await check({
        'residence_history.0.card_type': 'card-b',
        'residence_history.0.start_month': '2021-12',
        'residence_history.0.end_month': '2021-12',
      }),
      await rows({ card_type: 'card-a' }),
      await rows({ card_type: 'card-a', start_month: '2021-01', end_month: '2020-12' }),
      await check({ 'residence_history.0.card_type': 'card-b', 'residence_history.0.end_month': '2021-12' }),
      await rows({ card_type: 'other' }),
      await rows({ start_month: '2020-13' }),
      await rows({ notes: 'n'.repeat(201) }),
      await rows({ colour: 'x' }),
      await rows('text'),
      await check({ residence_history: 'text' }),
      await check({ 'residence_history.0.start_month': 'May' }),
    ]).toEqual([
      [200],
      [200],
      [...at('/end_month required'), '/values/residence_history/0/start_month required'],
      at('/end_month minimum'),
      [422, '/values/residence_history.0.start_month required'],
      at('/card_type enum'),
      at('/start_month pattern'),
      at('/notes maxLength'),
      at('/colour additionalProperties'),
      at(' type'),
      [422, '/values/residence_history type'],
      [422, '/values/residence_history.0.start_month pattern'],
    ]);
  });

  test('values that no form has are refused', async () => {
    expect([
      await check({ other: 1 }),
      await check({ region: 'x' }),
      await check({ remarks: { a: 1 } }),
      await check({}, 'nothing'),
    ]).toEqual([
      [422, '/values/other additionalProperties'],
      [422, '/values/region enum'],
      [422, '/values/remarks type'],
      [404],
    ]);
  });
});
