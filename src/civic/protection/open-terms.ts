import { blocksOf, headingLevel, type Sentence, sentencesOfBlock } from './sentences.ts';
import { wordPattern } from './word-patterns.ts';

/** Words for a time after a term, and those that make it good enough. */
const LATER = wordPattern([
  'later after_that after_this after_it afterwards beyond_that late',
  'plus_tard apres_cela apres_ca apres_ce_delai passe_ce_delai ensuite au_dela',
  'later daarna nadien erna achteraf te_laat',
  'spater danach nachher hinterher zu_spat',
  'пізніше потім згодом після_цього після_того',
  'لاحقا فيما_بعد بعد_ذلك بعدها متاخرا',
]);
const GOOD = wordPattern([
  'fine ok okay possible accepted allowed still also too enough valid works good no_problem',
  'possible encore aussi egalement accepte* toujours bien permis autorise* valable',
  'nog ook goed mogelijk aanvaard toegelaten toegestaan geldig geen_probleem',
  'noch auch gut moglich erlaubt geht reicht gultig kein_problem',
  'ще теж також можна можливо дозвол* добре прийма* нормально',
  'ممكن يمكن ايضا مقبول* جايز مسموح* يجوز',
]);
/** Words that take a term away, or set another one without a number. */
const OPEN = wordPattern([
  'any_time anytime at_any_moment whenever no_deadline no_time_limit without_a_deadline not_binding no_hurry no_rush take_your_time all_the_time unlimited tomorrow void',
  'a_tout_moment n_importe_quand quand_vous_voulez aucun_delai pas_de_delai pas_de_date_limite rien_ne_presse demain nul nulle caduc*',
  'te_allen_tijde op_elk_moment op_ieder_moment wanneer_u_wilt wanneer_je_wilt geen_termijn geen_deadline zonder_termijn geen_haast morgen nietig',
  'jederzeit wann_immer wann_sie_wollen keine_frist ohne_frist unbefristet keine_eile morgen nichtig unwirksam hinfallig',
  'будь_коли в_будь_який у_будь_який без_строку без_терміну немає_строку строку_немає немає_терміну терміну_немає безстроков* не_поспіша* завтра недійсн* нечинн*',
  'اي_وقت متى_شيت متى_شيتم لا_مهله بلا_مهله دون_مهله بدون_مهله غدا باطل* لاغ لاغيه',
]);

/** Words for a term, and those that deny it. */
const TERM = wordPattern([
  'deadline* term terms time_limit* period',
  'delai delais echeance* date_limite',
  'termijn* deadline* uiterste_datum',
  'frist fristen stichtag*',
  'строк строку строки термін*',
  'مهله مهل اجل',
]);
const DENIED = wordPattern([
  'not no no_longer nobody never dont doesnt cannot ignore* forget',
  'pas plus jamais personne aucun* ignorez oubliez',
  'niet geen nooit niemand vergeet negeer*',
  'nicht kein keine keinen nie niemand vergessen ignorier*',
  'немає ніхто ніколи забудьте не_діє не_має не_важлив* не_стосується не_перевіря* не_зобов*',
  'لا لن ليس ليست لم',
]);

/** Whether a sentence says that a term does not hold. */
export function opensTerm({ words }: Pick<Sentence, 'words'>): boolean {
  const text = words.join(' ');
  return OPEN.test(text) || (LATER.test(text) && GOOD.test(text)) || (TERM.test(text) && DENIED.test(text));
}

/** The sentences of a text that stand in one paragraph with a sentence that `hasTerm`, or right after one, before the next heading. */
export function sentencesNearTerms(text: string, hasTerm: (sentence: Sentence) => boolean): Set<string> {
  const near = new Set<string>();
  let isAfter = false;
  for (const block of blocksOf(text)) {
    const sentences = sentencesOfBlock(block);
    if (!block.isCode && headingLevel(block.lines) !== undefined) {
      isAfter = false;
      continue;
    }
    if (sentences.length === 0) continue;
    const terms = sentences.map(hasTerm);
    const isNear = terms.includes(true);
    for (const [at, { key }] of sentences.entries()) if (isNear || (at === 0 && isAfter)) near.add(key);
    isAfter = terms.at(-1) === true;
  }
  return near;
}
