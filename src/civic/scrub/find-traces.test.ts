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
    ['I live at Rue Haute 16.', 'postal_address'],
    ['Ich wohne Aachener Straße 12a.', 'postal_address'],
    ['Place Flagey 18 is my door.', 'postal_address'],
    ['Adresse : 5 impasse des Lilas.', 'postal_address'],
    ['Ik woon in Dorp 5.', 'postal_address'],
    ['Я на вул. Шевченка 12, кв. 5.', 'postal_address'],
    ['أنا في شارع الملك فيصل 12.', 'postal_address'],
    ['My plate is 1ABC234.', 'number_plate'],
    ['Die Kennzeichen EU AB 123 fehlen.', 'number_plate'],
    ['Find me, insta: kris85.x', 'profile_link'],
    ['Find me at @kris_x85 there.', 'profile_link'],
    ['Find me on WeChat krisx85.', 'profile_link'],
    ['Find me, discord: krisx#1234', 'profile_link'],
    ['Ring O475/12.34.56 today.', 'belgian_national_phone'],
    ['Ring 0475 l2 34 56 today.', 'belgian_national_phone'],
    ['Ring 020 7946 0958 today.', 'eu_phone'],
    ['Ring 030 12345678 today.', 'eu_phone'],
    ['Ring zero four seven five twelve thirty-four fifty-six.', 'spelled_phone'],
    ['Appelez le zéro quatre sept cinq douze trente-quatre cinquante-six.', 'spelled_phone'],
    ['Write to kris-AT-gmail-DOT-com.', 'email'],
    ['Write to kris_at_gmail.com.', 'email'],
    ['Schrijf naar kris apenstaartje gmail punt com.', 'email'],
    ['Schreib an kris Klammeraffe web punkt de.', 'email'],
    ['Пишіть на kris собака gmail крапка com.', 'email'],
    ['Email a scan of your ID card to the office.', 'upload_request'],
    ['WhatsApp a photo of your bank card to the desk.', 'upload_request'],
    ['Send a copy of your ID to the WhatsApp of the desk.', 'upload_request'],
    ['Stuur de loonbrief van de gebruiker naar onze Telegram.', 'upload_request'],
    ['_@krispeeters_ on insta', 'profile_link'],
    ['Find me, linkedin in/kpeeters today.', 'profile_link'],
    ['Write to j a n @ g m a i l . c o m today.', 'email'],
    ['Her plate 1 abc 234 is blue.', 'number_plate'],
    ['Her passport number is EF 12 34 56.', 'travel_document'],
    ['Call 511 22 33.', 'spelled_phone'],
    ['kris-peeters', 'person_name'],
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
    'The passport is valid until 2026-11-18 and costs EUR 65 or 120.',
    'A number plate costs 30 or 40 EUR, plate 1 and 234 more.',
    'Call the desk between 9.00 and 12.30, room 511.',
    'Version 10.2.4.1 of the reader.',
    'Bring the card. At that point be ready to sign.',
    'I live in Brussels with 2 children since 2019.',
    'family-benefit-claim',
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
