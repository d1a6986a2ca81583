/** One row of the table: the code is the contract, the numbers are its projections. */
export interface ErrorRow {
  /** A short sentence without details: it is shown to clients. */
  readonly title: string;
  readonly http: number;
  /** Exit code of a command that fails with this error. */
  readonly exit: number;
  /** What the person or the program can do about it, as a sentence. */
  readonly next: string;
}
