/** Errors that a check of the corpus can find. */
export const CHECK_CODES = [
  'unknown_requires',
  'cyclic_requires',
  'duplicate_id',
  'id_mismatch',
  'dead_reference',
  'provider_named',
  'frontmatter_invalid',
  'mdx_forbidden',
  'file_too_large',
  'yaml_limits',
] as const;
export type CheckCode = (typeof CHECK_CODES)[number];

/** Warnings, which do not keep a corpus from being served. */
export type WarningCode =
  | 'unknown_key'
  | 'edge_dropped'
  | 'unresolved_value'
  | 'unknown_category'
  | 'long_digit_run'
  | 'no_permalink'
  | 'hidden_text'
  | 'malformed_table';

export interface CorpusIssue {
  readonly code: CheckCode;
  /** Path inside the corpus, with `/`. */
  readonly path: string;
  readonly message: string;
}

export interface CorpusWarning {
  readonly code: WarningCode;
  readonly path: string;
  readonly message: string;
}
