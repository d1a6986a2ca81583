import { expect, test } from 'vitest';
import { scrubText } from './scrub-text.ts';

const rulesIn = (text: string) => [...new Set(scrubText(text, 'free_text', []).map(({ rule }) => rule))];

test.each([
  ['postal_address', 'The neighbour lives at Rue Haute 12.'],
  ['postal_address', 'Ask at 12 Rue Haute, second bell.'],
  ['postal_address', 'My flat is at number 45 of the Hoogstraat.'],
  ['postal_address', 'Elle est au numéro 7 de la rue Neuve.'],
  ['postal_address', 'Er wohnt in Hausnummer 5 der Hauptstraße.'],
  ['postal_address', 'Вона в будинку, буд. 22 на вул. Хрещатик.'],
  ['postal_address', 'البيت رقم 12 في شارع الحرية.'],
  ['spelled_phone', 'Ring 0475,12,34,56 for it.'],
  ['spelled_phone', 'Ring 475 12 34 56 for it.'],
  ['spelled_phone', 'Ring (212) 555-0187 for it.'],
  ['spelled_phone', 'Ring 0475 twelve 34 56 for it.'],
  ['spelled_phone', 'Ring ④⑦⑤①②③④⑤⑥ for it.'],
  ['api_key', 'The password: hunter2 still works.'],
  ['api_key', 'It says my password is hunter2.'],
  ['api_key', 'Use token=abc123def456ghi789 there.'],
  ['profile_link', 'Write to jan.peeters@gmail for it.'],
  ['profile_link', 'It is gmail: jan.peeters84.'],
  ['profile_link', 'And my gmail is janp84.'],
  ['number_plate', 'The car АА1234ВВ stood there.'],
])('%s: %s', (rule, text) => {
  expect(rulesIn(text)).toContain(rule);
});

test.each([
  'The fees are 1,20 and 0,15,20 or 30.',
  'It costs 450 20 30 for three.',
  'The password is required and has 12 characters.',
  'The rue is closed; number 45 comes next.',
  'Ask at desk number 12 of the town hall.',
  'Open 08 to twelve and 13 to 16.',
  'The Outlook page is down.',
])('nothing is found in: %s', (text) => {
  expect(rulesIn(text)).toEqual([]);
});

test.each([
  'https://federal.gov.example/0475123456',
  'https://federal.gov.example/?q=0475123456',
  `https://federal.gov.example/${Buffer.from('x 0475123456 y').toString('base64url')}`,
])('%s holds a phone number', (url) => {
  expect(scrubText(url, 'url', []).map(({ rule }) => rule)).toEqual(['spelled_phone']);
});
