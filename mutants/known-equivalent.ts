/**
 * A fault that the program behaves the same with, or differs only in what nobody relies on. The source line identifies it, so an entry
 * falls out of use, and a run says so, once that line changes.
 */
export interface KnownEquivalent {
  readonly file: string;
  readonly operator: string;
  /** The first line of what is mutated, as it stands in the file, without its indentation. */
  readonly line: string;
  readonly to: string;
  readonly reason: string;
}
