/** The first name of the provider directory that a text contains; undefined where it has none. */
export type NameMatcher = (text: string) => string | undefined;

export const noNames: NameMatcher = () => undefined;

/** Matches whole words, whatever their case, width or emphasis. */
export function matchNames(names: readonly string[]): NameMatcher {
  const folded = new Map(names.map((name) => [fold(name).trim(), name]));
  folded.delete('');
  if (folded.size === 0) return noNames;
  const alternatives = [...folded.keys()].sort((a, b) => b.length - a.length).map(escapePattern);
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.join('|')})(?![\\p{L}\\p{N}])`, 'u');
  return (text) => {
    const found = pattern.exec(fold(text))?.[0];
    return found === undefined ? undefined : folded.get(found);
  };
}

/** Upper case first: it is what makes `ß` two letters and `ς` the same letter as `σ` [V5]. */
function fold(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}*_`~]/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll(/\s+/g, ' ');
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
