import { RULES } from './rules.ts';

/** One rule as `/scrub-rules.json` shows it. */
export interface PublishedRule {
  readonly name: string;
  /** A regular expression for text after NFKC; empty where lists or a parser decide. */
  readonly pattern: string;
  readonly flags: string;
  /** Name of the arithmetic check that a match must pass; null where there is none. */
  readonly checksum: string | null;
  /** Kinds of fields: free_text, markdown, diff, path_entry, url. */
  readonly applies_to_fields: readonly string[];
  readonly category: string;
}

/** The rules as data, for clients that scrub before they send. */
export function scrubRules(): { readonly schema_version: 2; readonly rules: readonly PublishedRule[] } {
  return {
    schema_version: 2,
    rules: RULES.map(({ name, pattern, checksum, kinds, category }) => ({
      name,
      pattern: pattern?.source ?? '',
      flags: pattern?.flags ?? '',
      checksum,
      applies_to_fields: kinds,
      category,
    })),
  };
}
