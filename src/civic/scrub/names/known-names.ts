import { GIVEN_LIST } from './lists/given-list.ts';
import { OTHER_LIST } from './lists/other-list.ts';
import { SCRIPT_LIST } from './lists/script-list.ts';
import { MORE_ARABIC_NAMES, MORE_GIVEN_NAMES, MORE_SURNAMES, MORE_UKRAINIAN_STEMS } from './more-names.ts';
import { NameFilter } from './name-filter.ts';

/** The large lists, decoded when the first text asks for them. */
interface Lists {
  readonly given: ReadonlySet<string>;
  readonly others: NameFilter;
  /** Ukrainian given names without their last letter, which cases change. */
  readonly ukrainianStems: ReadonlySet<string>;
  readonly arabic: ReadonlySet<string>;
}

let lists: Lists | undefined;

/** Whether a folded word is a given name of the large list; words of the languages are not on it. */
export function isListedGiven(fold: string): boolean {
  return known().given.has(fold) || MORE_GIVEN_NAMES.has(fold);
}

/** Whether a folded word is a name of the large lists, given or family; another word is taken for one about once in a hundred. */
export function isListedName(fold: string): boolean {
  if (isListedGiven(fold) || MORE_SURNAMES.has(fold)) return true;
  return /^[a-z]{3,}$/.test(fold) && known().others.has(fold);
}

const CASE_ENDING = /^(?:[аяуюіїоеиьй]|ем|ом|єм|ою|єю|ею|ові|еві|єві|)$/;

/** Whether a Ukrainian word is a given name in one of its cases. */
export function isUkrainianGiven(word: string): boolean {
  for (let cut = 0; cut <= 3; cut++) {
    const stem = word.slice(0, word.length - cut);
    if (!CASE_ENDING.test(word.slice(word.length - cut))) continue;
    if (known().ukrainianStems.has(stem) || (stem.length > 3 && MORE_UKRAINIAN_STEMS.has(stem))) return true;
  }
  return false;
}

/** Whether an Arabic word is a name, with or without a conjunction or preposition before it. */
export function isArabicName(word: string): boolean {
  const isName = (one: string): boolean => known().arabic.has(one) || MORE_ARABIC_NAMES.has(one);
  return isName(word) || (/^[وفلبك]/.test(word) && isName(word.slice(1)));
}

function known(): Lists {
  lists ??= decode();
  return lists;
}

function decode(): Lists {
  const [ukrainianGiven = '', , arabicGiven = '', arabicFamily = ''] = SCRIPT_LIST.split('\n');
  const stems = ukrainianGiven
    .split(' ')
    .filter((name) => name.length >= 4)
    .map((name) => (/[аяоьй]$/.test(name) ? name.slice(0, -1) : name));
  return {
    given: frontDecoded(GIVEN_LIST),
    others: new NameFilter(OTHER_LIST),
    ukrainianStems: new Set(stems),
    arabic: new Set([...arabicGiven.split(' '), ...arabicFamily.split(' ')].filter((name) => name.length > 2)),
  };
}

/** Each entry is a capital, which says how many letters of the name before it stay, and the letters that follow. */
function frontDecoded(text: string): Set<string> {
  const names = new Set<string>();
  let before = '';
  for (const [, shared = 'A', rest = ''] of text.matchAll(/([A-Z])([a-z]*)/g)) {
    before = before.slice(0, shared.charCodeAt(0) - 65) + rest;
    names.add(before);
  }
  return names;
}
