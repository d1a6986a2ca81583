import { stillVisible } from '../../contract/visible-text.ts';
import { sha256Hex } from '../audit/chain.ts';
import { DEFINITION_LIMITS as LIMITS } from './definition-limits.ts';
import { indentedLines } from './indented-json.ts';
import { lineDiff } from './line-diff.ts';

const HEAD = '--- accepted\n+++ now\n';
const CUT = '\n… the difference is longer; the rest is not shown\n';
/** The members that a person accepts; compared first if a definition is too long to be compared in full. */
const PROMISED = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'];

/**
 * The line diff of a tool's definition, with hidden characters made visible and limited in length. JSON doubles a backslash in the
 * definition, so it cannot be mistaken for one of our escapes.
 */
export function definitionDiff(before: unknown, after: unknown, charsMax: number = LIMITS.diffCharsMax): string {
  const lines = lineDiff(definitionLines(before), definitionLines(after), charsMax);
  const diff = HEAD + stillVisible(lines.slice(0, charsMax));
  return diff.length <= charsMax ? diff : diff.slice(0, charsMax - CUT.length).toWellFormed() + CUT;
}

/** The lines of a definition. The part that is too long to compare is replaced by its digest, so that a change in it still shows. */
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

/** Two JSON texts instead of one object, because an object would put numeric names first. */
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
