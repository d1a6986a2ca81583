/**
 * A fault that changes no behaviour that matters. The source line identifies it: if that line changes, the entry no longer applies,
 * and a run says so.
 */
export interface KnownEquivalent {
  readonly file: string;
  readonly operator: string;
  /** The first line of the mutated code, as in the file, without its indentation. */
  readonly line: string;
  readonly to: string;
  readonly reason: string;
}
