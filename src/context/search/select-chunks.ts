import { MEASURES } from './index-input.ts';
import type { Ranking } from './rank-chunks.ts';

/** The index of the token count in the measures of a chunk. */
const TOKENS = 3;

/** Number of score groups: a budget seldom needs more than the first groups sorted. */
const GROUPS = 2_048;

/** Walks the chunks by score descending, then by number, and takes each one that still fits the budget. A budget of 0 takes none. */
export function selectChunks(
  { chunks, scores }: Pick<Ranking, 'chunks' | 'scores'>,
  measures: Uint16Array,
  budget: number,
): number[] {
  const selected: number[] = [];
  if (budget === 0 || chunks.length === 0) return selected;
  let best = 0;
  let tokensMin = Number.POSITIVE_INFINITY;
  for (let place = 0; place < chunks.length; place++) {
    const chunk = chunks[place] as number;
    best = Math.max(best, scores[chunk] as number);
    tokensMin = Math.min(tokensMin, measures[chunk * MEASURES + TOKENS] as number);
  }
  const { grouped, starts } = groupByScore(chunks, scores, best);
  const inOrder = (left: number, right: number) => (scores[right] as number) - (scores[left] as number) || left - right;
  let left = budget;
  for (let group = 0; group < GROUPS && left >= tokensMin; group++) {
    const members: number[] = [];
    for (let place = starts[group] as number; place < (starts[group + 1] as number); place++) {
      const chunk = grouped[place] as number;
      if ((measures[chunk * MEASURES + TOKENS] as number) <= left) members.push(chunk);
    }
    for (const chunk of members.sort(inOrder)) {
      const tokens = measures[chunk * MEASURES + TOKENS] as number;
      if (tokens > left) continue;
      left -= tokens;
      selected.push(chunk);
    }
  }
  return selected;
}

/** The chunks by group, the group of the best scores first; no score is in a later group than a lower one. */
function groupByScore(chunks: Uint32Array, scores: Float64Array, best: number) {
  const scale = (GROUPS - 1) / best;
  const groups = new Uint16Array(chunks.length);
  const starts = new Uint32Array(GROUPS + 1);
  for (let place = 0; place < chunks.length; place++) {
    const group = GROUPS - 1 - Math.floor((scores[chunks[place] as number] as number) * scale);
    // A quotient may be rounded up, but the best score must be in the first group.
    groups[place] = Math.max(0, group);
    const next = (groups[place] as number) + 1;
    starts[next] = (starts[next] as number) + 1;
  }
  for (let group = 1; group <= GROUPS; group++)
    starts[group] = (starts[group] as number) + (starts[group - 1] as number);
  const next = starts.slice();
  const grouped = new Uint32Array(chunks.length);
  for (let place = 0; place < chunks.length; place++) {
    const group = groups[place] as number;
    const at = next[group] as number;
    next[group] = at + 1;
    grouped[at] = chunks[place] as number;
  }
  return { grouped, starts };
}
