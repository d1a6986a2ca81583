import { expect, test, vi } from 'vitest';
import { scrubText } from './scrub-text.ts';
import { WARMING_TEXTS, warmScrub } from './warm-scrub.ts';

test('warming builds the lists of names, one in each turn, and no later text builds them again', async () => {
  const decode = vi.spyOn(globalThis, 'atob');
  const turns: number[] = [];
  await warmScrub(async () => {
    turns.push(decode.mock.calls.length);
  });
  const built = decode.mock.calls.length;
  scrubText('Mevrouw Griet Dorpswijk, Тарас Бондаренко and فاطمة الزهراء were there.', 'free_text', []);
  expect([turns.length, built > 0, decode.mock.calls.length]).toEqual([WARMING_TEXTS.length, true, built]);
});

test('each text of the warming has a name, so that the scrub asks for its list', () => {
  const rules = WARMING_TEXTS.map((text) => scrubText(text, 'free_text', []).map(({ rule }) => rule));
  expect(rules).toEqual(WARMING_TEXTS.map(() => expect.arrayContaining(['person_name'])));
});
