import { GIVEN_LIST } from './lists/given-list.ts';
import { OTHER_LIST } from './lists/other-list.ts';
import { MORE_GIVEN_NAMES, MORE_SURNAMES } from './more-names.ts';
import { NameFilter } from './name-filter.ts';

/** The large lists, decoded on first use. */
interface Lists {
  readonly given: ReadonlySet<string>;
  readonly others: NameFilter;
}

let lists: Lists | undefined;

/** Whether a folded word is a given name of the large list, which excludes ordinary words. */
export function isListedGiven(fold: string): boolean {
  return known().given.has(fold) || MORE_GIVEN_NAMES.has(fold);
}

/** Whether a folded word is a given or family name of the large lists; false positives: about one in a hundred. */
export function isListedName(fold: string): boolean {
  if (isListedGiven(fold) || MORE_SURNAMES.has(fold)) return true;
  return /^[a-z]{3,}$/.test(fold) && known().others.has(fold);
}

export function listedGivenNames(): Iterable<string> {
  return known().given;
}

function known(): Lists {
  lists ??= decode();
  return lists;
}

function decode(): Lists {
  return { given: frontDecoded(GIVEN_LIST), others: new NameFilter(OTHER_LIST) };
}

/** Front coding: a capital says how many letters of the previous name to keep; the new letters follow. */
function frontDecoded(text: string): Set<string> {
  const names = new Set<string>();
  let before = '';
  for (const [, shared = 'A', rest = ''] of text.matchAll(/([A-Z])([a-z]*)/g)) {
    before = before.slice(0, shared.charCodeAt(0) - 65) + rest;
    names.add(before);
  }
  return names;
}
