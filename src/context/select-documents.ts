import { scoreOf } from './score.ts';

/** The figures of each document that selection needs, by its index in id order. */
export interface Measures {
  readonly matches: Uint32Array;
  readonly totalWords: Uint32Array;
  readonly tokens: Uint32Array;
}

/**
 * Walks the documents by score descending, then id ascending, and takes each one that still fits the budget. A
 * budget of 0 takes none, not even an empty document.
 */
export function selectDocuments(measures: Measures, budget: number): number[] {
  const selected: number[] = [];
  if (budget === 0) return selected;
  const { matches, tokens } = measures;
  let left = budget;
  const take = (document: number) => {
    const cost = tokens[document] as number;
    if (cost > left) return;
    left -= cost;
    selected.push(document);
  };
  const ranked = rankMatching(measures);
  for (let group = ranked.next(left); group && left >= ranked.tokensMin; group = ranked.next(left)) group.forEach(take);
  for (let document = 0; document < matches.length; document++) {
    if (matches[document] === 0) take(document);
  }
  return selected;
}

/** Matching documents, best first, a group at a time: a budget seldom needs more than the first groups sorted. */
interface Ranked {
  /** Tokens of the shortest of them. */
  readonly tokensMin: number;
  /** The next group, without documents that exceed the remaining tokens. */
  next(tokensLeft: number): number[] | undefined;
}

/** The bits of a positive float sort like the float; these are the highest that a score can have. */
const BITS_OF_ONE = 0x3f800000;
const GROUP_SHIFT = 17;
const GROUPS = (BITS_OF_ONE >>> GROUP_SHIFT) + 1;

function rankMatching({ matches, totalWords, tokens }: Measures): Ranked {
  const scores = new Float32Array(matches.length);
  const bits = new Uint32Array(scores.buffer);
  const ends = new Uint32Array(GROUPS);
  let tokensMin = Number.POSITIVE_INFINITY;
  for (let document = 0; document < matches.length; document++) {
    const count = matches[document] as number;
    if (count === 0) continue;
    scores[document] = scoreOf(count, totalWords[document] as number);
    const group = (BITS_OF_ONE - (bits[document] as number)) >>> GROUP_SHIFT;
    ends[group] = (ends[group] as number) + 1;
    const cost = tokens[document] as number;
    if (cost < tokensMin) tokensMin = cost;
  }
  for (let group = 1; group < GROUPS; group++) ends[group] = (ends[group] as number) + (ends[group - 1] as number);
  const documents = new Uint32Array(ends[GROUPS - 1] as number);
  // From the last to the first, so that each group is filled in id order and its end becomes its start.
  for (let document = matches.length - 1; document >= 0; document--) {
    if (matches[document] === 0) continue;
    const group = (BITS_OF_ONE - (bits[document] as number)) >>> GROUP_SHIFT;
    const place = (ends[group] as number) - 1;
    ends[group] = place;
    documents[place] = document;
  }
  let group = 0;
  return {
    tokensMin,
    next: (tokensLeft) => {
      while (group < GROUPS && ends[group] === (ends[group + 1] ?? documents.length)) group++;
      if (group === GROUPS) return undefined;
      const members: number[] = [];
      const end = ends[group + 1] ?? documents.length;
      for (let place = ends[group] as number; place < end; place++) {
        const document = documents[place] as number;
        if ((tokens[document] as number) <= tokensLeft) members.push(document);
      }
      group++;
      // Sorting is stable, so equal scores stay in id order.
      return members.sort((left, right) => (bits[right] as number) - (bits[left] as number));
    },
  };
}
