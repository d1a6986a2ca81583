import { DEFINITION_LIMITS } from './definition-limits.ts';

/** A changed block: lines `[from, to)` of the old text became lines `[newFrom, newTo)` of the new one. */
export interface ChangedBlock {
  readonly from: number;
  readonly to: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** Context lines around a change. */
const CONTEXT = 2;
const FIRST_WINDOW = 8;

/**
 * The difference between two texts as unified hunks, up to about `charsMax` characters. Takes linear time, because the texts are
 * untrusted; a shortest diff would take quadratic time.
 */
export function lineDiff(before: readonly string[], after: readonly string[], charsMax: number): string {
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]) =>
    lines.map((line) => {
      const known = numbers.get(line) ?? numbers.size;
      numbers.set(line, known);
      return known;
    });
  const hunks = hunksOf(changedBlocks(numbered(before), numbered(after)));
  let text = '';
  for (const hunk of hunks) {
    for (const line of hunkLines(before, after, hunk)) {
      text += `${line}\n`;
      if (text.length > charsMax) return text;
    }
  }
  return text;
}

/** The blocks that differ between two lists, in order. */
export function changedBlocks(before: readonly number[], after: readonly number[]): ChangedBlock[] {
  const blocks: ChangedBlock[] = [];
  let from = 0;
  let newFrom = 0;
  while (from < before.length || newFrom < after.length) {
    if (from < before.length && newFrom < after.length && before[from] === after[newFrom]) {
      from += 1;
      newFrom += 1;
      continue;
    }
    const { removed, added } = nextMeeting(before, from, after, newFrom);
    blocks.push({ from, to: from + removed, newFrom, newTo: newFrom + added });
    from += removed;
    newFrom += added;
  }
  return blocks;
}

interface Meeting {
  readonly removed: number;
  readonly added: number;
}

/**
 * The nearest position where both lists continue equally: the one that skips the fewest items. The search window doubles, so that a
 * search costs only a small multiple of what it skips.
 */
function nextMeeting(before: readonly number[], from: number, after: readonly number[], newFrom: number): Meeting {
  for (let size = FIRST_WINDOW; ; size *= 2) {
    const to = Math.min(from + size, before.length);
    const newTo = Math.min(newFrom + size, after.length);
    const nearest = meetingWithin(before, from, to, after, newFrom, newTo);
    const isAll = to === before.length && newTo === after.length;
    // A match outside of the window skips more items than this on one side alone.
    if (nearest && (isAll || nearest.removed + nearest.added < size)) return nearest;
    if (isAll) return { removed: to - from, added: newTo - newFrom };
  }
}

function meetingWithin(
  before: readonly number[],
  from: number,
  to: number,
  after: readonly number[],
  newFrom: number,
  newTo: number,
): Meeting | undefined {
  const firstPlace = new Map<number, number>();
  for (let at = newTo - 1; at >= newFrom; at -= 1) firstPlace.set(after[at] as number, at - newFrom);
  let nearest: Meeting | undefined;
  let passed = Number.POSITIVE_INFINITY;
  for (let removed = 0; removed < Math.min(to - from, passed); removed += 1) {
    const added = firstPlace.get(before[from + removed] as number);
    if (added === undefined || removed + added >= passed) continue;
    nearest = { removed, added };
    passed = removed + added;
  }
  return nearest;
}

/** Joins changes whose context would overlap. */
function hunksOf(blocks: readonly ChangedBlock[]): ChangedBlock[][] {
  const hunks: ChangedBlock[][] = [];
  for (const block of blocks) {
    const last = hunks.at(-1)?.at(-1);
    if (last && block.from - last.to <= 2 * CONTEXT) hunks.at(-1)?.push(block);
    else hunks.push([block]);
  }
  return hunks;
}

function* hunkLines(
  before: readonly string[],
  after: readonly string[],
  blocks: readonly ChangedBlock[],
): Generator<string> {
  const [first, last] = [blocks[0] as ChangedBlock, blocks.at(-1) as ChangedBlock];
  const start = Math.max(0, first.from - CONTEXT);
  const end = Math.min(before.length, last.to + CONTEXT);
  const newStart = first.newFrom - (first.from - start);
  const newEnd = last.newTo + (end - last.to);
  yield `@@ -${range(start, end)} +${range(newStart, newEnd)} @@`;
  let at = start;
  for (const { from, to, newFrom, newTo } of blocks) {
    while (at < from) yield contextLine(before[at++] as string);
    while (at < to) yield `-${before[at++]}`;
    for (let added = newFrom; added < newTo; added += 1) yield `+${after[added]}`;
  }
  while (at < end) yield contextLine(before[at++] as string);
}

/** Truncates a context line, so that it cannot push the change itself out of the limit. */
function contextLine(line: string): string {
  const { diffContextCharsMax } = DEFINITION_LIMITS;
  return line.length > diffContextCharsMax ? ` ${line.slice(0, diffContextCharsMax - 1)}…` : ` ${line}`;
}

/** The first line and the count; for an empty range, the line before it. */
function range(start: number, end: number): string {
  return `${end > start ? start + 1 : start},${end - start}`;
}
