import type { Span } from '../digit-chains.ts';
import { SCRUB_LIMITS } from '../limits.ts';
import { ARABIC_OFFICES, CUES, type Cue, POSSESSIVES, RELATIONS } from './cues.ts';
import { AMBIGUOUS_NAMES, GIVEN_NAMES, OTHER_SCRIPT_NAMES } from './given-names.ts';
import { NAMESAKE_AFTER, NAMESAKE_BEFORE, NAMESAKE_ENDING, OTHER_WORDS } from './other-words.ts';
import { PLACES } from './places.ts';
import { JOINED_SURNAME, PARTICLES, SURNAME_ENDING, SURNAMES } from './surnames.ts';
import { type Token, tokenise } from './tokenise.ts';

/**
 * Finds names of persons by the words around them, by given names with a capitalised word beside them, and by surnames;
 * what is named after a person (streets, schools, laws) is left out. Tuned to find rather than to spare: it only holds.
 */
export function findPersonNames(text: string): Span[] {
  const tokens = tokenise(text);
  const spans: Span[] = [];
  for (let i = 0; i < tokens.length; ) {
    const last = nameAfterCue(tokens, i, text) ?? nameByItself(tokens, i);
    if (last === undefined) {
      i++;
      continue;
    }
    spans.push({ start: (tokens[i] as Token).start, end: (tokens[last] as Token).end });
    i = last + 1;
  }
  return spans;
}

/** Index of the last word of a name that begins at `at` because of the words before it. */
function nameAfterCue(tokens: readonly Token[], at: number, text: string): number | undefined {
  if (!mayBegin(tokens[at] as Token)) return undefined;
  const found = cueBefore(tokens, at, text);
  if (!found) return undefined;
  const { cue, relation } = found;
  const first = tokens[at] as Token;
  if (first.script === 'arabic') return arabicName(tokens, at, cue);
  const run = readName(tokens, at);
  if (run.length === 0) {
    const typedSmall = (cue === 'self' || cue === 'presents') && isGiven(first) && !AMBIGUOUS_NAMES.has(first.fold);
    return typedSmall ? at : undefined;
  }
  const words = run.filter((i) => !isParticle(tokens[i] as Token) && !(tokens[i] as Token).initial);
  const last = run.at(-1) as number;
  if (words.length === 0) return undefined;
  if (cue === 'title' || cue === 'self' || cue === 'label' || relation) return last;
  const given = isGiven(tokens[words[0] as number] as Token);
  if (cue === 'presents') return given ? last : undefined;
  if (given || words.some((i) => SURNAMES.has((tokens[i] as Token).fold)))
    return namesake(tokens, at, last) ? undefined : last;
  return words.length >= 2 && !isGermanCue(tokens[at - 1]) && !namesake(tokens, at, last) ? last : undefined;
}

/** Small letters begin a name only where it is typed so, or with a particle. */
function mayBegin(token: Token): boolean {
  return token.capital || token.script === 'arabic' || isParticle(token) || GIVEN_NAMES.has(token.fold);
}

/** Index of the last word of a name that begins at `at` and shows itself. */
function nameByItself(tokens: readonly Token[], at: number): number | undefined {
  const first = tokens[at] as Token;
  if (first.script === 'arabic') return arabicPair(tokens, at);
  if (!first.capital) return undefined;
  if (JOINED_SURNAME.test(first.text)) return at;
  const run = readName(tokens, at);
  if (run.length < 2) return undefined;
  const last = run.at(-1) as number;
  const words = run.map((i) => tokens[i] as Token);
  const [, second] = words;
  const surnameLike = words.slice(1).some((word) => SURNAMES.has(word.fold) || SURNAME_ENDING.test(word.text));
  const plainGiven = isGiven(first) && (!AMBIGUOUS_NAMES.has(first.fold) || surnameLike);
  const fits =
    plainGiven ||
    (first.initial && surnameLike) ||
    (surnameLike && !first.initial && !isParticle(first)) ||
    (isSurnameFirst(words) && words.some((word) => isGiven(word))) ||
    (second?.capital && isParticle(second) && words.length >= 3 && !isParticle(first));
  return fits && !namesake(tokens, at, last) ? last : undefined;
}

/** The words of a name from `at` on: initials, particles and capitalised words that are no other words. */
function readName(tokens: readonly Token[], at: number): number[] {
  const run: number[] = [];
  // A title announces a name and is none.
  if (CUES.get((tokens[at] as Token).fold) === 'title') return run;
  for (let i = at; i < tokens.length && run.length < SCRUB_LIMITS.nameWordsMax; i++) {
    const token = tokens[i] as Token;
    if (i > at && !token.joined) break;
    if (token.script === 'arabic') break;
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
  if (OTHER_WORDS.has(token.fold) || PLACES.has(token.fold)) return true;
  return /^(?:saint|sainte|sint|sankt|st)-/i.test(token.text);
}

function isGiven(token: Token): boolean {
  if (token.script === 'cyrillic') return isCyrillicGiven(token.text);
  if (!token.text.includes('-')) return GIVEN_NAMES.has(token.fold);
  return (
    GIVEN_NAMES.has(token.fold) ||
    token.text.split('-').every((part) => GIVEN_NAMES.has(part.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')))
  );
}

/** Cases change the end of a Ukrainian name. */
function isCyrillicGiven(word: string): boolean {
  if (OTHER_SCRIPT_NAMES.has(word)) return true;
  for (const name of OTHER_SCRIPT_NAMES) {
    if (word.length <= name.length + 2 && word.length >= name.length && word.startsWith(name.slice(0, -1))) return true;
  }
  return false;
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

/** True if the words around make it the name of a street, a house, a law or a case. */
function namesake(tokens: readonly Token[], at: number, last: number): boolean {
  const end = tokens[last] as Token;
  if (NAMESAKE_ENDING.test(end.text) && !SURNAMES.has(end.fold)) return true;
  const next = tokens[last + 1];
  if (next?.joined && next.capital && NAMESAKE_AFTER.has(next.fold)) return true;
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
  // Only what was said before the cue tells a relation: `ma fille Chloé`, not any `fille`.
  let words = '';
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
    if (
      cue === 'title'
        ? isTitle(token, gap, words)
        : cue === 'label'
          ? /^\s?:\s?$/.test(gap)
          : cue !== 'relation' && /^\s?[,:]?\s*$/.test(gap)
    ) {
      return { cue, relation: false };
    }
  }
  return undefined;
}

/** `M. Dupont` and `Fr. Neumann` need their point and capital: `m` and `fr` alone are a unit and a language. */
function isTitle(token: Token, gap: string, words: string): boolean {
  if (!/^\.?\s{1,2}$/.test(gap)) return false;
  if (words === 'm' || words === 'fr' || words === 'hr') return token.capital && gap.startsWith('.');
  return words.length > 3 || token.capital || /^(?:dhr|mw|dr|mr|ms|mrs|пан|mtr|ing|ir)$/.test(words);
}

function isGermanCue(token: Token | undefined): boolean {
  return token?.capital === true;
}

function arabicName(tokens: readonly Token[], at: number, cue: Cue): number | undefined {
  const token = tokens[at] as Token;
  const sure = cue === 'title' || cue === 'self' || cue === 'label';
  if (ARABIC_OFFICES.has(token.text) || !(sure || OTHER_SCRIPT_NAMES.has(token.text))) return undefined;
  const next = tokens[at + 1];
  return next?.joined && next.text.startsWith('ال') ? at + 1 : at;
}

function arabicPair(tokens: readonly Token[], at: number): number | undefined {
  const next = tokens[at + 1];
  if (!next?.joined || !OTHER_SCRIPT_NAMES.has((tokens[at] as Token).text)) return undefined;
  return OTHER_SCRIPT_NAMES.has(next.text) || next.text === 'بن' ? at + 1 : undefined;
}
