import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { APPS, LOCALES } from '../../src/civic/config.ts';
import { ROW_SCRIPT, ROW_SCRIPT_SOURCE } from '../../src/civic/forms/row-script.ts';
import { createReadApp, sampleFiles, skillFile } from './read-app.ts';

const nasty = `"><script>alert('1')</script>`;
const files = {
  ...sampleFiles(),
  ...skillFile(
    'nasty',
    'alpha',
    `inputs:\n  - { name: pick, type: select, label: ${JSON.stringify(nasty)}, options: [{ value: ${JSON.stringify(nasty)}, label: ${JSON.stringify(nasty)} }] }\n`,
    'SECRET BODY TEXT\n',
  ),
};
const served = createReadApp(files);
const version = served.deps.corpus.current()?.snapshot.version as string;

interface Form {
  readonly form_html: string;
  readonly locale_actual: string;
  readonly locale_fallback_reason: string | null;
  readonly version: string;
  readonly skill_id?: string;
}

const ask = async (request: object) => (await (await served.post('/api/onboarding-form', request)).json()) as Form;
const names = (html: string) =>
  [...html.matchAll(/<(?:input|select|textarea)[^>]* name="([^"]+)"/g)].map((match) => match[1]);
const problem = async (request: object, path = '/api/onboarding-form') => {
  const response = await served.post(path, request);
  const body = (await response.json()) as { code?: string; errors?: { pointer: string; keyword: string }[] };
  return [response.status, ...(body.errors ?? []).map(({ pointer, keyword }) => `${pointer} ${keyword}`)];
};
const optionsOf = (html: string, name: string) =>
  [
    ...(new RegExp(`<select[^>]* name="${name}"[^>]*>(.*?)</select>`).exec(html)?.[1] ?? '').matchAll(
      /value="([^"]*)"( selected)?/g,
    ),
  ].map((match) => `${match[1]}${match[2] ? '*' : ''}`);

const sections = { 'first-contact': '1 2 consent', returning: '1 2', 'multi-active': '2' } as const;
const combinations = LOCALES.flatMap((locale) =>
  (Object.keys(sections) as (keyof typeof sections)[]).flatMap((mode) =>
    APPS.map((app) => [locale, mode, app] as const),
  ),
);

describe('[civic:F1] [civic:F3] [civic:F4] [civic:F5] [civic:FM1] [civic:FM2] [civic:FM4] forms', () => {
  test.each(combinations)('%s, %s, %s', async (locale, mode, app) => {
    const { form_html: html, ...rest } = await ask({ skill_id: 'sample-residence-card', locale, mode, app });
    expect(rest).toEqual({
      locale_actual: locale,
      locale_fallback_reason: null,
      version,
      skill_id: 'sample-residence-card',
      script_source: ROW_SCRIPT_SOURCE,
    });
    expect(html).toMatch(
      new RegExp(
        `^<form data-form="onboarding" data-app="${app}" data-mode="${mode}" lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}"`,
      ),
    );
    expect([...html.matchAll(/data-section="(\w+)"/g)].map((match) => match[1]).join(' ')).toBe(sections[mode]);
    expect(names(html).filter((name) => name === 'alpha_consent_bundle').length).toBe(mode === 'first-contact' ? 1 : 0);
    expect(html).toContain(`<input type="hidden" name="version" value="${version.slice(0, 12)}">`);
    const scripts = html.split(`<script>${ROW_SCRIPT}</script>`);
    expect(scripts.length).toBe(2);
    expect(scripts.join('')).not.toMatch(/<script|\son\w+=|https?:|url\(|@import|src=|href=|srcdoc=/i);
    expect(html.match(/<button type="submit">/g)?.length).toBe(1);
    expect(html.includes('dir="rtl"')).toBe(locale === 'ar');
  });

  test('every control has a label of its own, and ids are unique', async () => {
    for (const skill_id of ['sample-residence-card', 'sample-address-change']) {
      const { form_html: html } = await ask({ skill_id });
      const ids = [...html.matchAll(/<(?:input|select|textarea)[^>]* id="([^"]+)"/g)].map((match) => match[1]);
      const labels = [...html.matchAll(/<label for="([^"]+)"/g)].map((match) => match[1]);
      expect([[...ids].sort(), new Set(ids).size]).toEqual([[...labels].sort(), ids.length]);
      expect(names(html).filter((name) => name !== 'version' && name !== 'alpha_consent_bundle').length).toBe(
        ids.length,
      );
    }
  });

  test('the app changes one attribute only', async () => {
    const forms = await Promise.all(
      APPS.map(async (app) => (await ask({ app })).form_html.replace(`data-app="${app}"`, '')),
    );
    expect(new Set(forms).size).toBe(1);
  });
});

describe('modes', () => {
  test('[civic:F2] [civic:FM3] without a skill there is section 1 only, whatever the mode', async () => {
    for (const mode of [undefined, 'first-contact', 'returning', 'multi-active', 'section-1-only']) {
      const { form_html: html, skill_id } = await ask({ mode });
      expect([
        html.includes('data-mode="section-1-only"'),
        [...html.matchAll(/data-section="(\w+)"/g)].map((match) => match[1]),
        skill_id,
      ]).toEqual([true, ['1'], undefined]);
    }
  });

  test('[civic:FM3] what does not fit together is refused', async () => {
    expect([
      await problem({ skill_id: 'sample-base', mode: 'section-1-only' }),
      await problem({ profile_snapshot: {} }),
      await problem({ mode: 'other' }),
      await problem({ app: 'other' }),
      await problem({ skill_id: 'nothing' }),
      await problem({ unknown: 1 }),
    ]).toEqual([
      [422, '/mode enum'],
      [422, '/profile_snapshot dependentRequired'],
      [422, '/mode enum'],
      [422, '/app enum'],
      [404],
      [422, '/unknown additionalProperties'],
    ]);
  });

  test('[civic:FM3] returning asks what the profile lacks and what changed', async () => {
    const profile = {
      region: 'brussels',
      commune: 'x',
      civil_status: 'single',
      nationality_situation: 'eu_citizen',
      conversation_language: 'x',
      admin_language: 'fr',
      preferred_name: 'x',
      has_id_card: 'yes',
    };
    const changed = await ask({
      skill_id: 'sample-base',
      mode: 'returning',
      profile_snapshot: profile,
      pre_selected: { civil_status: 'married', region: 'brussels' },
    });
    const complete = await ask({
      skill_id: 'sample-base',
      mode: 'returning',
      profile_snapshot: { ...profile, browser_driving_preference: 'never-drive' },
    });
    expect([names(changed.form_html), names(complete.form_html)]).toEqual([
      ['version', 'civil_status', 'browser_driving_preference'],
      ['version'],
    ]);
    expect([changed.form_html.includes('data-section="1"'), complete.form_html.includes('data-section="1"')]).toEqual([
      true,
      false,
    ]);
  });
});

test('[civic:F5] [civic:FM5] the language is matched by its primary subtag, and falls back with a reason', async () => {
  const asked = ['fr-BE', 'UK', 'ar_EG', 'es', '', 'english', undefined];
  const answers = await Promise.all(asked.map(async (locale) => ask({ locale })));
  expect(
    answers.map(({ locale_actual, locale_fallback_reason }) => `${locale_actual} ${locale_fallback_reason}`),
  ).toEqual([
    'fr null',
    'uk null',
    'ar null',
    'en unsupported_locale',
    'en unsupported_locale',
    'en unsupported_locale',
    'en null',
  ]);
  const header = await served.get('/api/onboarding-form', { 'accept-language': 'fr' });
  expect(((await header.json()) as Form).locale_actual).toBe('en');
});

describe('[civic:F6] [civic:FM6] pre-selection', () => {
  test('of closed lists is rendered', async () => {
    const { form_html: html } = await ask({
      skill_id: 'sample-residence-card',
      pre_selected: { region: 'german-speaking', admin_language: 'de', reasons: ['work', 'family'] },
    });
    expect([optionsOf(html, 'region'), optionsOf(html, 'admin_language'), optionsOf(html, 'reasons')]).toEqual([
      ['', 'brussels', 'flanders', 'wallonia', 'german-speaking*', 'not_yet_arrived'],
      ['', 'de*', 'fr'],
      ['work*', 'study', 'family*'],
    ]);
  });

  test('of a boolean takes true and false', async () => {
    const { form_html: html } = await ask({
      skill_id: 'sample-address-change',
      pre_selected: { with_children: false, move_reason: 'work' },
    });
    expect([optionsOf(html, 'with_children'), optionsOf(html, 'move_reason')]).toEqual([
      ['', 'true', 'false*'],
      ['', 'work*', 'family', 'other'],
    ]);
  });

  test('of anything else is refused, and nothing of it is echoed', async () => {
    const refused = async (pre_selected: object) => problem({ skill_id: 'sample-residence-card', pre_selected });
    expect([
      await refused({ preferred_name: 'Ann' }),
      await refused({ commune: 'Ghent', conversation_language: 'x' }),
      await refused({ national_number: '1' }),
      await refused({ residence_history: [] }),
      await refused({ remarks: 'x' }),
      await refused({ region: 'Ann' }),
      await refused({ region: 'flanders', admin_language: 'fr' }),
      await refused({ reasons: ['work', 'Ann'] }),
      await refused({ region: { __mode: 'chat', __status: 'pending' } }),
      await refused({ __proto__: null, constructor: 'x' }),
    ]).toEqual([
      [422, '/pre_selected/preferred_name categorical'],
      [422, '/pre_selected/commune categorical', '/pre_selected/conversation_language categorical'],
      [422, '/pre_selected/national_number categorical'],
      [422, '/pre_selected/residence_history categorical'],
      [422, '/pre_selected/remarks categorical'],
      [422, '/pre_selected/region enum'],
      [422, '/pre_selected/admin_language enum'],
      [422, '/pre_selected/reasons enum'],
      [422, '/pre_selected/region enum'],
      [422, '/pre_selected/constructor categorical'],
    ]);
    const body = await (await served.post('/api/onboarding-form', { pre_selected: { preferred_name: 'Ann' } })).text();
    expect(body).not.toContain('Ann');
  });

  test('markup in labels, values and titles is escaped', async () => {
    const { form_html: html } = await ask({ skill_id: 'nasty', pre_selected: { pick: nasty } });
    expect([html.includes('<script'), html.includes('&#60;script&#62;'), html.includes(' selected>')]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

test('[civic:FM7] the commune is hidden before arrival', async () => {
  const shown = (await ask({})).form_html;
  const hidden = (await ask({ pre_selected: { region: 'not_yet_arrived' } })).form_html;
  expect([
    shown.includes('data-hide-when="region=not_yet_arrived">'),
    hidden.includes('data-hide-when="region=not_yet_arrived" hidden>'),
  ]).toEqual([true, true]);
});

test('[civic:FM8] a list of rows has its mode and its first row', async () => {
  const { form_html: html } = await ask({ skill_id: 'sample-residence-card', mode: 'multi-active' });
  expect(html).toContain('<div data-input="row_list" data-name="residence_history"');
  expect([
    names(html).slice(1, 7),
    optionsOf(html, 'residence_history.__mode'),
    optionsOf(html, 'residence_history.0.card_type'),
  ]).toEqual([
    ['__mode', '0.card_type', '0.start_month', '0.end_month', '0.current', '0.notes'].map(
      (name) => `residence_history.${name}`,
    ),
    ['inline*', 'folder_drop', 'chat'],
    ['', 'card-a', 'card-b'],
  ]);
});

test('[civic:F7] [civic:FM10] the form of a skill never holds its text, and is the same by both routes', async () => {
  const direct = await (
    await served.get('/api/onboarding-form?skill_id=nasty&app=generic&locale=nl&mode=first-contact')
  ).text();
  const beside = await (
    await served.get('/api/skills/nasty?with_form=1&app=generic&locale=nl&mode=first-contact')
  ).text();
  expect([direct.includes('SECRET BODY'), beside === direct, 'body' in JSON.parse(beside)]).toEqual([
    false,
    true,
    false,
  ]);
  const statuses = await Promise.all(
    ['with_form=2', 'with_form=', 'with_form=1&mode=x'].map(
      async (query) => (await served.get(`/api/skills/nasty?${query}`)).status,
    ),
  );
  expect([statuses, 'body' in ((await (await served.get('/api/skills/nasty?with_form=0')).json()) as object)]).toEqual([
    [422, 422, 422],
    true,
  ]);
});

test('[civic:FM11] a query takes four parameters, a body six', async () => {
  const statuses = await Promise.all(
    ['pre_selected=x', 'profile_snapshot=x', 'a=b'].map(
      async (query) => (await served.get(`/api/onboarding-form?${query}`)).status,
    ),
  );
  expect([statuses, (await served.post('/api/onboarding-form?app=generic', {})).status]).toEqual([
    [422, 422, 422],
    422,
  ]);
});

test('the script that adds rows is allowed by its hash', () => {
  const hash = createHash('sha256').update(ROW_SCRIPT).digest('base64');
  expect(ROW_SCRIPT_SOURCE).toBe(`'sha256-${hash}'`);
});
