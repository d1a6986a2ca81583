/** One rule as `/scrub-rules.json` shows it. */
export interface PublishedRule {
  readonly name: string;
  /** A regular expression; empty where the rule is not one. */
  readonly pattern: string;
  readonly flags: string;
  /** Name of the arithmetic check that a match must pass; null where there is none. */
  readonly checksum: string | null;
  readonly applies_to_fields: readonly string[];
  readonly category: string;
}

/** The rules as data, for clients that scrub before they send. */
export function scrubRules(): { readonly schema_version: 2; readonly rules: readonly PublishedRule[] } {
  return { schema_version: 2, rules: [] };
}
