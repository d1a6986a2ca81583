import { describe, expect, test } from 'vitest';
import { APPS, LOCALES } from '../config.ts';
import { FORM_TEXTS, labelText, ROW_TEXTS } from './labels.ts';
import { escapeHtml } from './render-form.ts';
import { adminLanguages, SECTION_ONE } from './section-one.ts';

test('[civic:F5] every label and every choice is there in six languages, and really translated', () => {
  const all = [
    ...Object.values(FORM_TEXTS),
    ...Object.values(ROW_TEXTS),
    ...SECTION_ONE.flatMap(({ label, choices }) => [label, ...(choices ?? []).map((choice) => choice.label)]),
  ];
  for (const texts of all) {
    expect(Object.keys(texts)).toEqual([...LOCALES]);
    expect(Object.values(texts).every((text) => text.trim().length > 0)).toBe(true);
    expect([/\p{Script=Arabic}/u.test(texts.ar), /\p{Script=Cyrillic}/u.test(texts.uk)]).toEqual([true, true]);
  }
  const longer = all.filter((texts) => texts.en.length > 8);
  for (const locale of ['fr', 'nl', 'de'] as const) {
    expect(longer.filter((texts) => texts[locale] === texts.en).map((texts) => texts.en)).toEqual([]);
  }
});

test('[civic:F4] there are three apps', () => {
  expect(APPS).toEqual(['cowork', 'chatgpt-app', 'generic']);
});

describe('the parts of a form', () => {
  test('section 1 has nine fields', () => {
    expect(SECTION_ONE.map(({ name }) => name)).toEqual([
      'region',
      'commune',
      'civil_status',
      'nationality_situation',
      'conversation_language',
      'admin_language',
      'preferred_name',
      'has_id_card',
      'browser_driving_preference',
    ]);
  });

  test.each([
    ['brussels', 'fr nl'],
    ['flanders', 'nl'],
    ['wallonia', 'fr'],
    ['german-speaking', 'de fr'],
    ['not_yet_arrived', 'fr nl de'],
    [undefined, 'fr nl de'],
    ['toString', 'fr nl de'],
  ])('[civic:FM7] offices of %s work in %s', (region, expected) => {
    expect(
      adminLanguages(region)
        .map(({ value }) => value)
        .join(' '),
    ).toBe(expected);
  });

  test('[civic:FM5] a label without the language falls back to English, then to any', () => {
    expect([labelText({ en: 'a', fr: 'b' }, 'nl'), labelText({ fr: 'b' }, 'nl'), labelText('c', 'ar')]).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  test('markup in texts is escaped', () => {
    expect(escapeHtml(`<a href="x" b='y'>&\`</a>`)).not.toMatch(/[<>"'`]/);
  });
});
