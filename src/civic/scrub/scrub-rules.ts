import { RULES } from './rules.ts';

/** A rule as published in `/scrub-rules.json`. */
export interface PublishedRule {
  readonly name: string;
  /** A regular expression for text after NFKC; empty if lists or a parser decide. */
  readonly pattern: string;
  readonly flags: string;
  /** Name of the checksum that a match must pass, or null. */
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
