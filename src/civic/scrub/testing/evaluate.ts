import { findIdentifiers } from '../find-identifiers.ts';
import { findInstructions } from '../find-instructions.ts';
import { findPersonNames } from '../names/find-person-names.ts';
import { normaliseText } from '../normalise-text.ts';
import { NUMBER_KINDS, type Random, randomDigits, randomIban, seededRandom, written } from './number-samples.ts';

/** A sentence of the evaluation set. */
export interface Sentence {
  readonly id: string;
  readonly language: string;
  readonly split: 'dev' | 'held-out' | 'hard' | 'seen' | 'unseen';
  /** Whether it names a person. */
  readonly person: boolean;
  readonly text: string;
}

/** A sentence that asks for documents or data, or a harmless one from a procedure. */
export interface UploadSentence {
  readonly language: string;
  readonly request: boolean;
  readonly text: string;
}

const LANGUAGES = ['fr', 'nl', 'de', 'en', 'uk', 'ar'];
const NUMBERS = 1000;

/** How many requests are held, and how many harmless sentences. */
export function uploadTable(sentences: readonly UploadSentence[]): string {
  const rows = [...LANGUAGES, 'all'].map((language) => {
    const own = sentences.filter((sentence) => language === 'all' || sentence.language === language);
    const held = own.filter(({ text }) => findInstructions(normaliseText(text).text).length > 0);
    const found = held.filter(({ request }) => request).length;
    const requests = own.filter(({ request }) => request).length;
    return [language, requests, own.length - requests, found, held.length - found].join(' | ');
  });
  return table('language | requests | honest sentences | requests held | honest sentences held', 1, rows);
}

/** The two tables of the evaluation, as Markdown. */
export function evaluationReport(sentences: readonly Sentence[]): string {
  return `${nameTable(sentences)}\n\n${numberTable()}\n`;
}

function nameTable(sentences: readonly Sentence[]): string {
  const rows = (['unseen', 'held-out', 'seen', 'hard', 'dev'] as const).flatMap((split) =>
    [...LANGUAGES, 'all'].map((language) => {
      const chosen = sentences.filter((s) => s.split === split && (language === 'all' || s.language === language));
      return [split, language, ...scores(chosen)].join(' | ');
    }),
  );
  return table(
    'split | language | with a name | without | found | missed | false alarms | precision | recall',
    2,
    rows,
  );
}

function scores(sentences: readonly Sentence[]): (string | number)[] {
  const judged = sentences.map(({ person, text }) => ({
    person,
    held: findPersonNames(normaliseText(text).text).length > 0,
  }));
  const count = (person: boolean, held: boolean): number =>
    judged.filter((sentence) => sentence.person === person && sentence.held === held).length;
  const found = count(true, true);
  const missed = count(true, false);
  const alarms = count(false, true);
  return [
    found + missed,
    alarms + count(false, false),
    found,
    missed,
    alarms,
    share(found, found + alarms),
    share(found, found + missed),
  ];
}

function numberTable(): string {
  const random = seededRandom(20_260_701);
  const rows = NUMBER_KINDS.map((kind) => {
    const { rule, length, cue } = kind;
    const valid = samples(() => kind.generate(random));
    const plain = valid.filter((digits) => fires(rule, `${cue}${digits}`, random)).length;
    const usual = valid.filter((digits) => fires(rule, `${cue}${written(digits, kind)}`, random)).length;
    const broken = valid.filter((digits) =>
      fires(rule, `${cue}${written(breakCheck(digits, random), kind)}`, random),
    ).length;
    const chance = samples(() => randomDigits(random, length)).filter((digits) =>
      fires(rule, `${cue}${digits}`, random),
    ).length;
    // Without its slashes, a structured communication is a valid eID number.
    const unbroken = rule === 'structured_communication' ? '–' : percent(plain);
    return [rule, unbroken, percent(usual), percent(broken), percent(chance)].join(' | ');
  });
  const ibans = samples(() => randomIban(random));
  const grouped = ibans.filter((iban) => fires('iban', iban.replace(/(.{4})(?=.)/g, '$1 '), random)).length;
  const unbroken = ibans.filter((iban) => fires('iban', iban.toLowerCase(), random)).length;
  const broken = ibans.filter((iban) => fires('iban', breakCheck(iban, random), random)).length;
  const chance = samples(() => `BE${randomDigits(random, 14)}`).filter((iban) => fires('iban', iban, random)).length;
  rows.push(['iban', percent(unbroken), percent(grouped), percent(broken), percent(chance)].join(' | '));
  return table(
    'rule | found unbroken | found as usually written | fires on one wrong digit | fires on random digits',
    1,
    rows,
  );
}

function samples(make: () => string): string[] {
  return Array.from({ length: NUMBERS }, make);
}

function fires(rule: string, number: string, random: Random): boolean {
  const before = ['Mon numéro est ', 'Het nummer is ', 'Die Nummer lautet ', 'Reference: '][Math.floor(random() * 4)];
  return findIdentifiers(`${before}${number} (zie brief).`).hits.some((hit) => hit.rule === rule);
}

/** Changes the last digit, which every one of these checksums detects. */
function breakCheck(number: string, random: Random): string {
  const last = (Number(number.at(-1)) + 1 + Math.floor(random() * 9)) % 10;
  return number.slice(0, -1) + last;
}

function percent(count: number): string {
  return `${((100 * count) / NUMBERS).toFixed(1)} %`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : (part / whole).toFixed(3);
}

function table(head: string, texts: number, rows: readonly string[]): string {
  const rule = head.split('|').map((_, i) => (i < texts ? '---' : '--:'));
  return [`| ${head} |`, `|${rule.join('|')}|`, ...rows.map((row) => `| ${row} |`)].join('\n');
}
