/** A server in a client's file. */
export interface ClientServer {
  readonly id: string;
  readonly value: unknown;
  /** Why it cannot be moved as it is; undefined for most servers. */
  readonly obstacle?: string;
  /** It is in a project's part of the file, not among the user's own servers. */
  readonly isOfProject?: true;
}

/** A client's file cannot be read; the message is for the person. */
export class UnreadableFile extends Error {}
