import { scrubText } from './scrub-text.ts';

/** A sentence per name list: the scrub loads a list only for a text with a possible name. */
export const WARMING_TEXTS = [
  'Mevrouw Annelies Zwaanswijk of the desk said that the form is at the desk; call before noon.',
  'Учора Олена Шевченко сказала, що заява лежить у касі.',
  'قالت السيدة فاطمة الزهراء بنت محمد إن النموذج جاهز.',
] as const;

/** Builds the scrub's lazy data, pausing after each part, so that no request pays for it. */
export async function warmScrub(pause: () => Promise<void>): Promise<void> {
  for (const text of WARMING_TEXTS) {
    scrubText(text, 'free_text', []);
    await pause();
  }
}
