/**
 * The kind of a submission's string; it decides which rules apply [PV5, PV7, PV13, PV14]. `closed`: ids, dates, enums, versions: not
 * scrubbed. `url`: a link or reference. `path_entry`: any other text of a path or source. `markdown`: a draft's body. `diff`: a unified
 * diff of Markdown. `free_text`: everything else.
 */
export type FieldKind = 'closed' | 'url' | 'path_entry' | 'markdown' | 'diff' | 'free_text';

/**
 * Kinds by JSON pointer pattern; the first match wins, and the default is `free_text`. In a pattern, `*` matches one segment, and a final
 * `**` any number of segments, including none, as in `/content/entry/**`. Long numbers have the kind of their pointer too.
 */
export type FieldKinds = readonly (readonly [pattern: string, kind: FieldKind])[];

type KindOf = (segments: readonly string[]) => FieldKind;

const compiled = new WeakMap<FieldKinds, KindOf>();

/** Returns a lookup of kinds by pointer; patterns are parsed once. */
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
