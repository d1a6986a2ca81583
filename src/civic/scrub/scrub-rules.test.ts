import { describe, expect, it } from 'vitest';
import { RULES, verdictOf } from './rules.ts';
import { scrubRules } from './scrub-rules.ts';
import { NUMBER_KINDS, randomIban, seededRandom, written } from './testing/number-samples.ts';

const published = scrubRules();

function patternOf(name: string): RegExp {
  const rule = published.rules.find((candidate) => candidate.name === name);
  return new RegExp(rule?.pattern ?? '(?!)', rule?.flags.replace('g', ''));
}

describe('the rules as data', () => {
  it('have the ten names of the specification among them, each with the six members', () => {
    expect(published.schema_version).toBe(2);
    expect(published.rules.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'belgian_nrn',
        'iban',
        'email',
        'eu_phone',
        'international_phone',
        'us_ssn',
        'uk_national_insurance',
        'belgian_bce',
        'be_id_card_number',
        'long_digit_run',
      ]),
    );
    for (const rule of published.rules) {
      expect(Object.keys(rule)).toEqual(['name', 'pattern', 'flags', 'checksum', 'applies_to_fields', 'category']);
    }
  });

  it('have patterns that compile from their text', () => {
    for (const { pattern, flags } of published.rules) expect(() => new RegExp(pattern, flags)).not.toThrow();
  });

  it('match what the detector finds', () => {
    const random = seededRandom(7);
    for (let i = 0; i < 50; i++) {
      for (const kind of NUMBER_KINDS)
        expect(`x ${kind.cue}${written(kind.generate(random), kind)} y`).toMatch(patternOf(kind.rule));
      expect(`x ${randomIban(random)} y`).toMatch(patternOf('iban'));
    }
    expect('tel. +32 470 12 34 56').toMatch(patternOf('eu_phone'));
    expect('tel. 0470/12.34.56').toMatch(patternOf('belgian_national_phone'));
    expect('jan (at) mail (dot) example').toMatch(patternOf('email'));
  });

  it('[civic:PV7] [civic:PV8] say by their category what follows', () => {
    const verdicts = Object.fromEntries(
      RULES.map(({ name, category }) => [`${category}: ${verdictOf(name, 'free_text')}`, true]),
    );
    expect(Object.keys(verdicts).sort()).toEqual([
      'active_content: reject',
      'contextual_identifier: hold',
      'direct_identifier: reject',
      'indirect_identifier: advise',
      'instruction: hold',
    ]);
    expect(verdictOf('long_digit_run', 'path_entry')).toBe('reject');
    const advised = RULES.filter(({ name }) => verdictOf(name, 'path_entry') === 'advise').map(({ name }) => name);
    const indirect = RULES.filter(({ category }) => category === 'indirect_identifier').map(({ name }) => name);
    expect([advised, advised.length > 0]).toEqual([indirect.filter((name) => name !== 'long_digit_run'), true]);
  });
});
