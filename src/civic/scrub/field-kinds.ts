/**
 * What a string of a submission is, which decides the rules that apply to it [PV5, PV7, PV13, PV14].
 * `closed`: ids, dates, enums, versions: not scrubbed. `url`: a link or reference. `path_entry`: any other text of a path or source.
 * `markdown`: a draft's body. `diff`: a unified diff of Markdown. `free_text`: everything else.
 */
export type FieldKind = 'closed' | 'url' | 'path_entry' | 'markdown' | 'diff' | 'free_text';

/**
 * Kinds by JSON pointer pattern; the first pattern that fits wins, and what fits none is `free_text`.
 * In a pattern a segment `*` stands for any one segment, and a last `**` for any number of them, none included, as in
 * `/content/entry/**`. A long number takes the kind of its pointer too.
 */
export type FieldKinds = readonly (readonly [pattern: string, kind: FieldKind])[];

type KindOf = (segments: readonly string[]) => FieldKind;

const compiled = new WeakMap<FieldKinds, KindOf>();

/** The kind of the string at a pointer; a list of patterns is read once. */
export function kindsBy(fields: FieldKinds): KindOf {
  const known = compiled.get(fields);
  if (known) return known;
  const patterns = fields.map(([pattern, kind]) => ({ parts: pattern.split('/').slice(1).map(unescapeSegment), kind }));
  const kindOf: KindOf = (segments) => patterns.find(({ parts }) => fits(parts, segments))?.kind ?? 'free_text';
  compiled.set(fields, kindOf);
  return kindOf;
}

function fits(parts: readonly string[], segments: readonly string[]): boolean {
  const open = parts.at(-1) === '**';
  const fixed = open ? parts.length - 1 : parts.length;
  if (open ? segments.length < fixed : segments.length !== fixed) return false;
  for (let i = 0; i < fixed; i++) if (parts[i] !== '*' && parts[i] !== segments[i]) return false;
  return true;
}

function unescapeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
