import {
  type Change,
  changeField,
  changeReference,
  changeSource,
  changeStep,
  changeValue,
  currentValue,
  type Shown,
} from './changes.ts';
import type { Dice } from './dice.ts';

/** Corrections as people write them, in the six languages; `#` is a number that makes each unique. */
const SENTENCES = [
  'Bring the original and # copies of the certificate.',
  'The desk of the commune opens at # and closes at noon.',
  'Take the form of the year # with you.',
  'The officer asks for the card of the owner, and for # photos.',
  'Send the signed form by post; it takes # working days.',
  'Wait # days for the visit of the neighbourhood officer.',
  'Upload the certificate on the portal of the region, in # parts at most.',
  'The receipt shows # as its number of pages.',
  'Apportez le formulaire signé et # copies de l’acte.',
  'Le guichet est au numéro # du couloir principal.',
  'Envoyez la demande par courrier recommandé, # jours avant la date.',
  'Le délai est de # jours ouvrables.',
  'Breng het ondertekende formulier mee, in # exemplaren.',
  'Het loket sluit op vrijdag om # uur.',
  'De termijn is # werkdagen.',
  'Stuur het attest per post naar het gemeentehuis, met # kopieën.',
  'Bringen Sie das unterschriebene Formular und # Kopien mit.',
  'Der Schalter schließt freitags um # Uhr.',
  'Die Frist beträgt # Arbeitstage.',
  'Візьміть із собою підписану заяву та # копії.',
  'Строк розгляду становить # робочих днів.',
  'أحضر النموذج الموقع مع # نسخ من الشهادة.',
  'مدة الانتظار # أيام عمل.',
] as const;

/** The change of an honest agent to an artefact. `n` makes it unique. */
export function honestChange(shown: Shown, n: number, dice: Dice): Change {
  if (shown.type === 'volatile_value')
    return changeValue(shown, (currentValue(shown) * (0.9 + dice.next() / 5)).toFixed(2));
  if (shown.type === 'reference') return changeReference(shown, `https://law.example.org/article/${n}`);
  if (shown.type === 'path') return honestPathChange(shown, n, dice);
  const roll = dice.next();
  if (roll < 0.06) return changeField(shown, 'summary', `How the procedure works, text ${n}.`, `text ${n}.`);
  if (roll < 0.1) return changeField(shown, 'verification_notes', `Read at the desk, sheet ${n}.`, `sheet ${n}.`);
  if (roll < 0.14) return changeStep(shown, dice, `The form ${n} is at https://forms.example.org/${n} now.`);
  if (roll < 0.17)
    return changeStep(shown, dice, `The new office ${n} publishes at https://office-${n}.example.com/ now.`);
  return changeStep(shown, dice, dice.pick(SENTENCES).replaceAll('#', String(n)));
}

function honestPathChange(shown: Shown, n: number, dice: Dice): Change {
  return dice.chance(0.5)
    ? changeSource(shown, `https://portal.example.org/new/${n}`)
    : changeField(shown, 'title', `Portal of the commune ${n}`, `commune ${n}`);
}

/** The report of an honest agent, without a change. */
export function honestReport(n: number, dice: Dice): string {
  return dice.pick([
    `The desk moved to the floor number ${n}.`,
    `The form has ${n} pages since the spring, and the text says fewer.`,
    `Le formulaire demandé a changé ; le nouveau compte ${n} pages.`,
    `Het loket vraagt nu ${n} kopieën.`,
  ]);
}
