import type { Span } from '../digit-chains.ts';
import { SCRUB_LIMITS } from '../limits.ts';
import { arabicNameAt } from './arabic-names.ts';
import { CUES, type Cue, POSSESSIVES, RELATIONS } from './cues.ts';
import { AMBIGUOUS_NAMES, GIVEN_NAMES } from './given-names.ts';
import { isListedGiven, isListedName } from './known-names.ts';
import { NAMESAKE_AFTER, NAMESAKE_BEFORE, NAMESAKE_ENDING, OTHER_WORDS } from './other-words.ts';
import { foldName, PLACES } from './places.ts';
import { JOINED_SURNAME, PARTICLES, SURNAME_ENDING, SURNAMES } from './surnames.ts';
import { type Token, tokenise } from './tokenise.ts';
import { ukrainianNameAt } from './ukrainian-names.ts';

/**
 * Finds names of persons by the surrounding words, by given names next to a capitalised word, and by surnames. Excludes namesakes (streets,
 * schools, laws). It favours recall over precision, because it only holds.
 */
export function findPersonNames(text: string): Span[] {
  const tokens = tokenise(text);
  const spans: Span[] = [];
  for (let i = 0; i < tokens.length; ) {
    const last = nameAt(tokens, i, text);
    if (last === undefined) {
      i++;
      continue;
    }
    spans.push({ start: (tokens[i] as Token).start, end: (tokens[last] as Token).end });
    i = last + 1;
  }
  return spans;
}

/** Index of the last word of a name that begins at `at`; each script has its own rules. */
function nameAt(tokens: readonly Token[], at: number, text: string): number | undefined {
  const { script } = tokens[at] as Token;
  if (script === 'arabic') return arabicNameAt(tokens, at, text);
  if (script === 'cyrillic') return ukrainianNameAt({ tokens, at, text });
  return nameAfterCue(tokens, at, text) ?? nameInBrackets(tokens, at, text) ?? nameByItself(tokens, at);
}

/** Index of the last word of a name announced by the preceding words. */
function nameAfterCue(tokens: readonly Token[], at: number, text: string): number | undefined {
  if (!mayBegin(tokens[at] as Token)) return undefined;
  const found = cueBefore(tokens, at, text);
  if (!found) return undefined;
  const { cue, relation } = found;
  const run = readName(tokens, at);
  if (run.length === 0) {
    return isTypedSmall(tokens, at, cue) ? at : undefined;
  }
  const words = run.filter((i) => !isParticle(tokens[i] as Token) && !(tokens[i] as Token).initial);
  const last = run.at(-1) as number;
  if (words.length === 0) return undefined;
  if (cue === 'title' || cue === 'self' || cue === 'label' || relation) return last;
  const given = isGiven(tokens[words[0] as number] as Token);
  if (cue === 'presents') return given ? last : undefined;
  const isShouted = words.some((i) => isAbbreviation(tokens[i] as Token));
  if (cue === 'profession' && words.length <= 2 && !isShouted && isRoleBefore(tokens, at, text)) {
    return namesake(tokens, at, last) ? undefined : last;
  }
  // `Signed: P. Zinga`.
  if (cue === 'named' && words.length < run.length && !isShouted) return last;
  if (given || words.some((i) => SURNAMES.has((tokens[i] as Token).fold)))
    return namesake(tokens, at, last) ? undefined : last;
  const before = tokens[at - 1] as Token;
  const isNoun = isGermanCue(before) && !/^gruss/.test(before.fold) && !beginsSentence(tokens, at - 1, text);
  return words.length >= 2 && !isNoun && !namesake(tokens, at, last) ? last : undefined;
}

/** `the clerk (Van Hoof)`: a role, and only a name in brackets. German nouns are capitalised, so there it must be a known name. */
function nameInBrackets(tokens: readonly Token[], at: number, text: string): number | undefined {
  const [before, first] = [tokens[at - 1], tokens[at] as Token];
  if (!before || first.script !== 'latin' || !first.capital) return undefined;
  if (!/^\s\($/.test(text.slice(before.end, first.start))) return undefined;
  const cue = CUES.get(before.fold);
  if (cue !== 'profession' && cue !== 'relation' && cue !== 'title') return undefined;
  const run = readName(tokens, at);
  const last = run.at(-1);
  if (last === undefined || run.length > 3 || !/^\.?\)/.test(text.slice((tokens[last] as Token).end))) return undefined;
  const words = run.map((i) => tokens[i] as Token).filter((word) => !isParticle(word) && !word.initial);
  if (words.length === 0 || words.some(isAbbreviation) || namesake(tokens, at, last)) return undefined;
  return words.some(isNameWord) || !GERMAN_NOUN.test(words[0]?.text ?? '') ? last : undefined;
}

/** Endings of other words in brackets after a role. */
const GERMAN_NOUN =
  /(?:amt|dienst|stelle|ung|heit|keit|schaft|zeit|tag|woch|büro|polizei|schalter|gemeinde|haus|zimmer|stock|raum|zentrum|recht|wesen|halle|abend|morgen)(?:e?s|e?n)?$/iu;

/** Whether a word begins the text, a line or a sentence. */
function beginsSentence(tokens: readonly Token[], at: number, text: string): boolean {
  return at === 0 || /[.!?:\n][\s"«»„“]*$/.test(text.slice((tokens[at - 1] as Token).end, (tokens[at] as Token).start));
}

/**
 * `wijkagent Marlier`, but not `aanvraag van Visum`: the preceding word is a role. The name may also be set off by commas, except after
 * German nouns, where any noun may follow.
 */
function isRoleBefore(tokens: readonly Token[], at: number, text: string): boolean {
  const [before, token] = [tokens[at - 1] as Token, tokens[at] as Token];
  if (isParticle(before) || before.fold === 'of') return false;
  return (
    token.joined || (!isGermanCue(before) && text.slice(before.end, token.start) === ', ' && text[token.end] === ',')
  );
}

/** All capitals, as in abbreviations. */
function isAbbreviation({ text }: Token): boolean {
  return text.length > 1 && text.length < 7 && text === text.toUpperCase();
}

/** Lower case begins a name only if names are typed so, or with a particle. */
function mayBegin(token: Token): boolean {
  return token.capital || isParticle(token) || isNameWord(token);
}

/** Whether a lower-case name follows its cue: a given name, or after a title any name that is no word. */
function isTypedSmall(tokens: readonly Token[], at: number, cue: Cue): boolean {
  const token = tokens[at] as Token;
  if (token.capital || AMBIGUOUS_NAMES.has(token.fold) || isStopped(token)) return false;
  if (cue === 'title' || cue === 'label') return token.fold.length > 3 && isListedName(token.fold);
  return cue !== 'of' && cue !== 'profession' && isGiven(token);
}

/** Words that look like names but are places, offices or grammar. */
function isStopped({ fold }: Token): boolean {
  if (OTHER_WORDS.has(fold) || PLACES.has(fold)) return true;
  return /s(?:e|er|en)$/.test(fold) && PLACES.has(fold.replace(/s(?:e|er|en)$/, ''));
}

/** A listed name, or a word with a surname's ending. */
function isNameWord(token: Token): boolean {
  if (SURNAMES.has(token.fold) || SURNAME_ENDING.test(token.text)) return true;
  if (isStopped(token)) return false;
  return GIVEN_NAMES.has(token.fold) || token.text.split('-').every((part) => isListedName(foldName(part)));
}

const SAINT = /^(?:saint|sainte|sint|sankt|st)-/i;

/** Index of the last word of a name that needs no cue. */
function nameByItself(tokens: readonly Token[], at: number): number | undefined {
  const first = tokens[at] as Token;
  if (!first.capital) return smallFullName(tokens, at);
  if (JOINED_SURNAME.test(first.text)) return at;
  const run = readName(tokens, at);
  if (run.length === 0) return undefined;
  const last = run.at(-1) as number;
  const words = run.map((i) => tokens[i] as Token);
  if (run.length === 1 && (isFamily(tokens, at) || isSpeaker(tokens, at))) return last;
  if (isOfOffice(tokens, run)) return last;
  if (run.length === 1) return isSingleGiven(tokens, at) && !namesake(tokens, at, last) ? last : undefined;
  const [, second] = words;
  const surnameLike = words.slice(1).some((word) => !word.initial && !isParticle(word) && isNameWord(word));
  const plainGiven = isGiven(first) && (!AMBIGUOUS_NAMES.has(first.fold) || surnameLike);
  const fits =
    plainGiven ||
    (first.initial && surnameLike) ||
    (surnameLike && !first.initial && !isParticle(first) && (isNameWord(first) || !isDoubtful(words))) ||
    (words.at(-1)?.initial && words.length <= 3 && words.some((word) => isBeforeInitial(word))) ||
    (isSurnameFirst(words) && words.some((word) => isGiven(word))) ||
    (second?.capital && isParticle(second) && words.length >= 3 && !isParticle(first));
  return fits && !namesake(tokens, at, last) ? last : undefined;
}

/** `fatima el amrani`: a lower-case given name and family name, neither of which is a word. */
function smallFullName(tokens: readonly Token[], at: number): number | undefined {
  const first = tokens[at] as Token;
  const isWeak = (token: Token): boolean =>
    token.fold.length < 3 || AMBIGUOUS_NAMES.has(token.fold) || isStopped(token) || token.capital;
  if (isWeak(first) || !isListedName(first.fold)) return undefined;
  let next = at + 1;
  while (tokens[next]?.joined && isParticle(tokens[next] as Token) && next < at + 4) next++;
  const family = tokens[next];
  if (!family?.joined || isWeak(family)) return undefined;
  const isGivenFirst = isListedGiven(first.fold) && (SURNAMES.has(family.fold) || isListedName(family.fold));
  return isGivenFirst || (first.fold.length > 4 && isListedGiven(family.fold)) ? next : undefined;
}

const SPEAKS =
  /^(?:said|told|says|explained|wrote|promised|confirmed|insisted|replied|zei|vertelde|schreef|beloofde|bevestigde|uitlegde|antwoordde|sagte|erklärte|schrieb|versprach|bestätigte|meinte|antwortete|ma|a|ont|сказав|сказала|пояснив|пояснила)$/;
const SPOKEN = /^(?:dit|expliqué|écrit|promis|confirmé|répondu|assuré|demandé)$/;

/** `Shanthi told me`, `Dilshod m'a dit`: a listed name as the subject of a verb of speech; offices are not on these lists. */
function isSpeaker(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  if (!next?.joined || !isNameWord(tokens[at] as Token) || isAbbreviation(tokens[at] as Token)) return false;
  if (/^(?:m|l|nous|lui|leur|a|ont)$/.test(next.fold)) {
    return tokens.slice(at + 2, at + 4).some((token) => token.joined && SPOKEN.test(token.text));
  }
  return SPEAKS.test(next.text);
}

const OFFICES =
  /(?:office|desk|counter|department|helpdesk|hall|service|bureau|guichet|accueil|commune|administration|dienst|loket|balie|onthaal|gemeentehuis|stadhuis|amt|schalter|empfang|rathaus|gemeinde)$/;

/** `Ravindra Pillai from the tax office`: two possible names, and a workplace. */
function isOfOffice(tokens: readonly Token[], run: readonly number[]): boolean {
  const last = run.at(-1) as number;
  if (run.length !== 2) return false;
  const of = tokens[last + 1];
  if (!of || !/^(?:from|at|van|aan|du|de|vom|am|von|im)$/.test(of.text)) return false;
  if (run.some((i) => isAbbreviation(tokens[i] as Token)) || namesake(tokens, run[0] as number, last)) return false;
  return tokens.slice(last + 2, last + 5).some((token) => OFFICES.test(token.fold));
}

/** `the Rahmani family`. */
function isFamily(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  return next?.joined === true && /^(?:family|household|couple)$/.test(next.text) && isNameWord(tokens[at] as Token);
}

/** A single given name that is no word, place or abbreviation. */
function isSingleGiven(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at] as Token;
  const isShouted = token.text.length > 1 && token.text === token.text.toUpperCase();
  if (token.initial || isShouted || AMBIGUOUS_NAMES.has(token.fold) || token.fold.length < 3) return false;
  const next = tokens[at + 1];
  // `Thomas More`, `Don Bosco`: a following capitalised word is checked together with it.
  if (next?.joined && next.capital) return false;
  return isGiven(token);
}

/** `Temmerman K.` */
function isBeforeInitial(word: Token): boolean {
  if (word.initial || word.fold.length < 4) return false;
  return true;
}

/** A run whose only name is in the large filter and on no list of surnames: one such word is weak evidence. */
function isDoubtful(words: readonly Token[]): boolean {
  return !words.slice(1).some((word) => SURNAMES.has(word.fold) || SURNAME_ENDING.test(word.text));
}

/** The words of a name from `at` on: initials, particles and capitalised words that are no other words. */
function readName(tokens: readonly Token[], at: number): number[] {
  const run: number[] = [];
  // A title announces a name, but is not part of it.
  if (CUES.get((tokens[at] as Token).fold) === 'title') return run;
  for (let i = at; i < tokens.length && run.length < SCRUB_LIMITS.nameWordsMax; i++) {
    const token = tokens[i] as Token;
    if (i > at && !token.joined) break;
    if (token.script !== 'latin') break;
    if (token.initial || isParticle(token)) {
      run.push(i);
      continue;
    }
    if (!token.capital) break;
    const given = i === at && isGiven(token);
    if (!given && isOtherWord(token, i > at)) break;
    run.push(i);
  }
  while (run.length > 0 && isParticle(tokens[run.at(-1) as number] as Token)) run.pop();
  return run;
}

function isOtherWord(token: Token, afterName: boolean): boolean {
  if (afterName && SURNAMES.has(token.fold)) return false;
  if (isStopped(token)) return true;
  return SAINT.test(token.text);
}

function isGiven(token: Token): boolean {
  if (GIVEN_NAMES.has(token.fold)) return true;
  if (isStopped(token)) return false;
  if (!token.text.includes('-')) return isListedGiven(token.fold);
  if (SAINT.test(token.text)) return false;
  return token.text
    .split('-')
    .map(foldName)
    .some((part) => GIVEN_NAMES.has(part) || isListedGiven(part));
}

function isParticle(token: Token): boolean {
  return PARTICLES.has(token.fold);
}

/** `DUBOIS Philippe`, `VAN DEN BERGHE Luc`: a surname in capitals before the given name; short ones are abbreviations. */
function isSurnameFirst(words: readonly Token[]): boolean {
  const first = words.find((word) => !isParticle(word));
  return (
    first !== undefined &&
    (SURNAMES.has(first.fold) || (first.text.length >= 4 && first.text === first.text.toUpperCase()))
  );
}

/** Whether the surrounding words make it the name of a street, a house, a law or a case. */
function namesake(tokens: readonly Token[], at: number, last: number): boolean {
  const end = tokens[last] as Token;
  if (NAMESAKE_ENDING.test(end.text) && !SURNAMES.has(end.fold)) return true;
  const next = tokens[last + 1];
  const isThe = (tokens[at - 1]?.fold ?? tokens[at]?.fold) === 'the';
  if (next?.joined && (next.capital || isThe) && NAMESAKE_AFTER.has(next.fold)) return true;
  for (let i = at - 1; i >= Math.max(0, at - 3); i--) {
    const before = tokens[i] as Token;
    if (!(tokens[i + 1] as Token).joined) return false;
    if (NAMESAKE_BEFORE.has(before.fold)) return true;
    if (!isParticle(before) && !before.capital) return false;
  }
  return false;
}

function cueBefore(tokens: readonly Token[], at: number, text: string): { cue: Cue; relation: boolean } | undefined {
  const before = tokens[at - 1];
  if (!before) return undefined;
  const gap = text.slice(before.end, (tokens[at] as Token).start);
  if (gap.length > 4) return undefined;
  // A possessive before the cue makes it a relation: `ma fille Chloé`, not any `fille`.
  let words = '';
  let found: { cue: Cue; relation: boolean } | undefined;
  for (let count = 1; count <= SCRUB_LIMITS.cueWordsMax && at - count >= 0; count++) {
    const token = tokens[at - count] as Token;
    if (count > 1 && !(tokens[at - count + 1] as Token).joined) break;
    words = count === 1 ? token.fold : `${token.fold} ${words}`;
    const cue = CUES.get(words);
    if (!cue) continue;
    const owner = tokens[at - count - 1];
    const relation =
      RELATIONS.has(words) &&
      (token.script === 'arabic' || (owner !== undefined && token.joined && POSSESSIVES.has(owner.fold)));
    if (relation && /^\s?[,:]?\s+$/.test(gap)) return { cue: 'relation', relation };
    // `buurman Staf`: without a possessive only a given name counts.
    if (cue === 'relation' && gap === ' ' && isGiven(tokens[at] as Token)) found ??= { cue: 'named', relation: false };
    if (
      cue === 'title'
        ? isTitle(token, gap, words)
        : cue === 'label'
          ? /^\s?:\s?$/.test(gap)
          : cue !== 'relation' && /^\s?[,:]?\s*$/.test(gap)
    ) {
      // `namens` can precede anything, `eine Dame namens` only a name; `signed by` is stronger than `by`.
      if (cue === 'self') return { cue, relation: false };
      if (found === undefined || found.cue === 'of') found = { cue, relation: false };
    }
  }
  return found;
}

/** `M. Dupont` and `Fr. Neumann` need the dot and the capital: `m` and `fr` alone are a unit and a language. */
function isTitle(token: Token, gap: string, words: string): boolean {
  if (!/^\.?\s{1,2}$/.test(gap)) return false;
  if (words === 'm' || words === 'fr' || words === 'hr') return token.capital && gap.startsWith('.');
  return words.length > 3 || token.capital || /^(?:dhr|mw|dr|mr|ms|mrs|пан|mtr|ing|ir)$/.test(words);
}

function isGermanCue(token: Token | undefined): boolean {
  return token?.capital === true;
}
