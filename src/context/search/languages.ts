import { stemDutch } from './stems/stem-dutch.ts';
import { stemEnglish } from './stems/stem-english.ts';
import { stemFrench } from './stems/stem-french.ts';
import { stemGerman } from './stems/stem-german.ts';

/** Words that identify a language and carry little other meaning; folded, as search compares them. */
const COMMON_WORDS = {
  en: 'a also an and any are as at be been but by can could did do does for from had has have he her his how i if in into is it its me my no not of on or our she should so some such than that the their them then there these they this those to was we were what when where which while who why will with would you your',
  fr: 'a afin ainsi au aussi aux avec car ce ces cet cette chaque comme comment dans de depuis des doit donc dont du elle elles en encore entre est et etaient etait etre eux fait faire il ils je la le les leur leurs lors lui mais meme mes mon ne nos notre nous on ont ou par pas peut peuvent plus pour pourquoi qu quand que quel quelle quelles quels qui quoi sa sans se ses si soit son sont sous sur ta te tous tout toute toutes tu un une vers vos votre vous y',
  nl: 'aan al alle als altijd andere bij dan dat de deze die dit doen door dus een en er ga geen had heb hebben heeft hem het hier hij hoe hun ik in is je kan kunnen maar me meer met mijn moet moeten na naar niet nog nu of om omdat onder ons onze ook op over te tegen toch toen tot u uit uw van veel voor waar waarom wanneer was wat we welke werd wie wij wil word worden wordt zal ze zich zij zijn zo zoals zonder zou',
  de: 'aber alle als also am an andere auch auf aus bei beim bin bis bist da damit dann das dass dem den der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas fur hat haben hier hinter ich ihm ihn ihr ihre im in ist ja jede jeder jedes kann kein keine konnen man mehr mein mit muss mussen nach nicht noch nur ob oder ohne sein seine sich sie sind so soll uber um und uns unser unter vom von vor wann war warum was welche welcher wenn wer werden wie wird wir wo wurde zu zum zur zwischen',
} as const;

export type Language = keyof typeof COMMON_WORDS;

/** In order of precedence for a tie. */
export const LANGUAGES: readonly Language[] = ['en', 'fr', 'nl', 'de'];

const STEMMERS: Readonly<Record<Language, (word: string) => string>> = {
  en: stemEnglish,
  fr: stemFrench,
  nl: stemDutch,
  de: stemGerman,
};

const LATIN_WORD = /^[a-z]{3,40}$/;

/** The stem of a folded word in this language, which search compares. Words with digits or of another script are unchanged. */
export function stemOf(word: string, language: Language): string {
  return LATIN_WORD.test(word) ? STEMMERS[language](word) : word;
}

/** By word: a bit for each language that has it among its common words. */
const COMMON_IN = new Map<string, number>();
LANGUAGES.forEach((language, number) => {
  for (const word of COMMON_WORDS[language].split(' ')) COMMON_IN.set(word, (COMMON_IN.get(word) ?? 0) | (1 << number));
});

/** A bit for each language of which this folded word is a common one. */
export function commonIn(word: string): number {
  return COMMON_IN.get(word) ?? 0;
}

/** The language of a tag such as `fr`, `fr-CA` or `nl_BE`. */
export function languageOfTag(tag: string): Language | undefined {
  const [primary = ''] = tag.toLowerCase().split(/[-_]/);
  return LANGUAGES.find((language) => language === primary);
}

const EVIDENCE_MIN = 3;

/**
 * The language of a document: that of its front matter; else the one with most common words in it; else, if there are hardly any,
 * the one that a folder of its path is named after; else English.
 */
export function languageOf(told: string | undefined, path: string, hits: readonly number[]): Language {
  const tagged = told === undefined ? undefined : languageOfTag(told);
  if (tagged) return tagged;
  const most = Math.max(...hits);
  if (most >= EVIDENCE_MIN) return LANGUAGES[hits.indexOf(most)] as Language;
  const folder = path
    .split('/')
    .slice(0, -1)
    .find((part) => /^[a-z]{2}(?:[-_][a-z]{2,4})?$/.test(part) && languageOfTag(part));
  return (folder !== undefined && languageOfTag(folder)) || 'en';
}
