import { stillVisible } from '../../contract/visible-text.ts';
import { sha256Hex } from '../audit/chain.ts';
import { DEFINITION_LIMITS as LIMITS } from './definition-limits.ts';
import { indentedLines } from './indented-json.ts';
import { lineDiff } from './line-diff.ts';

const HEAD = '--- accepted\n+++ now\n';
const CUT = '\n… the difference is longer; the rest is not shown\n';
/** What a person accepts: it is compared first where a definition is too long to be compared whole. */
const PROMISED = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'];

/** The change of a tool's definition, line by line, with hidden characters made visible; at most so many characters. JSON doubles a backslash that somebody wrote, so it cannot be taken for an escape of ours. */
export function definitionDiff(before: unknown, after: unknown, charsMax: number = LIMITS.diffCharsMax): string {
  const lines = lineDiff(definitionLines(before), definitionLines(after), charsMax);
  const diff = HEAD + stillVisible(lines.slice(0, charsMax));
  return diff.length <= charsMax ? diff : diff.slice(0, charsMax - CUT.length).toWellFormed() + CUT;
}

/** The lines of a definition. What is too long to be compared is there as its digest, so that no change of it stays unseen. */
function definitionLines(definition: unknown): string[] {
  const json = JSON.stringify(definition);
  if (json.length <= LIMITS.comparedCharsMax) return indentedLines(json, LIMITS.indentedLevelsMax);
  const ordered = promisedFirst(definition as Readonly<Record<string, unknown>>);
  const rest = ordered.slice(LIMITS.comparedCharsMax);
  return [
    ...indentedLines(ordered.slice(0, LIMITS.comparedCharsMax), LIMITS.indentedLevelsMax),
    `… ${rest.length} more characters, SHA-256 ${sha256Hex(rest)}`,
  ];
}

/** Two texts and not one object: names that are numbers would come before all others. */
function promisedFirst(definition: Readonly<Record<string, unknown>>): string {
  const { promised = [], other = [] } = Object.groupBy(Object.entries(definition), ([name]) =>
    PROMISED.includes(name) ? 'promised' : 'other',
  );
  promised.sort(([a], [b]) => PROMISED.indexOf(a) - PROMISED.indexOf(b));
  return [promised, other]
    .filter((members) => members.length > 0)
    .map((members) => JSON.stringify(Object.fromEntries(members)))
    .join(',');
}
