import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scrubText } from './scrub-text.ts';

const rulesOf = (text: string) => [...new Set(scrubText(text, 'free_text', []).map(({ rule }) => rule))];

describe('private data as people write it', () => {
  it.each([
    ['Call 0475123456 before noon.', 'belgian_national_phone'],
    ['The desk is at 025112233 today.', 'belgian_national_phone'],
    ['Appelez le 06 12 34 56 78 demain.', 'eu_phone'],
    ['Appelez le 0612345678 demain.', 'eu_phone'],
    ['Write to kris at gmail.com please.', 'email'],
    ['Write to kris @ gmail . com please.', 'email'],
    ['Write to kris&#64;gmail.com please.', 'email'],
    ['It came from 203.0.113.77 again.', 'ip_address'],
    ['It came from 2001:db8:0:1::77 again.', 'ip_address'],
    ['The car is 1-ABC-234, blue.', 'number_plate'],
    ['See facebook.com/kris.x.123 for that.', 'profile_link'],
    ['See https://www.linkedin.com/in/kris-x for that.', 'profile_link'],
    ['He lives in Kerkstraat 12 now.', 'postal_address'],
    ['Elle habite rue Haute 44 bus 2.', 'postal_address'],
    ['Pay BE68 539O 0754 7O34 now.', 'iban'],
    ['Pay BE68 5390 0754 7034 now.', 'iban'],
    ['Read a3JpcyBsaXZlcyBoZXJlIGF0IGtyaXNAZ21haWwuY29t first.', 'email'],
  ])('%s', (text, rule) => {
    expect(rulesOf(text)).toContain(rule);
  });

  it.each([
    'Version 1.2.3 of the form.',
    'Article 12.3 of 10-12-2024.',
    'Open 9-12 and 13-16.',
    'Annex 19 of the act of 15.12.1980.',
  ])('lets pass: %s', (text) => {
    expect(rulesOf(text)).toEqual([]);
  });

  it('finds every mobile number of Belgium, however it is parted', () => {
    const digits = fc.stringMatching(/^04[5-9]\d{7}$/);
    const part = fc.constantFrom('', ' ', '.', '/', '-');
    fc.assert(
      fc.property(digits, part, part, part, (number, a, b, c) => {
        const written = `${number.slice(0, 4)}${a}${number.slice(4, 6)}${b}${number.slice(6, 8)}${c}${number.slice(8)}`;
        const rules = rulesOf(`Bel ${written} vandaag.`);
        return rules.some((rule) => rule !== 'long_digit_run');
      }),
    );
  });
});
