import { scrubText } from './scrub-text.ts';

/** A sentence for each list of names: a text has to have a name, or something like one, before the scrub asks for the list. */
export const WARMING_TEXTS = [
  'Mevrouw Annelies Zwaanswijk of the desk said that the form is at the desk; call before noon.',
  'Учора Олена Шевченко сказала, що заява лежить у касі.',
  'قالت السيدة فاطمة الزهراء بنت محمد إن النموذج جاهز.',
] as const;

/** Builds what the scrub builds when it first needs it, with a pause after each part, so that no request pays for it. */
export async function warmScrub(pause: () => Promise<void>): Promise<void> {
  for (const text of WARMING_TEXTS) {
    scrubText(text, 'free_text', []);
    await pause();
  }
}
