import { SCRUB_LIMITS } from '../limits.ts';
import { SCRIPT_LIST } from './lists/script-list.ts';
import { isCyrillicSound } from './phonetic-names.ts';
import type { Token } from './tokenise.ts';
import { ukrainianForms } from './ukrainian-forms.ts';
import {
  AMBIGUOUS_UKRAINIAN,
  isStoppedUkrainian,
  MORE_UKRAINIAN_GIVEN,
  NO_UKRAINIAN_GIVEN,
  UKRAINIAN_ACTS,
  UKRAINIAN_GRAMMAR,
  UKRAINIAN_INSTITUTION,
  UKRAINIAN_NAMESAKE,
  UKRAINIAN_ROLES,
  UKRAINIAN_SPEECH,
  UKRAINIAN_TITLES,
} from './ukrainian-words.ts';

/** A word in its text. */
interface Place {
  readonly tokens: readonly Token[];
  readonly at: number;
  readonly text: string;
}

/** `given`: in any case form. `strong`: a patronymic, or an ending that only surnames have. `weak`: an ending that many words have. */
type Kind = 'given' | 'strong' | 'sound' | 'weak' | 'other' | 'initial';

let names: { given: ReadonlySet<string>; family: ReadonlySet<string> } | undefined;

/** Index of the last word of the name that begins at a Cyrillic word; undefined if there is none. */
export function ukrainianNameAt(place: Place): number | undefined {
  const { tokens, at, text } = place;
  const first = tokens[at] as Token;
  if (!first.capital) return smallName(tokens, at);
  const run = readRun(tokens, at);
  const last = run.at(-1);
  if (last === undefined || isNamesake(place)) return undefined;
  const kinds = run.filter((i) => !isParticle(tokens[i] as Token)).map((i) => kindOf(tokens[i] as Token));
  const isAfterQuote = '«"„“'.includes(text.charAt(first.start - 1) || ' ');
  const opens = isAfterQuote || beginsSentence(place);
  if (kinds.every((kind) => kind === 'initial')) return undefined;
  // `Питайте Людмилу`: the verb at the start of the sentence is not part of the name.
  if (run.length > 1 && opens && VERB.test(first.text) && kinds[0] !== 'given') return undefined;
  if (isAnnounced(place)) return last;
  const isQuoted = isAfterQuote && '»"”“'.includes(text.charAt((tokens[last] as Token).end) || ' ');
  if (run.length === 1) return !isQuoted && isSingle(place, kinds[0] as Kind, opens) ? last : undefined;
  return isFull(tokens, run, kinds, { opens, isQuoted }) ? last : undefined;
}

/** Whether a lower-case word is a given name before a surname: `наталя кравчук`. */
function smallName(tokens: readonly Token[], at: number): number | undefined {
  const [first, next] = [tokens[at] as Token, tokens[at + 1]];
  if (!next?.joined || next.capital || next.script !== 'cyrillic') return undefined;
  const [given, family] = [plain(first), plain(next)];
  if (given.length < 4 || AMBIGUOUS_UKRAINIAN.has(given) || !known().given.has(given)) return undefined;
  return STRONG_ENDING.test(family) ||
    PATRONYMIC.test(family) ||
    known().family.has(family) ||
    SMALL_ENDING.test(family)
    ? at + 1
    : undefined;
}

const SMALL_ENDING = /\p{L}{3}(?:[сц]ьк(?:ий|ого|ому|а|ої|ій|у)|вець|ець|ишин|ик|ак|юк|ук)$/u;

const VERB = /(?:те|ть|ти|мо|ла|ли|ся|сь|но|ає|ив|ав)$/;

/** The following capitalised words and initials that may be one name. */
function readRun(tokens: readonly Token[], at: number): number[] {
  const run: number[] = [];
  for (let i = at; i < tokens.length && run.length < SCRUB_LIMITS.nameWordsMax; i++) {
    const token = tokens[i] as Token;
    if (token.script !== 'cyrillic' || (i > at && !token.joined)) break;
    if (i > at && isParticle(token)) {
      run.push(i);
      continue;
    }
    if (!token.capital || (token.text.length === 1 && !token.initial)) break;
    const small = plain(token);
    const isGiven = known().given.has(small);
    if (
      !token.initial &&
      (UKRAINIAN_TITLES.has(small) || (!isGiven && (isStoppedUkrainian(small) || isAbbreviation(token))))
    ) {
      // `Київ` after a name ends it; a run that starts so is no name.
      break;
    }
    if (i === at && (UKRAINIAN_ROLES.has(small) || UKRAINIAN_NAMESAKE.test(small))) break;
    run.push(i);
  }
  while (run.length > 0 && isParticle(tokens[run.at(-1) as number] as Token)) run.pop();
  return run;
}

/** After a title, a role, or words that introduce a name. */
function isAnnounced({ tokens, at, text }: Place): boolean {
  const before = tokens[at - 1];
  if (before?.script !== 'cyrillic') return false;
  const gap = text.slice(before.end, (tokens[at] as Token).start);
  const small = plain(before);
  if (/^\.? $/.test(gap) && UKRAINIAN_TITLES.has(small))
    return !/^(?:шановн|дорог)/.test(small) || kindOf(tokens[at] as Token) !== 'other';
  if (!/^(?: |, | \()$/.test(gap)) return false;
  if (gap === ' ' && UKRAINIAN_ROLES.has(small)) return !isInstitution(tokens, at);
  // `мою тітку, Стефанію`, `роль (Ткач)`: only a possible name.
  if (UKRAINIAN_ROLES.has(small)) return kindOf(tokens[at] as Token) !== 'other';
  const two = `${plain(tokens[at - 2] ?? before)} ${small}`;
  return (
    gap === ' ' &&
    /^(?:мене (?:звати|звуть)|(?:його|її|їх|яку|який) (?:звати|звуть)|на ім'я|на прізвище|за словами|зі слів|із слів|з повагою|такий собі|така собі|якийсь|якась|від імені|я,?)$/.test(
      two,
    )
  );
}

/** `депутат Київської міськради`: an adjective and its institution. */
function isInstitution(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  return next?.joined === true && ADJECTIVE.test(plain(tokens[at] as Token)) && UKRAINIAN_INSTITUTION.test(plain(next));
}

function isSingle(place: Place, kind: Kind, opens: boolean): boolean {
  const { tokens, at } = place;
  const small = plain(tokens[at] as Token);
  const next = tokens[at + 1];
  const verb = next?.joined === true && !next.capital ? plain(next) : '';
  const speaks = UKRAINIAN_SPEECH.test(verb);
  switch (kind) {
    case 'given':
      return !opens || !AMBIGUOUS_UKRAINIAN.has(small) || speaks || UKRAINIAN_ACTS.test(verb);
    case 'strong':
      return true;
    case 'sound':
      return speaks || (!opens && !isIn(tokens, at));
    case 'weak':
      return (
        (speaks && !UKRAINIAN_GRAMMAR.has(small)) ||
        (!opens && (isSpokenBefore(tokens, at) || (MIDDLE_ENDING.test(small) && !isIn(tokens, at))))
      );
    default:
      return speaks && !opens;
  }
}

/** `у Пирнові`: a place, unless the word is a known name. */
function isIn(tokens: readonly Token[], at: number): boolean {
  return (tokens[at] as Token).joined && /^(?:в|у|на|під|над|за|через)$/i.test(tokens[at - 1]?.text ?? '');
}

/** `сказав Коваль`. */
function isSpokenBefore(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  return before !== undefined && (tokens[at] as Token).joined && UKRAINIAN_SPEECH.test(plain(before));
}

function isFull(
  tokens: readonly Token[],
  run: readonly number[],
  kinds: readonly Kind[],
  { opens, isQuoted }: { opens: boolean; isQuoted: boolean },
): boolean {
  const has = (kind: Kind): boolean => kinds.includes(kind);
  const first = plain(tokens[run[0] as number] as Token);
  if (has('given'))
    return !(opens && AMBIGUOUS_UKRAINIAN.has(first) && kinds.slice(1).every((kind) => kind === 'other'));
  if (has('strong')) return true;
  if (isQuoted) return false;
  const initials = kinds.filter((kind) => kind === 'initial').length;
  if (initials > 0) return initials > 1 || has('weak') || has('sound') || (kinds[0] === 'initial' && !opens);
  if (has('sound')) return true;
  if (ADJECTIVE.test(first) || UKRAINIAN_GRAMMAR.has(first)) return false;
  return !opens || (kinds[0] === 'weak' && kinds[1] !== 'other');
}

/** Adjective endings, as in the first words of institutions. */
const ADJECTIVE = /(?:ий|ого|ому|ої|их|им|ими|ськ\p{L}{1,3}|цьк\p{L}{1,3})$/u;

/** Endings that make a capitalised word inside a sentence a surname, unless it is a place. */
const MIDDLE_ENDING =
  /\p{L}{3}(?:ник(?:а|у|ом|ові)?|чик(?:а|у|ом|ові)?|[^аеиіоуяюєї](?:ов|ев|єв)(?:а|у|им|ої|ій|ою)|[вл]ець|няк|ура|юра|ук(?:а|у|ом)?|юк(?:а|у|ом)?|[дб]ій|чко|шко|йко|нко)$/u;

const STRONG_ENDING =
  /\p{L}{2}(?:енк(?:о|а|у|ом|ові|и|ів|ам)|[чщ]ук(?:а|у|ом|ові|и|ів|ам)?|[нлтрдкв]юк(?:а|у|ом|ові|и|ів|ам)?|ишин(?:а|у|ої|ій|ою|им|і)?)$/u;
const PATRONYMIC = /\p{L}{2}(?:[ое]вич(?:а|у|ем|еві|ові|і)?|йович(?:а|у|ем|еві|і)?|[ії]вн(?:а|и|і|у|ою|о))$/u;
/** Surname endings that other words have too. */
const WEAK_ENDING =
  /\p{L}{2}(?:ук|юк|як|ак|ик|ко|ло|ба|ха|ш|ай|ей|ій|ун|ан|ян|ар|ир|ин|ін|ець|єць|ич|ів|їв|єв|ев|ов|[сц]ьк(?:ий|ого|ому|им|а|ої|ій|у|ою)|ий|нко|чко|ва|на|ра|да|та|ль|нь|ць|т|д|з|с|х|м|р|н|л|б)(?:а|у|ом|ові|еві|ем|ою|ої|ій|и|ою)?$/u;

function kindOf(token: Token): Kind {
  if (token.initial) return 'initial';
  const small = plain(token);
  if (small.includes('-')) return compoundKind(small);
  return wordKind(small);
}

function wordKind(small: string): Kind {
  const { given, family } = known();
  if (given.has(small)) return 'given';
  if (STRONG_ENDING.test(small) || PATRONYMIC.test(small)) return 'strong';
  if (family.has(small)) return 'strong';
  if (small.length > 3 && soundsForeign(small)) return 'sound';
  return WEAK_ENDING.test(small) ? 'weak' : 'other';
}

/** `Єва-Марія`, `Жан-П'єр`, `Квітка-Основ'яненко`; `Івано-Франківськ` is a place. */
function compoundKind(small: string): Kind {
  const kinds = small.split('-').map(wordKind);
  if (
    kinds.some((kind) => kind === 'given') &&
    kinds.every((kind) => kind === 'given' || kind === 'strong' || kind === 'sound')
  )
    return 'given';
  if (/^(?:ель|аль|ер|ан)-/.test(small)) return 'sound';
  return kinds.includes('strong') ? 'strong' : 'other';
}

/** A foreign given name by its sound, with or without a case ending. */
function soundsForeign(small: string): boolean {
  return (
    isCyrillicSound(small.replace(/(?:ові|еві|єві|ом|ем|єм|ою|ею|єю|[аяуюіїиеєо])$/, '')) || isCyrillicSound(small)
  );
}

function isNamesake({ tokens, at, text }: Place): boolean {
  for (let i = at - 1; i >= Math.max(0, at - 3); i--) {
    const [before, after] = [tokens[i] as Token, tokens[i + 1] as Token];
    if (!/^(?:\.? |\.)?[«"]?$/.test(text.slice(before.end, after.start))) return false;
    // `від імені Олени` speaks for a person, `школа імені Лесі Українки` does not.
    if (UKRAINIAN_NAMESAKE.test(plain(before)))
      return !(before.text === 'імені' && /^від$/i.test(tokens[i - 1]?.text ?? ''));
    if (!before.capital && !RANK.test(plain(before))) return false;
  }
  return false;
}

/** `міст імені гетьмана Мазепи`. */
const RANK =
  /^(?:корол|принц|княз|княг|гетьман|академік|геро|генерал|маршал|митрополит|архієпископ|апостол|поет|художник|композитор|письменник)\p{L}{0,3}$/u;

function beginsSentence({ tokens, at, text }: Place): boolean {
  return (
    at === 0 || /[.!?:\n—–][\s"«»„“]*$/.test(text.slice((tokens[at - 1] as Token).end, (tokens[at] as Token).start))
  );
}

const PARTICLES = /^(?:ван|ден|дер|де|фон|ель|аль|бін|ібн|бен|оглу|да|ді|ла|ле|дю)$/;

function isParticle(token: Token): boolean {
  return !token.capital && PARTICLES.test(token.text);
}

function isAbbreviation({ text }: Token): boolean {
  return (
    text.length > 1 && (/\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(text) || (text.length < 7 && text === text.toUpperCase()))
  );
}

/** In small letters, with the straight apostrophe. */
function plain({ text }: Token): string {
  return text.toLowerCase().replace(/[’ʼ`]/g, "'");
}

function known(): { given: ReadonlySet<string>; family: ReadonlySet<string> } {
  names ??= decode();
  return names;
}

function decode(): { given: ReadonlySet<string>; family: ReadonlySet<string> } {
  const [given = '', family = ''] = SCRIPT_LIST.replaceAll('’', "'").split('\n');
  const listed = given.split(' ').filter((name) => !NO_UKRAINIAN_GIVEN.has(name));
  const bare = family.split(' ').filter((name) => name.length > 3 && !/[сцз]ьк(?:ий|а)$|ів$/.test(name));
  return {
    given: new Set([...listed, ...MORE_UKRAINIAN_GIVEN].flatMap(ukrainianForms)),
    family: new Set(bare.flatMap(ukrainianForms)),
  };
}
